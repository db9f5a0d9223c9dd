# SPDX-License-Identifier: Apache-2.0
"""What is a report made of? Each section shows what the command of its name shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from ..errors import UserError
from ..model.barriers import all_barriers
from ..model.deadlock import Deadlock
from ..model.merging import merged
from ..model.process import Process
from ..session import Session
from ..views import (
    barriers,
    deadlock,
    icvs,
    json_document,
    locks,
    merged_stacks,
    parallel,
    tasks,
    threads,
)
from ..views.table import Style
from .base import in_users_terms
from .stacks import USUAL_DEPTH

Shown = tuple[list[str], Any]  # as text, and as a section of a JSON document


@dataclass(frozen=True)
class Section:
    name: str  # in a JSON document
    title: str
    show: Callable[[Session, Process, Style], Shown]  # raises UserError, OmpdError


def _threads(here: Session, process: Process, style: Style) -> Shown:
    found = process.threads
    return threads.lines(process, found, None, style), json_document.threads(found)


def _regions(here: Session, process: Process, style: Style) -> Shown:
    roots = [region for region in process.regions if region.parent is None]
    unsure = [thread for thread in process.threads if thread.unsure]
    return parallel.lines(roots, unsure, style), json_document.regions(process.regions)


def _stacks(here: Session, process: Process, style: Style) -> Shown:
    splicer = here.splicer(USUAL_DEPTH)
    found = [splicer.backtrace(thread) for thread in process.threads]
    tree = merged(found)
    return merged_stacks.lines(tree, found, style), merged_stacks.document(tree)


def _deadlock(here: Session, process: Process, style: Style) -> Shown:
    found = here.deadlock()
    return deadlock.lines(found, style), json_document.deadlock(found)


def _locks(here: Session, process: Process, style: Style) -> Shown:
    found = here.locks()
    return locks.lines(found, style), json_document.locks(found)


def _barriers(here: Session, process: Process, style: Style) -> Shown:
    found = all_barriers(process)
    return barriers.lines(process, found, style), json_document.barriers(found)


def _tasks(here: Session, process: Process, style: Style) -> Shown:
    found = here.tasks()
    here.locate_tasks()
    return tasks.lines(found, found.all, style), json_document.tasks(found.all)


def _icvs(here: Session, process: Process, style: Style) -> Shown:
    asked = [thread for thread in process.threads if thread.openmp]
    found = here.icvs(asked)
    return icvs.changed_lines(found, asked, style), icvs.document(found)


# One line each; a program without OpenMP has only the first.
SECTIONS = (
    Section("threads", "Threads", _threads),
    Section("regions", "Parallel regions", _regions),
    Section("merged", "Stacks, merged", _stacks),
    Section("deadlock", "Deadlock", _deadlock),
    Section("locks", "Locks and critical constructs", _locks),
    Section("barriers", "Barriers", _barriers),
    Section("tasks", "Explicit tasks", _tasks),
    Section("icvs", "Changed ICVs", _icvs),
)

Missing = dict[str, UserError]  # sections that cannot be made; "openmp": all but the threads


def picture(here: Session) -> tuple[Process, Deadlock | None, Missing]:
    """With places, and who waits for whom. Raises UserError if not even the native threads can be
    told."""
    missing: Missing = {}
    waits = None
    try:
        process = here.process()
        here.locate_threads()
        waits = here.deadlock_of_locks()
    except UserError as error:
        if error.code not in ("no_openmp", "not_supported", "unreadable"):
            raise
        missing["openmp"] = error
        process = here.native_process()
    here.locate_threads()
    here.locate_regions()
    return process, waits, missing


def show(
    here: Session, process: Process, missing: Missing, style: Style
) -> tuple[list[tuple[str, list[str]]], dict[str, Any]]:
    """The sections as text, by title, and as JSON, by name; what fails is added to missing."""
    shown, made = [], {}
    for section in SECTIONS[:1] if "openmp" in missing else SECTIONS:
        try:
            with in_users_terms():
                text, made[section.name] = section.show(here, process, style)
        except UserError as error:
            missing[section.name] = error
        else:
            shown.append((section.title, text))
    return shown, made
