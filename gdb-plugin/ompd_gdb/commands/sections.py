# SPDX-License-Identifier: Apache-2.0
"""What is a report made of? Each section shows what the command of its name shows."""

from __future__ import annotations

from typing import Any, Callable

from ompd_core.errors import UserError
from ompd_core.light_classes import NamedTuple
from ompd_core.model.judgement import Judgement
from ompd_core.model.merging import merged
from ompd_core.snapshot.places import ALWAYS
from ompd_core.views import (
    barriers,
    deadlock,
    environment,
    icvs,
    json_document,
    locks,
    merged_stacks,
    parallel,
    targets,
    tasks,
    threads,
)
from ompd_core.views.table import Style

from ..picture import Picture
from ..session import Session
from . import local_variables
from .base import in_users_terms
from .stacks import USUAL_DEPTH

# As text, and as a section of a JSON document: whichever is wanted is made.
Shown = tuple[Callable[[], list[str]], Callable[[], Any]]


class Section(NamedTuple):
    name: str  # in a JSON document
    title: str
    show: Callable[[Picture, Style], Shown]  # raises UserError, OmpdError
    native: bool = False  # also of a program without OpenMP
    flag: str = ""  # the option that asks for it
    wanted: Callable[[Picture], bool] = lambda picture: True


def _threads(picture: Picture, style: Style) -> Shown:
    found = picture.process.threads
    return (
        lambda: threads.lines(picture.process, found, None, style),
        lambda: json_document.threads(found),
    )


def _regions(picture: Picture, style: Style) -> Shown:
    found = picture.process.regions
    roots = [region for region in found if region.parent is None]
    unsure = [thread for thread in picture.process.threads if thread.unsure]
    return lambda: parallel.lines(roots, unsure, style), lambda: json_document.regions(found)


def _stacks(picture: Picture, style: Style) -> Shown:
    splicer = picture.splicer(USUAL_DEPTH)
    found = [splicer.backtrace(thread) for thread in picture.process.threads]
    tree = merged(found)
    return (
        lambda: merged_stacks.lines(tree, found, style),
        lambda: merged_stacks.document(tree),
    )


def _deadlock(picture: Picture, style: Style) -> Shown:
    found = picture.judgement()
    return lambda: deadlock.lines(found, style), lambda: json_document.deadlock(found)


def _locks(picture: Picture, style: Style) -> Shown:
    found = picture.locks
    return lambda: locks.lines(found, style), lambda: json_document.locks(found.all)


def _barriers(picture: Picture, style: Style) -> Shown:
    found = picture.judgement()
    return lambda: barriers.lines(found, style), lambda: json_document.barriers(found.barriers)


def _tasks(picture: Picture, style: Style) -> Shown:
    found = picture.located_tasks()
    return lambda: tasks.lines(found, found.all, style), lambda: json_document.tasks(found.all)


def _targets(picture: Picture, style: Style) -> Shown:
    found = picture.devices

    def lines() -> list[str]:
        text = targets.lines(found, style)
        if any(device.mappings for device in found.all):
            text += targets.map_lines(found, found.all, style)
        return text

    return lines, lambda: targets.document(found)


def _has_offload(picture: Picture) -> bool:
    return picture.has_offload


def _locals(picture: Picture, style: Style) -> Shown:
    found = local_variables.of_odd_threads(picture)
    return lambda: local_variables.lines(found, style), lambda: local_variables.document(found)


def _icvs(picture: Picture, style: Style) -> Shown:
    asked = [thread for thread in picture.process.threads if thread.openmp]
    found = picture.icvs(asked)
    return lambda: icvs.changed_lines(found, asked, style), lambda: icvs.document(found)


def _environment(picture: Picture, style: Style) -> Shown:
    found = picture.settings()
    return lambda: environment.lines(found, style), lambda: json_document.environment(found)


# One line each.
SECTIONS = (
    Section("threads", "Threads", _threads, native=True),
    Section("regions", "Parallel regions", _regions),
    Section("merged", "Stacks, merged", _stacks),
    Section("locals", "Odd threads' variables", _locals, True, "locals"),
    Section("deadlock", "Deadlock", _deadlock),
    Section("locks", "Locks and critical constructs", _locks),
    Section("barriers", "Barriers", _barriers),
    Section("tasks", "Explicit tasks", _tasks),
    Section("offload", "Devices", _targets, wanted=_has_offload),
    Section("icvs", "Changed ICVs", _icvs),
    Section("environment", "Environment", _environment),
)

Missing = dict[str, UserError]  # sections that cannot be made; "openmp": all but the threads


def look(here: Session) -> tuple[Picture, Judgement | None, Missing]:
    """With places, and the judgement. Raises UserError if not even the native threads can be
    told."""
    missing: Missing = {}
    judgement = None
    try:
        picture = here.picture()
        picture.locate_threads(ALWAYS, USUAL_DEPTH)  # each stack is walked once for all sections
        judgement = picture.judgement()
    except UserError as error:
        if error.code not in ("no_openmp", "not_supported", "unreadable"):
            raise
        missing["openmp"] = error
        picture = here.native_picture()
        picture.locate_threads()
    picture.locate_regions()
    return picture, judgement, missing


def show(
    picture: Picture,
    missing: Missing,
    style: Style,
    flags: set[str],
    as_text: bool,
    as_json: bool,
) -> tuple[list[tuple[str, list[str]]], dict[str, Any]]:
    """The sections as text, by title, and as JSON, by name, where that is wanted; what fails is
    added to missing. flags: the options of those that are shown only if asked for."""
    shown: list[tuple[str, list[str]]] = []
    made: dict[str, Any] = {}
    for section in SECTIONS:
        if section.flag and section.flag not in flags or "openmp" in missing and not section.native:
            continue
        if not section.wanted(picture):
            continue
        try:
            with in_users_terms():
                lines, document = section.show(picture, style)
                text = lines() if as_text else []
                if as_json:
                    made[section.name] = document()
        except UserError as error:
            missing[section.name] = error
        else:
            shown.append((section.title, text))
    return shown, made
