# SPDX-License-Identifier: Apache-2.0
"""Why did it die, or what does it wait for? The first that the page says."""

from __future__ import annotations

from ... import late_patterns
from . import places, states
from .document import Json, members, number, object_of, objects, word
from .markup import Markup, Part, join, tag
from .report import Report, plural

TITLES = {
    "crash": "It crashed",
    "gave_up": "It gave up",
    "code_unloaded": "Code was unloaded under threads",
    "region_left": "A thread has left its region",
    "deadlock": "Deadlock",
    "self_deadlock": "A thread waits for itself",
    "standing_still": "Nobody goes on",
    "standstill": "Nobody can go on",
    "lock_never_released": "A lock is never released",
    "iteration_never_posted": "An iteration is never posted",
    "thread_ended": "A thread has ended",
    "cannot_tell": "It cannot be told whether it hangs",
    "stopped": "It was stopped before",
    "barrier_divergence": "Different barriers",
    "runtime_problem": "A runtime cannot be read",
    "structures_broken": "Damaged structures",
    "thread_unknown": "Unknown threads",
    "target_aborted": "A construct of a device has failed",
    "argument_not_mapped": "An argument of a construct is not on the device",
    "argument_partly_mapped": "Only a part of an argument is on the device",
    "mapping_stale": "A mapping has outlived its variable",
    "mapping_left": "Something is still mapped at the end",
}
# Where the page tells more.
SECTIONS = {
    "crash": "stacks",
    "gave_up": "stacks",
    "code_unloaded": "stacks",
    "region_left": "stacks",
    "deadlock": "waits",
    "self_deadlock": "waits",
    "standing_still": "waits",
    "standstill": "waits",
    "lock_never_released": "waits",
    "iteration_never_posted": "waits",
    "thread_ended": "waits",
    "cannot_tell": "waits",
    "barrier_divergence": "barriers",
    "runtime_problem": "program",
    "target_aborted": "offload",
    "argument_not_mapped": "offload",
    "argument_partly_mapped": "offload",
    "mapping_stale": "offload",
    "mapping_left": "offload",
}
_COMMAND = late_patterns.compile(r" `ompd [a-z]+' tells more\.$")


def banner(report: Report, sections: set[str]) -> Markup:
    """sections: those that the page has."""
    findings = objects(report.document, "findings")
    shown: list[Part] = [_finding(one, sections) for one in findings]
    missing = [one for one in objects(report.document, "unavailable") if is_whole(one)]
    if "findings" not in report.document:
        shown.append(_unknown("No verdict", "The document holds none."))
    elif not findings and not missing:
        shown.append(_calm(report))
    slow = objects(object_of(report.document, "summary") or {}, "slowdowns")
    shown += [tag("p", tag("b", "Note "), word(one, "text")) for one in slow]
    shown += [_unknown("OpenMP's state is not known", why(one)) for one in missing]
    end = _end(object_of(report.document, "signal"))
    if end:
        shown.append(tag("p", tag("b", "Ended by "), end, ".", class_="end"))
    return tag("section", shown, id="verdict", aria_label="Verdict")


def headline(document: Json) -> str:
    """For the page's title."""
    findings = objects(document, "findings")
    if not findings:
        unknown = any(is_whole(one) for one in objects(document, "unavailable"))
        return "not known" if unknown or "findings" not in document else "no problems found"
    return ", ".join(dict.fromkeys(_title(one) for one in findings[:3])).lower()


def _title(finding: Json) -> str:
    code = word(finding, "code") or "finding"
    return TITLES.get(code) or code.replace("_", " ").capitalize()


def is_hang(document: Json) -> bool:
    """What its threads wait for is the first that one wants to see."""
    codes = [word(one, "code") for one in objects(document, "findings") if is_wrong(one)]
    return bool(codes) and codes[0] != "crash"


def is_wrong(finding: Json) -> bool:
    """Does the shell's command end with status 1 for it?"""
    return finding.get("wrong") is True and finding.get("confirmed") is not False


def _finding(finding: Json, sections: set[str]) -> Markup:
    wrong = is_wrong(finding)
    said = _untitled(_COMMAND.sub("", word(finding, "text") or ""))
    target = SECTIONS.get(word(finding, "code") or "")
    notes: list[Part] = []
    if finding.get("confirmed") is True:
        notes.append("An earlier look showed the same. ")
    elif finding.get("confirmed") is False:
        notes.append("An earlier look showed something else: it is passing. ")
    if target in sections:
        notes.append(tag("a", "More below", href=f"#{target}"))
    mark = tag("span", "wrong: exit status 1", class_="tag wrong") if wrong else None
    doubted = tag("span", "no verdict on the program", class_="tag") if not wrong else None
    return tag(
        "article",
        tag("h2", _title(finding), " ", mark, doubted),
        tag("p", said),
        tag("p", notes, class_="more") if notes else None,
        class_="finding wrong" if wrong else "finding",
    )


def _untitled(said: str) -> str:
    """The heading says that already: how sure it is stays."""
    for title in _SAID_BY_TITLE:
        if said.startswith(title):
            rest = said[len(title) :].lstrip(": ").replace("(likely)", "Likely", 1)
            return rest[:1].upper() + rest[1:]
    return said


_SAID_BY_TITLE = ("DEADLOCK", "SELF-DEADLOCK", "The program crashed")


def _calm(report: Report) -> Markup:
    unclear = sum(
        word(member, "state") is None
        for thread in report.threads
        if not thread.get("running") and thread.get("kind") != "helper"
        for member in members(thread)
        if member.get("region")
    )
    if unclear:
        verb = "does" if unclear == 1 else "do"
        title = f"No problems found; what {plural(unclear, 'thread')} {verb} is not known"
        return _unknown(title, f"{_active(report)}.")
    return tag(
        "article",
        tag("h2", "No problems found"),
        tag("p", f"{_active(report)}. Idle workers are normal."),
        class_="finding calm",
    )


def _active(report: Report) -> str:
    regions = objects(report.document, "regions")
    inner = [one for one in regions if one.get("generator") != "program"]
    return f"{plural(len(inner), 'parallel region')} active"


def is_whole(missing: Json) -> bool:
    """Is it not just a section, but all of OpenMP that could not be told?"""
    return word(missing, "section") == "openmp"


def why(missing: Json) -> str:
    return " ".join(filter(None, (word(missing, "message"), word(missing, "hint"))))


def _unknown(title: str, said: str) -> Markup:
    return tag("article", tag("h2", title), tag("p", said), class_="finding unknown")


def _end(signal: Json) -> Part:
    """By a signal that is no crash."""
    name = word(signal, "name")
    if name is None or signal.get("crash"):
        return None
    reason, at = word(signal, "reason"), object_of(signal, "where")
    gdb = (word(signal, "gdb") or "").rpartition(".")[2]
    thread = word(signal, "id") or (f"T{gdb}" if gdb else f"LWP {number(signal, 'lwp')}")
    found: list[Part] = [tag("code", name), f" ({reason})" if reason else None, f", in {thread}"]
    if gdb and word(signal, "id"):
        found.append(f" (T{gdb})")
    if at:
        found += [", ", places.shown(at)]
    return found


def strip(report: Report) -> Markup | None:
    """All threads by what they do: one bar, and its legend with numbers."""
    counts: dict[states.Kind, int] = {}
    for thread in report.threads:
        of = report.kind(thread)
        counts[of] = counts.get(of, 0) + 1
    if not counts:
        return None
    total = len(report.threads)
    ordered = [(of, counts[of]) for of in states.ALL if of in counts]
    parts = [
        tag("i", class_=of.style, style=f"flex-grow:{counted}", title=f"{of.name}: {counted:,}")
        for of, counted in ordered
    ]
    items = [tag("li", states.chip(of, f"{counted:,} {of.name}")) for of, counted in ordered]
    return join(
        tag("p", tag("b", plural(total, "thread")), class_="total"),
        tag("div", parts, class_="bar", aria_hidden="true"),
        tag("ul", items, class_="legend", aria_label="Threads by what they do"),
    )
