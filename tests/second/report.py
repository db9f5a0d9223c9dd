# SPDX-License-Identifier: Apache-2.0
"""What does a debugger have to do for the report of a stop, beside answering what ompd/debugger.py
asks?"""

from __future__ import annotations

from typing import Callable

from ompd_core.debugger import Debugger
from ompd_core.errors import UserError
from ompd_core.library.library import Library
from ompd_core.model import facts
from ompd_core.model.merging import merged
from ompd_core.snapshot import advice
from ompd_core.snapshot.picture import Picture
from ompd_core.snapshot.runtimes import Runtimes
from ompd_core.views import icvs, json_document, merged_stacks
from ompd_core.views import report as views_report
from ompd_core.views.json_text import Json

# So many frames of each stack are looked at, as `ompd report' does.
_DEPTH = 256
# The document's word for the debugger.
_VERSION = "none"
_MADE = "2000-01-01T00:00:00Z"


def report(library: Library, debugger: Debugger) -> Json:
    """The document of `ompd report -json'. Raises UserError, OmpdError."""
    runtimes = Runtimes(library, debugger)
    try:
        picture = _picture(debugger, runtimes)
        sections = _sections(picture)
        notes = advice.of_session(debugger, library.path, library.missing_extensions)
        return json_document.envelope(
            "report",
            1,
            _VERSION,
            notes,
            _program(debugger),
            runtimes.all(),
            library=json_document.library(_library(library)),
            made=_MADE,
            **sections,
        )
    finally:
        runtimes.close()


def _picture(debugger: Debugger, runtimes: Runtimes) -> Picture:
    found = runtimes.all()
    natives = debugger.native_threads()
    runtimes.take_views(natives)
    return Picture(debugger, runtimes, natives, found)


def _program(debugger: Debugger) -> facts.Program:
    core = debugger.core
    return facts.Program(
        1, debugger.pid, debugger.kind, debugger.executable, core.path if core is not None else None
    )


def _library(loaded: Library) -> facts.Library:
    missing = tuple(loaded.missing_extensions)
    return facts.Library(loaded.path, loaded.version, loaded.api_version, missing)


def _sections(picture: Picture) -> Json:
    judgement = picture.judgement(_DEPTH)
    process, assessment = picture.process, picture.assessment(judgement)
    splicer = picture.splicer(_DEPTH)
    asked = [thread for thread in process.threads if thread.openmp]
    ask: dict[str, Callable[[], object]] = {
        "signal": lambda: json_document.signal(process),
        "findings": lambda: json_document.findings(assessment),
        "summary": lambda: json_document.summary(assessment),
        "threads": lambda: json_document.threads(process.threads),
        "regions": lambda: json_document.regions(process.regions),
        "merged": lambda: merged_stacks.document(
            merged(list(map(splicer.backtrace, process.threads)))
        ),
        "deadlock": lambda: json_document.deadlock(judgement),
        "locks": lambda: json_document.locks(picture.locks.all),
        "barriers": lambda: json_document.barriers(judgement.barriers),
        "tasks": lambda: json_document.tasks(picture.located_tasks().all),
        "icvs": lambda: icvs.document(picture.icvs(asked)),
        "environment": lambda: json_document.environment(picture.settings()),
    }
    made, missing = {}, {}
    for name, one in ask.items():
        try:
            made[name] = one()
        except UserError as error:
            missing[name] = error
    return {**made, "unavailable": views_report.unavailable(missing)}
