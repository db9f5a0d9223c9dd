# SPDX-License-Identifier: Apache-2.0
"""Is what a user is told about a mistake one clear sentence?"""

from __future__ import annotations

import re
from typing import Any


def is_a_sentence(text: str, *words: str) -> None:
    """One line that ends in a full stop and has the words; a name or an id may begin it."""
    assert "\n" not in text, f"more than one line:\n{text}"
    assert re.match(r"(?:[A-Z`/(\d]|libompd ).*\.$", text), f"no sentence: {text!r}"
    for word in words:
        assert word in text, f"no `{word}' in: {text}"


def is_an_error(document: Any, code: str) -> None:
    assert document["error"]["code"] == code
    assert document["error"]["message"]
