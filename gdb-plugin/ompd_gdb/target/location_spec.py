# SPDX-License-Identifier: Apache-2.0
"""Is a construct at the location that the user named? What GDB's `break' takes is resolved by GDB
itself: spellings of C++ names, overloads and templates, letters of either case in Fortran."""

from __future__ import annotations

import re
from typing import Collection, Tuple

import gdb
from ompd_core import abi, late_patterns
from ompd_core.errors import UserError
from ompd_core.formats import symbols
from ompd_core.light_classes import NamedTuple
from ompd_core.model.naming import is_nameless, is_outlined, users_function, without_parameters
from ompd_core.model.native import Location

from .. import texts
from .inferior import InferiorTarget

_LINE = late_patterns.compile(r"(?:(.+):)?([+-]?\d+)", re.DOTALL)
_OPTION = late_patterns.compile(r"-(source|function|line)\s+((?:(?!\s-[a-z]).)+)\s*", re.DOTALL)
# Bytes of a function that are searched for calls.
_MOST_CODE = 1 << 16

SymbolKey = Tuple[str, int]


class _Resolved(NamedTuple):
    """starts: of functions and of constructs' code. lines: with their files, for a line alone."""

    starts: frozenset[int] = frozenset()
    symbols: frozenset[SymbolKey] = frozenset()
    names: frozenset[str] = frozenset()
    lines: frozenset[tuple[str, int]] = frozenset()


class LocationSpec:
    """Resolved when it is first asked, and anew after `forget'."""

    def __init__(self, text: str) -> None:
        """Raises UserError for what can name no construct."""
        self.text = _linespec(text)
        self._is_line = _LINE.fullmatch(self.text) is not None
        self._resolved: _Resolved | None = None
        self._answers: dict[tuple[int, int], bool] = {}  # programs come to few constructs, often

    def forget(self) -> None:
        """Code was loaded, or has moved."""
        self._resolved = None
        self._answers.clear()

    def is_known(self) -> bool:
        return bool(_sals(self.text))

    def holds(self, target: InferiorTarget, construct: Location, call: int, function: int) -> bool:
        """construct: its place as far as it is known. call: an address in the instruction that
        calls the runtime. function: of the construct's own code; 0: it has none."""
        if self._resolved is None:
            self._resolved = self._resolve(target)
        key = call, function
        if key not in self._answers:
            self._answers[key] = self._is_there(target, construct, call, function)
        return self._answers[key]

    def _is_there(
        self, target: InferiorTarget, construct: Location, call: int, function: int
    ) -> bool:
        assert self._resolved is not None
        if self._is_line:
            begins = function in self._resolved.starts or self._is_on_line(construct)
            return begins or self._is_on_line(target.code.location(call))
        return self._is_in_function(target, construct, call, function)

    def _is_on_line(self, place: Location) -> bool:
        assert self._resolved is not None
        lines = [file for file, line in self._resolved.lines if line == place.line]
        return place.file is not None and any(_is_file(place.file, file) for file in lines)

    def _is_in_function(
        self, target: InferiorTarget, construct: Location, call: int, function: int
    ) -> bool:
        assert self._resolved is not None
        if function in self._resolved.starts:
            return True
        name = target.code.location(function).function if function else None
        if name is not None and is_outlined(name) and not is_nameless(name):
            # A call by a jump returns to another function's caller: the name decides.
            return self._is_named(users_function(name))
        called = _symbol_at(call)
        if called is not None and is_nameless(texts.name(called)):
            holder = target.code.holder_at(call) or users_function(construct.function or "")
            return self._is_named(holder)
        at = target.code.location(call)
        if called is None or construct.line not in (None, at.line):
            return self._is_named(users_function(construct.function or ""))
        is_in = _key(called) in self._resolved.symbols
        return is_in or self._is_named(users_function(at.function or ""))

    def _is_named(self, name: str | None) -> bool:
        assert self._resolved is not None
        return name is not None and any(_are_alike(name, one) for one in self._resolved.names)

    def _resolve(self, target: InferiorTarget) -> _Resolved:
        sals = _sals(self.text)
        if self._is_line:
            begun = [
                start
                for sal, start in ((sal, target.code.start(sal.pc)) for sal in sals)
                if start and _begins_construct(sal, target.code.location(start).function, start)
            ]
            return _Resolved(starts=frozenset(begun), lines=frozenset(_lines(self.text, sals)))
        found = [symbol for symbol in map(_symbol_at, (sal.pc for sal in sals)) if symbol]
        starts = {target.code.start(sal.pc) or sal.pc for sal in sals}
        names = {users_function(target.code.readable(texts.name(one) or "")) for one in found}
        return _Resolved(
            frozenset(starts),
            frozenset(map(_key, found)),
            # As it was typed, too: GDB does not know overloads of which all calls were inlined.
            frozenset(name for name in (*names, _function(self.text)) if name),
        )

    # ---- What can never match --------------------------------------------------------------------

    def refuse_without(self, entry_points: Collection[str]) -> None:
        """Raises UserError where GDB knows the place, and its code surely calls none of them."""
        sals = _sals(self.text)
        if not self._is_line:
            # Constructs in it are parts of its function to the user, but not to the compiler.
            entry_points = {*entry_points, *abi.FUNCTIONS}
        lines = {line for _, line in _lines(self.text, sals)}
        met: set[int] = set()
        for sal in sals:
            found = _calling_lines(sal.pc, entry_points)
            if found is None or found and not self._is_line:
                return
            # 0: the compiler records no line of the call.
            if found & {*lines, 0}:
                return
            symbol = _symbol_at(sal.pc)
            start = gdb.block_for_pc(sal.pc).start
            if symbol is not None and _begins_construct(sal, texts.name(symbol), start):
                return
            met |= found
        if not sals:
            return
        near = ", ".join(map(str, sorted(met)))
        raise UserError(
            "no_such_place",
            f"No construct of this kind begins at `{self.text}'.",
            f"Around it one begins on line {near}." if met else "Name the line of its directive.",
        )


def _linespec(text: str) -> str:
    """What `gdb.decode_line' takes: it does not know the options of explicit locations."""
    if text.startswith("*"):
        raise UserError(
            "bad_argument",
            f"`{text}' is an address, and constructs are found by their place.",
            "Name FILE:LINE of the construct, or the function around it.",
        )
    if text.startswith("-"):
        options = dict(_OPTION.findall(text))
        place = options.get("function") or options.get("line")
        if _OPTION.sub("", text) or place is None or ("function" in options) == ("line" in options):
            raise UserError(
                "bad_argument",
                f"`{text}' is not understood as a place.",
                "Of GDB's options -source goes with -function or -line.",
            )
        text = f"{options['source']}:{place}" if "source" in options else place
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return text[1:-1]
    if re.fullmatch(r"[+-]?\d+", text):
        sals = _sals(text)
        if not sals:
            raise UserError(
                "bad_argument",
                f"Line {text} of which file? GDB has no current one with such a line.",
                "Type FILE:LINE, or a function.",
            )
        number = int(text) if text.isdigit() else sals[0].line
        return f"{texts.filename(sals[0].symtab)}:{number}"
    return text


def _sals(text: str) -> list[gdb.Symtab_and_line]:
    """Empty: GDB knows no such place."""
    # The language that was current when it was typed may not be the one there is at a stop.
    for spelling in dict.fromkeys([text, text.lower()]):
        try:
            rest, sals = gdb.decode_line(spelling)
        except gdb.error:
            continue
        if sals and not (rest or "").strip():
            return [sal for sal in sals if sal.symtab is not None]
    return []


def _lines(text: str, sals: list[gdb.Symtab_and_line]) -> set[tuple[str, int]]:
    """A line without code stands for the next one that has some; the directive's own line may be
    what the compiler recorded."""
    match = _LINE.fullmatch(text)
    typed = int(match.group(2)) if match is not None else 0
    found = {(texts.filename(sal.symtab) or "", line) for sal in sals for line in (sal.line, typed)}
    if match is not None and match.group(1):
        found.add((match.group(1), typed))
    return found


def _function(text: str) -> str:
    """FILE:FUNCTION's."""
    return re.sub(r"^[^:]*(?<!:):(?!:)", "", text)


def _are_alike(one: str, other: str) -> bool:
    """other may leave out namespaces. Names of C have no parameters, and neither has what compilers
    record of inlined functions."""
    bare = without_parameters(one), without_parameters(other)
    left, right = bare if one in bare or other in bare else (one, other)
    return f"::{left}".endswith(f"::{right}")


def _is_file(one: str, other: str) -> bool:
    """Each may leave out folders."""
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _symbol_at(pc: int) -> gdb.Symbol | None:
    """Of the innermost function there, inlined ones among them."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block.function if block is not None else None


def _key(symbol: gdb.Symbol) -> SymbolKey:
    """GDB makes a new object each time, and does not compare them."""
    return texts.linkage_name(symbol), symbol.line


def _begins_construct(sal: gdb.Symtab_and_line, function: str | None, start: int) -> bool:
    """Is it the first line of the construct's own code that this function is? gcc's has its
    directive's line, or the next one's."""
    if not is_outlined(function) or "_debug__" in (function or ""):
        return False
    return len({row.line for row in sal.symtab.linetable() if start <= row.pc < sal.pc}) <= 1


def _calling_lines(pc: int, entry_points: Collection[str]) -> set[int] | None:
    """In which the function around an address calls one of them. None: it cannot be said."""
    block, function = gdb.block_for_pc(pc), None
    while block is not None and not block.is_static and not block.is_global:
        # An inlined function lies within the one around it, a nested one of Fortran elsewhere.
        if function is not None and not block.start <= function.start < block.end:
            break
        function = block if block.function is not None else function
        block = block.superblock
    if function is None or not 0 < function.end - function.start <= _MOST_CODE:
        return None
    objfile = texts.filename(function.function.symtab.objfile)
    # Calls into a stripped runtime that is linked into the program have no names.
    names = symbols.may_name(objfile, entry_points) if objfile else set()
    if not names:
        return None
    alternatives = "|".join(re.escape(name) for name in sorted(names))
    calls = rf"<(?:{alternatives})\b"
    try:
        code = gdb.selected_inferior().architecture().disassemble(function.start, function.end - 1)
    except (gdb.error, gdb.MemoryError):
        return None
    found = {
        gdb.find_pc_line(int(one["addr"])).line for one in code if re.search(calls, one["asm"])
    }
    # flang records the procedure's line.
    return {0 if line == function.function.line else line for line in found}
