# SPDX-License-Identifier: Apache-2.0
"""Is a runtime that one part knows known to all that list runtimes?"""

from __future__ import annotations

import json
import re
from pathlib import Path

from ompd_core import runtimes
from ompd_core.library import capi
from ompd_core.views import environment

TREE = Path(__file__).resolve().parents[2]
SCHEMA = TREE / "docs/schema/ompd-1.schema.json"
KINDS = {one.kind for one in runtimes.RUNTIMES}


def test_kinds() -> None:
    assert {kind.name.lower() for kind in capi.RuntimeKind} == KINDS
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert set(schema["definitions"]["runtime"]["properties"]["kind"]["enum"]) == KINDS


def test_the_unwinder_looks_for_each() -> None:
    """It is read at GDB's start and imports nothing: the files' names stand in it once more."""
    text = (TREE / "gdb-plugin/ompd_gdb/target/unwinder.py").read_text(encoding="utf-8")
    found = re.search(r'^_RUNTIMES = re\.compile\(r"(.+)"\)$', text, re.MULTILINE)
    assert found is not None
    for pattern in (pattern for one in runtimes.RUNTIMES for pattern in one.files):
        name = f"/usr/lib/{pattern.replace('*', '.5')}"
        assert re.match(found[1], name), name
    assert not re.match(found[1], "/usr/lib/libompd.so")


def test_variables_of_the_environment() -> None:
    for one in runtimes.RUNTIMES:
        for prefix in one.environment:
            assert f"{prefix}..." in environment.NONE
