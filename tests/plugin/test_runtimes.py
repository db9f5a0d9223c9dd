# SPDX-License-Identifier: Apache-2.0
"""Is a runtime that one part knows known to all that list runtimes?"""

from __future__ import annotations

import json
from pathlib import Path

from ompd_core import runtimes
from ompd_core.library import capi
from ompd_core.views import environment

SCHEMA = Path(__file__).resolve().parents[2] / "docs/schema/ompd-1.schema.json"
KINDS = {one.kind for one in runtimes.RUNTIMES}


def test_kinds() -> None:
    assert {kind.name.lower() for kind in capi.RuntimeKind} == KINDS
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert set(schema["definitions"]["runtime"]["properties"]["kind"]["enum"]) == KINDS


def test_variables_of_the_environment() -> None:
    for one in runtimes.RUNTIMES:
        for prefix in one.environment:
            assert f"{prefix}..." in environment.NONE
