# SPDX-License-Identifier: Apache-2.0
"""Does a thread's place lie in the code of its innermost region or task? By GDB's own frames: what
lies between the runtime that a thread is in, if it is, and the runtime that called that code."""

from __future__ import annotations

import os
import re
from typing import Any, Sequence

from stops import Mapping, module

Json = dict[str, Any]
Stack = Sequence["tuple[int, str | None]"]

RUNTIME = re.compile(r"lib(gomp|omp)[.-]")
INTERPRETER = re.compile(r"(lib)?python3")
SYSTEM = re.compile(r"(ld-linux[^/]*|ld-[\d.]+|libc|libc-[\d.]+|libpthread[^/]*)\.so[^/]*$|^\[")
# What a stack that GDB could follow to its end ends with.
OUTERMOST = {"clone", "clone3", "__clone", "__clone3", "_start", "start_thread"}

RIGHT, UNTOLD, UNCHECKED = "right", "untold", "unchecked"


def judge(thread: Json, stack: Stack, maps: Sequence[Mapping]) -> str:
    """How it ended, or what is wrong."""
    modules = [module(maps, pc) for pc, _ in stack]
    own = own_code(modules)
    if thread["where"] is None:
        return UNTOLD if own else RIGHT
    wrong = in_file(thread, maps)
    if wrong:
        return wrong
    if is_pythons(thread):
        inside = any(INTERPRETER.search(os.path.basename(modules[index])) for index in own)
        return RIGHT if inside else f"{told(thread)}: the interpreter is not the innermost code"
    pc = int(thread["where"]["pc"], 0)
    at = [index for index, (frame, _) in enumerate(stack) if frame == pc]
    if not at:
        whole = bool(stack) and stack[-1][1] in OUTERMOST
        return f"{told(thread)}: GDB has no such frame" if whole else UNCHECKED
    if own and not set(at) & set(own):
        return f"{told(thread)}: not in the innermost code"
    return RIGHT


def own_code(modules: Sequence[str]) -> list[int]:
    """Frames of the innermost code that is neither the runtime's nor the system's, up to the
    runtime that called it."""
    inner = 0
    while inner < len(modules) and _is_beneath(modules[inner]):
        inner += 1
    outer = inner
    while outer < len(modules) and not RUNTIME.search(os.path.basename(modules[outer])):
        outer += 1
    frames = list(range(inner, outer))
    # A thread's or the program's first frames are no code of its own.
    while frames and _is_beneath(modules[frames[-1]]):
        frames.pop()
    return frames


def _is_beneath(path: str) -> bool:
    name = os.path.basename(path)
    return bool(RUNTIME.search(name) or SYSTEM.search(name))


def in_file(thread: Json, maps: Sequence[Mapping]) -> str | None:
    """Is code of the file that is named mapped there, and is it so far into the file?"""
    if is_pythons(thread):
        return None
    where = thread["where"]
    pc, named = int(where["pc"], 0), where["objfile"]
    path = module(maps, pc)
    if named is None or not path:
        return None if path == "" else f"{told(thread)}: of no file, and {path} is there"
    if not os.path.samefile(path, named):
        return f"{told(thread)}: {path} is there"
    return None


def is_pythons(thread: Json) -> bool:
    """A line of Python's has no address."""
    where = thread["where"]
    return where["pc"] is None and (where["file"] or "").endswith(".py")


def callers(stack: Stack, maps: Sequence[Mapping]) -> set[str]:
    """Files with code that begins a region just now."""
    found = set()
    for (_, inner), (pc, _) in zip(stack, stack[1:]):
        if (inner or "").startswith("GOMP_parallel"):
            found.add(module(maps, pc))
    return found


def shown(stack: Stack, maps: Sequence[Mapping]) -> str:
    """As GDB has it."""
    return "\n".join(f"    {pc:#x} {name} {module(maps, pc)}" for pc, name in stack)


def told(thread: Json) -> str:
    where = thread["where"]
    file = where["objfile"] or where["file"]
    return f"thread {thread['lwp']} in {where['function']} {file} {where['pc']}"
