# SPDX-License-Identifier: Apache-2.0
"""Whose code called a function of which the compiler recorded nothing? flang without -g writes no
unwind information for the code of constructs, and GDB then guesses.

Called while GDB unwinds: no command of GDB's may be executed here."""

from __future__ import annotations

from typing import Mapping

import gdb
from ompd_core import arch
from ompd_core.arch.base import Machine
from ompd_core.code.machine_code import Memory, Number, Register
from ompd_core.code.returning import Return, never_returns, returns_from
from ompd_core.errors import Unreadable
from ompd_core.formats.unwind_tables import Tables

from .. import texts
from . import machines, unwind_info
from .machines import Disassembly
from .memory import LiveMemory

_WORD = 0xFFFFFFFFFFFFFFFF


class Unwinding:
    """Of one inferior, while its files stay the same."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._progspace = inferior.progspace
        self._read = LiveMemory(inferior).read
        self._tables = Tables(self._read)
        self._returns: dict[int, Return | None] = {}
        self.followed: set[tuple[int, int]] = set()  # frames: where they stand, their stack pointer

    def caller(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        """None: GDB knows better."""
        machine = arch.named(pending.architecture().name())
        if machine is None:
            return None
        pc = machines.known_registers(pending)(machine.NEXT)
        if pc is None:
            return None
        if pc not in self._returns:
            # Threads of a team stand in one loop, and it takes long to follow.
            self._returns.update(self._follow(pc, machine, Disassembly(pending.architecture())))
        found = self._returns[pc]
        return self._unwound(pending, pc, machine, found) if found is not None else None

    def _follow(
        self, pc: int, machine: Machine, disassembly: Disassembly
    ) -> Mapping[int, Return | None]:
        if not self._lacks_unwind_info(pc) and not self._has_wrong_unwind_info(pc, machine):
            return {pc: None}
        call = machine.call_before(disassembly, pc)
        if call is not None and never_returns(call):
            return {pc: None}
        decode = machine.decoder(disassembly)
        return returns_from(pc, decode, machine.CONVENTION, machine.KEPT)

    def _lacks_unwind_info(self, pc: int) -> bool:
        return unwind_info.is_missing(self._progspace, self._tables, pc, self._is_in_image)

    def _is_in_image(self, pc: int) -> bool:
        space = self._progspace
        if self._tables.is_in_image(pc) or space.block_for_pc(pc) is not None:
            return True
        return texts.library(space, pc) is not None

    def _has_wrong_unwind_info(self, pc: int, machine: Machine) -> bool:
        """A function that has called another one has not left the address to return to where it
        was: who wrote the unwind information by hand may have thought so."""
        return (
            machine.CONVENTION.link is not None
            and self._tables.saves_nothing(pc)
            and machine.follows_call(self._read, pc)
        )

    def _unwound(
        self, pending: gdb.PendingFrame, pc: int, machine: Machine, found: Return
    ) -> gdb.UnwindInfo | None:
        stack = self._value(pending, found.stack)
        now = machines.known_registers(pending)(machine.CONVENTION.stack)
        if stack is None or now is None or stack < now:
            return None
        if found.link is None:
            address: int | None = self._word(stack)
            stack += 8
        else:
            address = self._value(pending, found.link)
        if address is None:
            return None
        address = machine.code_address(address)
        if not machine.follows_call(self._read, address):
            return None
        caller = {machine.NEXT: address, machine.CONVENTION.stack: stack}
        for name, number in found.registers:
            value = self._value(pending, number)
            if value is not None:
                caller[name] = value
        self.followed.add((pc, now))
        info = pending.create_unwind_info(_Id(gdb.Value(stack)))
        for name, value in caller.items():
            info.add_saved_register(name, gdb.Value(value))
        for name in machine.UNCHANGED:
            held = machines.held(pending, name)
            if held is not None:
                info.add_saved_register(name, held)
        return info

    def _value(self, pending: gdb.PendingFrame, number: Number) -> int | None:
        total = number.constant
        for atom, factor in number.terms:
            part: int | None = None
            if isinstance(atom, Register):
                part = machines.known_registers(pending)(atom.name)
            elif isinstance(atom, Memory):
                address = self._value(pending, atom.address)
                part = self._word(address) if address is not None else None
            if part is None:
                return None
            total += part * factor
        return total & _WORD

    def _word(self, address: int) -> int:
        return int.from_bytes(self._read(address, 8), "little")


class _Id:
    """A frame is known by where its caller's stack begins: where its function begins is not known
    for certain."""

    def __init__(self, stack: gdb.Value) -> None:
        self.sp = stack


ERRORS = (gdb.error, Unreadable, ValueError, RuntimeError, OverflowError)
