# SPDX-License-Identifier: Apache-2.0
"""Which settings (ICVs) differ between threads, and what are all of them?"""

from __future__ import annotations

from .document import Json, doubt, objects, word
from .markup import Markup, Part, fold, join, table, tag
from .report import Report, Section, names_cell, plural


def section(report: Report) -> Section | None:
    icvs = objects(report.document, "icvs")
    if not icvs:
        return None
    changed = [icv for icv in icvs if icv.get("changed")]
    parts: list[Part] = []
    if changed:
        parts.append(_table(report, changed, "ICVs that differ between threads"))
    else:
        parts.append(tag("p", "No task's setting differs from the others'.", class_="lead"))
    caption = f"All {plural(len(icvs), 'ICV')}"
    parts.append(fold(caption, _table(report, icvs, caption)))
    return Section("icvs", "Changed settings (ICVs)", join(parts), f"{len(changed):,}")


def _table(report: Report, icvs: list[Json], caption: str) -> Markup:
    rows = [tag("tr", cells) for icv in icvs for cells in _rows(report, icv)]
    return table(["ICV", "Of", "Value", "Threads"], rows, caption)


def _rows(report: Report, icv: Json) -> list[Part]:
    values = objects(icv, "values")
    found: list[Part] = []
    for i, value in enumerate(values):
        head: list[Part] = []
        if i == 0:
            span = len(values) if len(values) > 1 else None
            name = tag("code", word(icv, "name") or "?")
            head = [
                tag("th", name, scope="row", rowspan=span),
                tag("td", word(icv, "scope") or "?", rowspan=span),
            ]
        text = word(value, "text")
        shown: Part = [tag("code", text)] if text is not None else None
        mark = report.doubts.mark(doubt(value, "text"), word(icv, "name") or "")
        found.append(
            [
                *head,
                tag("td", shown, mark, None if shown or mark else "?"),
                tag("td", names_cell(word(value, "who") or "")),
            ]
        )
    return found
