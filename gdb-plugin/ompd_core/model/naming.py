# SPDX-License-Identifier: Apache-2.0
"""What does the user call this code? Compilers move a construct's body to a function of its own;
here its name becomes that of the function in which the user wrote the construct. What a name begins
with, or holds, is asked first: few of the patterns are needed, and compiled, in one run.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .. import late_patterns
from ..light_classes import NamedTuple

# What compilers append to the name of a function when they make another of it.
_CLONE = late_patterns.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)?|\.\d+)+$")
_DEMANGLED_CLONE = late_patterns.compile(r"\s*\[clone ([^\]]*)\]")

# For an outlined function whose name does not tell where it came from.
NAMELESS = "parallel region"
# clang until 16: .omp_outlined., .omp_outlined..2, .omp_outlined._debug__.3, .omp_task_entry..5
_NAMELESS = late_patterns.compile(
    r"\.?\.?omp_(outlined|task_entry|reduction|task_privates|task_dup).*"
)
# clang from 17: solve.omp_outlined, solve.omp_outlined_debug__, solve.omp_outlined.omp_outlined
# gcc: solve._omp_fn.0, solve._omp_cpyfn.1; flang: _QMmPsolve..omp_par.2
_NAMED = late_patterns.compile(
    r"^(.+?)\.+_?(omp_outlined|omp_fn|omp_cpyfn|omp_par|omp_task_entry)\b.*$"
)
_NAMED_DEBUG = late_patterns.compile(r"^(.+?)\.omp_outlined_debug__.*$")


# clang: the code of a target construct, by the file's device and inode, the function and the line;
# of several in a line each next one has a number.
_KERNEL = late_patterns.compile(
    r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(.+)_l(\d{1,9})(?:_(\d{1,9}))?(?:_debug__.*)?$",
    re.DOTALL,
)

# What flang records for every file's name.
_ANY_FILE = ("FIRModule", "LLVMDialectModule")


class Source(NamedTuple):
    """What the compiler recorded about a construct."""

    file: str | None  # None: flang does not record it
    function: str | None
    line: int


def parse_source(text: str | None) -> Source | None:
    """Of ";file;function;line;column;;". None also where clang wrote "unknown", for want of -g."""
    if not text or not text.startswith(";"):
        return None
    # A file's name may hold a semicolon: the fields are counted from the end.
    match = re.fullmatch(r";(.*);([^;]*);(\d{1,9});\d*;;", text, re.DOTALL)
    if not match or match.group(1) in ("", "unknown") or int(match.group(3)) == 0:
        return None
    file, function = match.group(1), match.group(2)
    return Source(
        None if file in _ANY_FILE else file,
        _plain(function) if function else None,
        int(match.group(3)),
    )


class Kernel(NamedTuple):
    """The code of a target construct."""

    function: str  # that the user wrote the construct in
    line: int
    number: int = 0  # of several constructs in that line


@lru_cache(maxsize=4096)
def kernel_of(symbol: str | None) -> Kernel | None:
    """None: it is no target construct's code."""
    if symbol is None or not symbol.startswith("__omp_offloading_"):
        return None
    found = _KERNEL.match(symbol)
    if found is None:
        return None
    return Kernel(_plain(found.group(1)), int(found.group(2)), int(found.group(3) or 0))


# clang: .gomp_critical_user_update.var; gcc: .gomp_critical_user_update, gomp_critical_user_...
_CRITICAL = late_patterns.compile(r"\.?_?gomp_critical_user_(.*?)(?:\.var)?$")


def critical_name(symbol: str) -> str | None:
    """Of a critical construct, by its variable; "" for the unnamed one; None if it is no such."""
    match = _CRITICAL.match(symbol)
    return match.group(1) if match else None


@lru_cache(maxsize=4096)
def is_outlined(symbol: str | None) -> bool:
    return symbol is not None and users_function(symbol) != _plain(symbol)


def is_nameless(symbol: str | None) -> bool:
    """Code of a construct whose name does not tell which function holds it."""
    return symbol is not None and users_function(symbol) is None


@lru_cache(maxsize=4096)
def users_function(symbol: str) -> str | None:
    """The function that holds the construct; the same name if it is no outlined one; None if the
    compiler's name does not tell."""
    kernel = kernel_of(symbol)
    if kernel is not None:
        return kernel.function
    clones, base = "", symbol.strip()
    if "[clone " in symbol:
        clones = " ".join(_DEMANGLED_CLONE.findall(symbol))
        base = _DEMANGLED_CLONE.sub("", symbol).strip()
    if "omp_" in clones or "omp_" not in base:
        return _plain(base)
    if _NAMELESS.fullmatch(base):
        return None
    match = _NAMED_DEBUG.match(base) or _NAMED.match(base)
    if match is None:
        return _plain(base)
    name = _plain(match.group(1))
    around, _, own = name.rpartition("::")
    if around and own in (around, f"{around}_"):
        return around  # GDB's name of gfortran's code of a construct in the procedure
    # flang's name of an external procedure that the user calls solve is solve_.
    return name[:-1] if is_flangs(base) and name.endswith("_") else name


def is_flangs(symbol: str | None) -> bool:
    """Code of a construct, outlined by LLVM's OpenMPIRBuilder, which only flang uses."""
    return symbol is not None and ".omp_par" in symbol


def without_parameters(name: str) -> str:
    """Of a C++ function: their values are shown instead."""
    base = re.sub(r"(\s*\b(const|volatile|noexcept)|\s*&{1,2})+$", "", name)
    if not base.endswith(")"):
        return name
    depth = 0
    for at in range(len(base) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(base[at], 0)
        if depth == 0:
            break
    if depth or at == 0 or base[:at].endswith("operator"):
        return name
    return base[:at].rstrip()


_BRACKETS = late_patterns.compile(r"<[^<>()]*>|\([^<>()]*\)|\{[^{}<>()]*\}")


@lru_cache(maxsize=4096)
def is_cxx_librarys(function: str) -> bool:
    """Of namespace std, which belongs to the C++ library, by a name that may begin with the type of
    what it returns: void std::__atomic_wait<int, f()::{lambda()#1}>(int const*)."""
    if "std::" not in function:
        return False
    before, name = "", without_parameters(function)
    while name != before:
        before, name = name, _BRACKETS.sub("", name)
    return name.rpartition(" ")[2].startswith("std::")


_FORTRAN = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18")


def is_fortran(file: str | None) -> bool:
    return file is not None and file.lower().endswith(_FORTRAN)


def library_function(name: str | None) -> str | None:
    """As its callers write it: the GNU C library's own name of usleep is __GI_usleep."""
    return name[len("__GI_") :].lstrip("_") if name and name.startswith("__GI_") else name


def _plain(name: str) -> str:
    """Fortran's names as the user wrote them, and no suffixes of the optimizer."""
    return of_fortran(_CLONE.sub("", name) or name if "." in name else name)


MAIN_PROGRAM = "main program"
_MAINS = ("MAIN__", "_QQmain")
_GNU_MODULE = late_patterns.compile(r"__([a-z]\w*?)_MOD_(\w+)")
# A procedure or a variable: modules, submodules and procedures around it, and its own name.
_FLANGS = late_patterns.compile(r"_Q((?:[MSF][a-z0-9_]*)*)(?:B\d+)*[PE]([a-z0-9_.]+)")


@lru_cache(maxsize=4096)
def of_fortran(name: str) -> str:
    """A procedure's or a variable's name as GDB spells it, which names what is directly around it;
    the main program, whose name flang does not record, is called so. Other names stay."""
    if name in _MAINS:
        return MAIN_PROGRAM
    around, _, own = name.rpartition("::")
    if around in _MAINS:
        return own
    if own in _MAINS:
        return around
    match = _GNU_MODULE.fullmatch(own) if "_MOD_" in own else None
    if match:
        return f"{match.group(1)}::{match.group(2)}"
    match = _FLANGS.fullmatch(name) if name.startswith("_Q") else None
    if match is None:
        return name
    scopes = re.findall(r"[A-Z][a-z0-9_]*", match.group(1))
    inner = [scope for scope in scopes if scope.startswith("F")][-1:] or scopes
    return "::".join([scope[1:] for scope in inner if scope[1:]] + [match.group(2)])


# __GI___libc_read without its __GI_
_SYSTEMS_OWN = late_patterns.compile(r"__+(?:libc_)?([a-z]\w*)")


def system_name(name: str) -> str:
    """__GI___libc_read, as the C library's debug information has it, is read."""
    name = name[len("__GI_") :] if name.startswith("__GI_") else name
    found = _SYSTEMS_OWN.fullmatch(name) if name.startswith("__") else None
    return found.group(1) if found else name
