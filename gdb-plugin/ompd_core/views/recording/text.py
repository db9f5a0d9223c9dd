# SPDX-License-Identifier: Apache-2.0
"""`ompd show': where the time went, which regions use their threads badly, who waits for whom, and
in which stacks."""

from __future__ import annotations

import re
from typing import Sequence

from ...recording import shares
from ...recording.record import Account, Record
from ...recording.regions import RegionUse
from ...recording.stacks import Node, label
from ...recording.states import EXACT, MEANING, Kind
from ...recording.summary import Summary
from ...recording.waiting import Doing, Waiting
from ..table import Style, Table, count, paragraph
from ..terminal import plain
from . import slow, words

FEW = 12  # rows of a table, unless all are asked for
FEW_CHARGED = 3  # lines of who is waited for
_SMALL = 0.01  # of its parent, below which a branch of stacks is left out
_NARROW = 6  # branches of a node
_BAR = 20
DEEPEST = 200  # lines below each other


def lines(summary: Summary, style: Style) -> list[str]:
    record = summary.record
    found = [*head(record, style)]
    found += _notes(summary, style)
    if not summary.whole.whole.ns:
        return [*found, "", "No time of any thread is recorded."]
    found += ["", *_states(summary, style)]
    for title, rows in (
        ("Threads", threads(summary, style)),
        ("Parallel regions", _regions(summary, style)),
        ("Who waits, where, for whom", waits(summary, style)),
        ("Stacks, as the program is written", stacks(summary, style)),
    ):
        if rows:
            found += ["", title, *rows]
    return found


def head(record: Record, style: Style) -> list[str]:
    header = record.header
    program = (header.program or "a program").rsplit("/", 1)[-1]
    of = f", process {header.pid}" if header.pid else ""
    on = f" on {header.host}" if header.host else ""
    samples = sum(account.samples for thread in record.threads for account in thread.sums.values())
    rate = f" at {header.rate:g} Hz" if header.rate else ""
    if record.rate is not None:
        rate += f", {record.rate:g} Hz at last"
    return paragraph(
        f"{program}{of}{on}: {words.seconds(record.last)}, {count(len(record.threads), 'thread')},"
        f" {samples:,} sample{'' if samples == 1 else 's'}{rate}. ± is what sampling leaves open"
        " (95 %), ~ marks too few samples.",
        style,
    )


NO_RUNTIME = "No OpenMP runtime was seen in it: all of its time is outside of OpenMP."
UNSEEN_RUNTIME = (
    "No OpenMP runtime was seen in it. One that is linked into a program that is stripped is not."
)


def no_runtime(summary: Summary) -> list[str]:
    if summary.record.runtimes:
        return []
    is_known = any(name == "outside" for name, _ in summary.states)
    return [NO_RUNTIME if is_known else UNSEEN_RUNTIME]


def _notes(summary: Summary, style: Style) -> list[str]:
    found: list[str] = []
    record, end = summary.record, summary.record.end
    said = [
        *no_runtime(summary),
        *slow.notes(summary),
        *record.damage,
        *record.header.limits,
        *record.notes,
    ]
    if end is not None and end.text and end.how not in ("duration", "interrupted", "exited"):
        said.append(end.text)
    if end is not None and end.lost:
        said.append(f"The kernel dropped {count(end.lost, 'sample')}.")
    if end is not None and end.cut:
        said.append(f"{count(end.cut, 'stack')} could not be followed to the end.")
    for sentence in said:
        found += paragraph(f"Note    : {sentence}", style, " " * 10)
    return found


# ---- Tables --------------------------------------------------------------------------------------


def _states(summary: Summary, style: Style) -> list[str]:
    whole = summary.whole.whole
    table = Table(["Time of all threads", "%", "", ""], style, folding=(3,))
    for of in Kind:
        part = summary.whole.of(of)
        if part.ns:
            table.add(
                f"{of.value:10} {words.seconds(part.ns):>8}",
                words.percent(part, whole, of in EXACT),
                _bar(part.ns / whole.ns, style),
                MEANING[of],
            )
    return table.lines()


def _bar(fraction: float, style: Style) -> str:
    return ("█" if style.unicode else "#") * round(_BAR * fraction)


# The columns of tables by kinds of state, and what else is joined into the last.
_COLUMNS = (
    Kind.WORK,
    Kind.SERIAL,
    Kind.BARRIER,
    Kind.LOCK,
    Kind.TASKS,
    Kind.OVERHEAD,
    Kind.KERNEL,
    Kind.PREEMPTED,
    Kind.ASLEEP,
    Kind.IDLE,
)
_OTHERS = (Kind.WAIT, Kind.OUTSIDE, Kind.UNKNOWN)
_HEADINGS = {Kind.PREEMPTED: "preempt"}


def columns(whole: dict[Kind, Account]) -> list[tuple[str, tuple[Kind, ...]]]:
    """Those that hold anything."""
    found: list[tuple[str, tuple[Kind, ...]]] = [
        (_HEADINGS.get(of, of.value), (of,)) for of in _COLUMNS
    ]
    found.append(("other", _OTHERS))
    return [
        (name, kinds) for name, kinds in found if any(of in whole and whole[of].ns for of in kinds)
    ]


def threads(summary: Summary, style: Style) -> list[str]:
    record, shown = summary.record, columns(summary.whole.kinds)
    table = Table(["Thread", "LWP", "Time", *(name for name, _ in shown), "±", "Kind"], style)
    order = sorted(summary.threads)
    for number in order if style.every else order[:FEW]:
        total, thread = summary.threads[number], record.threads[number]
        table.add(
            str(thread.number),
            str(thread.lwp or "?"),
            words.seconds(total.whole.ns),
            *(words.short_percent(total.of(*kinds), total.whole) for _, kinds in shown),
            worst_error(total.whole),
            plain(thread.kind or "?"),
        )
    return [*table.lines(), *_more(len(order), "thread", style)]


def worst_error(whole: Account) -> str:
    found = shares.worst(whole)
    return "?" if found is None else f"{found:.0f}"


def _more(number: int, noun: str, style: Style) -> list[str]:
    left = number - FEW
    if style.every or left <= 0:
        return []
    return [f"({count(left, 'more ' + noun)}: `--all' shows them.)"]


def _regions(summary: Summary, style: Style) -> list[str]:
    uses = summary.regions
    if not uses:
        return []
    kinds: dict[Kind, Account] = {}
    for use in uses:
        for of, account in use.sum.kinds.items():
            kinds.setdefault(of, Account()).join(account)
    shown = columns(kinds)
    headings = ["% of time", "Threads", "Efficiency", *(name for name, _ in shown), "Imbalance"]
    table = Table([*headings, "Region"], style)
    for use in uses if style.every else uses[:FEW]:
        table.add(
            words.percent(use.sum.whole, summary.whole.whole),
            str(use.threads),
            efficiency(use),
            *(words.short_percent(use.sum.of(*of), use.sum.whole) for _, of in shown),
            f"{use.imbalance:.2f}",
            words.region(summary.record, use.region),
        )
    return [
        *table.lines(),
        *_more(len(uses), "region", style),
        *paragraph(
            "Efficiency: share of its threads' time in the region that is work. Imbalance: maximum"
            " work of any thread / mean.",
            style,
        ),
    ]


def efficiency(use: RegionUse) -> str:
    least, most = 100 * use.efficiency, 100 * use.at_most
    if most - least < 1:
        return f"{least:.0f} %"
    return f"{least:.0f}-{most:.0f} %"


def waits(summary: Summary, style: Style) -> list[str]:
    record, found = summary.record, []
    shown = summary.waits if style.every else summary.waits[:FEW]
    for waiting in shown:
        total = waiting.sum.whole
        where = (
            f" in {words.region(record, waiting.wait.region)}"
            if waiting.wait.region is not None
            else ""
        )
        found += paragraph(
            f"{words.percent(total, summary.whole.whole)} %  {words.seconds(total.ns)}"
            f"  {words.wait(record, waiting.wait)}{where}:"
            f" {count(len(waiting.sum.threads), 'thread')}{_meetings(record, waiting)}"
            + _beside(waiting)
            + (" (blurred)" if waiting.blurred else ""),
            style,
            "    ",
        )
        found += _charged(record, waiting, style)
    found += _more(len(summary.waits), "place", style)
    if any(waiting.blurred for waiting in shown):
        found += paragraph(BLURRED, style)
    return found


def _meetings(record: Record, waiting: Waiting) -> str:
    if not waiting.meetings:
        return ""
    text = f", seen {count(waiting.meetings, 'time')}"
    if waiting.last:
        most = max(waiting.last, key=lambda thread: waiting.last[thread])
        times = count(waiting.last[most], "time")
        text += f"; {words.thread(record, most)} came last {times}"
    return text


def _beside(waiting: Waiting) -> str:
    """Of who lost the processor, or gave it away, while it waited."""
    if waiting.preempted < 0.1 * waiting.sum.whole.ns:
        return ""
    return f", and {words.seconds(waiting.preempted)} more without a processor in between"


def _charged(record: Record, waiting: Waiting, style: Style) -> list[str]:
    # For whom it is, samples of others tell, however exact the wait is.
    total, found = Account(waiting.sum.whole.ns, waiting.sum.whole.samples), []
    charged = [one for one in waiting.most() if style.every or one[1] >= _SMALL * total.ns]
    for doing, ns in charged if style.every else charged[:FEW_CHARGED]:
        share = words.short_percent(Account(int(ns)), total)
        found += paragraph(f"    {share:>4} %  for {doer(record, waiting, doing)}", style, " " * 12)
    left = sum(ns for _, ns in charged[FEW_CHARGED:])
    if left > 0 and not style.every:
        found.append(f"    {words.short_percent(Account(int(left)), total):>4} %  for others")
    if waiting.nobody >= 0.01 * total.ns:
        share = words.short_percent(Account(int(waiting.nobody)), total)
        text = f"    {share:>4} %  all threads had arrived; not yet released by the runtime"
        found += paragraph(text, style, " " * 12)
    if waiting.unknown >= 0.01 * total.ns:
        share = words.short_percent(Account(int(waiting.unknown)), total)
        found += paragraph(f"    {share:>4} %  {whose(waiting)}", style, " " * 12)
    return found


BLURRED = (
    "(blurred): these waits are about as short as the time between samples. Their total is"
    " reliable; who was waited for is not. Use a higher rate (-F)."
)


def doer(record: Record, waiting: Waiting, doing: Doing) -> str:
    who, does = words.thread(record, doing.thread), _does(doing)
    if doing.place:
        does += f" {words.place(doing.place)}"
    else:
        does = re.sub(r",? (in|of|called by)$", "", does)
    return f"{who}: {does}{_certainty(waiting, doing)}"


def _certainty(waiting: Waiting, doing: Doing) -> str:
    if doing not in waiting.concluded:
        return ""
    recorded = 1 - waiting.concluded[doing] / waiting.charged[doing]
    return f", likely ({recorded:.0%} recorded)" if recorded >= 0.01 else ", likely"


def _does(doing: Doing) -> str:
    """What it does that is waited for."""
    return {
        Kind.WORK: "works in",
        Kind.SERIAL: "works outside of the region, in",
        Kind.BARRIER: "is at another barrier, in",
        Kind.LOCK: "waits for a lock, in",
        Kind.TASKS: "waits for tasks, in",
        Kind.WAIT: "waits for something else, in",
        Kind.OVERHEAD: "is in the runtime, called by",
        Kind.KERNEL: "is in the kernel, called by",
        Kind.PREEMPTED: "preempted, in",
        Kind.ASLEEP: "sleeps in a call of",
        Kind.IDLE: "is idle",
    }.get(doing.kind, "does what is not known, in")


def whose(waiting: Waiting) -> str:
    """Why it is not told who was waited for."""
    if waiting.wait.state.startswith("wait_barrier"):
        return "nobody of the team is seen elsewhere"
    if waiting.wait.state in ("wait_taskwait", "wait_taskgroup"):
        return "for tasks: who has them is not recorded"
    if waiting.is_recorded:
        return "no picture of the runtime shows who held it then"
    if waiting.likely:
        return "who holds it is not recorded, and it was handed on by nobody that was seen to wait"
    return "the runtime does not record who holds it"


# ---- Stacks --------------------------------------------------------------------------------------


def stacks(summary: Summary, style: Style) -> list[str]:
    return _branches(summary.tree, summary.whole.whole, style, "", 0)


def _branches(node: Node, whole: Account, style: Style, before: str, depth: int) -> list[str]:
    children = node.sorted() if depth < DEEPEST else []
    shown: Sequence[Node] = children
    if not style.every:
        shown = [one for one in children if one.whole.ns >= _SMALL * whole.ns][:_NARROW]
    found = []
    for one in shown:
        last = one is shown[-1]
        corner = style.last_branch if last else style.branch
        text, below = _joined(one, style)
        share = words.short_percent(one.whole, whole)
        found.append(_cut(f"{share:>4} %  {before}{corner}{text}", style))
        deeper = before + ("   " if last else style.trunk)
        found += _branches(below, whole, style, deeper, depth + 1)
    return found


def _joined(node: Node, style: Style) -> tuple[str, Node]:
    """With what it alone calls, which needs no line of its own."""
    parts = [_label(node)]
    while len(node.children) == 1 and not node.own.ns:
        (child,) = node.children.values()
        joined = " > ".join([*parts, _label(child)])
        if style.width is not None and len(joined) > style.width // 2:
            break
        node = child
        parts.append(_label(child))
    return " > ".join(parts), node


def _label(node: Node) -> str:
    return plain(label(node.step)) if node.step else ""


def _cut(line: str, style: Style) -> str:
    if style.width is None or len(line) <= style.width:
        return line
    return line[: style.width - 3] + "..."
