# SPDX-License-Identifier: Apache-2.0
"""Nobody can go on, in words: what each thread waits for, and how sure it is."""

from __future__ import annotations

from typing import Sequence

from ..model import ids
from ..model.process import Thread
from ..model.standstill import Standstill
from ..model.waits import Needs
from . import task_waits
from .table import count, listed, place
from .terminal import plain
from .threads import call_name, where_of, words_of
from .values import who

MOST = 6  # places that are told


def headline(found: Standstill) -> str:
    sure = "" if found.unseen is None else " (likely)"
    return f"NOBODY CAN GO ON{sure}: {all_stay(found)}."


def finding(found: Standstill, threads: Sequence[Thread], needs: Sequence[Needs] = ()) -> str:
    sure = "" if found.unseen is None else " (likely)"
    text = f"Nobody can go on{sure}: {all_stay(found)}. {waits(threads, needs)}"
    for sentence in more(found, threads):
        text += f" {sentence}"
    return text


def more(found: Standstill, threads: Sequence[Thread]) -> list[str]:
    """What else there is to say, a sentence each."""
    told = []
    if found.changed:
        numbers = ids.compress(
            thread.native.num
            for thread in threads
            if thread.native is not None and thread.native.ptid[1] in found.changed
        )
        told.append(
            f"What T{numbers} waits for has changed, and nobody has woken it: a wake-up was lost,"
            " if it goes on after this look, which has the kernel compare again."
        )
    if found.faults:
        have = "has a handler" if len(found.faults) == 1 else "have handlers"
        names = listed([plain(name) for name in found.faults])
        told.append(f"Only a signal that somebody sends could wake one: {names} {have}.")
    if found.unseen is not None:
        told.append(f"Not certain: {found.unseen}.")
    return told


def all_stay(found: Standstill) -> str:
    asleep, awake = len(found.lwps), len(found.awake)
    if asleep + awake == 1:
        stays = "waits in its OpenMP runtime" if awake else "sleeps until another one wakes it"
        return f"the only thread of the process {stays}"
    if not awake:
        return f"all {asleep} threads of the process sleep, each until another one wakes it"
    if not asleep:
        return f"all {awake} threads of the process wait in its OpenMP runtime, awake"
    sleep = "sleeps until another one wakes it" if asleep == 1 else "sleep, each until another one"
    sleep += "" if asleep == 1 else " wakes it"
    others = "the other one waits" if awake == 1 else f"the other {awake} wait"
    return (
        f"{asleep} of the {asleep + awake} threads of the process {sleep}, and {others} in its"
        " OpenMP runtime, awake"
    )


def waits(threads: Sequence[Thread], needs: Sequence[Needs] = ()) -> str:
    """R1.1: semaphore `s' in g () at a.c:9; R1.0,2: barrier in f () at a.c:7, for R1.1."""
    awaited = {one.thread: _awaited(one) for one in needs}
    groups: dict[str, list[Thread]] = {}
    for thread in threads:
        if thread.native is not None:
            wait = f"{_wait(thread)}{_at(thread)}{awaited.get(thread, '')}"
            groups.setdefault(wait, []).append(thread)
    # Few come first: they are the odd ones.
    ordered = sorted(groups.items(), key=lambda item: len(item[1]))
    told = [f"{who(those)}: {wait}" for wait, those in ordered[:MOST]]
    left = sum(len(those) for _, those in ordered[MOST:])
    return "; ".join([*told, *([f"{count(left, 'thread')} elsewhere"] if left else [])]) + "."


def _wait(thread: Thread) -> str:
    kept = thread.kept
    if kept is not None:
        is_known_end = kept.kind == "join" and kept.owner is not None
        if is_known_end:
            return "the end of a thread"
        return f"{kept.words} ({kept.counted})" if kept.counted is not None else kept.words
    if thread.in_call is not None:
        return f"in {call_name(thread.in_call)} ()"
    return words_of(thread)


def _awaited(one: Needs) -> str:
    tasks = task_waits.awaited(one)
    if tasks:
        return f", for {tasks}"
    needed = [edge.needed for edge in one.edges]
    needed += one.meeting.missing if one.meeting is not None else []
    if not needed:
        return ""
    verb = " of" if one.thread.kept is not None and one.thread.kept.kind == "join" else ", for"
    return f"{verb} {who(list(dict.fromkeys(needed)))}"


def _at(thread: Thread) -> str:
    where = where_of(thread)
    return f" in {place(where.name, where.file, where.line)}" if where is not None else ""
