# SPDX-License-Identifier: Apache-2.0
"""One inferior as GDB's answers to all that debugger.Debugger asks."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cached_property
from typing import (
    Callable,
    Collection,
    ContextManager,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Union,
)

import gdb
from ompd_core.arch.base import Machine
from ompd_core.code.futex import FutexWait
from ompd_core.errors import Unreadable
from ompd_core.formats import symbols
from ompd_core.formats.corefile import CoreFile
from ompd_core.formats.images import Images, LoadedImage
from ompd_core.formats.symbols import Symbols
from ompd_core.library.images import Memory
from ompd_core.model import where
from ompd_core.model.native import NativeThread
from ompd_core.model.standstill import Standstill
from ompd_core.signals import Signal

from .. import texts
from . import endings, machines, memory, stop, thread_local
from .machines import Disassembly
from .memory import LiveMemory
from .selection import kept_selection, on_thread
from .stacks import Code
from .stopped import Stopped
from .threads import Threads

# Of a thread, in the C library.
SMALLEST_DESCRIPTOR, LARGEST_DESCRIPTOR = 512, 8192
MOST_IMAGES = 8192  # as libompd's LINK_MAP_MAX


def kind_of(inferior: gdb.Inferior) -> str:
    """ "live", "core" or "remote"."""
    connection = _connection_type(inferior)
    if connection == "core":
        return "core"
    return "remote" if "remote" in connection else "live"


def _connection_type(inferior: gdb.Inferior) -> str:
    connection = getattr(inferior, "connection", None)
    if connection is not None:
        return str(connection.type)
    # GDB 10 and 11 tell it only in words; the star stands at the selected inferior's.
    for line in texts.said("info connections").splitlines():
        if line.startswith("*"):
            return line.split()[2]
    return "native"


class InferiorTarget:
    def __init__(
        self,
        inferior: gdb.Inferior,
        list_images: Callable[[Memory, Mapping[int, int]], Images],
    ) -> None:
        """Of the selected inferior. list_images: by libompd, of the auxiliary vector. Raises
        UserError."""
        self._inferior = inferior
        self.kind = kind_of(inferior)
        self.core: CoreFile | None = None
        self._memory: Union[CoreFile, LiveMemory]
        if self.kind == "core":
            self.core = memory.open_core(inferior.progspace)
            machines.check(inferior, self.core.machine)
            self._memory = self.core
            self.byte_order, self.pointer_size = self.core.byte_order, self.core.pointer_size
            auxv = self.core.auxv
        else:
            self._memory = LiveMemory(inferior)
            form = memory.image_format(inferior)
            self.byte_order, self.pointer_size = form.byte_order, form.pointer_size
            auxv = memory.auxiliary_vector()
        self.images = list_images(self, auxv)
        self._symbols = Symbols(self.images, self._memory.read, self.executable, self._objfiles)
        living = self.core.lwps if self.core is not None else ()
        self.threads = Threads(inferior, self._descriptor_size, living)
        self.code = Code(inferior, self.images, self._memory.read, lambda: self.replaced)
        self._stopped_at: list[NativeThread] = []

    @property
    def machine(self) -> Machine | None:
        """None: one that is not known."""
        return machines.of_inferior(self._inferior)

    @property
    def disassembler(self) -> Disassembly:
        return Disassembly(self._inferior.architecture())

    @property
    def pid(self) -> int:
        return self._inferior.pid

    @property
    def executable(self) -> str | None:
        """The program's file, as GDB knows it."""
        return texts.filename(self._inferior.progspace)

    def running(self) -> int:
        """How many threads."""
        return sum(1 for thread in self._inferior.threads() if thread.is_running())

    def close(self) -> None:
        self._memory.close()
        self._symbols.close()

    def _objfiles(self) -> Iterable[tuple[str, str | None]]:
        for objfile in self._inferior.progspace.objfiles():
            file = texts.filename(objfile)
            if file:
                yield file, texts.filename(objfile.owner)

    @cached_property
    def replaced(self) -> Sequence[LoadedImage]:
        """By the build-ids in memory and in GDB's files."""
        progspace = self._inferior.progspace
        ids = {texts.filename(one): one.build_id for one in progspace.objfiles()}
        found = []
        for image in self.images.loaded:
            file = texts.library(progspace, image.dynamic)
            there = ids.get(file) if file is not None else None
            if image.build_id is not None and there is not None and there != image.build_id:
                found.append(image)
        return found

    @property
    def unreached(self) -> Sequence[LoadedImage]:
        """A container's GDB may have found there. One that is being loaded it does not know yet."""
        if self.kind != "live":
            return []
        progspace = self._inferior.progspace
        sysroot = texts.parameter("sysroot")
        root = "" if sysroot.startswith("target:") else sysroot
        return [
            image
            for image in self.images.loaded
            if image.path.startswith("/")
            and not os.path.exists(root + image.path)
            and texts.library(progspace, image.dynamic) is None
        ]

    def mapped_images(self) -> list[LoadedImage]:
        """Those of a core file, by the kernel's list of mapped files: the dynamic linker's may lie
        where the core was cut."""
        if self.core is None:
            return []
        return [
            LoadedImage(mapping.path, 0, 0, start=mapping.start)
            for mapping in self.core.mappings
            if mapping.offset == 0
        ][:MOST_IMAGES]

    def is_mapped(self, address: int) -> bool:
        if self.core is not None:
            return self.core.is_mapped(address)
        try:
            return bool(self.read(address, 1))
        except Unreadable:
            return False

    def native_threads(self) -> list[NativeThread]:
        self._stopped_at = self.threads.list()
        return self._stopped_at

    def looking(self) -> ContextManager[None]:
        return kept_selection()

    @contextmanager
    def at(self, thread: NativeThread) -> Iterator[Stopped | None]:
        is_lost = thread.running or thread.ended
        native = None if is_lost else self.threads.by_number(thread.num)
        if native is None:
            yield None
            return
        with on_thread(native):
            yield Stopped(self.code)

    def standstill(
        self, calls: Mapping[int, FutexWait], awake: Collection[int]
    ) -> Standstill | None:
        from . import standstill  # of those that hang only

        machine = self.machine
        if self.kind != "live" or machine is None:
            return None
        return standstill.of_stopped(self.pid, calls, frozenset(awake), machine)

    def signal(self) -> Signal | None:
        """At which the program died; of a living one, that of a crash."""
        if self.core is not None:
            return self.core.signal
        natives = self._stopped_at or self.native_threads()
        return stop.crash(self.threads, natives, self.pid)

    def ending(self) -> int | None:
        return endings.lwp()

    def read(self, address: int, nbytes: int) -> bytes:
        return self._memory.read(address, nbytes)

    def number(self, address: int, nbytes: int) -> int:
        """Unsigned. Raises Unreadable."""
        data = self.read(address, nbytes)
        return int.from_bytes(data, "little" if self.byte_order == "little" else "big")

    def symbol(self, name: str, file_name: str | None) -> int | None:
        return self._symbols.find(name, file_name)

    def _descriptor_size(self) -> int | None:
        """The GNU C library publishes it for libthread_db."""
        try:
            address = self.symbol("_thread_db_sizeof_pthread", None)
            size = self.number(address, 4) if address is not None else 0
        except (Unreadable, OverflowError):
            return None
        return size if SMALLEST_DESCRIPTOR <= size <= LARGEST_DESCRIPTOR else None

    def symbol_at(self, bias: int, path: str | None, name: str) -> int | None:
        """Of the image that is loaded there."""
        return self._symbols.of_image(bias, path, name)

    def called(self, names: Collection[str]) -> set[str]:
        """Which of a runtime's functions may be called by a file that is loaded: by one that GDB
        has read, or has not found. The kernel's code in the process is no file."""
        files = {file for file, debugged in self._objfiles() if not debugged}
        files.update(image.path for image in self.images.loaded)
        found: set[str] = set()
        for file in files:
            if "/" in file and not where.is_runtime_file(file) and len(found) < len(names):
                found |= symbols.may_name(file, names)
        return found

    def selected_thread(self) -> NativeThread | None:
        """Without a new list of all: of those that were listed some may be gone, and their ids
        another's."""
        native = self.threads.selected()
        if not self._stopped_at:
            self.native_threads()
        if native is not None and native not in self._stopped_at:
            self._stopped_at.insert(0, native)
        return native

    def thread_symbol(self, name: str, thread: int) -> int | None:
        native = self.threads.by_number(thread)
        if native is None:
            return self.symbol(name, None)
        return thread_local.address(native, name) or self.symbol(name, None)

    def knows_pthread_ids(self) -> bool:
        threads = self._stopped_at or self.native_threads()
        return any(thread.pthread_id for thread in threads)

    def thread_with_pthread_id(self, pthread_id: int) -> int | None:
        return self._thread(lambda thread: thread.pthread_id == pthread_id)

    def thread_with_lwp(self, lwp: int) -> int | None:
        return self._thread(lambda thread: thread.ptid[1] == lwp)

    def _thread(self, is_meant: Callable[[NativeThread], bool]) -> int | None:
        threads = self._stopped_at or self.native_threads()
        return next((thread.num for thread in threads if is_meant(thread)), None)
