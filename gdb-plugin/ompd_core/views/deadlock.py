# SPDX-License-Identifier: Apache-2.0
"""`ompd deadlock' as text: the verdict, each circle in sentences, the bystanders."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.barriers import wait_in
from ..model.deadlock import Deadlock, locks_of
from ..model.doubts import Stop
from ..model.judgement import Judgement
from ..model.locks import Lock
from ..model.moments import Movement
from ..model.native import Location
from ..model.posts import Unposted
from ..model.process import Membership, Region, Thread, pairs
from ..model.standstill import Standstill
from ..model.waits import MAYBE_ELSEWHERE, Edge, Meeting, Needs
from . import outside
from . import standstill as standstill_view
from . import task_waits
from .alike import MOST_ROWS, together
from .barriers import name as barrier_name
from .locks import in_words, never_released, site, who
from .table import Style, count, cut_list, listed, paragraph, place
from .terminal import plain
from .threads import classes, state_of, where_of, words_of
from .values import who as all_of

SURELY = "For certain nobody can go on"


def lines(judgement: Judgement, style: Style) -> list[str]:
    found = judgement.waits
    shown = paragraph(headline(found), style)
    for circle in found.circles:
        shown += _circle(circle, style, len(found.circles) > 1)
    if found.bystanders:
        shown += paragraph(
            f"{count(len(found.bystanders), 'more thread waits', 'more threads wait')} for"
            f" {'these' if len(found.stuck) > 1 else 'this one'}: {classes(found.bystanders)}.",
            style,
            "  ",
        )
    for _, reason in forsaken(judgement):
        shown += paragraph(f"  {reason}", style, "      ")
    if found.verdict == "standstill" and found.standstill is not None:
        threads = found.process.threads
        shown += paragraph(f"  {standstill_view.waits(threads, found.needs)}", style, "      ")
        untaken = task_waits.queued(found.queued)
        for more in [*standstill_view.more(found.standstill, threads), *untaken]:
            shown += paragraph(f"  {more}", style, "      ")
    if not found.certain:
        reasons = {e.doubt: None for circle in found.circles for e in circle if e.doubt is not None}
        for doubt in reasons:
            shown += paragraph(f"likely: {doubt.sentence}.", style, "  ")
    asleep = _certain_standstill(found)
    if asleep is not None:
        shown += paragraph(f"{SURELY}: {standstill_view.all_stay(asleep)}.", style, "  ")
    if not found.circles:
        shown += _waiting(found, style)
    for reason in together([*found.unknown, *found.open]):
        shown += paragraph(f"Not known: {reason}.", style, "  ")
    if judgement.movement is not None:
        shown += paragraph(second_look(judgement.movement), style, "  ")
    return shown


def headline(found: Deadlock) -> str:
    """The verdict."""
    if found.circles:
        stuck = found.stuck
        held = {lock for circle in found.circles for lock in locks_of(circle)}
        certainty = "" if found.certain else " (likely)"
        if len(stuck) == 1:
            return f"SELF-DEADLOCK{certainty}: a thread waits for itself."
        parts = [count(len(stuck), "thread")]
        if held:
            parts.append(count(len(held), "lock"))
        return f"DEADLOCK{certainty}: {', '.join(parts)}."
    if found.forsaken:
        waiting = count(len(found.forsaken), "thread waits", "threads wait")
        if all(one.unposted for one in found.forsaken):
            return f"NEVER POSTED: {waiting} for an iteration that nobody will post."
        if all(one.ended for one in found.forsaken):
            return f"NEVER GOES ON: {waiting} for what has ended."
        return f"NEVER RELEASED: {waiting} for what nobody will give up."
    if found.standstill is not None and found.nobody_wakes:
        return standstill_view.headline(found.standstill)
    if found.unknown:
        return "Cannot tell whether there is a deadlock."
    if not found.needs:
        return "No deadlock: no OpenMP thread waits for another."
    if found.open:
        return "No deadlock is seen: somebody is at work, who may end what the others wait for."
    if found.gone_on:
        return "No deadlock: what waited at the first look has gone on since."
    return "No deadlock: the threads that wait now, wait for others that can go on."


def finding(judgement: Judgement) -> tuple[str, str]:
    """Its code, and the verdict with the threads: for a line among others."""
    found, circle = judgement.waits, judgement.circles[0]
    code = "deadlock" if len(found.stuck) > 1 else "self_deadlock"
    names = ", ".join(
        _named(edge.waiter, edge.member.runtime) + in_handler(edge.waiter) for edge in circle
    )
    told = [f"{headline(found)[:-1]}: {names}."]
    for edge in circle:
        itself = edge.needed is edge.waiter
        cause = outside.cause(edge.kept, itself) if edge.kept is not None else None
        told += [cause] if cause is not None and cause not in told else []
    told += [f"{SURELY}."] if _certain_standstill(found) is not None else []
    return code, f"{' '.join(told)} `ompd deadlock' tells more."


def _certain_standstill(found: Deadlock) -> Standstill | None:
    """Where the cause is only likely."""
    asleep = found.standstill
    if found.certain or asleep is None or not asleep.lasts or asleep.unseen is not None:
        return None
    return asleep


def in_handler(thread: Thread) -> str:
    return f" in the handler of {thread.handles}" if thread.handles is not None else ""


def forsaken(judgement: Judgement) -> list[tuple[str, str]]:
    """Of what nobody will give up, or who does not come any more: a code and a sentence each."""
    return list(dict.fromkeys((_code(one), _nobody(one)) for one in judgement.waits.forsaken))


def _code(one: Needs) -> str:
    if one.unposted is not None:
        return "iteration_never_posted"
    return "thread_ended" if one.ended else "lock_never_released"


def standstill(judgement: Judgement) -> str:
    found = judgement.waits
    assert found.standstill is not None
    text = standstill_view.finding(found.standstill, found.process.threads, found.needs)
    return " ".join([text, *task_waits.queued(found.queued)])


def standing_still(judgement: Judgement) -> str:
    assert judgement.movement is not None
    still = judgement.standing_still
    said = [
        f"None of {count(len(still), 'OpenMP thread')} can go on, as far as is known:"
        f" {classes(still)}.",
        *task_waits.sentences(judgement.waits.needs),
        second_look(judgement.movement),
    ]
    return " ".join(said)


def cannot_tell(judgement: Judgement) -> str:
    reasons = "; ".join(together(judgement.waits.unknown))
    text = f"It cannot be told whether threads wait for each other for ever: {reasons}."
    text = " ".join([text, *task_waits.sentences(judgement.waits.needs)])
    if judgement.movement is not None:
        text += f" {second_look(judgement.movement)}"
    return f"{text} What would decide is {_what_decides(judgement)}"


def _what_decides(judgement: Judgement) -> str:
    """What these looks do not tell."""
    open_ended = [one for one in judgement.waits.needs if one.open_ended and not one.progress]
    calls = [one.outside for one in open_ended]
    endless = dict.fromkeys(f"{call} ()" for call in calls if call and MAYBE_ELSEWHERE.match(call))
    if endless:
        return f"whether anything still ends {listed(list(endless))}."
    kept = [one.thread.kept for one in open_ended]
    spins = dict.fromkeys(one.words for one in kept if one is not None and one.kind == "spin")
    if spins:
        taken = listed(list(spins))
        return f"who has taken {taken}: a thread whose code is between locking and unlocking it."
    if judgement.movement is not None:
        return "a look after longer than what they do may take: if they are still there, they hang."
    if Stop.is_last:
        return (
            "whether these threads are still there seconds later: `ompd pid' looks twice at a"
            " process that runs, and a second core tells too."
        )
    return "whether these threads are still there seconds later: let it run, and look again."


def _circle(circle: Sequence[Edge], style: Style, several: bool) -> list[str]:
    shown = [""] if several else []
    for edge in circle:
        shown += paragraph("  " + sentence(edge), style, "      ")
    return shown


def sentence(edge: Edge) -> str:
    """R1.0 (T1) waits for lock `B' in solve () at heat.c:88, which R1.7 (T8) has held since ..."""
    thread = _named(edge.waiter, edge.member.runtime)
    here = _at(edge.waiter)
    needed = "itself" if edge.needed is edge.waiter else _named(edge.needed, edge.member.runtime)
    if edge.lock is not None:
        return f"{thread} waits for {in_words(edge.lock)}{here}, {_held(edge.lock, edge)}"
    if edge.task is not None:
        return f"{thread} waits in {edge.wait.kind}{here} for {task_waits.of_edge(edge, needed)}."
    if edge.kept is not None:
        # Of Python: where it keeps the GIL is not where it is in compiled code.
        there = _in(edge.needed.interpreted) if edge.kept.kind == "gil" else ""
        return outside.sentence(edge.kept, thread, here, needed, there)
    if edge.post is not None:
        iteration = f"iteration {edge.post.words} of a doacross loop"
        if edge.post.loop.owner is not None:
            return f"{thread} waits for {iteration}{here}, which {needed} has."
        return f"{thread} waits for {iteration}{here}, which nobody posts before {needed} goes on."
    if edge.ordered:
        return f"{thread} waits for its turn in ordered{here}, which {needed} has now."
    return f"{thread} waits at the barrier ({_at_barrier(edge)}) for {needed}."


def _held(lock: Lock, edge: Edge) -> str:
    itself = edge.needed is edge.waiter
    holder = (
        "which it holds itself"
        if itself
        else f"which {_named(edge.needed, edge.member.runtime)} holds"
    )
    return f"{holder}, acquired {site(lock.held_since)}." if lock.held_since else f"{holder}."


def _at_barrier(edge: Edge) -> str:
    return _barrier(edge.region, edge.member) if edge.region is not None else "barrier"


def _barrier(region: Region, member: Membership) -> str:
    """At which a thread of the region waits."""
    wait = wait_in(member, region)
    return barrier_name(wait) if wait is not None else "barrier"


def _named(thread: Thread, runtime: int) -> str:
    name = who(thread, runtime)
    if thread.native is None or name.startswith("T"):
        return name
    return f"{name} (T{thread.native.num})"


def _at(thread: Thread) -> str:
    return _in(where_of(thread))


def _in(where: Location | None) -> str:
    return f" in {place(where.name, where.file, where.line)}" if where is not None else ""


def _nobody(one: Needs) -> str:
    """Why nobody will let it go."""
    if one.forgotten is not None:
        return never_released(one.forgotten)
    if one.unposted is not None:
        return _never_posted(one.unposted, one.member.runtime)
    reason = one.nobody or ""
    return f"{reason[:1].upper()}{reason[1:]}."


def _never_posted(found: Unposted, runtime: int) -> str:
    """Nobody will post iteration 76 of the doacross loop in which R1.2 (T3) waits in f () ..."""
    waiter = _named(found.waiter, runtime)
    said = (
        f"Nobody will post iteration {found.post.words} of a doacross loop, for which {waiter}"
        f" waits{_at(found.waiter)}: "
    )
    if found.owner is None:
        said += "all others of its team wait in the loop too, or have left it."
    elif found.owner is found.waiter:
        said += "it executes that iteration itself."
    elif found.owner_waits is None:
        said += f"{_named(found.owner, runtime)}, which had it, has left the loop."
    else:
        owner = _named(found.owner, runtime)
        said += f"{owner}, which has it, waits for iteration {found.owner_waits.words}."
    if found.others:
        verb = "waits" if len(found.others) == 1 else "wait"
        said += f" {all_of(found.others)} {verb} in that loop too."
    return said


def _waiting(found: Deadlock, style: Style) -> list[str]:
    """Not stuck: whom the others wait for, and what those do."""
    shown = _awaited(found, style)
    shown += [f"  {sentence}" for sentence in task_waits.sentences(found.needs)]
    free = [one for one in found.needs if one.progress and not one.edges]
    for state in dict.fromkeys(words_of(one.thread) for one in free):
        those = [one for one in free if words_of(one.thread) == state]
        shown.append(f"  {_cut(_short(those), style)} can go on: {state}")
    return [line for text in shown for line in paragraph(text, style, "      ")]


def _awaited(found: Deadlock, style: Style) -> list[str]:
    """R1.1-3 wait for R1.0 (T1): working in f () at a.c:7. Those that do the same at the same place
    stand together, if those that wait for them do too; and whom the same wait for."""
    likeness = {id(one): (_words(one.thread), _at(one.thread)) for one in found.needs}
    groups: dict[object, list[tuple[Thread, list[Needs]]]] = {}
    for thread, waiters in found.awaited():
        kinds = frozenset(likeness[id(one)] for one in waiters)
        key = thread if style.every else (words_of(thread), _at(thread), kinds)
        groups.setdefault(key, []).append((thread, waiters))
    by_waiters: dict[str, list[str]] = {}
    # Few that are awaited come first: they are the odd ones.
    for group in sorted(groups.values(), key=len):
        by_waiters.setdefault(_who_waits(group, style), []).append(_doing(group, style))
    shown: list[str] = []
    for i, (who_waits, doing) in enumerate(by_waiters.items()):
        if i >= MOST_ROWS and not style.every:
            left = sum(len(doing) for doing in list(by_waiters.values())[i:])
            shown.append(f"  Others wait for threads at {left} more places; -all shows them.")
            break
        if len(doing) == 1:
            shown.append(f"  {who_waits} {doing[0]}")
            continue
        few = doing if style.every else doing[:MOST_ROWS]
        shown += [f"  {who_waits}", *(f"    {text}" for text in few)]
        if len(few) < len(doing):
            shown.append(f"    and others, at {len(doing) - len(few)} more places; -all shows them")
    return shown


def _who_waits(group: Sequence[tuple[Thread, Sequence[Needs]]], style: Style) -> str:
    """R1.1-3 wait for"""
    waiters = list({id(one): one for _, some in group for one in some}.values())
    verb = "waits for" if len(waiters) == 1 else "wait for"
    if any(len(some) < len(waiters) for _, some in group):
        verb = "wait, each for some of"
    return f"{_cut(_short(waiters), style)} {verb}"


def _doing(group: Sequence[tuple[Thread, Sequence[Needs]]], style: Style) -> str:
    """R1.0 (T1): working in f () at a.c:7"""
    first, waiters = group[0]
    named = _several([thread for thread, _ in group], waiters[0].member.runtime, style)
    return f"{named}: {words_of(first)}{_at(first)}"


def _words(thread: Thread) -> str:
    """What it does, whatever lock it is about."""
    return state_of(thread, named=False)


def _several(threads: Sequence[Thread], runtime: int, style: Style) -> str:
    """R1.0-2 (T1,3-4)"""
    if len(threads) == 1:
        return _named(threads[0], runtime)
    members = [thread.member(runtime) for thread in threads]
    named = ids.short_thread_list(pairs(m for m in members if m is not None))
    in_gdb = ids.compress(t.native.num for t in threads if t.native is not None)
    if not named:
        return _cut(f"T{in_gdb}", style)
    return f"{_cut(named, style)} {_cut(f'(T{in_gdb})', style)}" if in_gdb else _cut(named, style)


def _cut(text: str, style: Style) -> str:
    return text if style.every or style.width is None else cut_list(text)


def second_look(movement: Movement) -> str:
    """What a program that was let run in between has done."""
    after = f"Looked twice, {movement.seconds:g} s apart"
    if not movement.whole:
        after += " at most (the program stopped by itself)"
    waited, gone = len(movement.before.waiting), len(movement.gone_on)
    if not waited:
        return f"{after}: nobody waited the first time."
    if gone:
        return (
            f"{after}: {gone} of {count(waited, 'thread')} that waited"
            f" {'has' if gone == 1 else 'have'} gone on since."
        )
    if movement.unsure:
        return (
            f"{after}: {_all(waited)} again, and nothing tells whether {len(movement.unsure)} of"
            " them went on in between."
        )
    compared = listed(movement.compared or ["what they wait for"])
    text = f"{after}: {_all(waited)} for the same. Compared: {compared};"
    if movement.spinning:
        verb = "uses" if len(movement.spinning) == 1 else "use"
        return f"{text} nothing of it moved. {len(movement.spinning)} of them {verb} a processor."
    return f"{text} nothing of it moved."


def _all(number: int) -> str:
    if number == 1:
        return "the thread that waited waits"
    return f"all {number} threads that waited wait"


def dot(found: Deadlock) -> str:
    """The graph of all waits, for Graphviz: who waits points to whom it waits for."""
    stuck = {(e.waiter, e.needed) for circle in found.circles for e in circle}
    meetings: dict[Meeting, Needs] = {}
    rows = ["digraph waits {", "\trankdir=LR;", "\tnode [shape=box];"]
    for one in found.needs:
        waiter = _quoted(_named(one.thread, one.member.runtime))
        for edge in one.edges:
            marks = [f"label={_quoted(_reason(edge))}"]
            marks += ["style=dashed"] if edge.likely else []
            marks += ["color=red"] if (one.thread, edge.needed) in stuck else []
            needed = _quoted(_named(edge.needed, one.member.runtime))
            rows.append(f"\t{waiter} -> {needed} [{', '.join(marks)}];")
        if one.meeting is not None:
            rows.append(f"\t{waiter} -> {_quoted(_meeting(one))};")
            meetings[one.meeting] = one
    for meeting, one in meetings.items():
        style = " [style=dashed]" if meeting.doubt else ""
        rows.append(f"\t{_quoted(_meeting(one))} [shape=ellipse];")
        for thread in meeting.missing:
            needed = _quoted(_named(thread, one.member.runtime))
            rows.append(f"\t{_quoted(_meeting(one))} -> {needed}{style};")
    for one in found.needs:
        if one.outside is not None:
            name = _quoted(_named(one.thread, one.member.runtime))
            rows.append(f'\t{name} -> "outside of OpenMP" [label={_quoted(one.outside)}];')
        if one.unknown is not None and not one.progress:
            name = _quoted(_named(one.thread, one.member.runtime))
            rows.append(f'\t{name} -> "?" [label={_quoted(one.unknown)}];')
    return "\n".join([*rows, "}", ""])


def _reason(edge: Edge) -> str:
    if edge.lock is not None:
        return in_words(edge.lock)
    if edge.task is not None:
        return f"{edge.wait.kind}, {edge.task.id}"
    if edge.kept is not None:
        return edge.kept.words
    if edge.post is not None:
        return f"iteration {edge.post.words}"
    if edge.ordered:
        return "turn in ordered"
    return _at_barrier(edge)


def _quoted(text: str) -> str:
    return '"' + plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def barrier_of(one: Needs) -> str:
    """Where it waits for those that are missing: end of for, heat.c:32"""
    assert one.meeting is not None
    return _barrier(one.meeting.region, one.member)


def _meeting(one: Needs) -> str:
    assert one.meeting is not None
    return f"{one.meeting.region.id}, {barrier_of(one)}"


def _short(those: Sequence[Needs]) -> str:
    return all_of([one.thread for one in those])
