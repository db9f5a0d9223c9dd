# SPDX-License-Identifier: Apache-2.0
"""What does the user call this code? Compilers move a construct's body to a function of its own;
here its name becomes that of the function in which the user wrote the construct.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# What compilers append to the name of a function when they make another of it.
_CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm)(\.\d+)?|\.\d+)+$")
_DEMANGLED_CLONE = re.compile(r"\s*\[clone ([^\]]*)\]")

# clang until 16: .omp_outlined., .omp_outlined..2, .omp_outlined._debug__.3, .omp_task_entry..5
_NAMELESS = re.compile(r"\.?\.?omp_(outlined|task_entry|reduction|task_privates|task_dup).*")
# clang from 17: solve.omp_outlined, solve.omp_outlined_debug__, solve.omp_outlined.omp_outlined
# gcc: solve._omp_fn.0, solve._omp_cpyfn.1; flang: _QMmPsolve..omp_par.2
_NAMED = re.compile(r"^(.+?)\.+_?(omp_outlined|omp_fn|omp_cpyfn|omp_par|omp_task_entry)\b.*$")
_NAMED_DEBUG = re.compile(r"^(.+?)\.omp_outlined_debug__.*$")


@dataclass(frozen=True)
class Source:
    """What the compiler recorded about a construct."""

    file: str
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
    function = match.group(2)
    return Source(match.group(1), _plain(function) if function else None, int(match.group(3)))


# clang: .gomp_critical_user_update.var; gcc: .gomp_critical_user_update, gomp_critical_user_...
_CRITICAL = re.compile(r"\.?_?gomp_critical_user_(.*?)(?:\.var)?$")


def critical_name(symbol: str) -> str | None:
    """Of a critical construct, by its variable; "" for the unnamed one; None if it is no such."""
    match = _CRITICAL.match(symbol)
    return match.group(1) if match else None


def is_outlined(symbol: str | None) -> bool:
    return symbol is not None and users_function(symbol) != _plain(symbol)


def users_function(symbol: str) -> str | None:
    """The function that holds the construct; the same name if it is no outlined one; None if the
    compiler's name does not tell."""
    clones = " ".join(_DEMANGLED_CLONE.findall(symbol))
    base = _DEMANGLED_CLONE.sub("", symbol).strip()
    if "omp_" in clones:
        return _plain(base)
    if _NAMELESS.fullmatch(base):
        return None
    match = _NAMED_DEBUG.match(base) or _NAMED.match(base)
    return _plain(match.group(1) if match else base)


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


_FORTRAN = (".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18")


def is_fortran(file: str | None) -> bool:
    return file is not None and file.lower().endswith(_FORTRAN)


def library_function(name: str | None) -> str | None:
    """As its callers write it: the GNU C library's own name of usleep is __GI_usleep."""
    return name[len("__GI_") :].lstrip("_") if name and name.startswith("__GI_") else name


def _plain(name: str) -> str:
    """Fortran's names as the user wrote them, and no suffixes of the optimizer."""
    name = _CLONE.sub("", name) or name
    if name in ("MAIN__", "_QQmain"):
        return "main program"
    if name.endswith("::MAIN__"):
        return name[: -len("::MAIN__")]
    match = re.fullmatch(r"__(\w+?)_MOD_(\w+)", name)
    if match:
        return f"{match.group(1)}::{match.group(2)}"
    match = re.fullmatch(r"_Q(?:M(\w+?))?P(\w+)", name)
    if match:
        return f"{match.group(1)}::{match.group(2)}" if match.group(1) else match.group(2)
    return name


def system_name(name: str) -> str:
    """__GI___libc_read, as the C library's debug information has it, is read."""
    name = name[len("__GI_") :] if name.startswith("__GI_") else name
    found = re.fullmatch(r"__+(?:libc_)?([a-z]\w*)", name)
    return found.group(1) if found else name
