# SPDX-License-Identifier: Apache-2.0
"""A library has called exit (): it could not go on, or a statement of Fortran's wants that."""

from __future__ import annotations

from typing import Iterable, Sequence

from .. import runtimes
from ..light_classes import NamedTuple
from .cause import Met
from .process import Thread
from .where import fits

_FORTRAN = "libgfortran"
_FILES: dict[str, tuple[str, ...]] = {_FORTRAN: ("libgfortran.so*",)}
# By how the names of its functions begin.
_STATEMENTS = {"_gfortran_error_stop": "ERROR STOP", "_gfortran_stop": "STOP"}
_WANTED = "_gfortran_exit_"  # the program's own CALL EXIT
_WITH_TEXT = "_gfortran_runtime_error"  # which puts it together on its stack


class GaveUp(NamedTuple):
    thread: Thread
    by: str  # the library
    text: str | None = None  # that it printed
    statement: str | None = None
    met: Sequence[Met] = ()  # where it could not make a thread, or got no memory


def library(file: str | None) -> str | None:
    """Whose file is it, if it is one that gives up by exit ()?"""
    files = {**_FILES, **{one.name: one.files for one in runtimes.RUNTIMES if one.exits}}
    name = (file or "").rsplit("/", 1)[-1]
    found = (by for by, patterns in files.items() if any(fits(name, one) for one in patterns))
    return next(found, None)


def statement(functions: Iterable[str]) -> str | None:
    """Which one had it called? functions: of the library, that called each other."""
    found = (
        words
        for name in functions
        for begins, words in _STATEMENTS.items()
        if name.startswith(begins)
    )
    return next(found, None)


def is_wanted(functions: Iterable[str]) -> bool:
    return any(name.startswith(_WANTED) for name in functions)


def has_text(functions: Iterable[str]) -> bool:
    return any(name.startswith(_WITH_TEXT) for name in functions)
