# SPDX-License-Identifier: Apache-2.0
"""How is a caller's frame found from a place in the code? By the call frame information that the
compiler left there (DWARF 5, 6.4; LSB, .eh_frame), as it lies in memory. Of all that it can say,
that is read which nearly all functions need; what says more is not told."""

from __future__ import annotations

import struct
from typing import Callable, Mapping, Protocol, Sequence

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .unwind_tables import PAGE, Tables

LONGEST_ENTRY = 4096  # of a function, or what entries have in common
MOST_REMEMBERED = 16

# DW_CFA_*: the upper two bits of these, an operand in the others
_ADVANCE, _OFFSET, _RESTORE = 1, 2, 3
_NOP, _ADVANCE_1, _ADVANCE_2, _ADVANCE_4 = 0x00, 0x02, 0x03, 0x04
_OFFSET_EXTENDED, _RESTORE_EXTENDED, _UNDEFINED, _SAME, _REGISTER = 0x05, 0x06, 0x07, 0x08, 0x09
_REMEMBER, _RESTORE_STATE = 0x0A, 0x0B
_CFA, _CFA_REGISTER, _CFA_OFFSET, _CFA_EXPRESSION = 0x0C, 0x0D, 0x0E, 0x0F
_EXPRESSION, _OFFSET_SIGNED, _CFA_SIGNED, _CFA_OFFSET_SIGNED = 0x10, 0x11, 0x12, 0x13
_VALUE, _VALUE_SIGNED, _VALUE_EXPRESSION, _ARGUMENTS_SIZE = 0x14, 0x15, 0x16, 0x2E
# From here on, return addresses are signed, or are not any more (AArch64).
_SIGNED = 0x2D
# A pointer of the process', as far as it is from where it stands, of four bytes (DW_EH_PE_*).
_NEAR = 0x1B


class Columns(Protocol):
    """DWARF's numbers of a machine's registers."""

    @property
    def stack(self) -> int:
        ...

    @property
    def frame_pointer(self) -> int:
        ...

    @property
    def returns(self) -> int:
        """Of the address to return to."""


class Row(NamedTuple):
    """The canonical frame address is so far from the stack or the frame pointer, and what the
    function keeps for its caller so far from there."""

    by_frame_pointer: bool
    offset: int
    frame_pointer_at: int | None  # None: as it is
    returns_at: int | None  # None: it is in the link register, if there is one
    outermost: bool = False  # nobody has called


class _Untold(Exception):
    """It says what is not read here."""


class Pages:
    """Memory that does not change, page by page."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._known: dict[int, bytes] = {}

    def read(self, address: int, nbytes: int) -> bytes:
        """Raises Unreadable."""
        number, at = divmod(address, PAGE)
        if at + nbytes > PAGE:
            return self._read(address, nbytes)
        page = self._known.get(number)
        if page is None:
            try:
                page = self._read(number * PAGE, PAGE)
            except Unreadable:
                page = b""  # a part of it may be there all the same
            self._known[number] = page
        return page[at : at + nbytes] if page else self._read(address, nbytes)

    def word(self, address: int) -> int:
        """Raises Unreadable."""
        return int.from_bytes(self.read(address, 8), "little")


class _Reader:
    def __init__(self, data: bytes, address: int = 0) -> None:
        self._data, self._address, self._at = data, address, 0

    def more(self) -> bool:
        return self._at < len(self._data)

    def take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise _Untold()
        self._at += size
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def near(self) -> int:
        """The address that a pointer there means."""
        here = self._address + self._at
        return here + int.from_bytes(self.take(4), "little", signed=True)

    def uleb(self) -> int:
        return self._leb()[0]

    def sleb(self) -> int:
        value, bits = self._leb()
        return value - (1 << bits) if value >> (bits - 1) else value

    def _leb(self) -> tuple[int, int]:
        value = bits = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << bits
            bits += 7
            if not byte & 0x80:
                return value, bits
            if bits > 63:
                raise _Untold()

    def text(self) -> bytes:
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise _Untold()
        taken = self._data[self._at : end]
        self._at = end + 1
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)


class _Common(NamedTuple):
    """What a CIE has for the entries that name it."""

    code_factor: int
    data_factor: int
    instructions: bytes


class _Rules:
    """Of the columns that are asked for, while the instructions are executed: where from the CFA a
    register is saved; None: it is as it was."""

    def __init__(self, columns: Columns) -> None:
        self._watched = (columns.frame_pointer, columns.returns)
        self.cfa: tuple[int, int] | None = None  # None: an expression tells it
        self.saved: dict[int, int | None] = {}
        self.untold: set[int] = set()  # in another way
        self.undefined: set[int] = set()

    def copy(self, columns: Columns) -> "_Rules":
        made = _Rules(columns)
        made.cfa, made.saved = self.cfa, dict(self.saved)
        made.untold, made.undefined = set(self.untold), set(self.undefined)
        return made

    def is_at(self, column: int, offset: int | None) -> None:
        if column in self._watched:
            self.saved[column] = offset
            self.untold.discard(column)
            self.undefined.discard(column)

    def is_untold(self, column: int) -> None:
        if column in self._watched:
            self.untold.add(column)

    def is_undefined(self, column: int) -> None:
        if column in self._watched:
            self.undefined.add(column)

    def restore(self, column: int, initial: "_Rules") -> None:
        self.is_at(column, initial.saved.get(column))
        if column in initial.untold:
            self.is_untold(column)
        if column in initial.undefined:
            self.is_undefined(column)


class CallFrames:
    """Of one process, at one stop. No byte is believed: what does not fit is not told."""

    def __init__(
        self, read: Callable[[int, int], bytes], bases: Sequence[int], columns: Columns
    ) -> None:
        """bases: where images begin."""
        self._read, self._columns = Pages(read).read, columns
        self._tables = Tables(self._read, bases)
        self._common: dict[int, _Common | None] = {}

    def row(self, pc: int, called: bool) -> Row | None:
        """called: a call returns there; else the thread stands there. None: not told."""
        try:
            entry = self._tables.entry(pc - called)
            return self._row(entry, pc - called) if entry is not None else None
        except (_Untold, Unreadable, struct.error, OverflowError):
            return None

    def _row(self, entry: int, pc: int) -> Row | None:
        reader, pointer = self._entry(entry)
        common = self._of_all(entry + 4 - pointer)
        begin, size = reader.near(), reader.number(4)
        if not begin <= pc < begin + size:
            return None
        reader.take(reader.uleb())  # an augmentation
        initial, instructions = _Rules(self._columns), _Reader(common.instructions)
        initial = self._execute(instructions, common, initial, None, begin, pc)
        rules = initial.copy(self._columns)
        return self._told(self._execute(reader, common, rules, initial, begin, pc))

    def _entry(self, at: int) -> tuple[_Reader, int]:
        """What follows its length and its second word, and that word."""
        length, second = struct.unpack("<II", self._read(at, 8))
        if not 4 <= length <= LONGEST_ENTRY:
            raise _Untold()
        return _Reader(self._read(at + 8, length - 4), at + 8), second

    def _of_all(self, at: int) -> _Common:
        if at not in self._common:
            self._common[at] = None
            self._common[at] = self._read_common(at)
        found = self._common[at]
        if found is None:
            raise _Untold()
        return found

    def _read_common(self, at: int) -> _Common:
        reader, is_entry = self._entry(at)
        version, augmentation = reader.number(1), reader.text()
        if is_entry or version not in (1, 3) or not augmentation.startswith(b"z"):
            raise _Untold()  # without a size pointers are absolute
        if augmentation.strip(b"zRPLB"):
            raise _Untold()  # S: of a signal's frame
        code, data = reader.uleb(), reader.sleb()
        returns = reader.number(1) if version == 1 else reader.uleb()
        if returns != self._columns.returns:
            raise _Untold()
        told = _Reader(reader.take(reader.uleb()))
        encoding = None
        for letter in augmentation.lstrip(b"z").decode("ascii"):
            if letter == "R":
                encoding = told.number(1)
            elif letter == "L":
                told.take(1)
            elif letter == "P":
                told.take(_size_of_pointer(told.number(1)))
        if encoding != _NEAR:
            raise _Untold()
        return _Common(code, data, reader.rest())

    def _execute(
        self,
        reader: _Reader,
        common: _Common,
        rules: _Rules,
        initial: _Rules | None,
        place: int,
        pc: int,
    ) -> _Rules:
        """The rules at pc. initial: those that all entries have in common."""
        remembered: list[_Rules] = []
        data, columns = common.data_factor, self._columns
        while reader.more():
            byte = reader.number(1)
            kind, operand = byte >> 6, byte & 0x3F
            if kind == _ADVANCE:
                place += operand * common.code_factor
            elif kind == _OFFSET:
                rules.is_at(operand, reader.uleb() * data)
            elif kind == _RESTORE or byte == _RESTORE_EXTENDED:
                if initial is None:
                    raise _Untold()
                rules.restore(operand if kind else reader.uleb(), initial)
            elif byte in (_ADVANCE_1, _ADVANCE_2, _ADVANCE_4):
                size = {_ADVANCE_1: 1, _ADVANCE_2: 2, _ADVANCE_4: 4}[byte]
                place += reader.number(size) * common.code_factor
            elif byte == _REMEMBER:
                if len(remembered) == MOST_REMEMBERED:
                    raise _Untold()
                remembered.append(rules.copy(columns))
            elif byte == _RESTORE_STATE:
                if not remembered:
                    raise _Untold()
                rules = remembered.pop()
            elif byte not in (_NOP, _ARGUMENTS_SIZE, _SIGNED):
                _change(byte, reader, data, rules)
            elif byte == _ARGUMENTS_SIZE:
                reader.uleb()
            if place > pc:
                break
        return rules

    def _told(self, rules: _Rules) -> Row | None:
        columns = self._columns
        if columns.returns in rules.undefined:
            return Row(False, 0, None, None, True)
        if rules.cfa is None or rules.untold or rules.undefined:
            return None
        register, offset = rules.cfa
        if register not in (columns.stack, columns.frame_pointer):
            return None
        saved = rules.saved.get
        by_frame_pointer = register == columns.frame_pointer
        return Row(by_frame_pointer, offset, saved(columns.frame_pointer), saved(columns.returns))


def _change(byte: int, reader: _Reader, data: int, rules: _Rules) -> None:
    """One instruction that changes a rule."""
    if byte == _CFA:
        rules.cfa = reader.uleb(), reader.uleb()
    elif byte == _CFA_SIGNED:
        rules.cfa = reader.uleb(), reader.sleb() * data
    elif byte == _CFA_REGISTER and rules.cfa is not None:
        rules.cfa = reader.uleb(), rules.cfa[1]
    elif byte == _CFA_OFFSET and rules.cfa is not None:
        rules.cfa = rules.cfa[0], reader.uleb()
    elif byte == _CFA_OFFSET_SIGNED and rules.cfa is not None:
        rules.cfa = rules.cfa[0], reader.sleb() * data
    elif byte == _CFA_EXPRESSION:
        reader.take(reader.uleb())
        rules.cfa = None
    elif byte == _OFFSET_EXTENDED:
        rules.is_at(reader.uleb(), reader.uleb() * data)
    elif byte == _OFFSET_SIGNED:
        rules.is_at(reader.uleb(), reader.sleb() * data)
    elif byte == _UNDEFINED:
        rules.is_undefined(reader.uleb())
    elif byte == _SAME:
        rules.is_at(reader.uleb(), None)
    elif byte in (_REGISTER, _VALUE):
        rules.is_untold(reader.uleb())
        reader.uleb()
    elif byte == _VALUE_SIGNED:
        rules.is_untold(reader.uleb())
        reader.sleb()
    elif byte in (_EXPRESSION, _VALUE_EXPRESSION):
        rules.is_untold(reader.uleb())
        reader.take(reader.uleb())
    else:
        raise _Untold()  # a machine's own, or one that nobody writes


_SIZES: Mapping[int, int] = {0x00: 8, 0x02: 2, 0x03: 4, 0x04: 8, 0x0A: 2, 0x0B: 4, 0x0C: 8}


def _size_of_pointer(encoding: int) -> int:
    size = _SIZES.get(encoding & 0x0F)
    if size is None:
        raise _Untold()
    return size
