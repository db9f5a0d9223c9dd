# SPDX-License-Identifier: Apache-2.0
"""How does GDB/MI say what a JSON document says?"""

from __future__ import annotations

from typing import Any, Mapping

from .. import texts

# Its keys are no names of fields but what is counted, and MI wants names there.
COUNTS = "classes"


def of_document(document: Mapping[str, Any]) -> dict[str, object]:
    """None stands for nothing here, and is left out; GDB would write "None"."""
    return {
        name: _counts(value) if name == COUNTS else _value(value)
        for name, value in document.items()
        if value is not None
    }


def _counts(counts: Mapping[str, int]) -> list[object]:
    return [{"name": texts.printable(name), "count": str(count)} for name, count in counts.items()]


def _value(value: Any) -> object:
    if isinstance(value, dict):
        return of_document(value)
    if isinstance(value, (list, tuple)):
        return [_value(one) for one in value if one is not None]
    if isinstance(value, bool):
        return str(int(value))
    return texts.printable(str(value))
