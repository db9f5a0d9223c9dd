# SPDX-License-Identifier: Apache-2.0
"""What do the tests run with? The plugin, libompd, runtimes, GDBs and compiled programs, each
found or made once. What is missing is a failure that says how to get it, never a silent skip.

OMPD_BUILD   the build directory, with libompd/libompd.so; unless set, as source_tree.py finds it
OMPD_FULL    1: every cell of the matrix, instead of a pairwise cover
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.outcomes import Failed

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "gdb-plugin"))

from ompd_core import source_tree  # noqa: E402

BUILD = Path(source_tree.build(str(ROOT)))
# All that is started finds the same.
os.environ[source_tree.VARIABLE] = str(BUILD)
# Most of what a short GDB session of ours takes is the compilation of our Python: once is enough.
os.environ["PYTHONPYCACHEPREFIX"] = str(BUILD / "pycache")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Each new worker of libomp compares its stack with those of all others in the table of threads,
# which libomp before 16 frees when it grows: of 75 programs of 300 threads on a busy machine, one
# crashed before it had recorded anything.
os.environ.setdefault("KMP_CHECKS", "false")
PLUGIN = ROOT / "gdb-plugin" / "ompd-gdb.py"
PROGRAMS = ROOT / "tests" / "programs"
SCHEMA = ROOT / "docs" / "schema" / "ompd-1.schema.json"
FULL = os.environ.get("OMPD_FULL") == "1"

# Newer clang's code needs newer runtimes; this one's runs on all.
CLANG, CLANGXX = "clang-14", "clang++-14"
GCC = "gcc"
# They want a newer libc than this machine's, and so does what they make.
CACHED_CLANGS = tuple(f"clang-{release}" for release in (17, 18, 21, 22, 23))
# Its first release that compiles all of OpenMP's older constructs.
FLANG = "flang-new-19"
BUILDS = {"debug": ["-O0", "-g"], "release": ["-O2"]}
OTHER_BUILDS = {
    "optimised": ["-O2", "-g"],
    "plain": ["-O3"],
    "bare": ["-O0"],
    "light": ["-O1"],
    "light-debug": ["-O1", "-g"],
    "plain-debug": ["-O3", "-g"],
    "linked": ["-O2", "-g", "-flto"],
}


class Missing(Failed):
    """What the machine lacks, and how to get it: fails the test in a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message, pytrace=False)


@dataclass(frozen=True)
class Case:
    """A program with its arguments."""

    name: str
    program: str = ""
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "-".join([self.name, *(self.args if not self.program else ())])

    @property
    def source(self) -> str:
        return self.program or self.name


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise Missing(f"`{' '.join(str(word) for word in command)}' failed:\n{done.stdout}")
    return done.stdout


FROM_NPM = ("npm-", "libgomp-7")


@functools.lru_cache(maxsize=None)
def cached(name: str) -> Path:
    """The folder of a runtime or debugger; fetched when it is not there yet. Where npm is not
    there, or reaches nobody, what comes from there is left out; in CI it fails."""
    runtimes = ROOT / "tools" / "test-runtimes"
    try:
        run(runtimes, "get", name)
    except Missing as missing:
        if not name.startswith(FROM_NPM) or os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
    return Path(run(runtimes, "path", name).strip())


def command(compiler: str) -> str:
    """As it is called: what the distribution does not have is in the cache."""
    if compiler in CACHED_CLANGS or compiler.startswith("clang-") and not shutil.which(compiler):
        return str(cached(compiler) / compiler)
    return compiler


# Where the distribution has left it behind: found by its name all the same.
if shutil.which(CLANG) is None:
    os.environ["PATH"] += f":{cached(CLANG)}"


@functools.lru_cache(maxsize=None)
def library() -> Path:
    path = BUILD / "libompd" / "libompd.so"
    if not path.is_file():
        raise Missing(f"There is no {path}: build it with `cmake --build {BUILD}'.")
    return path


@functools.lru_cache(maxsize=None)
def release(*options: str, source: Path = ROOT, build: Path = BUILD / "release") -> Path:
    """The tarball of a source tree. Processes that ask at once wait for each other."""
    build.mkdir(exist_ok=True)
    with open(build / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        given = ("-G", "Ninja", "-DOMPD_RELEASE=ON", *options)
        try:
            run("cmake", "-S", source, "-B", build, *given)
        except Missing as missing:
            if "cannot be linked statically" in str(missing):
                pytest.skip("no release is made with this machine's elfutils")
            raise
        run("cmake", "--build", build, "--target", "package")
    (tarball,) = build.glob("ompd-*.tar.gz")
    return tarball


def llvms_plugin() -> Path:
    """Its script for GDB."""
    if sys.version_info >= (3, 12):
        pytest.skip("LLVM 19's plugin imports `imp', which Python has no longer")
    home = cached("libomp-19-ompd").parent
    return home / "share" / "gdb" / "python" / "ompd" / "__init__.py"


def unpacked(tarball: Path, folder: Path) -> Path:
    run("tar", "-xzf", tarball, "-C", folder)
    return folder / tarball.name[: -len(".tar.gz")]


def elf_files(root: Path) -> list[Path]:
    """All, by whatever name; links are none."""
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]


@functools.lru_cache(maxsize=None)
def gdb(name: str) -> str:
    """The path of a GDB: "gdb" and "gdb-multiarch" are the machine's own."""
    if name not in ("gdb", "gdb-multiarch"):
        return str(cached(name) / "gdb")
    path = shutil.which(name)
    if path is None:
        raise Missing(f"There is no {name}: apt-get install {name}")
    return path


def variant(name: str) -> Path:
    """The build directory of another kind: below build/, or beside tools/check's own."""
    return (BUILD.parent if BUILD.parent.name == "check" else BUILD) / name


def in_background(*command: object) -> list[str]:
    """Programs that spin, several on a processor, must not starve who looks at them."""
    return ["nice", "-n", "19", *map(str, command)]


def heed_signals() -> None:
    """What a shell starts in the background ignores these, and so would the programs that tests end
    by one of them."""
    for one in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(one) == signal.SIG_IGN:
            signal.signal(one, signal.SIG_DFL)


def kill(process: subprocess.Popen[Any]) -> None:
    """One in the background. Each of its threads has to get a processor to end."""
    with contextlib.suppress(OSError):  # it has ended, or the user may not
        for lwp in os.listdir(f"/proc/{process.pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(lwp), 0)
    process.kill()


def compiled(
    program: str, build: str = "debug", *, link: tuple[str, ...] = (), compiler: str = CLANG
) -> Path:
    """The executable of a program in tests/programs; `link' makes a variant of it, and gcc's calls
    GNU's entry points. Fortran's are compiled by gcc's brother, or by FLANG."""
    makers = {"fortran_frame": functools.partial(_fortran_frame, compiler)}
    if program in FORTRAN:
        makers[program] = _of_flang if compiler == FLANG else _of_gfortran
    flags = {**BUILDS, **OTHER_BUILDS}[build] + list(link)
    key = hashlib.sha256(" ".join([program, compiler, *flags]).encode())
    for source in sorted(PROGRAMS.iterdir()):
        if source.is_file():
            key.update(source.read_bytes())
    folder = BUILD / "tests" / "programs" / key.hexdigest()[:12]
    executable = folder / program
    if not executable.exists():
        # Another worker may make the same: each works in a folder of its own.
        scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
        scratch.mkdir(parents=True, exist_ok=True)
        if program in makers:
            makers[program](program, flags, scratch)
        else:
            _of_c(program, command(compiler), flags, scratch)
        folder.mkdir(exist_ok=True)
        # What is there may run already, and a GDB that attaches would not find its file any more.
        with contextlib.suppress(FileExistsError):
            os.link(scratch / program, executable)
        shutil.rmtree(scratch)
    return executable


# How gcc links libgomp into a program: alone, or with the C library; position independent or not.
LINKED = {
    "archive": (["-fPIE"], ["-pie", "-l:libgomp.a"]),
    "archive-fixed": (["-fno-pie"], ["-no-pie", "-l:libgomp.a"]),
    "static": (["-fno-pie"], ["-fopenmp", "-static"]),
    "static-pie": (["-fPIE"], ["-fopenmp", "-static-pie"]),
    # Of another release, which is compiled otherwise.
    **{
        f"static-gcc-{release}": (["-fno-pie"], ["-fopenmp", "-static"])
        for release in (["14", "16"] if FULL else ["14"])
    },
}


def with_libgomp(program: str, how: str, folder: Path, *flags: str) -> Path:
    """A program of tests/programs with libgomp in it."""
    compiling, linking = LINKED[how]
    made, code = folder / program, folder / f"{program}.o"
    source = PROGRAMS / f"{program}.c"
    release = how.rpartition("-gcc-")[2] if "-gcc-" in how else None
    if release:
        archive = cached(f"libgomp-{release}-archive")
        linking = [f"-L{archive}", PROGRAMS / "isoc23.c", *linking]
    run(GCC, "-g", *compiling, *flags, "-fopenmp", "-c", source, "-o", code)
    run(GCC, code, *linking, "-o", made, "-pthread", "-ldl", "-lm")
    return made


def gccs_release() -> str:
    """And that of the libgomp that this machine's linker finds."""
    return run(GCC, "-dumpversion").strip().partition(".")[0]


def is_gnus(runtime: str) -> bool:
    return runtime.startswith("libgomp")


def built_for(runtime: str, program: str, build: str = "debug", *flags: str) -> Path:
    """By the compiler that the runtime comes with, and with the libc that it wants."""
    home = cached(runtime)
    loaders = [home / "libc" / "ld-linux-x86-64.so.2"] if (home / "libc").is_dir() else []
    link = tuple(f"-Wl,--dynamic-linker={one},-rpath,{home}:{one.parent}" for one in loaders)
    compiler = GCC if is_gnus(runtime) else CLANG
    return compiled(program, build, link=(*flags, *link), compiler=compiler)


def settings_of(runtime: str) -> dict[str, str]:
    """GNU's older ones begin no regions inside of others unless they are told to."""
    return {"OMP_NESTED": "true"} if is_older_gnus(runtime) else {}


def is_older_gnus(runtime: str | Path) -> bool:
    """Until GCC 10: how many levels may be active is one number for the whole program."""
    return re.search(r"libgomp-(7|9|10)\b", str(runtime)) is not None


# Programs of C's and C++'s, and what else they are made of.
WITH_PART = {"oracle": "oracle_elsewhere", "oracle_cxx": "oracle_elsewhere"}


def _of_c(program: str, compiler: str, flags: list[str], into: Path) -> None:
    source, in_c = PROGRAMS / f"{program}.c", compiler
    if not source.exists():
        source = PROGRAMS / f"{program}.cc"
        compiler = {CLANG: CLANGXX, GCC: "g++"}.get(compiler, compiler)
    openmp = [] if program == "no_openmp" else ["-fopenmp"]
    parts = []
    if program in WITH_PART:
        parts = [into / "part.o"]
        part = PROGRAMS / f"{WITH_PART[program]}.c"
        run(in_c, *flags, *openmp, "-c", part, "-o", *parts)
    run(compiler, *flags, *openmp, source, *parts, "-o", into / program, "-pthread")


def _fortran_frame(compiler: str, program: str, flags: list[str], into: Path) -> None:
    callee = into / "fortran_callee.o"
    run("gfortran", "-g", "-c", PROGRAMS / "fortran_callee.f90", "-o", callee, cwd=into)
    source = PROGRAMS / "fortran_frame.c"
    run(compiler, *flags, "-fopenmp", source, callee, "-o", into / program, "-lgfortran", "-lm")


# Programs of Fortran's, and what in C they are linked with.
FORTRAN = {
    "whole_fortran": "fortran_recorder",
    "constructs": "fortran_states",
    "passing": "fortran_events",
    "oracle_fortran": "oracle_elsewhere",
}


def _of_gfortran(program: str, flags: list[str], into: Path) -> None:
    """GNU's compilers call libgomp, and LLVM's libomp can stand in for it."""
    _of_fortran("gcc", "gfortran", program, [*flags, "-fopenmp"], into)


def _of_flang(program: str, flags: list[str], into: Path) -> None:
    """Its code may call what older runtimes do not have: found missing only when it is called."""
    link = [*flags, "-fopenmp", f"-L{cached('libomp-19')}"]
    _of_fortran(CLANG, FLANG, program, link, into)


def _of_fortran(c: str, fortran: str, program: str, flags: list[str], into: Path) -> None:
    part = into / "part.o"
    compiled = [flag for flag in flags if not flag.startswith("-L")]
    run(c, *compiled, "-c", PROGRAMS / f"{FORTRAN[program]}.c", "-o", part)
    if shutil.which(fortran) is None:
        raise Missing(f"There is no {fortran}: apt-get install {fortran.replace('-new', '')}")
    source = PROGRAMS / f"{program}.F90"
    run(fortran, *flags, source, part, "-o", into / program, cwd=into)


def installed(folder: Path) -> Path:
    """Under a prefix that everyone may read, wherever the source tree is. Returns the prefix."""
    if not (BUILD / "CMakeCache.txt").is_file():
        raise Missing(f"{BUILD} is no build directory: cmake -S . -B build")
    prefix = folder / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    run("chmod", "-R", "a+rX", prefix)
    return prefix


def under_gcc(runtime: str, folder: Path) -> Path:
    """What a program by GNU's compilers runs on: theirs, or LLVM's in its place."""
    return cached(runtime) if is_gnus(runtime) else as_libgomp(cached(runtime), folder / "lib")


def as_libgomp(runtime: Path, folder: Path) -> Path:
    """A folder where LLVM's runtime goes by the name of GNU's."""
    folder.mkdir(exist_ok=True)
    shutil.copy2(runtime / "libomp.so.5", folder)
    (folder / "libgomp.so.1").symlink_to("libomp.so.5")
    return folder
