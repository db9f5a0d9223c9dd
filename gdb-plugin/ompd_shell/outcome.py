# SPDX-License-Identifier: Apache-2.0
"""What has come out, and which exit status says so?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Sequence

from ompd_gdb.views import json_text
from ompd_gdb.views.table import DEFAULT_WIDTH, Style, paragraph

NOTHING_ODD, FINDING, CANNOT_READ, INTERRUPTED = 0, 1, 2, 130

# Threads that are just being let go look like this too: a process is looked at twice then.
PASSING = frozenset(("barrier_divergence", "standing_still"))

AT_ONCE = 1.0  # seconds: Slurm sends a SIGTERM to all processes of a job, and several times
ASKED = "asked"  # a file in the private folder: somebody's SIGTERM asks for the report


@dataclass
class Outcome:
    status: int
    text: str = ""
    json: dict[str, Any] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)  # for stderr

    def document(self) -> str:
        return json_text.text(self.json) + "\n" if self.json else ""

    def page(self) -> str:
        from ompd_gdb.views import html  # only for those who want a page

        return html.page(self.json)


def of_report(text: str, document: dict[str, Any], notes: Sequence[str]) -> Outcome:
    """notes: what was met outside of GDB."""
    if notes:
        document["notes"] = [*document["notes"], *notes]
        text += "".join(f"{line}\n" for note in notes for line in _note(note))
    return Outcome(_status(document), text, document)


def confirm(document: dict[str, Any], seen_before: Sequence[str]) -> list[str]:
    """Of findings that may be passing: was each there at an earlier look too?"""
    notes = []
    for finding in document["findings"]:
        if finding["code"] in PASSING:
            finding["confirmed"] = finding["text"] in seen_before
            word = "the same" if finding["confirmed"] else "something else, so it is passing"
            notes.append(f"An earlier look at {finding['code']} showed {word}.")
    return notes or ["An earlier look showed something odd that has passed."]


def _note(note: str) -> list[str]:
    return paragraph(f"Note    : {note}", Style(DEFAULT_WIDTH), " " * 10)


def _status(document: dict[str, Any]) -> int:
    findings = [one for one in document["findings"] if one.get("confirmed", True)]
    if any(finding["wrong"] for finding in findings):
        return FINDING
    if any(missing["section"] == "openmp" for missing in document["unavailable"]):
        return CANNOT_READ
    return NOTHING_ODD
