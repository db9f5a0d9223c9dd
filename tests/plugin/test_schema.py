# SPDX-License-Identifier: Apache-2.0
"""Is docs/schema/ompd-1.schema.json what the types of the documents say, and would it refuse a
document that is none?"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from generated import ROOT, fresh

SCHEMA = ROOT / "docs" / "schema" / "ompd-1.schema.json"
EMPTY: dict[str, Any] = {
    "schema": "ompd/1",
    "command": "threads",
    "stop_id": 1,
    "gdb_version": "13.1",
    "notes": [],
    "inferior": None,
    "runtimes": [],
    "threads": [],
}


def test_the_schema_is_fresh() -> None:
    fresh("docs/schema/ompd-1.schema.json", "tools/gen-schema")


@pytest.fixture(scope="module")
def schema() -> Any:
    found = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(found)
    return found


def test_a_document_is_valid(schema: Any) -> None:
    jsonschema.validate(EMPTY, schema)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "ompd/2"},
        {"stop_id": -1},
        {"command": ""},
        {"command": "bt"},  # which has stacks, or merged
        {"inferior": {}},
        {"runtimes": None},
        {"threads": [{}]},
        {"made": "yesterday"},
        {"environment": [{"name": "OMP_NUM_THREADS", "value": "4", "more": 1}]},
        {"error": {}},
    ],
    ids=str,
)
def test_any_other_is_refused(schema: Any, change: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**EMPTY, **change}, schema)
    for name in change:
        without = {key: value for key, value in EMPTY.items() if key != name}
        if name in EMPTY:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(without, schema)


@pytest.mark.parametrize(
    "field, good, bad",
    [
        ("thread", "R1.7", "1.7"),
        ("parent", None, "R1"),
        ("state", "ready", "resting"),
        ("children", 0, -1),
        ("depends_on", ["t2"], ["t"]),
        ("doubts", {"thread": {"certainty": "unknown", "why": "w", "how": None}}, {}),
    ],
)
def test_fields_of_a_task(schema: Any, field: str, good: Any, bad: Any) -> None:
    task = {
        "id": "t1",
        "runtime": 0,
        "region": "R1",
        "address": "0x7f00",
        "state": None,
        "thread": None,
        "created": None,
        "function": None,
        "parent": None,
        "children": None,
        "priority": None,
        "depends_on": [],
        "wait": None,
    }
    document = {**EMPTY, "command": "tasks", "tasks": [{**task, field: good}]}
    jsonschema.validate(document, schema)
    document["tasks"] = [{**task, field: bad}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
