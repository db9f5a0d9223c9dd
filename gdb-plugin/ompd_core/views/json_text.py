# SPDX-License-Identifier: Apache-2.0
"""How is a document "ompd/1" written, and what is one that tells an error? Of its sections nothing
is known here."""

from __future__ import annotations

import json
from typing import Any

from ..errors import UserError
from . import terminal

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
    text = json.dumps(value, ensure_ascii=True)
    if "\\udc" in text:
        text = json.dumps(_readable(value), ensure_ascii=True)
    # DEL is the one control character that json does not escape.
    return text.replace("\x7f", "\\u007f")


def _readable(value: Any) -> Any:
    """Half a pair of surrogates is no Unicode: strict readers refuse it."""
    if isinstance(value, str):
        return terminal.readable(value)
    if isinstance(value, dict):
        return {_readable(key): _readable(one) for key, one in value.items()}
    return [_readable(one) for one in value] if isinstance(value, (list, tuple)) else value


def error(command: str, met: UserError) -> Json:
    return {
        "schema": SCHEMA,
        "command": command,
        "error": {"code": met.code, "message": met.message, "hint": met.hint},
    }
