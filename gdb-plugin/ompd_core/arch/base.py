# SPDX-License-Identifier: Apache-2.0
"""What is asked of a machine: its registers, its calling convention, what its instructions do. Each
machine is a module that answers all of this; MODULES in __init__.py lists them.

A machine reads what a debugger has disassembled, and bytes of code. It knows no debugger.
"""

from __future__ import annotations

from typing import Callable, Collection, Iterable, Iterator, Optional, Protocol, Sequence

from ..code.futex import FutexWait
from ..code.machine_code import Convention, Instruction
from ..code.refusal import Refusal
from ..light_classes import NamedTuple

Read = Callable[[int, int], bytes]  # bytes of the target; raises Unreadable
Registers = Callable[[str], int]  # of one frame, unsigned; raises what the debugger raises
KnownRegisters = Callable[[str], Optional[int]]  # None: not known
Range = tuple[int, int]
# Instructions one by one, and whether they return. None: there is none.
Decoder = Callable[[int], Optional[tuple[Instruction, bool]]]


class Disassembled(NamedTuple):
    """An instruction as the debugger writes it, in a manner that the machine reads: addresses are
    the process's and begin with 0x, the name behind them in <>, of a stub of the dynamic linker's
    <NAME@plt>."""

    address: int
    length: int
    text: str

    @property
    def following(self) -> int:
        return self.address + self.length


class Libc(NamedTuple):
    """What the GNU C library does otherwise on each machine (struct pthread, pthread_spin_lock),
    and what it asks Linux by."""

    thread_id: int  # in a thread's descriptor, to which a pthread_t points: the kernel's number
    own_address: int | None  # there; None: it has none
    free_spin_lock: int
    futex: int  # the system call's number
    kcmp: int  # and another one's


class FrameColumns(NamedTuple):
    """DWARF's numbers of the registers by which a caller's frame is found."""

    stack: int
    frame_pointer: int
    frame_pointer_name: str
    returns: int  # has the address to return to


class Disassembler(Protocol):
    """The debugger's. All raise Unreadable."""

    def read(self, address: int, nbytes: int) -> bytes:
        """What is disassembled."""

    def between(self, start: int, end: int) -> Sequence[Disassembled]:
        """From start to before end."""

    def some(self, start: int, count: int) -> Sequence[Disassembled]:
        """So many, or as many as there are."""


class Machine(Protocol):
    CONVENTION: Convention
    # What a function leaves as it was, and the register of the next instruction.
    KEPT: tuple[str, ...]
    NEXT: str
    # What else is the same in all frames of a thread, and the debugger has to know in each of them.
    UNCHANGED: tuple[str, ...]
    COLUMNS: FrameColumns
    LIBC: Libc

    # ---- Threads and system calls ----------------------------------------------------------------

    def thread_pointer(
        self, registers: KnownRegisters, descriptor_size: Callable[[], Optional[int]]
    ) -> int | None:
        """Where the C library keeps the thread's descriptor: also the pthread_t."""

    def futex_wait(self, registers: KnownRegisters, read: Read) -> FutexWait | None:
        """The system call that a thread is in, of whose innermost frame the registers are."""

    def page_fault(self, stack_pointer: int, read: Read) -> int | None:
        """The address that an instruction used which failed, when the kernel made the frame there
        for a signal's handler. None: it was another signal. Where the kernel does not tell which
        signal it was, that of an older fault. Raises Unreadable."""

    def passes_number(self, code: bytes, number: int) -> bool:
        """May any of its instructions put the number of a system call where that is made by, or
        where syscall () takes it from? Calls of a computed number are not seen."""

    def blocked_before(self, stack_pointer: int, read: Read) -> int:
        """Which signals were blocked before the kernel made the frame there for a signal's handler:
        a bit for each, from 1 on. Raises Unreadable."""

    def first_argument(self, registers: KnownRegisters) -> int | None:
        """Of a function that has not changed the register yet."""

    # ---- At a function's first instruction, or where it has just returned ------------------------

    def argument(self, registers: Registers, index: int) -> int:
        """An integer or a pointer, counted from 0."""

    def result(self, registers: Registers) -> int:
        """Of a function that has just returned an int."""

    def code_address(self, value: int) -> int:
        """Without what the processor adds to addresses that it keeps: a signature."""

    def return_address(self, registers: Registers, read: Read) -> tuple[int, int]:
        """Where the function returns to, and the stack pointer there."""

    # ---- Calls, by the bytes of the code ---------------------------------------------------------

    def called(self, read: Read, returns_to: int) -> int | None:
        """The address of what a call called, directly or by the dynamic linker's table."""

    def direct_call(self, read: Read, returns_to: int) -> int | None:
        """What is called by name in the call that returns there; None: it is a call by pointer."""

    def follows_call(self, read: Read, address: int) -> bool:
        """Can it be an address to return to?"""

    def references(
        self, text: bytes, start: int, stubs: Sequence[Range], tables: Sequence[Range]
    ) -> Iterator[tuple[int, int]]:
        """Where the code calls, or reads, what the dynamic linker has taken from another image, and
        the address of that stub or table's entry. Bytes that only look like it do no harm."""

    # ---- What instructions do --------------------------------------------------------------------

    def instructions(
        self, disassembler: Disassembler, start: int, end: int, with_steps: bool = False
    ) -> dict[int, Instruction]:
        """The code from start to before end, by address: where it goes and, which takes longer to
        tell, what it does. Raises Unreadable."""

    def decoder(self, disassembler: Disassembler) -> Decoder:
        """Instructions one by one, with what they do, and whether they return."""

    def call_before(self, disassembler: Disassembler, address: int) -> Instruction | None:
        """The call by name that returns there. Raises Unreadable."""

    def constant_argument(
        self,
        disassembler: Disassembler,
        read: Read,
        start: int,
        returns_to: int,
        argument_of: Callable[[str], int | None],
        jumped_to: Collection[int] = (),
    ) -> int | None:
        """An argument of the call that returns there; argument_of says which, by the name of what
        is called. None unless the code of the function that starts at `start' puts a constant into
        its register, with nothing between that could change it. jumped_to: by what is not before
        the call. Raises Unreadable."""

    def refused(self, how: str, text: str, registers: KnownRegisters, read: Read) -> Refusal | None:
        """Why the processor did not execute an instruction, by what the debugger wrote of it; how:
        UNDEFINED, DIVIDED or PROTECTED. None: it is not known. Raises Unreadable."""

    # ---- Where code goes -------------------------------------------------------------------------

    def is_straight(self, disassembler: Disassembler, start: int, end: int, calls: bool) -> bool:
        """Does what enters at the start certainly get to the end? calls: also through other
        functions."""

    def next_call(self, disassembler: Disassembler, start: int) -> int | None:
        """What code that enters at the start certainly calls next."""

    def only_call(self, disassembler: Disassembler, start: int) -> int | None:
        """What a function calls that does nothing else."""

    def only_way(self, disassembler: Disassembler, start: int) -> Iterable[int]:
        """The instructions that code which enters at the start certainly comes to, up to a call."""

    def builds_frame(self, disassembler: Disassembler, start: int) -> bool:
        """Does a function begin with that?"""

    def epilogues(self, disassembler: Disassembler, start: int, end: int) -> list[Range]:
        """Of a function whose code lies there: from where it only gives its stack frame back to
        each instruction that returns."""
