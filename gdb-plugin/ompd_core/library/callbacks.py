# SPDX-License-Identifier: Apache-2.0
"""How does libompd reach the target? The callbacks of OMPD, over what a Target can do.

An exception must not escape a callback: ctypes would print it and hand C a garbage return code. So
each callback stores what it met and returns a legal code, every further callback of the same call
fails at once, and the checked call in library.py raises what was met.

The library is loaded once and serves all inferiors. The context that it passes back is therefore a
number that is looked up here, never the address of a Python object.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Protocol

from ..errors import Unreadable
from ..light_classes import dataclass
from . import capi
from .capi import Rc

# Above any answer about a real process; below what would make the debugger swap.
LARGEST_BLOCK = 1 << 30
LARGEST_READ = 1 << 26
PAGE = 4096


class Target(Protocol):
    """A process or core file, as the callbacks need it."""

    byte_order: str
    pointer_size: int

    def read(self, address: int, nbytes: int) -> bytes:
        """Exactly nbytes bytes. Raises Unreadable."""

    def symbol(self, name: str, file_name: str | None) -> int | None:
        """The address of a symbol: of the image file_name, or the first in load order."""

    def thread_symbol(self, name: str, thread: int) -> int | None:
        """The address of a thread's own copy of a thread-local variable, or of what is no such."""

    def knows_pthread_ids(self) -> bool:
        """False where neither libthread_db nor a register tells them."""

    def thread_with_pthread_id(self, pthread_id: int) -> int | None:
        """A number, not 0, that names the thread while the call lasts."""

    def thread_with_lwp(self, lwp: int) -> int | None:
        """The same, by the kernel's thread id."""


@dataclass
class Counts:
    """What the library asked for. bench/ and `ompd status -counts` show it."""

    reads: int = 0
    bytes: int = 0
    lookups: int = 0
    allocations: int = 0
    threads: int = 0


class Callbacks:
    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._targets: dict[int, Target] = {}
        self._next_context = 1
        self._blocks: set[int] = set()
        self.met: BaseException | None = None
        self.counts = Counts()
        # ctypes frees a callback with its last Python reference: this table keeps them all.
        self.table = capi.ompd_callbacks_t(
            capi.alloc_memory_fn(self._guard(self._alloc_memory)),
            capi.free_memory_fn(self._guard(self._free_memory)),
            capi.print_string_fn(self._guard(self._print_string)),
            capi.sizeof_type_fn(self._guard(self._sizeof_type)),
            capi.symbol_addr_fn(self._guard(self._symbol_addr)),
            capi.memory_read_fn(self._guard(self._read_memory)),
            capi.memory_write_fn(self._guard(self._write_memory)),
            capi.memory_read_fn(self._guard(self._read_string)),
            capi.device_host_fn(self._guard(self._convert)),
            capi.device_host_fn(self._guard(self._convert)),
            capi.thread_context_fn(self._guard(self._thread_context)),
        )

    def add_target(self, target: Target) -> int:
        """The context under which the library will ask for this target. Never used twice."""
        context = self._next_context
        self._next_context += 1
        self._targets[context] = target
        return context

    def remove_target(self, context: int) -> None:
        self._targets.pop(context, None)

    def _guard(self, callback: Callable[..., Rc]) -> Callable[..., int]:
        @functools.wraps(callback)
        def guarded(*arguments: Any) -> int:
            try:
                if self.met is not None and callback != self._free_memory:
                    return Rc.ERROR
                return callback(*arguments)
            except Unreadable:
                return Rc.ERROR
            except BaseException as error:  # also KeyboardInterrupt: see above
                self.met = error
                return Rc.ERROR

        return guarded

    def _alloc_memory(self, nbytes: int, out: Any) -> Rc:
        self.counts.allocations += 1
        block = capi.allocate(max(nbytes, 1)) if nbytes <= LARGEST_BLOCK else 0
        if not block:
            return Rc.NOMEM
        self._blocks.add(block)
        out[0] = block
        return Rc.OK

    def _free_memory(self, block: int | None) -> Rc:
        if block is None:
            return Rc.OK
        if block not in self._blocks:
            return Rc.BAD_INPUT
        self._blocks.remove(block)
        capi.release(block)
        return Rc.OK

    def free(self, block: int) -> None:
        """Give back a block that the library handed out."""
        self._free_memory(block or None)

    def _print_string(self, text: bytes | None, category: int) -> Rc:
        self._show((text or b"").decode("utf-8", "backslashreplace"))
        return Rc.OK

    def _sizeof_type(self, context: int | None, out: Any) -> Rc:
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        # char, short, int, long, long long, pointer: Linux has ILP32 and LP64 only.
        out[0] = capi.ompd_device_type_sizes_t(1, 2, 4, target.pointer_size, 8, target.pointer_size)
        return Rc.OK

    def _symbol_addr(
        self,
        context: int | None,
        thread: int | None,
        name: bytes | None,
        out: Any,
        file_name: bytes | None,
    ) -> Rc:
        self.counts.lookups += 1
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        if not name:
            return Rc.BAD_INPUT
        if thread:
            address = target.thread_symbol(os.fsdecode(name), thread)
            if address is None:
                return Rc.ERROR
            out[0] = capi.ompd_address_t(capi.OMPD_SEGMENT_UNSPECIFIED, address)
            return Rc.OK
        file = None if file_name is None else os.fsdecode(file_name)
        address = target.symbol(os.fsdecode(name), file)
        if address is None:
            return Rc.ERROR
        out[0] = capi.ompd_address_t(capi.OMPD_SEGMENT_UNSPECIFIED, address)
        return Rc.OK

    def _read_memory(
        self, context: int | None, thread: int | None, place: Any, nbytes: int, out: int | None
    ) -> Rc:
        self.counts.reads += 1
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        if not place or not out or nbytes > LARGEST_READ:
            return Rc.BAD_INPUT
        data = target.read(place[0].address, nbytes)
        self.counts.bytes += nbytes
        capi.fill(out, data, nbytes)
        return Rc.OK

    def _write_memory(
        self, context: int | None, thread: int | None, place: Any, nbytes: int, data: int | None
    ) -> Rc:
        # Nothing that a user can ask for so far has to change the program.
        return Rc.UNSUPPORTED

    def _read_string(
        self, context: int | None, thread: int | None, place: Any, nbytes: int, out: int | None
    ) -> Rc:
        self.counts.reads += 1
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        if not place or not out or not nbytes:
            return Rc.BAD_INPUT
        address, done = place[0].address, 0
        # A page at a time: the string may end just before memory that is not there.
        while done < nbytes:
            step = min(PAGE - (address + done) % PAGE, nbytes - done)
            data = target.read(address + done, step)
            self.counts.bytes += step
            end = data.find(b"\0")
            if end >= 0:
                capi.fill(out + done, data, end + 1)
                return Rc.OK
            capi.fill(out + done, data, step)
            done += step
        return Rc.INCOMPLETE

    def _convert(
        self, context: int | None, source: int | None, unit: int, count: int, out: int | None
    ) -> Rc:
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        if not source or not out or unit * count > LARGEST_READ:
            return Rc.BAD_INPUT
        data = capi.bytes_at(source, unit * count)
        if unit > 1 and target.byte_order != capi.HOST_BYTE_ORDER:
            swapped = bytearray(len(data))
            for i in range(unit):
                swapped[i::unit] = data[unit - 1 - i :: unit]
            data = bytes(swapped)
        capi.fill(out, data, len(data))
        return Rc.OK

    def _thread_context(
        self, context: int | None, kind: int, size: int, identifier: int | None, out: Any
    ) -> Rc:
        self.counts.threads += 1
        target = self._targets.get(context or 0)
        if target is None:
            return Rc.STALE_HANDLE
        if not identifier:
            return Rc.BAD_INPUT
        if kind not in (capi.OMPD_THREAD_ID_PTHREAD, capi.OMPD_THREAD_ID_LWP):
            return Rc.UNSUPPORTED
        by_pthread = kind == capi.OMPD_THREAD_ID_PTHREAD
        # Kernel ids are ints; some libraries keep them in longs.
        if size != target.pointer_size and (by_pthread or size != 4):
            return Rc.BAD_INPUT
        # The library has converted nothing here: the bytes are the host's.
        number = int.from_bytes(capi.bytes_at(identifier, size), capi.HOST_BYTE_ORDER)
        if by_pthread and not target.knows_pthread_ids():
            return Rc.UNSUPPORTED
        if by_pthread:
            thread = target.thread_with_pthread_id(number)
        else:
            thread = target.thread_with_lwp(number)
        if not thread:
            return Rc.UNAVAILABLE
        out[0] = thread
        return Rc.OK
