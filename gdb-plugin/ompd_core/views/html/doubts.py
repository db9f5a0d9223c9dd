# SPDX-License-Identifier: Apache-2.0
"""What is not certain, and why? Each reason is told once, at the page's end; where it counts stands
a `?' that leads there."""

from __future__ import annotations

from .document import Json, object_of, word
from .markup import Markup, join, tag


class Doubts:
    """The reasons that the page has met so far."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._subjects: dict[int, dict[str, None]] = {}

    def mark(self, doubt: Json | None, subject: str = "") -> Markup | None:
        """subject: what is doubted, where the reason alone does not tell."""
        if not doubt:
            return None
        certainty = "likely" if doubt.get("certainty") == "likely" else "unknown"
        reason = (certainty, word(doubt, "why") or "", word(doubt, "how") or "")
        number = self._numbers.setdefault(reason, len(self._numbers) + 1)
        if subject:
            self._subjects.setdefault(number, {})[subject] = None
        return tag(
            "a",
            "?",
            tag("sub", number),
            class_="doubt",
            href=f"#doubt-{number}",
            title=f"{certainty}: {_sentence(*reason[1:])}",
        )

    def marked(self, words: str, doubted: Json) -> Markup:
        """Words on a frame or the like: its doubts in the place of the text's own `?'."""
        found = object_of(doubted, "doubts").values()
        marks = [self.mark(one) for one in found if isinstance(one, dict)]
        return join(words.rstrip("? ") if any(marks) and words.strip("? ") else words, marks)

    @property
    def count(self) -> int:
        return len(self._numbers)

    def list(self) -> Markup | None:
        if not self._numbers:
            return None
        items = [
            tag(
                "li",
                tag("b", certainty),
                ": ",
                _sentence(why, how),
                ". ",
                tag("small", ", ".join(self._subjects.get(number, ()))),
                id=f"doubt-{number}",
            )
            for (certainty, why, how), number in self._numbers.items()
        ]
        return join(tag("ol", items, class_="doubts"))


def _sentence(why: str, how: str) -> str:
    return f"{why}; {how}" if how else why
