# SPDX-License-Identifier: Apache-2.0
"""Builds of libomptarget whose structures have other members than the release's, as vendors' forks
have: its own sources, with a member more."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import machine

RUNTIME, SOURCE = "libomptarget-14", "offload-source-14"
COMPILER = "clang++-14"


@dataclass(frozen=True)
class Fork:
    name: str
    before: str  # this line of device.h
    member: str
    fits: bool = False  # the known layout is its, too


FORKS = (
    Fork("none", "", "", True),
    Fork("device_end", "  DeviceTy(RTLInfoTy *RTL);", "int TeamProcs = 7;", True),
    Fork("device", "HostDataToTargetListTy HostDataToTargetMap;", "void *Profile = nullptr;"),
    Fork("entry_end", "public:\n  HostDataToTargetTy(uintptr_t BP", "int AllocKind = 7;", True),
    Fork("entry_begin", "const uintptr_t HstPtrBase;", "const uintptr_t AllocKind = 7;"),
    Fork("entry_address", "const uintptr_t TgtPtrBegin;", "const uintptr_t AllocKind = 7;"),
    Fork("entry_pointer", "const uintptr_t TgtPtrBegin;", "const uintptr_t Alloc = HstPtrBegin;"),
    Fork("counts", "uint64_t DynRefCount;", "uint64_t Kind = 1;"),
    Fork("hold", "uint64_t HoldRefCount;", "uint64_t Kind = 0;"),
    Fork("manager", "std::vector<std::unique_ptr<DeviceTy>> Devices;", "void *Profile = nullptr;"),
)


def built(fork: Fork) -> Path:
    """The folder of its libomptarget, stripped, beside the release's plugins and libomp."""
    folder = machine.BUILD / "tests" / "offload" / f"fork-{fork.name}"
    if (folder / "libomptarget.so").exists():
        return folder
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.copytree(machine.cached(SOURCE) / "openmp" / "libomptarget", scratch / "source")
    for path in machine.cached(RUNTIME).iterdir():
        if not path.name.startswith("libomptarget.so"):
            (scratch / path.name).symlink_to(path)
    header = scratch / "source" / "include" / "device.h"
    text = header.read_text(encoding="utf-8")
    if fork.member:
        assert text.count(fork.before) == 1, fork
        header.write_text(
            text.replace(fork.before, f"{fork.member}\n{fork.before}"), encoding="utf-8"
        )
    source = header.parents[1] / "src"
    machine.run(
        *(COMPILER, "-std=c++14", "-O1", "-w", "-fPIC", "-shared", "-s", f"-I{header.parent}"),
        *(*sorted(source.glob("*.cpp")), f"-Wl,--version-script={source / 'exports'}", "-ldl"),
        *("-o", scratch / "libomptarget.so"),
    )
    shutil.rmtree(scratch / "source")
    return scratch.rename(folder)
