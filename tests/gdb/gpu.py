# SPDX-License-Identifier: Apache-2.0
"""Programs whose devices are GPUs, as far as LLVM's CUDA plugin can tell: the driver is ours."""

from __future__ import annotations

from pathlib import Path

import machine
from mark_as_cuda import mark_as_cuda

# Of OpenMP 5.1 is the modifier `present'.
OFFLOADING = ("-fopenmp-targets=x86_64-pc-linux-gnu", "-fopenmp-version=51")
# What GDB is told before it starts them: the shell that it would start first is this machine's.
ITSELF = "set startup-with-shell off"
DRIVER = machine.ROOT / "tests" / "offload" / "fake_driver.c"


def offloading(compiler: str) -> tuple[str, ...]:
    """What it is told to make code for LLVM's host plugin."""
    if compiler == machine.CLANG:
        return OFFLOADING
    header = machine.run(machine.CLANG, "-print-file-name=include/omp.h").strip()
    # It asks for code of a device's that there is none of for this one.
    return (*OFFLOADING, "-nogpulib", "-idirafter", str(Path(header).parent))


def compiled(
    program: str, build: str = "debug", compiler: str = machine.CLANG, release: int = 19
) -> Path:
    """By a newer clang for this release only."""
    link = offloading(compiler)
    if compiler != machine.CLANG:
        link += (f"-L{machine.cached(f'libomptarget-{release}')}",)
    return machine.compiled(program, build, link=link, compiler=compiler)


def compiled_for(
    release: int, name: str, build: str = "debug", compiler: str = machine.CLANG
) -> Path:
    """With the loader and the C library that the release of libomptarget wants."""
    place = machine.cached(f"libomptarget-{release}")
    loader = place / "libc" / "ld-linux-x86-64.so.2"
    if not loader.exists():
        return compiled(name, build, compiler, release)
    link = [*offloading(compiler), f"-L{place}"]
    # All of that library from the program on: the others' own search would find this machine's.
    paths = f"-rpath,{place}:{loader.parent}"
    link.append(f"-Wl,--dynamic-linker={loader},--disable-new-dtags,{paths}")
    link += ["-Wl,--allow-shlib-undefined,--no-as-needed", "-lm", "-ldl", "-lrt"]
    link.append("-Wl,--as-needed")
    if build == "linked" and compiler in machine.CACHED_CLANGS:
        # With GNU's linker the device's code wants LLVMgold.so when it is loaded.
        link.append("-fuse-ld=lld")
    return machine.compiled(name, build, link=tuple(link), compiler=compiler)


def marked(program: Path, folder: Path) -> Path:
    """A copy of it whose device code says to be a GPU's."""
    path = folder / "on_gpu" / program.name
    path.parent.mkdir(exist_ok=True)
    assert mark_as_cuda(program, path) == 1
    return path


def program_for_gpus(name: str, build: str, folder: Path, compiler: str = machine.CLANG) -> Path:
    return marked(compiled(name, build, compiler), folder)


def driver(folder: Path) -> Path:
    """The folder of the driver, for LD_LIBRARY_PATH."""
    place = folder / "driver"
    place.mkdir(exist_ok=True)
    library = place / "libcuda.so.1"
    machine.run(
        *("gcc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-O1", DRIVER),
        *("-o", library),
    )
    (place / "libcuda.so").unlink(missing_ok=True)
    (place / "libcuda.so").symlink_to(library.name)
    return place
