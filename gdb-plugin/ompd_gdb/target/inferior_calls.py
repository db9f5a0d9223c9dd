# SPDX-License-Identifier: Apache-2.0
"""May GDB call a function in the program? It does so for less than one would think: malloc() for
the address of an array that has none, an operator of C++ for an index. While it runs, so do all
threads. So nothing of ours may; a call that the user has written runs with the others held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from .. import texts

_MAY_CALL, _LOCKING = "may-call-functions", "scheduler-locking"
_REFUSED = f"{_MAY_CALL} is off"

_allowed = True  # by the user's own setting, which is ours for the time being
_refusing = False


@contextmanager
def refused() -> Iterator[None]:
    """In whatever is evaluated meanwhile."""
    global _allowed, _refusing
    if _refusing:
        yield
        return
    _allowed = bool(gdb.parameter(_MAY_CALL))
    with _set(_MAY_CALL, "off"):
        _refusing = True
        try:
            yield
        finally:
            _refusing = False


@contextmanager
def held() -> Iterator[None]:
    """For what the user has written: it may call as far as the user's settings let it, while other
    threads stand still. No call is made where they cannot be held."""
    if not _refusing or not _allowed:
        yield
        return
    try:
        locked = _set(_LOCKING, "on")
        locked.__enter__()
    except gdb.error:
        yield  # of a core file, say
        return
    try:
        with _set("unwindonsignal", "on"), _set(_MAY_CALL, "on"):
            yield
    finally:
        locked.__exit__(None, None, None)


def evaluated(text: str) -> gdb.Value:
    """An expression that the user has written. Raises gdb.error."""
    with refused():
        try:
            return gdb.parse_and_eval(text)
        except gdb.error as error:
            if _REFUSED not in str(error) or not _allowed:
                raise
        with held():
            return gdb.parse_and_eval(text)


@contextmanager
def _set(name: str, wanted: str) -> Iterator[None]:
    before = gdb.parameter(name)
    word = before if isinstance(before, str) else "on" if before else "off"
    if word != wanted:
        texts.silently(f"set {name} {wanted}")
    try:
        yield
    finally:
        if word != wanted:
            _put_back(f"set {name} {word}")


def _put_back(command: str) -> None:
    """Also if the user interrupts just now."""
    try:
        texts.silently(command)
    except KeyboardInterrupt:
        texts.silently(command)
        raise
    except gdb.error:
        pass  # the process is gone
