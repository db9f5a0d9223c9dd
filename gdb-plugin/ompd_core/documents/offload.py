# SPDX-License-Identifier: Apache-2.0
"""What the host knows of devices."""

from __future__ import annotations

from typing import Annotated, List, Optional

from typing_extensions import NotRequired, TypedDict

from .words import Address, AnyInteger, BuildId, Count, Doubts, GdbId, Loc, OneOf, TaskId, Text

Layout = Annotated[str, OneOf("proven", "likely", "refused")]


class OffloadRuntime(TypedDict):
    """The library that executes target constructs."""

    version: Optional[str]
    name: str
    build_id: Optional[BuildId]
    path: Optional[str]
    record: Annotated[Optional[str], "the shipped layout that its structures are read by"]
    layout: Annotated[Layout, "of devices and kernels"]
    mapping_layout: Layout
    reason: Annotated[Optional[str], "why one of the layouts is not proven"]


class Device(TypedDict):
    num: Count
    kind: Optional[Annotated[str, OneOf("host", "cuda", "hsa", "other")]]
    machine: Annotated[Optional[int], "e_machine of the code that is loaded there"]
    used: Annotated[Optional[bool], "the program's code has been loaded there"]
    mapped: Annotated[Count, "how many mappings it is said to have"]
    mapped_bytes: AnyInteger
    complete: Annotated[bool, "all of them could be read"]


class Kernel(TypedDict):
    """The code of a target construct."""

    function: Text
    line: int
    number: Annotated[Count, "of several constructs in that line"]


class Argument(TypedDict):
    """What a construct passes to its device, in the order of the compiler's table."""

    name: Annotated[Optional[str], "as the map clause names it; null: compiled without -g"]
    host: Annotated[Optional[Address], "null: a value is passed"]
    size: AnyInteger
    passed: Annotated[str, OneOf("value", "private", "memory")]
    mapped: Annotated[
        Optional[Annotated[str, OneOf("whole", "part", "none")]],
        "null: it need not be, or it is not known what is mapped there",
    ]
    target: Annotated[Optional[Address], "where all of it is on the device"]


class Target(TypedDict):
    """A construct of a device that a thread is in."""

    gdb: Optional[GdbId]
    lwp: Optional[int]
    construct: Annotated[Text, "`target [enter] data': target enter data, or target data's begin"]
    loc: Optional[Loc]
    kernel: Optional[Kernel]
    device: Annotated[Optional[int], "null without a doubt: none, it runs on the host"]
    phase: Annotated[
        str,
        OneOf("kernel", "device", "transfer", "lock", "aborted", "inside", "host"),
    ]
    text: Annotated[Text, "the phase in words"]
    reason: Annotated[Optional[str], "why it runs on the host, or of what it is one"]
    arguments: Annotated[
        Optional[List[Argument]], "null: not told; with a doubt there may be more of them"
    ]
    doubts: NotRequired[Doubts]


class Deferred(TypedDict):
    """A task of a deferred construct that waits for its device, while no thread executes it."""

    task: TaskId
    loc: Optional[Loc]
    device: Annotated[Optional[int], "null: not known"]
    blocks: Annotated[List[TaskId], "tasks that depend on it"]


class Mapping(TypedDict):
    """What of the host's memory is on a device."""

    device: Count
    name: Annotated[Optional[str], "as the map clause names it; null: compiled without -g"]
    file: Optional[str]
    line: Optional[int]
    host: Address
    size: AnyInteger
    target: Address
    dynamic: Annotated[Optional[AnyInteger], "how many constructs count on it; null: infinite"]
    hold: Optional[AnyInteger]
    infinite: Annotated[bool, "it stays: declare target, or omp_target_associate_ptr"]


class MappedPlace(TypedDict):
    """An address in what is mapped, and the same place on the other side."""

    address: Address
    on_device: bool
    offset: AnyInteger
    other: Address
    mapping: Mapping


class Offload(TypedDict):
    runtime: Annotated[Optional[OffloadRuntime], "null: none that can be read"]
    target_offload: Annotated[Optional[str], "target-offload-var, where the runtime keeps it"]
    devices: List[Device]
    targets: List[Target]
    deferred: List[Deferred]
    mappings: List[Mapping]
    places: NotRequired[Annotated[List[MappedPlace], "of the address that was asked for"]]
    doubts: NotRequired[Doubts]


# That have no other fields.
CLOSED = (OffloadRuntime, Device, Kernel, Argument, Target, Deferred, Mapping, MappedPlace, Offload)
