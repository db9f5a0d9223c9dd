#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the plugin's ctypes mirror say the same as the headers?

check_capi.py OURS GDB_PLUGIN      OURS: what print_abi.c prints with our headers
"""

from __future__ import annotations

import ctypes
import enum
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Dict, List, Set, Tuple

# How the names of an enumeration begin in C.
PREFIXES = {
    "Rc": "ompd_rc_",
    "Scope": "ompd_scope_",
    "TeamGenerator": "ompd_generator_",
    "RuntimeKind": "ompdx_runtime_",
    "Descriptors": "ompdx_descriptors_",
    "ThreadKind": "ompdx_thread_",
    "TaskKind": "ompdx_task_",
    "TaskState": "ompdx_task_state_",
    "LockKind": "ompdx_lock_",
    "Schedule": "ompdx_schedule_",
    "LoopEvidence": "ompdx_loop_",
    "DoacrossMember": "ompdx_doacross_",
    "Problem": "ompdx_problem_",
    "FunctionClass": "ompdx_function_",
    "WaitFor": "ompdx_wait_",
    "Layout": "ompdx_layout_",
    "DeviceKind": "ompdx_device_",
    "OffloadEntryKind": "ompdx_offload_entry_",
    "Code": "ompdx_code_",
    "Extent": "ompdx_extent_",
    "Construct": "ompdx_construct_",
    "Place": "ompdx_place_",
    "DoubtCode": "ompdx_doubt_",
}
CONSTANT = re.compile(r"OMPDX?_[A-Z_]+$")
# Types of a device that no plugin has anything to do with.
NOT_MIRRORED = {"ompd_dim3_t", "ompd_cudathread_coord_t"}

Facts = Dict[Tuple[str, str], Tuple[int, ...]]


def declared(printed: str) -> Tuple[Facts, Set[str]]:
    """What C says: facts such as ("member", "ompd_address_t.segment"): (0, 8); and the routines."""
    facts: Facts = {}
    routines = set()
    for line in Path(printed).read_text(encoding="ascii").splitlines():
        words = re.sub(r"^(\d\.\d|extension) ", "", line).split()
        if words[0] == "routine":
            routines.add(words[1])
        elif words[0] in ("sizeof", "member", "value"):
            facts[words[0], words[1]] = tuple(int(word) for word in words[2:])
    return facts, routines


def mirrored(capi: ModuleType) -> Tuple[Facts, List[str]]:
    """What Python says, in the same form; and what of it cannot be matched with C."""
    facts: Facts = {}
    strange = []
    for name, thing in vars(capi).items():
        if (
            isinstance(thing, type)
            and issubclass(thing, ctypes.Structure)
            and hasattr(thing, "_fields_")
        ):
            facts["sizeof", name] = (ctypes.sizeof(thing),)
            for member, *_ in thing._fields_:
                field = getattr(thing, member)
                facts["member", f"{name}.{member}"] = (field.offset, field.size)
        elif isinstance(thing, type) and issubclass(thing, enum.IntEnum) and list(thing):
            if name not in PREFIXES:
                strange.append(f"enumeration {name}: of which C type?")
                continue
            for entry in thing:
                facts["value", PREFIXES[name] + entry.name.lower()] = (entry.value,)
        elif isinstance(thing, int) and CONSTANT.match(name):
            facts["value", "ompd_icv_undefined" if name == "OMPD_ICV_UNDEFINED" else name] = (
                thing,
            )
    return facts, strange


def main(arguments: List[str]) -> int:
    printed, plugin = arguments
    sys.path.insert(0, plugin)
    sys.dont_write_bytecode = True
    capi = importlib.import_module("ompd_core.library.capi")
    c_facts, c_routines = declared(printed)
    python_facts, problems = mirrored(capi)

    for key, numbers in sorted(python_facts.items()):
        if c_facts.get(key) != numbers:
            problems.append(f"{' '.join(key)}: {numbers} in Python, {c_facts.get(key)} in C")
    structs = {name for kind, name in c_facts if kind == "member"}
    mirrored_names = {name for _, name in python_facts}
    for name in sorted(structs - mirrored_names):
        if name.partition(".")[0] not in NOT_MIRRORED:
            problems.append(f"{name}: not in Python")
    prefixes = tuple(PREFIXES.values())
    values = {name for kind, name in c_facts if kind == "value" and name.startswith(prefixes)}
    problems += [f"{name}: not in Python" for name in sorted(values - mirrored_names)]
    python_routines = set(capi.OMPD_ROUTINES) | set(capi.OMPDX_ROUTINES)
    problems += [f"routine {x}: only in C" for x in sorted(c_routines - python_routines)]
    problems += [f"routine {x}: only in Python" for x in sorted(python_routines - c_routines)]

    print(*problems, sep="\n")
    print(f"{len(python_facts)} facts and {len(python_routines)} routines compared")
    return 1 if problems or len(python_facts) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
