# SPDX-License-Identifier: Apache-2.0
"""Of which of the C library's streams is a lock, and who has it? All streams are in a list that
each build exports, and how a FILE begins is part of its binary interface."""

from __future__ import annotations

from typing import Iterator

from ..debugger import Debugger
from ..errors import Unreadable
from ..light_classes import NamedTuple

# In a FILE, and in its lock.
_CHAIN, _DESCRIPTOR, _LOCK = 104, 112, 136
_OWNER = 8
_MOST = 4096
_STANDARD = {f"_IO_2_1_{name}_": name for name in ("stdin", "stdout", "stderr")}


class Stream(NamedTuple):
    name: str
    owner: int  # a pthread_t; 0: nobody has locked it


class Streams:
    """Of one picture."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._by_lock: dict[int, int] | None = None

    def locked_by(self, lock: int) -> Stream | None:
        """lock: an address. None: it is no stream's."""
        if self._by_lock is None:
            self._by_lock = dict(self._list())
        stream = self._by_lock.get(lock)
        if stream is None:
            return None
        try:
            owner = self._debugger.number(lock + _OWNER, self._debugger.pointer_size)
            return Stream(self._name(stream), owner)
        except Unreadable:
            return None

    def _name(self, stream: int) -> str:
        standard = _STANDARD.get(self._debugger.code.object(stream) or "")
        if standard is not None:
            return standard
        descriptor = self._debugger.number(stream + _DESCRIPTOR, 4)
        return f"on file descriptor {descriptor}" if descriptor < 1 << 31 else f"at {stream:#x}"

    def _list(self) -> Iterator[tuple[int, int]]:
        """Each one's lock, and the stream."""
        head, size = self._debugger.symbol("_IO_list_all", None), self._debugger.pointer_size
        if head is None or size != 8:
            return
        try:
            stream = self._debugger.number(head, size)
            for _ in range(_MOST):
                if not stream:
                    return
                yield self._debugger.number(stream + _LOCK, size), stream
                stream = self._debugger.number(stream + _CHAIN, size)
        except (Unreadable, OverflowError):
            return
