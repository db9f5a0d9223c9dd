# SPDX-License-Identifier: Apache-2.0
"""Does a JSON document keep its contract, docs/schema/ompd-1.schema.json?"""

from __future__ import annotations

import functools
import json
from typing import Any

import hangs_page
import jsonschema  # type: ignore[import]
import machine


@functools.lru_cache(maxsize=None)
def _validator() -> Any:
    schema = json.loads(machine.SCHEMA.read_text(encoding="utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def check(document: Any) -> None:
    errors = [
        f"{'/'.join(str(step) for step in error.absolute_path)}: {error.message}"
        for error in _validator().iter_errors(document)
    ]
    hangs_page.check(document)
    assert not errors, "the document breaks its schema:\n" + "\n".join(errors[:10])
