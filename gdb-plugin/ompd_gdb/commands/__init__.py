# SPDX-License-Identifier: Apache-2.0
"""One verb per file. They are registered when GDB starts, so at its top each imports gdb and the
command that it extends alone; everything else is imported when a command is used.
"""

from __future__ import annotations

from . import (
    barriers,
    base,
    break_,
    bt,
    deadlock,
    down,
    each,
    finish,
    frame,
    help,
    icvs,
    info,
    init,
    locks,
    next,
    ompd,
    parallel,
    print,
    report,
    status,
    step,
    target,
    tasks,
    thread,
    threads,
    up,
)

registered: dict[str, base.OmpdCommand] = {}  # by name


def register() -> None:
    """Again when sourced again: another plugin may have taken the name meanwhile."""
    for command in (
        ompd.Ompd,
        status.Status,
        threads.Threads,
        parallel.Parallel,
        tasks.Tasks,
        barriers.Barriers,
        locks.Locks,
        deadlock.Deadlock,
        target.Target,
        bt.Bt,
        bt.Where,
        frame.Frame,
        up.Up,
        down.Down,
        icvs.Icvs,
        print.Print,
        each.Each,
        thread.Thread,
        break_.Break,
        break_.Tbreak,
        step.Step,
        next.Next,
        finish.Finish,
        info.Info,
        info.InfoBreak,
        help.Help,
        report.Report,
        init.Init,
    ):
        registered[command.name] = command()
