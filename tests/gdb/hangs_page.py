# SPDX-License-Identifier: Apache-2.0
"""Is docs/hangs.md true? Whatever crash or hang a test meets is there, with words that it has."""

from __future__ import annotations

import functools
import re
from typing import Any

import machine

PAGE = machine.ROOT / "docs" / "hangs.md"


@functools.lru_cache(maxsize=None)
def sentences() -> dict[str, list[str]]:
    """Of each finding's code, regular expressions of what it says; none: it differs."""
    text = PAGE.read_text(encoding="utf-8")
    _, crashes, hangs, *_ = re.split(r"^## .*$", text, flags=re.MULTILINE)
    found = {"crash": [one for (says, *_) in _rows(crashes) for one in _quoted(says)]}
    for code, says, *_ in _rows(hangs):
        for name in re.findall("`(.*?)`", code):  # a note has none
            found.setdefault(name, []).extend(_quoted(says))
    return found


def _rows(text: str) -> list[list[str]]:
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[-1] != "What to do"]


def _quoted(text: str) -> list[str]:
    quoted = re.findall("`(.*?)`", text)
    return [".*".join(map(re.escape, one.split("..."))) for one in quoted]


def check(document: Any) -> None:
    for finding in document.get("findings", ()):
        code, text = finding["code"], " ".join(finding["text"].split())
        known = sentences().get(code)
        # Of a bare signal there is nothing to say.
        if known and not re.match("The program crashed: SIG[A-Z]+, in ", text):
            assert any(
                re.search(one, text) for one in known
            ), f"docs/hangs.md has no row for: {text}"
