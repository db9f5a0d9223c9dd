# SPDX-License-Identifier: Apache-2.0
"""How does the program spell a part of a variable? accounts[1].lock, not accounts+16; of Fortran
accounts(2)%lock."""

from __future__ import annotations

import re

import gdb
from ompd_core.light_classes import dataclass
from ompd_core.model.naming import of_fortran

from .. import texts

# They are what is looked for: their members are a library's affair.
_WHOLE = frozenset(
    "omp_lock_t omp_nest_lock_t sem_t std::mutex std::timed_mutex std::recursive_mutex"
    " std::recursive_timed_mutex std::shared_mutex std::shared_timed_mutex std::condition_variable"
    " std::condition_variable_any pthread_mutex_t pthread_rwlock_t pthread_spinlock_t"
    " pthread_cond_t pthread_barrier_t".split()
)
_DEEPEST = 16
# flang records integers in the place of derived types: what is smaller than a lock is none.
_FLANGS_LOCK = 8


@dataclass(frozen=True)
class _Language:
    first: str  # around an index
    last: str
    member: str
    smallest: int = 0  # bytes

    def index(self, numbers: list[int]) -> str:
        return "".join(f"{self.first}{number}{self.last}" for number in numbers)


class _Fortran(_Language):
    def index(self, numbers: list[int]) -> str:
        """The first one is the one that changes fastest."""
        return f"({','.join(str(number) for number in reversed(numbers))})" if numbers else ""


_C = _Language("[", "]", ".")
_GNU = _Fortran("(", ")", "%")
_FLANG = _Fortran("(", ")", "%", _FLANGS_LOCK)


def spelled(symbol: str) -> str:
    """NAME or NAME+OFFSET in the program's words, as far as debug information tells."""
    linkage, _, offset = symbol.partition("+")
    name = of_fortran(linkage)
    plain = name + (f"+{offset}" if offset else "")
    if not re.fullmatch(r"(\w+::)*[A-Za-z_]\w*", name) or not (offset or "0").isdecimal():
        return plain
    language = _C if name == linkage else _FLANG if linkage.startswith("_Q") else _GNU
    try:
        found = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        if found is None or found.type is None:
            return plain
        rest = _path(found.type, int(offset or "0"), language)
    except (gdb.error, RuntimeError, ValueError):
        return plain
    return plain if rest is None else name + rest


def _path(kind: gdb.Type, offset: int, language: _Language, depth: int = 0) -> str | None:
    """None: nothing of the type begins there."""
    if texts.name(kind) in _WHOLE or depth == _DEEPEST:
        return "" if offset == 0 else None
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return _of_array(kind, offset, language, depth)
    if kind.code == gdb.TYPE_CODE_STRUCT:
        return _of_struct(kind, offset, language, depth)
    return "" if offset == 0 and kind.sizeof >= language.smallest else None


def _of_array(kind: gdb.Type, offset: int, language: _Language, depth: int) -> str | None:
    numbers: list[int] = []
    while kind.code == gdb.TYPE_CODE_ARRAY and depth < _DEEPEST:
        item = kind.target()
        low, high = kind.range()
        if item.sizeof == 0 or not 0 <= offset // item.sizeof <= high - low:
            return None
        numbers.append(low + offset // item.sizeof)
        kind, offset, depth = item, offset % item.sizeof, depth + 1
    rest = _path(kind, offset, language, depth)
    return None if rest is None else language.index(numbers) + rest


def _of_struct(kind: gdb.Type, offset: int, language: _Language, depth: int) -> str | None:
    for field in kind.fields():
        if not hasattr(field, "bitpos") or field.bitsize or field.type is None:
            continue  # a static member, or part of a word
        start = field.bitpos // 8
        if start <= offset < start + field.type.sizeof:
            rest = _path(field.type, offset - start, language, depth + 1)
            member = None if field.is_base_class else texts.name(field)
            named = f"{language.member}{member}" if member else ""
            return None if rest is None else named + rest
    return "" if offset == 0 else None
