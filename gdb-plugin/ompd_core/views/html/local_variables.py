# SPDX-License-Identifier: Apache-2.0
"""What do the variables of odd threads hold, frame by frame?"""

from __future__ import annotations

from . import places, who
from .document import Json, doubt, object_of, objects, word
from .markup import Markup, Part, fold, join, tag, text
from .report import Report, Section, plural

MOST_LINES = 400  # of a frame's variables


def section(report: Report) -> Section | None:
    stacks = objects(report.document, "locals")
    if not stacks:
        return None
    lead = tag("p", "Innermost frame first.", class_="lead")
    body = join(lead, [_stack(report, one, len(stacks) == 1) for one in stacks])
    return Section("locals", "Odd threads' variables", body, f"{len(stacks):,}")


def _stack(report: Report, stack: Json, alone: bool) -> Markup:
    gdb = f"T{(word(stack, 'gdb') or '?').rpartition('.')[2]}"
    name = word(stack, "who") or gdb
    thread = report.thread(name)
    kind = report.kind(thread) if thread is not None else None
    frames = objects(stack, "frames")
    title: list[Part] = [tag("b", name), f" ({gdb})" if name != gdb else None]
    if kind is not None:
        title += [" ", tag("span", kind.name, class_="tag")]
    title.append(tag("span", f" {plural(len(frames), 'frame')}", class_="size"))
    return fold(
        title,
        tag("ol", [_frame(report, frame) for frame in frames], class_="stack"),
        tag("p", "More is not shown.", report.doubts.mark(doubt(stack, "complete")))
        if doubt(stack, "complete")
        else None,
        opened=alone or name in report.stuck,
        class_="variables",
        data_who=who.compressed([name]),
        data_gdb=gdb,
    )


def _frame(report: Report, frame: Json) -> Markup:
    kind = word(frame, "kind") or "user"
    values = (word(frame, "locals") or "").strip()
    nothing = values.startswith("No ") and "\n" not in values  # GDB's sentence
    place = object_of(frame, "loc")
    return tag(
        "li",
        tag(
            "span",
            report.doubts.marked(word(frame, "text") or "?", frame),
            class_=f"frame {kind}",
            title=places.path(place),
        ),
        [" ", tag("span", values, class_="size")] if nothing else None,
        tag("pre", _lines(values)) if values and not nothing else None,
    )


def _lines(values: str) -> Markup:
    lines = values.expandtabs().splitlines()
    more = len(lines) - MOST_LINES
    shown = [text(line) for line in lines[:MOST_LINES]]
    shown += [text(f"... ({more} more lines)")] if more > 0 else []
    return Markup("\n".join(shown))
