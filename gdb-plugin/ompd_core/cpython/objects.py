# SPDX-License-Identifier: Apache-2.0
"""Objects of Python's: texts, and code with its name, file and lines. Their types are checked by
name."""

from __future__ import annotations

from ..errors import Unreadable
from ..light_classes import NamedTuple
from . import lines
from .layouts import Layout
from .memory import MOST_CODE, MOST_TABLE, MOST_TEXT, Memory, Record

_ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}  # by bytes of a character
_LONGEST_NAME = 16  # of the types that are asked for


class Code(NamedTuple):
    name: str  # qualified, where the release keeps that
    file: str
    first_line: int
    table: bytes


class Objects:
    """What has been read is kept: only while the process stands still."""

    def __init__(self, memory: Memory, layout: Layout) -> None:
        self._memory, self._layout = memory, layout
        self._types: dict[int, bytes] = {}
        self._codes: dict[int, Code] = {}
        self._lines: dict[tuple[int, int], int | None] = {}
        self._texts: dict[int, str] = {}

    def code(self, address: int) -> Code:
        if address not in self._codes:
            self._codes[address] = self._read_code(address)
        return self._codes[address]

    def line(self, code: int, at: int) -> int | None:
        if (code, at) not in self._lines:
            known = self.code(code)
            found = lines.line(self._layout.minor, known.table, known.first_line, at)
            self._lines[code, at] = found if found is None or found > 0 else None
        return self._lines[code, at]

    def position(self, code: int, instruction: int) -> int:
        """As `line' takes it, of a frame's word. Raises Unreadable."""
        begin = self._layout.bytecode
        if begin is None:
            return instruction if self._layout.minor == 9 else 2 * instruction
        at = instruction - code - begin
        if not -2 <= at < MOST_CODE or at & 1:
            raise Unreadable("an instruction outside of its code")
        return at // 2

    def _read_code(self, address: int) -> Code:
        layout = self._layout
        end = max(layout.line_table, layout.qualname or 0, layout.file, layout.name) + 8
        record = self._record(address, max(end, layout.first_line + 4), b"code")
        name = self._text(record.word(layout.name))
        qualified = name if layout.qualname is None else self._text(record.word(layout.qualname))
        return Code(
            # Code that was renamed, as NumPy does, is called that in tracebacks too.
            qualified if qualified.rpartition(".")[2] == name else name,
            self._text(record.word(layout.file)),
            record.int32(layout.first_line),
            self._bytes(record.word(layout.line_table)),
        )

    def _text(self, address: int) -> str:
        if address not in self._texts:
            self._texts[address] = self._read_text(address)
        return self._texts[address]

    def _read_text(self, address: int) -> str:
        layout = self._layout
        record = self._record(address, layout.text_compact, b"str")
        length, state = record.word(layout.text_length), record.int32(layout.text_state) >> 2
        width, is_compact, is_ascii = state & 7, state >> 3 & 1, state >> 4 & 1
        if width not in _ENCODINGS:
            raise Unreadable(f"a text of characters of {width} bytes")
        data = address + (layout.text_ascii if is_ascii else layout.text_compact)
        if not is_compact:
            data = self._memory.word(address + layout.text_compact)
        cut = "…" if length > MOST_TEXT else ""
        raw = self._memory.bytes(data, min(length, MOST_TEXT) * width) if length else b""
        return raw.decode(_ENCODINGS[width], "replace") + cut

    def _bytes(self, address: int) -> bytes:
        layout = self._layout
        record = self._record(address, layout.bytes_data, b"bytes")
        size = record.word(layout.bytes_size)
        if size > MOST_TABLE:
            raise Unreadable(f"a line table of {size} bytes")
        return self._memory.bytes(address + layout.bytes_data, size) if size else b""

    def _record(self, address: int, nbytes: int, type_: bytes) -> Record:
        found = Record(self._memory, address, nbytes)
        kind = found.word(self._layout.object_type)
        if kind not in self._types:
            name = self._memory.word(kind + self._layout.type_name)
            self._types[kind] = self._memory.bytes(name, _LONGEST_NAME).split(b"\0")[0]
        if self._types[kind] != type_:
            raise Unreadable(f"{address:#x} is no {type_.decode()}")
        return found
