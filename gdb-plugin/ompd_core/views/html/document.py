# SPDX-License-Identifier: Apache-2.0
"""What does a document hold that may lack any field? A document of an older or newer version, or of
another's making, is read as far as it goes."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def objects(value: Any, name: str | None = None) -> list[Json]:
    """A list of objects; name: of the field of `value' that holds it."""
    if name is not None:
        value = value.get(name) if isinstance(value, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_of(value: Any, name: str) -> Json:
    """Empty where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def words(value: Any, name: str) -> list[str]:
    """A list of strings."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def word(value: Any, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def number(value: Any, name: str) -> int | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def doubt(value: Any, name: str) -> Json | None:
    """Of a field of `value'."""
    return object_of(object_of(value, "doubts"), name) or None


def members(thread: Json) -> list[Json]:
    """What the runtimes know of it, the first of which is shown."""
    return objects(thread, "openmp")
