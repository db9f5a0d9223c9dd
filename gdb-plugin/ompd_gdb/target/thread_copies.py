# SPDX-License-Identifier: Apache-2.0
"""Where is a thread's own copy of a threadprivate variable? Compilers make it thread-local, which
GDB knows, or have libomp make the copies: flang records the first thread's alone, and beside it, as
clang where it is asked not to use thread-local storage, is a table of all copies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Mapping, Protocol

import gdb
from ompd_core.errors import Unreadable

from .. import texts

_TABLES = (".cache", ".cache.")  # of flang's, of clang's variable
_PLACE = "_ompd_copy"  # a convenience variable of GDB's, while an expression is evaluated


class NoCopy(Exception):
    """The thread has none yet."""


class Memory(Protocol):
    pointer_size: int

    def symbol(self, name: str, file_name: str | None) -> int | None:
        ...

    def number(self, address: int, nbytes: int) -> int:
        """Raises Unreadable."""


class ThreadCopies:
    """Of one process at one stop."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._tables: dict[str, int | None] = {}  # by the variable's name for the linker

    def table(self, symbol: gdb.Symbol) -> int | None:
        """None: libomp makes no copies of it."""
        name = texts.linkage_name(symbol)
        if name not in self._tables:
            found = (self._memory.symbol(name + suffix, None) for suffix in _TABLES)
            self._tables[name] = next((one for one in found if one is not None), None)
        return self._tables[name]

    def is_own(self, symbol: gdb.Symbol) -> bool:
        """Whether each thread may have another."""
        thread_local = symbol.addr_class == gdb.SYMBOL_LOC_COMPUTED and not symbol.needs_frame
        return thread_local or self.table(symbol) is not None

    def pointer(self, symbol: gdb.Symbol, runtime_id: int | None) -> gdb.Value:
        """To the selected thread's own. Raises NoCopy, gdb.error."""
        table = self.table(symbol)
        if table is None:
            place = symbol.value().address
            if place is None:
                raise NoCopy
            return place
        size = self._memory.pointer_size
        try:
            copies = self._memory.number(table, size)
            if not copies or runtime_id is None:
                raise NoCopy
            copy = self._memory.number(copies + runtime_id * size, size)
        except Unreadable:
            raise NoCopy from None
        if not copy or symbol.type is None:
            raise NoCopy
        return gdb.Value(copy).cast(symbol.type.pointer())


@contextmanager
def in_place(pointers: Mapping[str, gdb.Value]) -> Iterator[dict[str, str]]:
    """What stands for each name in an expression that is evaluated inside."""
    words = {name: f"{_PLACE}{number}" for number, name in enumerate(pointers)}
    try:
        for name, word in words.items():
            gdb.set_convenience_variable(word, pointers[name])
        yield {name: f"(*${word})" for name, word in words.items()}
    finally:
        for word in words.values():
            gdb.set_convenience_variable(word, None)
