# SPDX-License-Identifier: Apache-2.0
"""What was looked at, with what, and where do the facts come from?"""

from __future__ import annotations

from ... import runtimes
from ..status import ONLY_IF_ASKED
from .document import Json, number, object_of, objects, word, words
from .markup import Markup, Part, join, tag
from .report import Report, Section

_FROM = {
    "symbols": "symbols that the runtime publishes",
    "recovered": "the runtime's own table, found in its memory (it is stripped)",
    "record": "a layout record that libompd ships, which fits its memory (it has no table)",
}


def section(report: Report) -> Section:
    runtimes = objects(report.document, "runtimes")
    parts: list[Part] = [_facts(_program(report.document))]
    if not runtimes:
        parts.append(tag("p", "No OpenMP runtime that could be read."))
    parts += [_runtime(report, runtime) for runtime in runtimes]
    notes = words(report.document, "notes")
    if notes:
        parts += [tag("h3", "Notes"), tag("ul", [tag("li", note) for note in notes])]
    return Section("program", "Program and runtimes", join(parts), "")


def process(document: Json) -> str:
    """core file core.4711"""
    inferior = object_of(document, "inferior")
    if inferior.get("kind") == "core":
        core = word(inferior, "core")
        return f"core file {core.rsplit('/', 1)[-1]}" if core else "core file"
    pid = number(inferior, "pid")
    remote = " (remote)" if inferior.get("kind") == "remote" else ""
    return f"process {pid}{remote}" if pid else ""


def _program(document: Json) -> list[tuple[str, Part]]:
    inferior, library = object_of(document, "inferior"), object_of(document, "library")
    found: list[tuple[str, Part]] = [
        ("Program", tag("code", word(inferior, "program") or "(GDB has no executable)")),
    ]
    core = word(inferior, "core")
    if core:
        found.append(("Core file", tag("code", core)))
    if number(inferior, "pid"):
        found.append(("Process", str(number(inferior, "pid"))))
    rank, ranks = number(document, "rank"), number(document, "rank_count")
    if rank is not None:
        found.append(("Rank", f"{rank} of {ranks}" if ranks else str(rank)))
    if word(document, "host"):
        found.append(("Host", word(document, "host")))
    stopped = document.get("stopped_seconds")
    if isinstance(stopped, (int, float)):
        found.append(("Stopped for", f"{stopped:.2f} s"))
    if library:
        found.append(("Library", _library(library)))
    if word(document, "gdb_version"):
        found.append(("GDB", word(document, "gdb_version")))
    if word(document, "made"):
        found.append(("Report made", _time(word(document, "made") or "")))
    return found


def _time(made: str) -> str:
    """2026-11-21 10:37:20 UTC"""
    return made.replace("T", " ").replace("Z", " UTC")


def _library(library: Json) -> Part:
    lacks = words(library, "missing")
    return [
        f"{word(library, 'version')}, OMPD API {number(library, 'api_version')}, ",
        tag("code", word(library, "path") or "?"),
        f"; it lacks {', '.join(lacks)}: what only they tell is missing" if lacks else None,
    ]


def _facts(rows: list[tuple[str, Part]]) -> Markup:
    return tag("dl", [[tag("dt", name), tag("dd", value)] for name, value in rows])


def _runtime(report: Report, runtime: Json) -> Markup:
    kind = word(runtime, "kind") or ""
    version = word(runtime, "version")
    title = f"{runtimes.name_of(kind, kind or 'runtime')} {version or '(version not known)'}"
    rows: list[tuple[str, Part]] = [
        ("File", tag("code", word(runtime, "path") or "(path unknown)")),
        ("Build-id", tag("code", word(runtime, "build_id")) if runtime.get("build_id") else "none"),
        ("Loaded at", tag("code", word(runtime, "base") or "?")),
        ("Facts from", _source(runtime)),
        ("Thread states", _tracking(runtime)),
    ]
    notes = [
        [_subject(one), word(one, "text")]
        for one in objects(runtime, "diagnostics")
        if one and word(one, "code") not in ONLY_IF_ASKED
    ]
    if notes and runtime.get("initialized") is not False:
        rows.append(("Noted", tag("ul", [tag("li", note) for note in notes])))
    return join(tag("h3", title), _facts(rows))


def _subject(diagnostic: Json) -> Part:
    subject = word(diagnostic, "subject")
    return [tag("code", subject), ": "] if subject else None


def _source(runtime: Json) -> str:
    if runtime.get("supported") is False:
        return "none: this runtime cannot be read"
    if runtime.get("initialized") is False:
        return "none: it is loaded, and not started; the program has not used OpenMP yet"
    return _FROM.get(word(runtime, "descriptors") or "", "not known")


def _tracking(runtime: Json) -> str:
    if runtime.get("state_tracking") is None:
        return "derived from the stacks; whether the runtime records them is not known"
    if runtime.get("state_tracking"):
        return "derived from the stacks, and the runtime records them too"
    return "derived from the stacks; the runtime does not record them itself"
