# SPDX-License-Identifier: Apache-2.0
"""What does a construct pass to its device? Read from the tables that the program's code has made
for the call, and compared with what is mapped there."""

from __future__ import annotations

import struct
from typing import Sequence

from .. import abi
from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable
from ..library.types import Device
from ..model import arguments as model
from ..model import doubts
from ..model.arguments import Argument
from ..model.targets import Target
from .c_strings import c_string
from .code_holdings import Holdings

MOST_ROWS = 4096
LONGEST_NAME = 1024


class Arguments:
    """Of one picture."""

    def __init__(self, debugger: Debugger, holdings: Holdings) -> None:
        self._debugger, self._holdings = debugger, holdings
        self._stored: dict[int, set[int]] = {}  # by the place of the call

    def tell(self, stopped: StoppedThread, target: Target, device: Device | None) -> None:
        """device: the target's, if what is mapped there is known."""
        if target.call.entry is None or target.call.caller is None:
            return
        try:
            found = self._rows(stopped, target)
        except (Unreadable, OverflowError):
            found = None
        if found is None:
            target.doubts["arguments"] = doubts.ARGUMENTS_NOT_CERTAIN
            return
        rows, is_all = found
        target.arguments = [self._compared(one, device) for one in rows]
        if not is_all:
            target.doubts["arguments"] = doubts.ARGUMENTS_AT_LEAST

    def _rows(self, stopped: StoppedThread, target: Target) -> tuple[list[Argument], bool] | None:
        call = target.call
        maps = abi.TARGETS[call.entry or ""].maps
        first = call.level + 1
        assert call.caller is not None
        columns = (maps.begins, maps.sizes, maps.kinds, maps.names, maps.mappers)
        if maps.block is None:
            count, *places = self._holdings.arguments(
                stopped, call.caller, (maps.count, *columns), first
            )
            return None if count is None else self._table(count & 0xFFFFFFFF, places, True)
        (block,) = self._holdings.arguments(stopped, call.caller, (maps.block,), first)
        if block is None:
            return None
        number = self._debugger.number
        count = number(block + maps.count, 4)
        places = [number(block + column, 8) for column in columns]
        if not 0 < count <= MOST_ROWS or not places[2]:
            return self._table(count, places, True)
        stored = self._constants(stopped, target, maps.block, maps.count)
        # The number may be one more than there are rows.
        most = max(count - 1, *(one for one in stored if one <= MOST_ROWS), 0)
        certain = model.rows_for_certain(count, self._words(places[2], most), stored)
        return self._table(certain[0], places, certain[1]) if certain is not None else None

    def _constants(
        self, stopped: StoppedThread, target: Target, argument: int, offset: int
    ) -> set[int]:
        caller = target.call.caller
        assert caller is not None
        if caller.pc not in self._stored:
            self._stored[caller.pc] = self._holdings.constants(
                stopped, caller, argument, offset, target.call.level + 1
            )
        return self._stored[caller.pc]

    def _table(
        self, count: int, places: Sequence[int | None], is_all: bool
    ) -> tuple[list[Argument], bool] | None:
        begins, sizes, kinds, names, mappers = places
        if count == 0:
            return [], is_all
        if not begins or not sizes or not kinds or count > MOST_ROWS:
            return None
        rows, has_mappers = [], False
        own = self._words(mappers, count) if mappers else (0,) * count
        named = self._words(names, count) if names else (0,) * count
        columns = (self._words(at, count) for at in (begins, sizes, kinds))
        for begin, size, kind, name, mapper in zip(*columns, named, own):
            if mapper:  # it tells what is mapped
                has_mappers = True
            elif not model.is_no_argument(kind):
                text = c_string(self._debugger.code.read, name, LONGEST_NAME) if name else None
                rows.append(Argument(begin, size, kind, text))
        return rows, is_all and not has_mappers

    def _compared(self, one: Argument, device: Device | None) -> Argument:
        if device is None or not model.needs_mapping(one.kind, one.begin, one.size):
            return one
        mapped, place = model.mapped(one.begin, one.size, device.mappings)
        return Argument(one.begin, one.size, one.kind, one.source, mapped, place)

    def _words(self, address: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}Q", self._debugger.code.read(address, 8 * count))
