# SPDX-License-Identifier: Apache-2.0
"""What has come out, and which exit status says so?"""

from __future__ import annotations

import shlex
from typing import Any, Sequence

from ompd_core.errors import UserError
from ompd_core.light_classes import dataclass, field
from ompd_core.views import json_text
from ompd_core.views.table import Style, paragraph

from . import guardian

NOTHING_ODD, FINDING, CANNOT_READ, CANNOT_TELL, INTERRUPTED = 0, 1, 2, 3, 130

# Of a program that is run, beside its own: as `timeout' has them, where 123 is free. `git bisect
# run' takes 123 and 124 for bad, and passes over commits with 125.
FOUND, LATE, FAILED, NOT_EXECUTABLE, NOT_FOUND = 123, 124, 125, 126, 127

# A living process is looked at twice before it is said to be stuck, and where one look cannot tell.
OF_ONE_LOOK = frozenset(
    (
        "deadlock",
        "self_deadlock",
        "lock_never_released",
        "iteration_never_posted",
        "thread_ended",
        "barrier_divergence",
        "cannot_tell",
    )
)

AT_ONCE = 1.0  # seconds: Slurm sends a SIGTERM to all processes of a job, and several times
# Why there is one look only.
ENDED = (
    "It ended before it could be looked at a second time: whether what was found would have lasted"
    " is not known."
)
EXECUTED = (
    "It executed other programs (exec) between looks: none was looked at twice, as a finding wants."
    " Look again."
)
ASKED = "asked"  # a file in the private folder: somebody's signal asks for the report


@dataclass
class Outcome:
    status: int
    text: str = ""
    json: dict[str, Any] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)  # for stderr

    def document(self) -> str:
        return json_text.text(self.json) + "\n" if self.json else ""

    def page(self) -> str:
        from ompd_core.views import html  # only for those who want a page

        return html.page(self.json)


def of_report(text: str, document: dict[str, Any], notes: Sequence[str], style: Style) -> Outcome:
    """notes: what was met outside of GDB."""
    if notes:
        document["notes"] = [*document["notes"], *notes]
        text += "".join(f"{line}\n" for note in notes for line in _note(note, style))
    return Outcome(_status(document), text, document)


def confirm(document: dict[str, Any], seen_before: Sequence[str]) -> list[str]:
    """Of what was found at the second look: was it there at the first? seen_before: codes."""
    notes = []
    for finding in document["findings"]:
        # One that both looks together show is confirmed.
        if finding["code"] in OF_ONE_LOOK and finding["wrong"] and "confirmed" not in finding:
            finding["confirmed"] = finding["code"] in seen_before
            if not finding["confirmed"]:
                notes.append(f"A look before showed no {finding['code']}: look again.")
    codes = {finding["code"] for finding in document["findings"]}
    still = {"standing_still", "standstill"}
    if set(seen_before) - {"cannot_tell"} and not codes & {*seen_before, *still}:
        notes.append("A look before showed something odd that has passed.")
    return notes


def unconfirmed(document: dict[str, Any], why: str) -> list[str]:
    """There was one look only, where a finding takes two."""
    for finding in document["findings"]:
        if finding["code"] in OF_ONE_LOOK and finding["wrong"]:
            finding["confirmed"] = False
    return [why]


def stopped_before(document: dict[str, Any], pid: int, style: Style) -> str:
    """The report's first line, and finding, of a process that a signal had stopped."""
    text = (
        f"Process {pid} was stopped by a signal (SIGSTOP, Ctrl-Z) before this look: nothing of it"
        f" goes on until `kill -CONT {pid}'."
    )
    document["findings"].insert(0, {"code": "stopped", "text": text, "wrong": False})
    return "".join(f"{line}\n" for line in paragraph(f"Stopped : {text}", style, " " * 10))


def not_executable(path: str) -> UserError:
    command = f"chmod +x {shlex.quote(path)}"
    return UserError(
        "not_executable", f"{path} is not executable.", f"If it is a program: `{command}'."
    )


def check_first_thread(pid: int) -> None:
    """The kernel shows a process by its first thread. Raises UserError."""
    if guardian.is_headless(pid):
        raise UserError(
            "first_thread_ended",
            f"The first thread of process {pid} has ended, and others go on: such a process can be"
            " neither debugged nor recorded.",
            f"`kill -ABRT {pid}' ends it with a core file, which `ompd core' reads.",
        )


def status_of_a_run(error: UserError) -> int:
    return {"no_executable": NOT_FOUND, "not_executable": NOT_EXECUTABLE}.get(error.code, FAILED)


def _note(note: str, style: Style) -> list[str]:
    return paragraph(f"Note    : {note}", style, " " * 10)


def _status(document: dict[str, Any]) -> int:
    findings = [one for one in document["findings"] if one.get("confirmed", True)]
    if any(finding["wrong"] for finding in findings):
        return FINDING
    if any(missing["section"] == "openmp" for missing in document["unavailable"]):
        return CANNOT_READ
    if any(finding["code"] == "cannot_tell" for finding in findings):
        return CANNOT_TELL
    return NOTHING_ODD
