# SPDX-License-Identifier: Apache-2.0
"""pprof's format: a gzipped message of protocol buffers, profile.proto of github's google/pprof.
Each stack of each thread is a sample, with its state and its thread as labels.

The few kinds of fields that it needs are written here: a package that knows all kinds would be one
more for users to install."""

from __future__ import annotations

import gzip
from typing import BinaryIO, Iterable

from ...recording.record import Place, Record
from ...recording.stacks import Step, Steps
from ..terminal import plain


def write(record: Record, file: BinaryIO) -> None:
    # Without the time, so that the same record makes the same file.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(_profile(record))


def _profile(record: Record) -> bytes:
    table, steps = _Tables(), Steps(record)
    kinds = [("samples", "count"), ("time", "nanoseconds")]
    found = [
        _message(1, _value_type(table.string(kind), table.string(unit))) for kind, unit in kinds
    ]
    state_key, thread_key = table.string("state"), table.string("thread")
    for thread in record.threads:
        thread_name = table.string(plain(thread.label))
        for number, account in thread.sums.items():
            activity = record.activities[number]
            locations = [table.location(step) for step in reversed(steps.of(activity))]
            sample = [
                _packed(1, locations),
                _packed(2, [account.samples, account.ns]),
                _message(3, _label(state_key, table.string(plain(activity.state)))),
                _message(3, _label(thread_key, thread_name)),
            ]
            found.append(_message(2, b"".join(sample)))
    header, rate = record.header, record.header.rate
    period = _value_type(table.string("time"), table.string("nanoseconds"))
    tail = [
        _number(9, header.realtime or 0),
        _number(10, record.last),
        _message(11, period),
        _number(12, int(1e9 / rate) if rate else 0),
        _number(14, table.string("time")),
    ]
    return b"".join([*found, *table.messages(), *tail])


class _Tables:
    """Strings, functions and locations, each of which is there once."""

    def __init__(self) -> None:
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[str, str], int] = {}
        self._locations: dict[tuple[int, int], int] = {}

    def string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def location(self, step: Step) -> int:
        place: Place = step.place
        # pprof leaves what is in angle brackets out, as arguments of templates.
        name = f"[{step.text[1:-1]}]" if step.text.startswith("<") else step.text
        key = (plain(name), plain(place.file or ""))
        function = self._functions.setdefault(key, len(self._functions) + 1)
        at = (function, place.line or 0)
        return self._locations.setdefault(at, len(self._locations) + 1)

    def messages(self) -> Iterable[bytes]:
        for (function, line), number in self._locations.items():
            inner = _number(1, function) + _number(2, line)
            yield _message(4, _number(1, number) + _message(4, inner))
        for (name, file), number in self._functions.items():
            parts = [
                _number(1, number),
                _number(2, self.string(name)),
                _number(3, self.string(name)),
                _number(4, self.string(file)),
            ]
            yield _message(5, b"".join(parts))
        for text in self._strings:
            yield _message(6, text.encode("utf-8", "backslashreplace"))


def _value_type(kind: int, unit: int) -> bytes:
    return _number(1, kind) + _number(2, unit)


def _label(key: int, text: int) -> bytes:
    return _number(1, key) + _number(2, text)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _message(field, b"".join(map(_varint, values)))
