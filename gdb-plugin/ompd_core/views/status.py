# SPDX-License-Identifier: Apache-2.0
"""`ompd status' and `ompd' as text: what is known, from where, and what is missing."""

from __future__ import annotations

from typing import Sequence

from ..model.assessment import Assessment
from ..model.doubts import Stop
from ..model.facts import Library, Program
from ..model.judgement import Judgement
from ..model.process import Process, Runtime, Thread
from ..model.slowdowns import CAUSES, of_runtimes
from . import (
    barriers,
    deadlock,
    finding_codes,
    left,
    parallel,
    signals,
    standstill,
    target_findings,
    threads,
)
from .alike import together
from .slowdowns import of_slowdowns
from .table import Style, count, paragraph
from .terminal import plain
from .threads import NO_REGIONS, NOT_USED

_FROM = {
    "symbols": "symbols that the runtime publishes",
    "recovered": "the runtime's own table, found in its memory (it is stripped)",
    "record": "a layout record that libompd ships, which fits its memory (it has no table)",
}


# Whoever asks for what a variable would tell gets it as the reason: else it is noise.
ONLY_IF_ASKED = frozenset(("global_not_found",))
# What the line about the descriptors' source says too.
_SAID_BY_DESCRIPTORS = {
    "recovered": ("symbols_absent",),
    "record": ("symbols_absent", "table_not_found"),
}


def status(
    program: Program | None,
    library: Library,
    runtimes: Sequence[Runtime],
    notes: Sequence[str],
    style: Style,
) -> list[str]:
    found = []
    if program is not None:
        found += paragraph(f"Program : {_program(program)}", style, " " * 10)
    found += paragraph(f"Library : {plain(library.path)}", style, " " * 10)
    found.append(f"          {plain(library.version)}, OMPD API {library.api_version}")
    if library.missing:
        found += paragraph(
            f"          It lacks {library.missing[0]} and {len(library.missing) - 1} more"
            " extensions: what only they tell is missing.",
            style,
            " " * 10,
        )
    for runtime in runtimes:
        found += _runtime(runtime, not any(one.initialized for one in runtimes), style)
    several = [text for _, text in of_slowdowns(of_runtimes(runtimes))]
    if len(runtimes) > 1 and not several:
        several = [_LOADED]
    for text in several:
        found += paragraph(f"Note    : {text}", style, " " * 10)
    if program is not None and not runtimes:
        found.append(
            "Runtime : none that can be read"
            if library.missing or program.nameless
            else "Runtime : none; the program has no OpenMP runtime loaded"
        )
    for note in notes:
        found += paragraph(f"Note    : {note}", style, " " * 10)
    return found


def _program(program: Program) -> str:
    name = plain(program.path or "(GDB has no executable)")
    if program.kind == "core":
        return f"{name}, core file {plain(program.core or '')}"
    return f"{name}, process {program.pid}" + (" (remote)" if program.kind == "remote" else "")


def _runtime(runtime: Runtime, alone: bool, style: Style) -> list[str]:
    """alone: no other one has been used."""
    name = f"Runtime : {plain(runtime.name)}, {plain(runtime.path or '(path unknown)')}"
    found = paragraph(name, style, " " * 10)
    rows = []
    if runtime.embedded:
        rows.append("linked into the program")
    if runtime.build_id:
        rows.append(f"build-id {runtime.build_id}")
    if not runtime.supported:
        rows.append(runtime.problem or "not supported")
    elif runtime.initialized is None:
        rows.append(runtime.problem or "it cannot be told whether it has started")
    elif not runtime.initialized:
        rows.append(f"loaded, not started: {NOT_USED if alone else NO_REGIONS}")
    else:
        if runtime.descriptors:
            verb = ", completed by the record" if runtime.descriptors != "record" else ":"
            record = f"{verb} {plain(runtime.record)}" if runtime.record else ""
            rows.append(f"facts from {_FROM[runtime.descriptors]}{record}")
        rows.append(_tracking(runtime))
        if runtime.problem:
            rows.append(runtime.problem)
    # Of a runtime that has not started nothing can be found, and that says nothing about it.
    for diagnostic in runtime.diagnostics if runtime.initialized is not False else ():
        if diagnostic.code in _SAID_BY_DESCRIPTORS.get(runtime.descriptors or "", ()):
            continue
        if diagnostic.code in ONLY_IF_ASKED and not style.every:
            continue
        subject = f"{diagnostic.subject}: " if diagnostic.subject else ""
        rows.append(f"noted: {subject}{diagnostic.text}")
    for row in rows:
        found += paragraph(" " * 10 + row, style, " " * 12)
    return found


def _tracking(runtime: Runtime) -> str:
    if runtime.state_tracking is None:
        return "thread states are derived from the stacks; whether it records them is not known"
    if runtime.state_tracking:
        return "thread states are derived from the stacks, and it records them too"
    return "thread states are derived from the stacks; it does not record them itself"


_LOADED = (
    "More than one OpenMP runtime is loaded. If the program uses them all, each will have threads,"
    " locks and barriers of its own."
)


# Findings that say: something is wrong with this program. The others say how sure the report is.
WRONG = target_findings.CODES | finding_codes.WRONG.keys()
_CIRCLES = ("deadlock", "self_deadlock")
# It cannot be told whether something is.
CANNOT_TELL = "cannot_tell"


def is_of_two_looks(code: str, judgement: Judgement | None) -> bool:
    """One look does not show it."""
    by_two_looks = judgement is not None and judgement.by_two_looks
    return code == "standing_still" or (code in _CIRCLES and by_two_looks)


def findings(of: Assessment) -> list[tuple[str, str]]:
    """What is odd: (code, sentence)."""
    found = _of_process(of.process)
    if of.gave_up is not None:
        found.insert(0, ("gave_up", signals.gave_up(of.gave_up)))
    if of.devices is not None:
        found += target_findings.findings(of.devices)
    if of.judgement is not None:
        # Whether a program that is at its end would have hung, nobody asks.
        is_at_end = {"crash", "gave_up"} & dict(found).keys()
        found += _of_waits(of.judgement)
        return [one for one in found if not (is_at_end and one[0] == CANNOT_TELL)]
    if of.standstill is not None and of.standstill.lasts and of.standstill.unseen is None:
        found.append(("standstill", standstill.finding(of.standstill, of.process.threads)))
    return found


def _of_waits(judgement: Judgement) -> list[tuple[str, str]]:
    found = []
    if judgement.circles:
        found.append(deadlock.finding(judgement))
    found += deadlock.forsaken(judgement)
    for group in judgement.diverging:
        found.append(("barrier_divergence", barriers.divergence(group)))
    # Who waits for whom says more.
    if judgement.waits.nobody_wakes and not found:
        found.append(("standstill", deadlock.standstill(judgement)))
    if judgement.standing_still:
        found.append(("standing_still", deadlock.standing_still(judgement)))
    if judgement.verdict == "unknown" and not found:
        found.append((CANNOT_TELL, deadlock.cannot_tell(judgement)))
    return found


def _of_process(process: Process) -> list[tuple[str, str]]:
    found = []
    crash = signals.crash(process)
    if crash is not None:
        found.append(("crash", crash))
    lost = [thread for thread in process.threads if thread.unloaded is not None]
    if lost:
        found.append(("code_unloaded", _unloaded(lost)))
    for thread in process.threads:
        if thread.left is not None:
            found.append(("region_left", left.finding(thread, thread.left)))
    for runtime in process.runtimes:
        if runtime.problem:
            found.append(("runtime_problem", f"{plain(runtime.name)} {runtime.problem}."))
    broken = [thread for thread in process.threads if thread.broken]
    if broken:
        found.append(
            (
                "structures_broken",
                f"The runtime's structures of {_some(broken)} cannot be followed to the end.",
            )
        )
    strangers = [thread for thread in process.threads if thread.native is None]
    if strangers:
        found.append(
            (
                "thread_unknown",
                f"The runtime has {count(len(strangers), 'thread')} that GDB does not know.",
            )
        )
    return found


def _unloaded(those: Sequence[Thread]) -> str:
    verb, they, addresses = "is", "it was", f"{those[0].unloaded:#x}"
    if len(those) > 1:
        verb, they = "are", "they were"
        addresses += " and others" if len({one.unloaded for one in those}) > 1 else ""
    return (
        f"{_some(those)} {verb} in code that is not there any more: nothing is mapped at"
        f" {addresses}. A library was probably unloaded, by dlclose(), while {they} in it."
    )


def _some(broken: Sequence[Thread]) -> str:
    return f"{count(len(broken), 'thread')} ({parallel.gdb_threads(broken)})"


def slowdowns(of: Assessment) -> list[tuple[str, str]]:
    """What explains that the program is slow: (code, sentence). Of one that hangs or has crashed
    nobody asks that, but for what may be the reason."""
    wrong = WRONG & {code for code, _ in findings(of)}
    return of_slowdowns([one for one in of.slowdowns if not wrong or isinstance(one, CAUSES)])


def slow_lines(of: Assessment, style: Style) -> list[str]:
    found = (paragraph(f"Note    : {text}", style, " " * 10) for _, text in slowdowns(of))
    return [line for lines in found for line in lines]


def summary(of: Assessment, notes: Sequence[str], style: Style) -> list[str]:
    """One screen: the verdict first, the next command to type last."""
    process = of.process
    found = verdict(of, style)
    for runtime in process.runtimes:
        idle = runtime.supported and runtime.initialized is False
        state = " (loaded, not started)" if idle else ""
        found.append(f"Runtime : {plain(runtime.name)}, {plain(runtime.path or '?')}{state}")
    found.append(f"Threads : {len(process.threads)}: {threads.classes(process.threads)}")
    found += slow_lines(of, style)
    for note in notes:
        found += paragraph(f"Note    : {note}", style, " " * 10)
    found.append(f"Next    : {', '.join(following(of))}")
    return found


def verdict(of: Assessment, style: Style, complete: bool = True) -> list[str]:
    """What is odd, or that nothing is; incomplete: of OpenMP nothing is known."""
    process, judgement = of.process, of.judgement
    found = []
    for code, text in findings(of):
        title = "Unclear " if code == CANNOT_TELL else "Odd     "
        found += paragraph(f"{title}: {text}", style, " " * 10)
    if not found and complete:
        regions = [region for region in process.regions if region.raw.generator != "program"]
        unclear = len(process.unclear())
        but = f", but what {count(unclear, 'thread')} do is not known" if unclear else ""
        if judgement is not None and judgement.waits.open:
            but = f", but {'; '.join(together(judgement.waits.open))}"
        text = f"No problems found{but}; {count(len(regions), 'region')} active."
        found += paragraph(text, style)
    end = signals.end(process)
    if end is not None:
        found += paragraph(f"Ended by: {end}", style, " " * 10)
    return found


_OF_STACKS = ("crash", "gave_up", "code_unloaded", "region_left")
_OF_WAITS = WRONG - {*_OF_STACKS} - target_findings.CODES | {CANNOT_TELL}


def following(of: Assessment) -> list[str]:
    process = of.process
    odd = {code for code, _ in findings(of)}
    if odd == {CANNOT_TELL} and any(thread.running for thread in process.threads):
        return ["interrupt -a", "ompd threads"]
    if odd == {CANNOT_TELL} and not Stop.is_last:
        return ["ompd deadlock -watch 2", "ompd threads"]
    if odd and odd <= {"deadlock", "self_deadlock", "lock_never_released"}:
        return ["ompd deadlock", "ompd locks"]
    if odd and odd <= _OF_WAITS:
        return ["ompd deadlock", "ompd threads"]
    if odd and odd <= {*_OF_STACKS, *_OF_WAITS}:
        return ["ompd threads", "ompd report"]
    if odd and odd <= {"crash", *target_findings.CODES}:
        return ["ompd target", "ompd target map"]
    if odd:
        return ["ompd status", "ompd threads"]
    if any(region.raw.generator != "program" for region in process.regions):
        return ["ompd parallel", "ompd threads"]
    return ["ompd threads", "ompd status"]
