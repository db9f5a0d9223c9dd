# SPDX-License-Identifier: Apache-2.0
"""`ompd show': what a record tells, and the same for other tools."""

from __future__ import annotations

import argparse
import contextlib
import os
import stat
from typing import Any, Callable, Iterator, Sequence, TextIO

from ompd_core import files
from ompd_core.errors import UserError
from ompd_core.recording.reader import Reader
from ompd_core.recording.record import Record
from ompd_core.recording.summary import summary
from ompd_core.recording.timeline import timeline
from ompd_core.views.exports import chrome_trace, folded, paraver, pprof, speedscope
from ompd_core.views.recording import document, text
from ompd_core.views.terminal import plain

from .. import terminal, unpacking
from ..debugger import private_folder
from ..origin import Origin, named
from ..outcome import Outcome
from ..progress import Progress

WHOLE, NOT_WHOLE = 0, 1  # exit statuses
_PIECE = 1 << 20


def show(options: argparse.Namespace, origin: Origin) -> Outcome:
    """Raises UserError."""
    found = read(options.record)
    written = [
        sentence for write in (_exports, _paraver) for sentence in write(found, options, origin)
    ]
    wants_more = options.json or options.html or options.text or options.output
    status = WHOLE if found.complete else NOT_WHOLE
    if written and not wants_more:
        return Outcome(status, complaints=[*found.damage, *written])
    made = summary(found)
    style = terminal.style_of_report(options)
    lines = text.lines(made, style._replace(width=None) if options.all else style)
    document_of_it: dict[str, Any] = {}
    if options.json or options.html:
        document_of_it = dict(document.document("show", made, timeline(found)))
    said = "".join(plain(line) + "\n" for line in lines)
    return Outcome(status, said, document_of_it, complaints=written)


def read(path: str) -> Record:
    """Raises UserError."""
    reader = Reader()
    with private_folder() as folder:
        _check(path)
        with open(unpacking.unpacked(path, folder), "rb") as file:
            _feed(reader, file, path)
    try:
        return reader.finish()
    except UserError as error:
        raise _of(path, error) from None


def _feed(reader: Reader, file: Any, path: str) -> None:
    progress, size = Progress(), 0
    try:
        while True:
            data = file.read(_PIECE)
            if not data:
                return
            size += len(data)
            reader.feed(data)
            progress.show(f"reads {os.path.basename(path)}: {size >> 20} MiB")
    except UserError as error:
        raise _of(path, error) from None
    finally:
        progress.clear()


def _of(path: str, error: UserError) -> UserError:
    return UserError(error.code, f"{path}: {error.message}", error.hint)


def _check(path: str) -> None:
    """A pipe without a writer would be waited for."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise UserError(
            "no_record", f"{path} cannot be read: {error.strerror}.", "`ompd record' makes one."
        ) from None
    if not stat.S_ISREG(status.st_mode):
        raise UserError("no_record", f"{path} is not a regular file.", "`ompd record' makes one.")


# ---- For other tools -----------------------------------------------------------------------------


def _exports(found: Record, options: argparse.Namespace, origin: Origin) -> Sequence[str]:
    written = []
    writers: Sequence[tuple[str | None, Callable[[Record, TextIO], None], str]] = (
        (options.speedscope, speedscope.write, "speedscope"),
        (options.chrome_trace, chrome_trace.write, "Perfetto or chrome://tracing"),
        (options.folded, folded.write, "flamegraph.pl"),
    )
    for name, write, _ in writers:
        if name is not None:
            path = named(name, origin)
            with _named(path), files.created_text(path) as file:
                write(found, file)
            written.append(f"{path} is written.")
    if options.pprof is not None:
        path = named(options.pprof, origin)
        with _named(path), files.created(path) as packed:
            pprof.write(found, packed)
        written.append(f"{path} is written.")
    return written


def _paraver(found: Record, options: argparse.Namespace, origin: Origin) -> Sequence[str]:
    """Three files, which differ by their ends."""
    if options.paraver is None:
        return []
    base = named(options.paraver, origin)
    base = base[:-4] if base.endswith(".prv") else base
    for end, write in (
        (".prv", paraver.write_prv),
        (".pcf", paraver.write_pcf),
        (".row", paraver.write_row),
    ):
        with _named(base + end), files.created_text(base + end) as file:
            write(found, file)
    return [f"{base}.prv, {base}.pcf and {base}.row are written."]


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            "not_written", f"{path} cannot be written: {error.strerror}.", "Name another file."
        ) from None
