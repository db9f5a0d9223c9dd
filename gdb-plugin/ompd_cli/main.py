# SPDX-License-Identifier: Apache-2.0
"""What did the user type, and what is the answer's exit status?"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn, Sequence

from ompd_core import files
from ompd_core.errors import UserError
from ompd_core.views import json_text
from ompd_core.views.terminal import plain

from . import limits, terminal
from .arguments.parsing import BadArgument, parsed, runs_a_program
from .origin import Origin, named
from .outcome import CANNOT_READ, FAILED, INTERRUPTED, status_of_a_run


def main(arguments: Sequence[str]) -> int:
    _open_streams()
    _hear_ctrl_c()
    # The other statuses may be the program's own.
    failed = FAILED if runs_a_program(arguments) else CANNOT_READ
    try:
        return _answer(parsed(arguments), failed)
    except (BadArgument, _Failure) as failure:
        _complain(str(failure))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads any more
    except OSError as error:
        named = error.filename or "The system says"
        _complain(f"{named}: {error.strerror}. {limits.low()}".strip())
    except MemoryError:
        _complain(f"There is not enough memory. {limits.low()}".strip())
    except ImportError as error:
        if not limits.low():
            raise
        _complain(f"A module of Python cannot be loaded: {error}. {limits.low()}")
    except KeyboardInterrupt:
        _complain("interrupted.")
        return INTERRUPTED
    return failed


def _hear_ctrl_c() -> None:
    """At any moment by a sentence, never by the line where it came."""
    sys.excepthook = _at_the_end
    sys.unraisablehook = _in_between
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _at_the_end(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if not isinstance(error, KeyboardInterrupt):
        return sys.__excepthook__(kind, error, trace)
    _complain("interrupted.")
    os._exit(INTERRUPTED)


def _in_between(met: sys.UnraisableHookArgs) -> None:
    """Where Python passes over what is raised, as while it reads a module."""
    if issubclass(met.exc_type, KeyboardInterrupt):
        sys.setprofile(_afterwards)
    else:
        sys.__unraisablehook__(met)


def _afterwards(frame: FrameType, event: str, argument: Any) -> None:
    """Raise it again, at the next call or return: in the hook itself it would be lost."""
    if frame.f_code is not _in_between.__code__:
        sys.setprofile(None)
        raise KeyboardInterrupt


def leave(status: int) -> NoReturn:
    """At once: all is written, and to take Python apart takes longer than to print a report."""
    with suppress(OSError):
        sys.stdout.flush()
    os._exit(status)


def _open_streams() -> None:
    """Those that the user has closed: what is opened later would take their numbers."""
    while os.open(os.devnull, os.O_RDWR) <= _STDERR:
        pass
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")


_STDERR = 2


class _Failure(Exception):
    """What is said of it: a sentence."""


def _answer(options: argparse.Namespace, failed: int) -> int:
    origin = Origin()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _leave)
    try:
        if options.document == "report":
            limits.check()
        outcome = options.make(options, origin)
        if options.html and outcome.json:
            _to_file(named(options.html, origin), outcome.page())
        if options.json or options.text or options.output or not options.html:
            _write(outcome.document() if options.json else outcome.text, options, origin)
        for sentence in outcome.complaints:
            _complain(sentence)
        return int(outcome.status)
    except UserError as error:
        if options.json:
            document = json_text.error(options.document, error)
            if options.document == "report":
                document.update(origin.fields())
            _write(json_text.text(document) + "\n", options, origin)
        _complain(error.sentence())
        return status_of_a_run(error) if failed == FAILED else CANNOT_READ


def _leave(number: int, _: object) -> NoReturn:
    """With private folders removed, and GDB ended."""
    raise SystemExit(128 + number)


def _complain(sentence: str) -> None:
    with suppress(OSError):
        terminal.write(f"ompd: {plain(sentence)}\n", sys.stderr)


def _write(text: str, options: argparse.Namespace, origin: Origin) -> None:
    if not text:
        return  # a program that ended by itself has no report
    if options.output:
        _to_file(named(options.output, origin), text)
        return
    terminal.write(text, sys.stderr if options.command == "run" else sys.stdout)


def _to_file(path: str, text: str) -> None:
    try:
        files.write(path, text)
    except OSError as error:
        raise _Failure(f"{path} cannot be written: {error.strerror}.") from None
