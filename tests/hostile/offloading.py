# SPDX-License-Identifier: Apache-2.0
"""Core files of programs that use devices: made here and now, since they are large. Each with the
addresses of what the offload runtime keeps: the rest is thousands of times as much."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("tests/gdb", "tests/offload", "gdb-plugin")]

import gpu  # noqa: E402
import machine  # noqa: E402
import sessions  # noqa: E402
import shown  # noqa: E402
from ompd_core.formats.corefile import CoreFile  # noqa: E402


@dataclasses.dataclass
class Sound:
    core: Path
    program: Path
    files: Path  # where libraries are looked for
    places: list[int]  # of structures


# Of tests/programs, what it does, and its runtime; on GPUs of our driver's, or on the host plugin.
CORES = {
    "kernels": ("targets", ("several", "1"), "libomptarget-19", False),
    "mappings": ("mapped", ("counted",), "libomptarget-14", False),
    "gone": ("mapped", ("returned",), "libomptarget-16", False),
    "gpus": ("targets", ("several", "2"), "libomptarget-19", True),
}


def made(name: str, folder: Path) -> Sound:
    source, arguments, runtime, on_gpu = CORES[name]
    folder.mkdir()
    home = machine.cached(runtime)
    if on_gpu:
        program = gpu.program_for_gpus(source, "debug", folder)
        path = f"{gpu.driver(folder)}:{home}"
    else:
        program, path = machine.compiled(source, link=gpu.OFFLOADING), str(home)
    settings = {"LD_LIBRARY_PATH": path, "OMPD_TRUTH_FILE": str(folder / "truth")}
    settings |= {"TMPDIR": str(folder), "FAKE_DRIVER_RUN_MS": "-1"}
    core = sessions.kernel_core(program, arguments, settings, folder)
    lay_out(core, folder / "root")
    offload = shown.told("core", core, program)["offload"]
    places = [int(offload["manager"], 16)]
    for device in offload["devices"]:
        places.append(int(device["address"], 16))
        places += [int(one["address"], 16) for one in device["mappings"]]
    return Sound(core, program, folder, places)


def lay_out(core: Path, root: Path) -> None:
    """Its files below a root, as the corpus has them: nothing else is looked for then."""
    for path in {mapping.path for mapping in CoreFile(str(core)).mappings}:
        if Path(path).is_file():
            file = root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, file)
