# SPDX-License-Identifier: Apache-2.0
"""How is a document "ompd/1" written, and what is one that tells an error? Of its sections nothing
is known here."""

from __future__ import annotations

import json
from typing import Any

from ..errors import UserError

SCHEMA = "ompd/1"

Json = dict[str, Any]


def text(document: Json) -> str:
    """A line for each item of a section: json indents in Python, which takes very long."""
    sections = [f" {_compact(name)}: {_section(value)}" for name, value in document.items()]
    return "{\n" + ",\n".join(sections) + "\n}"


def _section(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _compact(value)
    return "[\n  " + ",\n  ".join(map(_compact, value)) + "\n ]"


def _compact(value: object) -> str:
    # DEL is the one control character that json does not escape.
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")


def error(command: str, met: UserError) -> Json:
    return {
        "schema": SCHEMA,
        "command": command,
        "error": {"code": met.code, "message": met.message, "hint": met.hint},
    }
