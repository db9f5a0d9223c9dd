# SPDX-License-Identifier: Apache-2.0
"""What happens inside of GDB? The one file here that knows it; run by its -x, after the plugin."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING, Any

import gdb
from ompd_core.views.table import Style
from ompd_gdb import commands, texts

from .guardian import has_ended, is_stopped
from .outcome import ASKED, AT_ONCE, ENDED, EXECUTED, OF_ONE_LOOK

if TYPE_CHECKING:
    from ompd_gdb import second_look

_WALL = 0x40000000  # all threads, as <linux/wait.h> has it
MOST_ENDING = 10.0  # seconds, for the kernel to end all threads
LATER = 1.0  # seconds until it is looked at again
SETTLED = 0.2  # and until those that a stop has woken sleep again
MOST_PROGRAMS = 3  # that it executes meanwhile

# What stops a program that is run: its crash, and the user's Ctrl-C.
_CRASHES = "SIGSEGV SIGBUS SIGABRT SIGFPE SIGILL SIGSYS"


def main(
    kind: str,
    folder: bytes,
    width: int,
    unicode: bool,
    options: list[str],
    as_text: bool,
    as_json: bool,
    **details: Any,
) -> None:
    """folder: bytes, since this Python's names of files may be others than its starter's."""
    from ompd_gdb.commands import output

    inside = os.fsdecode(folder)
    result: dict[str, Any] = {}
    output.of_shell = Style(width, unicode)
    try:
        report = _Report(inside, options, as_text, as_json)
        if kind == "pid":
            _pid(report, result, **details)
        elif kind == "run":
            _run(report, result, inside, **details)
        else:
            report.write()
    except (gdb.error, gdb.GdbError) as error:
        result["error"] = str(error)
    with open(os.path.join(inside, "result.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    if kind == "core" or not any(inferior.pid for inferior in gdb.inferiors()):
        # All is written, and no process is held: to give back what was read, piece by piece, is a
        # tenth of a report's time.
        gdb.flush()
        os._exit(0)


class _Report:
    """Where it is not wanted as JSON, the verdict is all the same: the shell judges by it."""

    def __init__(self, folder: str, options: list[str], as_text: bool, as_json: bool) -> None:
        self._document = os.path.join(folder, "report.json")
        text = [os.path.join(folder, "report.txt")] if as_text else []
        verdict = [] if as_json else ["-verdict"]
        self._words = [*options, *text, "-json", self._document, *verdict]

    def write(self) -> None:
        commands.registered["ompd report"].typed(self._words)

    def drop(self) -> None:
        os.unlink(self._document)

    def codes(self) -> list[str]:
        """Of the findings."""
        with open(self._document, encoding="utf-8") as file:
            return [one["code"] for one in json.load(file).get("findings", ())]

    def again(self) -> list[str]:
        """The findings for which it has to be looked at again. Not of a program that has crashed,
        which cannot go on."""
        codes = self.codes()
        return [] if "crash" in codes else [code for code in codes if code in OF_ONE_LOOK]


# Of a core file nothing runs, nothing is looked at twice, and what is for that is not read.


def _pid(report: _Report, result: dict[str, Any], pid: int, libraries: list[str]) -> None:
    from ompd_gdb import before_attach, second_look

    asleep = second_look.who_sleeps(pid)
    result["calls_untold"] = second_look.calls_untold(pid)
    result["was_stopped"] = is_stopped(pid)
    before_attach.load_modules()
    with before_attach.symbols_read(pid, libraries):
        before_attach.ask_kernel()  # which attaches: what is read already is not read again
        result["stopped_seconds"] = 0.0
        for _ in range(MOST_PROGRAMS):
            program = second_look.executed(pid)
            moment, stood, slept = _look(report, pid, None, asleep)
            result["stopped_seconds"] += stood
            result.pop("only", None)
            if slept.standstill is not None and slept.standstill.changed:
                _look_after(report, pid, result)
                return
            # What stands still for another reason proves nothing by it.
            if moment is None or result["was_stopped"]:
                return
            result["only"], seen = ENDED, report.again()
            time.sleep(SETTLED)
            asleep = second_look.who_sleeps(pid)
            earlier = second_look.apart(pid, moment, LATER)
            now = second_look.executed(pid)
            if now is None or now == program:
                result["stopped_seconds"] += _look(report, pid, earlier, asleep)[1]
                result["seen_before"] = seen
                del result["only"]
                return
            result["only"] = EXECUTED  # that is another one's first look


def _look_after(report: _Report, pid: int, result: dict[str, Any]) -> None:
    """All slept, and the look may have let the process go on."""
    from ompd_gdb import second_look

    time.sleep(SETTLED)
    asleep = second_look.who_sleeps(pid)
    time.sleep(LATER)
    standstill = second_look.slept(pid, asleep).standstill
    if standstill is None:
        result["has_gone_on"] = True
    elif not standstill.changed:
        result["stopped_seconds"] += _look(report, pid, None, asleep)[1]


def _look(
    report: _Report,
    pid: int,
    earlier: second_look.Earlier | None,
    asleep: second_look.Look | None,
) -> tuple[second_look.Moment | None, float, second_look.Slept]:
    """What a second look is to be compared with, if there has to be one; for how long the process
    stood; and what was seen before. earlier: this is the second; asleep: who was, some time ago."""
    from ompd_gdb import second_look

    from .waking import woken

    slept = second_look.slept(pid, asleep)
    began = time.monotonic()
    with woken(pid):
        texts.silently(f"attach {pid}")
        try:
            second_look.note_slept(slept)
            if earlier is not None:
                second_look.compare_with(earlier)
            report.write()
            if has_ended(pid):
                report.drop()  # what was read of it last may be nothing
                raise gdb.GdbError("the process has ended")
            again = earlier is None and (_again(report) or second_look.somebody_is_awaited())
            moment = second_look.moment() if again else None
        finally:
            texts.silently("detach")
    return moment, time.monotonic() - began, slept


def _again(report: _Report) -> list[str]:
    """But not where the stop itself may have ended what the report says."""
    from ompd_gdb import second_look

    codes = report.again()
    return [] if codes == ["cannot_tell"] and second_look.may_have_ended_it() else codes


def _asked(folder: str) -> bool:
    """Was the signal meant for ompd, which gets it at the same time?"""
    if _sent_by_program():
        return False
    end = time.monotonic() + AT_ONCE
    while time.monotonic() < end:
        if os.path.exists(os.path.join(folder, ASKED)):
            return True
        time.sleep(0.02)
    return False


def _sent_by_program() -> bool:
    try:
        sender = int(gdb.parse_and_eval("$_siginfo._sifields._kill.si_pid"))
    except gdb.error:
        return False
    return sender == gdb.selected_inferior().pid


def _pass_on(name: str, result: dict[str, Any]) -> None:
    pid = gdb.selected_inferior().pid
    try:
        texts.silently(f"signal {name}")
    except gdb.error:
        # A handler that ends the program ends threads that GDB has not resumed yet, and GDB gives
        # up. It is still their parent.
        status = _end_of(pid)
        if status is None:
            raise
        result["exitsignal" if status < 0 else "exitcode"] = abs(status)


def _end_of(pid: int) -> int | None:
    """The exit status, or less a signal's number. None: it has not ended."""
    end = time.monotonic() + MOST_ENDING
    while time.monotonic() < end:
        try:
            ended, status = os.waitpid(-1, _WALL | os.WNOHANG)
        except ChildProcessError:
            return None
        if ended == pid and not os.WIFSTOPPED(status):
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        if not ended:
            time.sleep(0.01)
    return None


def _given_up(report: _Report, result: dict[str, Any]) -> None:
    """It goes on to its own end, and its own status, also where there is no report."""
    try:
        report.write()
        result["gave_up"] = "gave_up" in report.codes()
    except (gdb.error, gdb.GdbError):
        pass
    texts.silently("continue")


def _run(report: _Report, result: dict[str, Any], folder: str) -> None:
    from ompd_gdb import second_look
    from ompd_gdb.target import endings

    texts.silently("handle all nostop noprint pass")
    texts.silently(f"handle {_CRASHES} SIGINT SIGTERM stop nopass")
    # A batch system sends it to every process of a job. The program does not inherit this.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    met: list[str] = []
    gdb.events.stop.connect(lambda event: met.append(getattr(event, "stop_signal", "")))
    ending = endings.Watch()
    texts.silently("run")
    while met and met[-1] in ("SIGINT", "SIGTERM") and not _asked(folder):
        name = met[-1]
        if name == "SIGTERM":
            texts.silently("handle SIGTERM nostop noprint pass")
        met.clear()
        _pass_on(name, result)
    if {"exitcode", "exitsignal"} & result.keys():
        return
    if endings.lwp() is not None:
        ending.delete()
        _given_up(report, result)
    if gdb.selected_inferior().pid:
        try:
            report.write()
            seen = _again(report)
            if seen and second_look.moment() is not None:
                second_look.let_run(LATER)
                if gdb.selected_inferior().pid:
                    report.write()
                    result["seen_before"] = seen
        finally:
            if gdb.selected_inferior().pid:
                texts.silently("kill")
        return
    for name in ("_exitcode", "_exitsignal"):
        value = gdb.convenience_variable(name)
        if value is not None:
            result[name.lstrip("_")] = int(value)
