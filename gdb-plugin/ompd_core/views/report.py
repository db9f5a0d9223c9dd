# SPDX-License-Identifier: Apache-2.0
"""`ompd report' as text: the verdict, then section by section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, Sequence

from ..errors import UserError
from ..model.assessment import Assessment
from ..model.facts import Library, Program
from . import status, threads
from .table import Style, paragraph
from .terminal import plain

if TYPE_CHECKING:
    from ..documents.stop import Unavailable

MOST_LINES, LAST_LINES = 60, 20  # of a section

Sections = Sequence[tuple[str, Sequence[str]]]  # title and lines


def lines(
    of: Assessment,
    program: Program,
    library: Library,
    sections: Sections,
    missing: Mapping[str, UserError],
    notes: Sequence[str],
    style: Style,
) -> list[str]:
    """missing: sections that could not be made; "openmp" stands for all of them."""
    found = status.verdict(of, style, complete="openmp" not in missing)
    for error in missing.values():
        found += paragraph(f"Unknown : {error.sentence()}", style, " " * 10)
    process = of.process
    counted = f"Threads : {len(process.threads)}: {threads.classes(process.threads)}"
    found += paragraph(counted, style, " " * 10)
    found += status.slow_lines(of, style)
    for title, shown in sections:
        found += ["", *_heading(title), *_cut(shown, style)]
    found += ["", *_heading("Program and runtimes")]
    return found + status.status(program, library, process.runtimes, notes, style)


def _cut(shown: Sequence[str], style: Style) -> list[str]:
    """What explains a table stands at its end."""
    left_out = len(shown) - MOST_LINES - LAST_LINES
    if style.every or left_out <= 1:
        return list(shown)
    note = f"... {left_out} more lines like these; -all shows them ..."
    return [*shown[:MOST_LINES], note, *shown[-LAST_LINES:]]


def _heading(title: str) -> list[str]:
    return [plain(title), "-" * len(title)]


def unavailable(missing: Mapping[str, UserError]) -> list[Unavailable]:
    """The section "unavailable"."""
    return [
        {"section": name, "code": error.code, "message": error.message, "hint": error.hint}
        for name, error in missing.items()
    ]
