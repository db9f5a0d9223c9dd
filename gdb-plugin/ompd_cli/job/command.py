# SPDX-License-Identifier: Apache-2.0
"""`ompd job': whose ranks are they, and what is the answer?"""

from __future__ import annotations

import argparse
import time
from typing import Any, Sequence

from ompd_core.errors import UserError
from ompd_core.model.job import Job
from ompd_core.model.members import Members, who
from ompd_core.views import job as view
from ompd_core.views import job_document
from ompd_core.views.table import cut_list
from ompd_core.views.terminal import plain

from .. import merge
from ..origin import Origin
from ..outcome import CANNOT_READ, FINDING, Outcome
from . import collect, sources


def report(options: argparse.Namespace, _: Origin) -> Outcome:
    """Raises UserError."""
    if options.collect:
        return collect.report(options)
    source = sources.of(options)
    earlier = None
    if options.watch:
        earlier = source.look()
        time.sleep(options.watch)
    job = source.look()
    if not job.rows and not job.lost:
        raise UserError("no_ranks", *source.nobody())
    document = job_document.document(job, "job")
    document["closer"] = source.closer(job)
    outcome = merge.answer(job, options, document)
    if source.whole and job.absent() and outcome.status != FINDING:
        outcome.status = CANNOT_READ
    if earlier is not None:
        moved = _moved(earlier, job, options.watch)
        document["watch"] = moved
        outcome.text += "".join(f"{line}\n" for line in _moved_lines(moved))
    outcome.text += _closer_lines(document["closer"])
    return outcome


def _closer_lines(closer: Sequence[dict[str, Any]]) -> str:
    if not closer:
        return ""
    lines = ["", "Look closer", "-----------"]
    for one in closer[: view.MOST_CLASSES]:
        lines.append(f"{plain(cut_list(one['ranks']))}: {plain(one['command'])}")
    return "\n".join(lines) + "\n"


def _moved(earlier: Job, job: Job, seconds: float) -> dict[str, Any]:
    same = Members()
    for digest, members in job.places.items():
        if digest in earlier.places:
            same.update(members.common(earlier.places[digest]))
    both = job.everybody.common(earlier.everybody)
    once = Members()
    once.update(job.everybody.without(both))
    once.update(earlier.everybody.without(both))
    readable = both.without(job.failed).without(earlier.failed)
    return {
        "seconds": seconds,
        "elsewhere": who(readable.without(same)),
        "same_places": who(same),
        "only_once": who(once),
    }


def _moved_lines(moved: dict[str, Any]) -> list[str]:
    lines = ["", f"Looked twice, {moved['seconds']:g} s apart", "-" * 26]
    for title, name in (
        ("Elsewhere", "elsewhere"),
        ("At the same places", "same_places"),
        ("Seen once", "only_once"),
    ):
        if moved[name]:
            lines.append(f"{title}: {plain(cut_list(moved[name]))}")
    return lines
