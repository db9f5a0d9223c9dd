# SPDX-License-Identifier: Apache-2.0
"""`ompd merge': which files are reports, and what do they say together? GDB is not needed."""

from __future__ import annotations

import argparse
import json
import os
import re
import stat
from typing import Any, Sequence

from ompd_core import late_patterns
from ompd_core.errors import UserError
from ompd_core.model import job_parts
from ompd_core.model.job import Job, Unread
from ompd_core.model.members import who
from ompd_core.model.rank_reports import NoReport
from ompd_core.views import job as view
from ompd_core.views import job_document
from ompd_core.views.status import WRONG
from ompd_core.views.table import count
from ompd_core.views.terminal import plain

from . import terminal
from .origin import Origin
from .outcome import CANNOT_READ, CANNOT_TELL, FINDING, NOTHING_ODD, Outcome
from .progress import Progress

LARGEST = 64 << 20  # bytes of a report; that of a thousand threads has some 3 MB
MOST_NAMES = 5  # of files, in a sentence
MOST_DIGITS = 20  # of a number: int() takes very long for very many

_RANK_IN_NAME = late_patterns.compile(
    r"(?:^|[^a-z])rank[-_.=]?([0-9]{1,9})(?![0-9])", re.IGNORECASE
)


def merge(options: argparse.Namespace, _: Origin) -> Outcome:
    """Raises UserError."""
    job = Job(WRONG)
    _read(job, options.reports)
    if not job.rows:
        first = job.unread[0]
        more = (
            f", nor is any of {count(len(job.unread) - 1, 'other')}" if len(job.unread) > 1 else ""
        )
        raise UserError(
            "no_reports",
            f"{first.file} is not a report: {first.why}{more}.",
            "Reports are made by `ompd pid --json', `ompd core --json' and `ompd run --json'.",
        )
    return answer(job, options, job_document.document(job))


def answer(job: Job, options: argparse.Namespace, document: dict[str, Any]) -> Outcome:
    lines = view.lines(job, terminal.style_of_report(options))
    text = "".join(plain(line) + "\n" for line in lines)
    return Outcome(status_of(job), text, document, _complaints(job))


def status_of(job: Job) -> int:
    """Nobody is to take a job for healthy of which only a part is known."""
    classes = job.by_class.values()
    if any(job.is_wrong(said.finding) for said in job.said.values()):
        return FINDING
    whole = not job.unread and not job.failed and not job.lost
    if not whole or not any(one.readable for one in classes):
        return CANNOT_READ
    codes = {said.finding.code for said in job.said.values()}
    return CANNOT_TELL if "cannot_tell" in codes else NOTHING_ODD


def _failed(job: Job) -> list[str]:
    """By their files, as far as they have any."""
    found = [
        (one.file, view.member(job, one)) for one in (view.in_order(job) if job.failed else ())
    ]
    return [file or who(name) for file, name in found if name.is_within(job.failed)]


def _complaints(job: Job) -> list[str]:
    """What is missing is told beside a finding too."""
    found = []
    for files, noun, one, many in (
        ([one.file for one in job.unread], "file", "is not a report", "are not reports"),
        (_failed(job), "report", "tells only why there is none", "tell only why there is none"),
    ):
        if files:
            verb = one if len(files) == 1 else many
            names = ", ".join(files[:MOST_NAMES])
            more = f", and {len(files) - MOST_NAMES} more" if len(files) > MOST_NAMES else ""
            found.append(f"{count(len(files), noun)} {verb}: {names}{more}.")
    return found


def _read(job: Job, files: Sequence[str]) -> None:
    progress = Progress()
    met: set[tuple[int, int]] = set()
    for i, file in enumerate(files):
        progress.show(f"reads report {i + 1} of {len(files)}")
        try:
            document = _document(file, met)
            if document is None:
                job.counted_twice.append(file)
            elif job_parts.is_part(document):
                part = job_parts.read(document, WRONG)
                part.label(file)
                job.take(part)
            else:
                job.add(file, _with_rank(file, document))
        except NoReport as error:
            job.unread.append(Unread(file, str(error)))
        except OSError as error:
            job.unread.append(Unread(file, error.strerror or "it cannot be read"))
    progress.clear()


def _document(path: str, met: set[tuple[int, int]]) -> Any:
    """None: it has been read before. Raises NoReport, OSError."""
    # Without waiting for a writer where it is a pipe.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NoReport("it is not a regular file")
        if (status.st_dev, status.st_ino) in met:
            return None
        met.add((status.st_dev, status.st_ino))
        text = file.read(LARGEST + 1)
    if not text:
        raise NoReport("it is empty")
    if len(text) > LARGEST:
        raise NoReport(f"it has more than {LARGEST >> 20} MB")
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except RecursionError:
        raise NoReport("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise NoReport("it is neither text nor JSON") from None
    except json.JSONDecodeError as error:
        if text.lstrip()[:1] == b"{":
            raise NoReport(f"its JSON ends or breaks in line {error.lineno}") from None
        raise NoReport("invalid JSON; a report needs --json") from None


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= MOST_DIGITS else None


def _no_constant(_: str) -> None:
    """NaN and the like, which no report has."""


def _with_rank(file: str, document: Any) -> Any:
    """The name may say it: rank3.json, report.rank-3.json."""
    found = _RANK_IN_NAME.search(os.path.basename(file))
    if found and isinstance(document, dict) and document.get("rank") is None:
        return {**document, "rank": int(found.group(1))}
    return document
