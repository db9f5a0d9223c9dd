# SPDX-License-Identifier: Apache-2.0
"""`ompd threads' as text: one line for threads that are alike."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Hashable, Sequence

from ..model import ids, states
from ..model.native import Location
from ..model.process import Membership, Process, Thread, Wait, pairs
from .alike import MOST_ROWS, joined
from .table import Style, Table, count, paragraph, place
from .terminal import plain

_LONGEST = 160  # characters of a place
_WORK = ("work_parallel", "work_serial", "work_reduction")


def lines(
    process: Process, threads: Sequence[Thread], current: int | None, style: Style
) -> list[str]:
    """current: GDB's number of the selected thread."""
    table = Table(["", "T", "OpenMP", "Level", "State", "Where"], style, folding=(1, 2))
    for group in joined(threads, _likeness, _kind, style.every):
        first = group[0]
        numbers = [t.native.num for t in group if t.native is not None]
        table.add(
            "*" if current in numbers else "",
            ids.compress(numbers) or "-",
            _openmp(group),
            _level(first),
            _states(group),
            where(first),
        )
    found = table.lines()
    found += paragraph(_counts(process, threads), style, "   ")
    return found + footnotes(threads, style)


def _likeness(thread: Thread) -> Hashable:
    return (_state(thread), _kind(thread))


def _kind(thread: Thread) -> Hashable:
    """Whatever lock it waits for."""
    where = thread.where if _shows_where(thread) else None
    call = thread.in_call
    return (
        state_of(thread, named=False),
        _level(thread),
        tuple(m.runtime for m in thread.openmp),
        thread.running,
        thread.native is None,
        (where.name, where.file, where.line) if where else None,
        call_name(call) if call else None,
        thread.message,
    )


def _openmp(group: Sequence[Thread]) -> str:
    cells = []
    for position in range(len(group[0].openmp)):
        members = [thread.openmp[position] for thread in group]
        if members[0].raw.kind != "none":
            cells.append(ids.short_thread_list(pairs(members)) or "-")
    return ", ".join(cells) or ("-" if group[0].kind else "?")


def _level(thread: Thread) -> str:
    levels = [m.region.raw.level for m in thread.openmp if m.region is not None]
    return ",".join("?" if level is None else str(level) for level in levels) or "-"


def _states(group: Sequence[Thread]) -> str:
    """lock `a'; of threads that wait for many: lock (60 different)"""
    different = {_state(thread) for thread in group}
    if len(different) == 1:
        return _state(group[0])
    return f"{state_of(group[0], named=False)} ({len(different)} different)"


def _state(thread: Thread) -> str:
    return state_of(thread)


def state_of(thread: Thread, named: bool = True) -> str:
    """What it does; named: with the lock that it waits for."""
    if not thread.openmp:
        return "ended" if thread.ended else "not OpenMP" if thread.kind else "?"
    shown = []
    for member in thread.telling:
        if thread.ended:
            shown.append("ended")
        elif member.raw.kind == "helper":
            shown.append("helper")
        else:
            shown.append(_one_state(thread, member, named))
    return ", ".join(dict.fromkeys(shown))


def words_of(thread: Thread) -> str:
    """What it does."""
    return "running" if thread.running else _state(thread)


def where_of(thread: Thread) -> Location | None:
    """Its place in the user's code, if it has one worth showing."""
    return thread.where if _shows_where(thread) and not thread.running else None


def in_words(state: str, wait: Wait | None) -> str:
    """With what it is waited for, by the user's name."""
    words = states.in_words(state, *((wait.construct, wait.kind) if wait else ()))
    if wait is not None and wait.phase is not None:
        return f"{words}, {wait.phase}"
    if wait is None or wait.name is None:
        return words
    if wait.kind == "critical":
        return f"{words} {plain(wait.name) or '(unnamed)'}"
    return f"{words} `{plain(wait.name)}'"


def _doing(thread: Thread, member: Membership, named: bool) -> str:
    """Of a thread whose state is known. Work, for OpenMP, is a wait for a mutex of the program's
    as well."""
    assert member.state is not None
    if member.starts:
        return "starting"
    if member.passed is None:
        if thread.kept is not None and not thread.kept.goes_on and member.state in _WORK:
            return thread.kept.label(named)
        return in_words(member.state, _unnamed(member.wait, named))
    verb = {"barrier": "leaving", "ordered": "entering", "doacross": "leaving"}.get(
        member.passed.wait.kind, "taking"
    )
    return f"{verb} {in_words(member.passed.state, _unnamed(member.passed.wait, named))}"


def _unnamed(wait: Wait | None, named: bool) -> Wait | None:
    return wait if named or wait is None else wait._replace(name=None)


def _one_state(thread: Thread, member: Membership, named: bool) -> str:
    if member.state is None:
        return "?"
    words = _doing(thread, member, named)
    unsure = member.doubts.get("state")
    if unsure is not None and unsure.certainty == "likely":
        words += "?"
    if member.tracked_state not in (None, "undefined", member.state):
        words += f" (tracked: {states.in_words(member.tracked_state or '')})"
    return words


def _shows_where(thread: Thread) -> bool:
    """An idle worker stands somewhere in the runtime's wait: nothing of the user's is there."""
    return any(m.state != "idle" for m in thread.openmp) or not thread.openmp


def at_of(thread: Thread) -> str | None:
    """Its place, where nobody says how much room there is."""
    return where(thread)(_LONGEST) if where_of(thread) is not None else None


def where(thread: Thread) -> Callable[[int | None], str]:
    """A cell: its place in the user's code, as long as there is room."""
    location = thread.where
    if thread.native is None:
        return lambda room: "(GDB knows no such thread)"
    if thread.running:
        return lambda room: "(running)"
    if location is None or not _shows_where(thread):
        return lambda room: "-"
    suffix = f", in {call_name(thread.in_call)}" if thread.in_call is not None else ""
    if thread.message is not None:
        suffix += f" {thread.message.words}"
    return lambda room: _place(location, suffix, room)


def _place(location: Location | None, suffix: str, room: int | None) -> str:
    assert location is not None
    left = None if room is None else room - len(suffix)
    return place(location.name, location.file, location.line, left) + suffix


def call_name(call: Location) -> str:
    """The function, or at least its library's name."""
    if call.function is not None:
        return plain(call.function)
    return plain((call.objfile or "??").rsplit("/", 1)[-1])


def class_of(thread: Thread, named: bool = True) -> str:
    """For the line that counts; named: with the lock that it waits for."""
    if thread.running:
        return "running"
    if not thread.openmp:
        return "ended" if thread.ended else "not OpenMP" if thread.kind else "unknown"
    member = thread.telling[0]
    if member.raw.kind == "helper":
        return "hidden helper" if len(thread.openmp) == 1 else "helper"
    if thread.ended:
        return "ended"
    if member.state is not None:
        return _doing(thread, member, named)
    if member.region is None:
        return "unknown"
    return "in parallel regions" if (member.region.raw.level or 0) > 0 else "in serial code"


def classes(threads: Sequence[Thread]) -> str:
    """3 working; 1 lock `a'"""
    kinds: dict[str, Counter[str]] = {}
    for thread in threads:
        kinds.setdefault(class_of(thread, named=False), Counter())[class_of(thread)] += 1
    counted: Counter[str] = Counter()
    for kind, names in kinds.items():
        many = len(names) > MOST_ROWS
        counted.update({f"{kind} ({len(names)} different)": sum(names.values())} if many else names)
    return "; ".join(f"{number} {name}" for name, number in counted.most_common())


def _counts(process: Process, threads: Sequence[Thread]) -> str:
    total = len(process.threads)
    shown = count(len(threads), "thread")
    if len(threads) != total:
        shown = f"{shown} of {total}"
    return f"{shown}: {classes(threads)}."


INCOMPLETE = (
    "There may be more: some of the runtime's structures could not be followed. `ompd status' lists"
    " what was noted."
)


# Why a runtime has not started.
NOT_USED = "the program has not used OpenMP yet"
NO_REGIONS = "the program has begun none of its regions yet"


def remarks(process: Process, notes: Sequence[str], style: Style) -> list[str]:
    """What concerns all that was shown."""
    texts = []
    for runtime in process.runtimes:
        if not runtime.supported or runtime.problem:
            texts.append(f"{runtime.name} {runtime.problem}.")
        elif not runtime.initialized:
            why = NO_REGIONS if any(one.initialized for one in process.runtimes) else NOT_USED
            texts.append(f"{runtime.name} is loaded, but not started: {why}.")
    return [line for text in texts + list(notes) for line in paragraph(text, style)]


# Fields whose doubts are explained below the table.
_SHOWN = ("state", "region", "ancestors")


def footnotes(threads: Sequence[Thread], style: Style) -> list[str]:
    """Why there is a `?', once and not in every line."""
    reasons: dict[str, None] = {}
    for thread in threads:
        if thread.kind is None:
            reasons[f"?: {thread.doubts['kind'].sentence}"] = None
        if thread.native is not None and thread.ended:
            reasons[f"ended: {thread.doubts['where'].sentence}"] = None
        for member in thread.openmp:
            shown = ("region", "ancestors") if member.raw.kind == "helper" else _SHOWN
            for field in shown:
                if field in member.doubts:
                    doubt = member.doubts[field]
                    sign = "?" if field == "state" and member.state is None else field
                    reasons[f"{sign}: {doubt.sentence}"] = None
    found = []
    for reason in reasons:
        found += paragraph(reason + ".", style, "   ")
    return found
