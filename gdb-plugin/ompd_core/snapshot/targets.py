# SPDX-License-Identifier: Apache-2.0
"""Which construct of a device is a thread in, which kernel is it, and which device?

Optimised code may call an offload runtime at one place for several constructs, and its arguments
are gone by then. So two sources have to agree: what the code passes, as far as it tells; and what
the offload runtime keeps in its own frames, which is recognised by itself: kernels' and devices'
addresses that it has registered, and the compiler's descriptions of places."""

from __future__ import annotations

import struct
from typing import Callable, Iterable, Sequence

from .. import abi, runtimes
from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable, UserError
from ..library.types import Offload
from ..light_classes import dataclass, field
from ..model import doubts, targets
from ..model.devices import variable_of
from ..model.glibc import Kept
from ..model.naming import Kernel, Source, kernel_of, parse_source
from ..model.native import Frame, Location
from ..model.targets import Call, Target
from ..model.where import CodeMap, in_users_terms
from . import environment, passed
from .c_strings import c_string

# Of the offload runtime's frames of one call; they have some kilobytes.
MOST_STACK = 1 << 16
# Bytes of a function in which it only makes room for itself.
FIRST_INSTRUCTIONS = 16
DEFAULT_DEVICE = (1 << 64) - 1  # OMP_DEVICEID_UNDEF
LONGEST_SOURCE = 4096
MOST_NAMED = 256  # a debugger takes its time to look for each
_LEAST_ADDRESS = 4096
# Why a construct runs on the host.
ONE_OF = (
    "one of: its `if' is false, its `device' is the host, or the device has not taken it (no code"
    " for it, or an error)"
)
NOT_KNOWN = f"there is no device, or {ONE_OF}"
BY_ANOTHER_RUNTIME = f"{NOT_KNOWN}; what this runtime keeps of devices is not read"
IF_IS_FALSE = "its `if' is false"
DISABLED = "target-offload-var is disabled"
IN_ENVIRONMENT = (
    "the program's environment has OMP_TARGET_OFFLOAD=disabled, which the runtime reads when it is"
    " loaded"
)
NO_PLUGIN = "the offload runtime has loaded no plugin for devices"
NO_DEVICE = "the offload runtime has found no device"
# What gcc's code passes as the device then (GOMP_DEVICE_HOST_FALLBACK), in 4 bytes.
_HOST_FALLBACK = 0xFFFFFFFE
_TARGET_OFFLOAD = "OMP_TARGET_OFFLOAD"
# ident_t (kmp.h): reserved, flags, two more words, and where the source stands.
_IDENT = struct.Struct("<iiiiQ")
_OF_COMPILER = 2


@dataclass
class Evidence:
    """What is found in the offload runtime's frames of a call."""

    kernels: dict[int, Kernel] = field(default_factory=dict)  # by their address
    devices: set[int] = field(default_factory=set)
    sources: dict[int, Source | None] = field(default_factory=dict)  # None: compiled without -g


class Targets:
    """Of one picture."""

    def __init__(
        self, debugger: Debugger, code_map: CodeMap, offload: Callable[[], Offload | None]
    ) -> None:
        self._debugger = debugger
        self._code = code_map
        self._read_offload = offload
        self._offload: Offload | None = None
        self._asked = False
        self._arguments: dict[tuple[int, str], int | None] = {}  # by the place of the call
        self._idents: dict[int, Source | None] = {}  # of what is a description

    @property
    def offload(self) -> Offload | None:
        if not self._asked:
            self._asked, self._offload = True, self._read_offload()
        return self._offload

    def of(self, stopped: StoppedThread, frames: Sequence[Frame], most: int = 64) -> list[Target]:
        """Of a thread's frames, innermost first, while it is looked at."""
        return [
            self._target(stopped, frames, call)
            for call in targets.calls_on(frames, self._code)[:most]
        ]

    def _target(self, stopped: StoppedThread, frames: Sequence[Frame], call: Call) -> Target:
        phase = targets.phase_of(call, self._code)
        if call.entry is None:
            return self._on_host(call, phase)
        found = Target(call, abi.TARGETS[call.entry].construct, phase)
        found.at_start = self._is_at_start(call)
        evidence = (
            self._at_start(stopped, found)
            if found.at_start
            else self._evidence(stopped, frames, call)
        )
        self._tell_kernel(found, evidence)
        self._tell_place(found, evidence)
        self._tell_device(found, evidence)
        return found

    def _is_at_start(self, call: Call) -> bool:
        entry = call.inside[-1]
        start = entry.entry or self._debugger.code.start(entry.pc)
        is_alone = call.on_top and call.level == 0
        return is_alone and start is not None and 0 <= entry.pc - start <= FIRST_INSTRUCTIONS

    def _at_start(self, stopped: StoppedThread, found: Target) -> Evidence:
        """What has just been passed is in its registers, and the same twice."""
        told, machine = Evidence(), self._debugger.machine
        entry = abi.TARGETS[found.call.entry or ""]
        known, offload = stopped.registers(0), self.offload
        names = machine.CONVENTION.arguments if machine is not None else ()
        source, device, kernel = (
            known(names[index]) if index is not None and index < len(names) else None
            for index in (entry.source, entry.device, entry.kernel)
        )
        if source is not None and self._is_ident(source):
            told.sources[source] = self._ident(source)
        if kernel is not None:
            told.kernels = {at: one for at, one in self._kernels().items() if at == kernel}
        numbers = {one.number for one in offload.devices} if offload is not None else set()
        told.devices = numbers & {device}
        found.takes_default = device == DEFAULT_DEVICE
        return told

    def _on_host(self, call: Call, phase: str) -> Target:
        assert call.kernel is not None
        found = Target(call, "target", phase, kernel=kernel_of(call.kernel.location.function))
        if found.kernel is not None:
            found.location = self._place(call.kernel.location, found.kernel)
            found.reason = self._reason()
        elif call.caller is not None:
            found.location = in_users_terms(call.caller.location, call.caller.holder)
            found.reason = self._reason_of_call(call.caller)
        return found

    def _reason_of_call(self, caller: Frame) -> str:
        """Of a runtime that calls the construct's code."""
        device = passed.constant(
            self._debugger, caller, lambda name: 0 if abi.normal(name) in abi.HOST_TARGETS else None
        )
        if device is not None and device & 0xFFFFFFFF == _HOST_FALLBACK:
            return IF_IS_FALSE
        return IN_ENVIRONMENT if self._is_disabled() else BY_ANOTHER_RUNTIME

    def _is_disabled(self) -> bool | None:
        """By the program's environment, as it is now. None: it is not known."""
        try:
            policy = environment.settings(self._debugger).get(_TARGET_OFFLOAD, "")
        except UserError:
            return None
        return policy.strip().lower() == "disabled"

    def _reason(self) -> str:
        """Why the program was told to call a construct's code itself."""
        offload = self.offload
        if offload is None or offload.layout == "refused":
            return NOT_KNOWN
        if offload.devices:
            return DISABLED if offload.target_offload == "disabled" else ONE_OF
        # Without a device the runtime itself sets the variable so.
        is_disabled = self._is_disabled()
        if is_disabled is None:
            return f"one of: {DISABLED}, or {NO_DEVICE}"
        return DISABLED if is_disabled else self._why_no_device(offload)

    def _why_no_device(self, offload: Offload) -> str:
        loaded = [one.path or "" for one in self._debugger.images.loaded]
        plugins = sorted({one for one in map(runtimes.plugin_name, loaded) if one is not None})
        if plugins:
            named = ", ".join(plugins)
            return f"{NO_DEVICE} for the program's code by the plugins that are loaded: {named}"
        if offload.version is None or offload.version >= runtimes.PLUGINS_INSIDE:
            return f"{NO_DEVICE} for the program's code"
        return NO_PLUGIN

    def tell_lock(self, found: Target, kept: Kept | None) -> None:
        """Is it a mapping table's? kept: what of the C library's the thread waits for."""
        if found.phase != targets.LOCK or kept is None or self.offload is None:
            return
        tables = [one.number for one in self.offload.devices if one.mutex == kept.address]
        found.table = tables[0] if tables and kept.address else None

    def names(self) -> dict[int, str]:
        """Of mapped variables that no map clause names: declare target."""
        found: dict[int, str] = {}
        if self.offload is None:
            return found
        entries = {one.address: one.name for one in self.offload.entries if one.kind == "variable"}
        for device in self.offload.devices:
            for mapping in device.mappings[:MOST_NAMED]:
                if variable_of(mapping.source) is None:
                    name = entries.get(mapping.begin) or self._debugger.code.object(mapping.begin)
                    if name is not None:
                        found[mapping.begin] = name
        return found

    # ---- What is said of it ----------------------------------------------------------------------

    def _tell_kernel(self, found: Target, evidence: Evidence) -> None:
        call = found.call
        if abi.TARGETS[call.entry or ""].kernel is None:
            return
        if call.kernel is not None and kernel_of(call.kernel.location.function) is not None:
            found.kernel = kernel_of(call.kernel.location.function)
            return
        if self.offload is None:
            found.doubts["kernel"] = doubts.KERNELS_UNREAD
            return
        if found.at_start and len(evidence.kernels) == 1:
            found.kernel = next(iter(evidence.kernels.values()))
            return
        address = self._argument(call, "kernel")
        registered = {one.address: one for one in self.offload.entries if one.kind == "kernel"}
        if address in registered and address in evidence.kernels:
            found.kernel = evidence.kernels[address]
        elif address is None or address not in registered:
            # The description of where it was called stays with the call until it returns.
            sources = set(evidence.sources.values())
            source = sources.pop() if len(sources) == 1 else None
            fitting = [
                one
                for one in evidence.kernels.values()
                if source is not None and one.line == source.line
            ]
            if len(fitting) == 1:
                found.kernel = fitting[0]
        if found.kernel is None:
            found.doubts["kernel"] = doubts.KERNEL_NOT_CERTAIN

    def _tell_place(self, found: Target, evidence: Evidence) -> None:
        call, near = found.call, found.call.caller.location if found.call.caller else None
        if found.kernel is not None:
            found.location = self._place(near, found.kernel)
            return
        if call.caller is not None:
            near = in_users_terms(call.caller.location, call.caller.holder)
        ident = self._argument(call, "source")
        seen = evidence.sources
        if ident is not None:
            mine = self._ident(ident)
            agreed = ident in seen or (mine is not None and near and near.line == mine.line)
        else:
            mine = next(iter(seen.values())) if len(seen) == 1 else None
            agreed = mine is not None and near is not None and near.line == mine.line
        if mine is not None and agreed:
            found.location = Location(mine.function, mine.file, None, mine.line)
            return
        found.location = Location(near.function if near is not None else None)
        without_lines = agreed or (seen and not any(seen.values()))
        found.doubts["loc"] = doubts.TARGET_NO_LINE if without_lines else doubts.TARGET_NOT_CERTAIN

    def _place(self, near: Location | None, kernel: Kernel) -> Location:
        file, fullname = (near.file, near.fullname) if near is not None else (None, None)
        name = self._debugger.code.readable(kernel.function)
        return Location(name, file, fullname, kernel.line)

    def _tell_device(self, found: Target, evidence: Evidence) -> None:
        known = self.offload.devices if self.offload is not None else []
        number = None if found.at_start else self._argument(found.call, "device")
        written = [one.number for one in known if one.number == number]
        if len(evidence.devices) == 1 and evidence.devices.issuperset(written):
            found.device = next(iter(evidence.devices))
        elif len(known) == 1:
            found.device = known[0].number
        elif self.offload is None:
            found.doubts["device"] = doubts.DEVICES_UNREAD
        else:
            found.doubts["device"] = doubts.DEVICE_NOT_CERTAIN

    # ---- By the code -----------------------------------------------------------------------------

    def _argument(self, call: Call, which: str) -> int | None:
        """What the code passes for certain in this call. None: it does not tell."""
        caller = call.caller
        if caller is None or call.entry is None:
            return None
        key = (caller.pc, which)
        if key not in self._arguments:
            self._arguments[key] = self._constant(caller, call.entry, which)
        return self._arguments[key]

    def _constant(self, caller: Frame, entry: str, which: str) -> int | None:
        def index(name: str) -> int | None:
            place: int | None = getattr(abi.TARGETS[entry], which)
            return place if abi.normal(name) == entry else None

        return passed.constant(self._debugger, caller, index)

    # ---- By the offload runtime's frames ---------------------------------------------------------

    def _evidence(self, stopped: StoppedThread, frames: Sequence[Frame], call: Call) -> Evidence:
        found = Evidence()
        offload, kernels = self.offload, self._kernels()
        devices = {} if offload is None else {one.address: one.number for one in offload.devices}
        for word in self._words(stopped, frames, call):
            if word in kernels:
                found.kernels[word] = kernels[word]
            elif word in devices:
                found.devices.add(devices[word])
            elif self._is_ident(word):
                found.sources[word] = self._ident(word)
        return found

    def _kernels(self) -> dict[int, Kernel]:
        """By what stands for each in calls."""
        registered = self.offload.entries if self.offload is not None else ()
        return {
            one.address: kernel
            for one in registered
            if one.kind == "kernel" and (kernel := kernel_of(one.name)) is not None
        }

    def _words(self, stopped: StoppedThread, frames: Sequence[Frame], call: Call) -> Iterable[int]:
        """In its frames, and in the registers that these have saved."""
        own = [
            level
            for level in range(call.first, call.level + 1)
            if self._code.is_offload_runtime(frames[level])
        ]
        machine, seen = self._debugger.machine, dict[int, None]()
        if machine is None:
            return seen
        try:
            low, high = stopped.stack_pointer(own[0]), stopped.stack_pointer(call.level + 1)
        except Unreadable:
            return seen
        if 0 < high - low <= MOST_STACK:
            seen.update(dict.fromkeys(self._memory(low, high)))
        for level in own:
            registers = stopped.registers(level)
            for name in machine.KEPT:
                value = registers(name)
                if value is not None:
                    seen[value] = None
        return [word for word in seen if not low <= word < high]

    def _memory(self, low: int, high: int) -> Sequence[int]:
        count = (high - low) // 8
        try:
            data = self._debugger.code.read(low, 8 * count)
        except Unreadable:
            return ()
        return struct.unpack(f"<{count}Q", data)

    def _is_ident(self, address: int) -> bool:
        """Is it one of the compiler's descriptions of a place?"""
        if address < _LEAST_ADDRESS or address % 8 or address >> 47:
            return False
        if address not in self._idents:
            text = self._source(address)
            if text is None:
                return False
            self._idents[address] = parse_source(text)
        return True

    def _ident(self, address: int) -> Source | None:
        return self._idents.get(address) if self._is_ident(address) else None

    def _source(self, address: int) -> str | None:
        read = self._debugger.code.read
        try:
            reserved, flags, _, _, at = _IDENT.unpack(read(address, _IDENT.size))
            if reserved or not flags & _OF_COMPILER or at < _LEAST_ADDRESS:
                return None
            if read(at, 1) != b";":
                return None
        except Unreadable:
            return None
        return c_string(read, at, LONGEST_SOURCE)
