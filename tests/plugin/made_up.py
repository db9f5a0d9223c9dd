# SPDX-License-Identifier: Apache-2.0
"""A machine and an OpenMP runtime that nobody has, and a program of two threads on both that is
stuck: each holds a lock that the other one wants.

The machine stores the highest byte first; its instructions are four bytes long: `put REGISTER,
NUMBER', `get REGISTER, ADDRESS' for what is in memory, `go ADDRESS <NAME>' calls, `back' returns.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Callable, ContextManager, Iterator, Sequence

from ompd_core import arch
from ompd_core.arch.base import Disassembled, FrameColumns, Libc
from ompd_core.code.machine_code import (
    Assign,
    Callee,
    Convention,
    Instruction,
    Memory,
    Step,
    constant,
    number,
)
from ompd_core.debugger import Section
from ompd_core.errors import Unreadable
from ompd_core.formats.images import Images
from ompd_core.library import inference
from ompd_core.library.types import (
    FoundRuntime,
    Icvs,
    Image,
    RuntimeInfo,
    View,
    ViewLock,
    ViewLocks,
    ViewRegion,
    ViewTasks,
    ViewThread,
)
from ompd_core.model.native import Frame, Location, NativeThread
from ompd_core.runtimes.base import Runtime

# ---- The machine ---------------------------------------------------------------------------------

_SIZE = 4
_INSTRUCTION = re.compile(r"(\w+)(?: (\w+),)?(?: 0x([0-9a-f]+))?(?: <(\w+)>)?")


def _decoded(one: Disassembled) -> Instruction:
    match = _INSTRUCTION.fullmatch(one.text)
    assert match is not None
    what, register, digits, name = match.groups()
    value = int(digits or "0", 16)
    if what == "go":
        return Instruction(one.address, _SIZE, flow="call", to=Callee(value, name))
    if what == "back":
        return Instruction(one.address, _SIZE, flow="end")
    put = constant(value) if what == "put" else number(Memory(constant(value), 8))
    steps: tuple[Step, ...] = (Assign(register, put),)
    return Instruction(one.address, _SIZE, steps)


class Machine:
    CONVENTION = Convention("top", ("first", "second"), "answer", ("first", "second", "answer"))
    KEPT = ("mine",)
    NEXT = "next"
    UNCHANGED = ()
    COLUMNS = FrameColumns(1, 2, "fp", returns=3)
    COLUMNS = FrameColumns(1, 2, "fp", returns=3)
    LIBC = Libc(thread_id=0x100, own_address=None, free_spin_lock=0, futex=1, kcmp=2)

    def futex_wait(self, registers: object, read: object) -> None:
        return None

    def first_argument(self, registers: Callable[[str], int | None]) -> int | None:
        return registers("first")

    def called(self, read: object, returns_to: int) -> None:
        return None

    def references(self, *words: object) -> Iterator[tuple[int, int]]:
        return iter(())

    def instructions(
        self, disassembler: Any, start: int, end: int, with_steps: bool = False
    ) -> dict[int, Instruction]:
        return {one.address: _decoded(one) for one in disassembler.between(start, end)}

    def constant_argument(
        self, disassembler: Any, read: object, start: int, returns_to: int, *words: object
    ) -> int | None:
        put = _INSTRUCTION.fullmatch(disassembler.between(start, returns_to)[-2].text)
        return int(put[3], 16) if put is not None and put[1] == "put" else None


MACHINE: Any = Machine()

# ---- The runtime ---------------------------------------------------------------------------------

RUNTIME = Runtime(
    kind="imaginary",
    name="Imaginary OpenMP",
    files=("libimagine.so*",),
    mark="imagine_begin",
    functions="imagine_",
    environment=("IMAGINE_",),
    invoke="imagine_execute",
)

# ---- The program ---------------------------------------------------------------------------------

LIBRARY = range(0x9000, 0xA000)
LOCK_A, LOCK_B, POINTER = 0x5000, 0x5008, 0x6000
SYMBOLS = {"one": 0x1000, "two": 0x1100, "main": 0x1200, "": 0x1300}
SYMBOLS |= {"omp_set_lock": 0x9000, "lock_a": LOCK_A, "lock_b": LOCK_B, "chosen": POINTER}
CODE = {
    0x1000: (f"put first, {LOCK_A:#x}", "go 0x9000 <omp_set_lock>")
    + (f"get first, {POINTER:#x}", "go 0x9000 <omp_set_lock>", "back"),
    0x1100: (f"put first, {LOCK_B:#x}", "go 0x9000 <omp_set_lock>")
    + (f"put first, {LOCK_A:#x}", "go 0x9000 <omp_set_lock>", "back"),
}
LINES = {0x1000: 10, 0x1100: 20, 0x1200: 30}
MEMORY = {POINTER: LOCK_B.to_bytes(8, "big")}
# Innermost first: what is called, and where it is.
STACKS = (
    [("imagine_sleep", 0x9010), ("omp_set_lock", 0x9008), ("one", 0x1010)]
    + [("imagine_execute", 0x9100), ("GOMP_parallel", 0x9200), ("main", 0x1208)],
    [("imagine_sleep", 0x9010), ("omp_set_lock", 0x9008), ("two", 0x1110)]
    + [("imagine_execute", 0x9100), ("imagine_work", 0x9300), ("start_thread", 0xB000)],
)
REGIONS = [
    ViewRegion(0x10, None, "program", 0, 0, 1, (0,)),
    ViewRegion(0x20, 0, "parallel", 1, 1, 2, (0, 1)),
]
THREADS = [
    ViewThread(0, "initial", ((1, 0), (0, 0)), index=0, task=0x100, task_kind="implicit"),
    ViewThread(1, "worker", ((1, 1),), index=1, task=0x101, task_kind="implicit"),
]


def _objfile(pc: int) -> str:
    if pc in LIBRARY:
        return "/lib/libimagine.so.1"
    return "/lib/libc.so.6" if pc >= LIBRARY.stop else "/bin/stuck"


def frame(name: str, pc: int) -> Frame:
    line = LINES.get(pc & ~0xFF)
    place = Location(name, "stuck.c" if line else None, None, line, pc, _objfile(pc))
    return Frame(place, entry=pc & ~0xFF if line else None, executable=line is not None)


class Stack:
    def __init__(self, frames: list[Frame]) -> None:
        self._left, self.seen, self.most, self.whole = iter(frames), [], 256, False

    seen: list[Frame]

    def __iter__(self) -> Stack:
        return self

    def __next__(self) -> Frame:
        self.whole = True
        self.seen.append(next(self._left))
        return self.seen[-1]


class Stopped:
    def __init__(self, number: int) -> None:
        self._frames = [frame(*one) for one in STACKS[number - 1]]

    def frames(self, most: int = 256, likely: bool = False) -> Stack:
        return Stack(self._frames)

    def registers(self, level: int) -> Callable[[str], int | None]:
        return lambda name: None


class Code:
    """And the disassembler."""

    def read(self, address: int, nbytes: int) -> bytes:
        if len(MEMORY.get(address, b"")) < nbytes:
            raise Unreadable()
        return MEMORY[address][:nbytes]

    def location(self, address: int) -> Location:
        return frame(self.object(address & ~0xFF) or "?", address).location

    def start(self, address: int) -> int | None:
        return max((at for at in SYMBOLS.values() if at <= address), default=None)

    def object(self, address: int) -> str | None:
        return next((name for name, at in SYMBOLS.items() if at == address), None)

    def readable(self, name: str) -> str:
        return name

    spelled = readable

    def holder_at(self, address: int) -> None:
        return None

    def in_executable(self, address: int) -> bool:
        return address & ~0xFF in LINES

    def is_known(self, start: int, end: int) -> bool:
        return start in CODE

    def sections(self) -> Sequence[Section]:
        return ()

    def forget(self) -> None:
        pass

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        texts = enumerate(CODE.get(start, ()))
        found = [Disassembled(start + _SIZE * i, _SIZE, text) for i, text in texts]
        return [one for one in found if one.address < end]


class Debugger:
    kind, pid, executable, core = "live", 9, "/bin/stuck", None
    byte_order, pointer_size = "big", 8
    images = Images([], None, None, 1, is_cut=False)
    replaced = unreached = ()

    def __init__(self) -> None:
        self.code = self.disassembler = Code()
        self.machine = arch.named("imaginary")

    def number(self, address: int, nbytes: int) -> int:
        return int.from_bytes(self.code.read(address, nbytes), "big")

    def native_threads(self) -> list[NativeThread]:
        return [NativeThread(i, 1, i, (9, 9 + i, 0), pthread_id=0x100 * i) for i in (1, 2)]

    def standstill(self, calls: object, awake: object) -> None:
        return None

    def signal(self) -> None:
        return None

    def ending(self) -> None:
        return None

    def looking(self) -> ContextManager[None]:
        return contextlib.nullcontext()

    def at(self, thread: NativeThread) -> ContextManager[Stopped]:
        return contextlib.nullcontext(Stopped(thread.num))


# ---- What libompd would tell of it ---------------------------------------------------------------


class Library:
    """Finds the runtime, and is each of its handles."""

    path, missing_extensions, is_busy = "/lib/libompd.so", (), False
    inference = inference.of(None, ("ompdx_classify",))

    def add_target(self, target: object) -> int:
        return 1

    def find_runtimes(self, context: int, images: object = None) -> list[FoundRuntime]:
        return [FoundRuntime("imaginary", 7, Image(LIBRARY.start, 0, "/lib/libimagine.so.1"))]

    def open_runtime(self, context: int, image: Image) -> Library:
        return self

    def info(self) -> RuntimeInfo:
        where = LIBRARY.start, LIBRARY.stop
        return RuntimeInfo("imaginary", 7, "", None, None, "7", True, False, *where)

    def diagnostics(self) -> list[Any]:
        return []

    def snapshot(self, natives: object) -> Library:
        return self

    def view(self) -> View:
        return View(THREADS, REGIONS)

    def icvs(self) -> Icvs:
        return Icvs({}, {}, {}, [None] * len(THREADS))

    def tasks(self) -> ViewTasks:
        return ViewTasks()

    def locks(self, asked: Sequence[Any]) -> ViewLocks:
        found = [ViewLock(one.address, "tas", held=True) for one in asked]
        return ViewLocks(found, list(range(len(found))))

    def arrivals(self) -> dict[int, Any]:
        return {}

    def loops(self) -> list[Any]:
        return []
