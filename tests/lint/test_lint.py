# SPDX-License-Identifier: Apache-2.0
"""Do the dependencies point the right way, and is nothing used that the project does without?

Each rule is a function of a file's path and text. `test_rules_hold` applies all of them to the
tree, `test_rule_sees_a_violation` to a file that breaks each.
"""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path, PurePosixPath
from typing import Callable, Iterator

import pytest

TREE = Path(__file__).resolve().parents[2]
C_SUFFIXES = (".c", ".h", ".def", ".inc")
SOURCE_SUFFIXES = C_SUFFIXES + (".cc", ".f90", ".F90", ".py", ".cmake", ".in", ".map")
CORE = "gdb-plugin/ompd_core/"
ADAPTER = "gdb-plugin/ompd_gdb/"
SHELL = "gdb-plugin/ompd_cli/"


# ---- libompd -------------------------------------------------------------------------------------

# The nouns that all layers speak of.
NOUNS = ("ompd.h", "ompd-ext.h", "library.h", "handle.h", "handle_table.h", "address_space.h")
# The questions, and what they are about.
QUESTIONS = ("runtime/runtime.h", "runtime/entity.h", "runtime/icv.h", "runtime/icv.def")
# How a runtime is found and opened, whichever it is.
OPENING = ("opening/find.h", "opening/images.h", "opening/open.h")
# What the host knows of devices, whichever runtime there is.
OFFLOAD = ("offload/offload.h",)
# What api/ needs of the debugger that is no byte of the target.
BESIDE_BYTES = (
    "target/callbacks.h",
    "target/image_symbols.h",
    "target/limits.h",
    "target/link_map.h",
    "target/text.h",
    "target/vector.h",
)

# By folder, the longest prefix first: what may be included, a folder's name ending in a slash. *:
# any one folder, and the same one.
C_LAYERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("libompd/target/", ("target/", "ompd.h", "ompd-ext.h")),
    ("libompd/runtime/common/", ("runtime/common/", "target/", "ompd.h", "ompd-ext.h")),
    ("libompd/runtime/*/", ("runtime/*/", "runtime/common/", "target/", *QUESTIONS, *NOUNS)),
    ("libompd/runtime/", ("target/", "ompd.h", "ompd-ext.h", *QUESTIONS)),
    # Pure functions of names and facts: no byte of the target, no call of the debugger.
    ("libompd/inference/", ("inference/", "ompd.h", "ompd-ext.h")),
    # Another library than the runtimes: of their folders only what is no one's own.
    ("libompd/offload/", ("offload/", "runtime/common/", "target/", *NOUNS)),
    ("libompd/opening/", ("opening/", "target/", *QUESTIONS, *NOUNS)),
    (
        "libompd/api/",
        ("api/", "inference/", *OPENING, *OFFLOAD, "snapshot.h", *QUESTIONS, *NOUNS, *BESIDE_BYTES),
    ),
    ("libompd/", ("target/", "snapshot.h", *QUESTIONS, *NOUNS)),
    # The sampler: a process of its own. What it knows of OpenMP it asks libompd.
    ("sampler/base/", ("base/",)),
    ("sampler/unwind/", ("unwind/", "base/")),
    ("sampler/target/", ("target/", "unwind/", "base/")),
    ("sampler/names/", ("names/", "target/", "base/")),
    (
        "sampler/clock/",
        ("clock/", "target/memory.h", "target/process.h", "unwind/machine.h", "base/"),
    ),
    ("sampler/threads/", ("threads/", "target/", "base/")),
    ("sampler/python/", ("python/", "names/", "target/", "unwind/", "base/")),
    (
        "sampler/inference/",
        ("inference/", "python/", "threads/", "names/", "target/", "unwind/", "base/"),
    ),
    ("sampler/record/", ("record/", "inference/", "threads/", "names/", "target/", "base/")),
    (
        "sampler/run/",
        (
            *("run/", "record/", "inference/", "python/", "threads/", "clock/"),
            *("names/", "target/", "unwind/", "base/"),
        ),
    ),
    ("sampler/", ("run/", "base/")),
    ("include/ompd-ext.h", ("ompd.h",)),
    ("include/", ()),
)

BANNED_CALLS = frozenset(
    "malloc calloc realloc free printf fprintf vprintf vfprintf puts putchar sprintf snprintf"
    " vsprintf vsnprintf strcpy strcat strdup abort exit _exit assert".split()
)


def without_comments(text: str) -> str:
    """C without its comments; strings stay, and so do line numbers."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)

    def kept(match: re.Match[str]) -> str:
        found = match.group()
        return found if found.startswith('"') else "\n" * found.count("\n")

    return token.sub(kept, text)


def without_strings(text: str) -> str:
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', without_comments(text))


def numbered(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1)


def in_libompd(path: str) -> bool:
    return path.startswith("libompd/") and path.endswith(C_SUFFIXES)


def c_layer(path: str) -> tuple[str, ...]:
    for folder, names in C_LAYERS:
        fits = re.match(folder.replace("*", "([^/]+)"), path)
        if fits is not None:
            return tuple(name.replace("*", "".join(fits.groups())) for name in names)
    raise AssertionError(path)


def c_includes(path: str, text: str) -> Iterator[str]:
    """Includes point from api/ through runtime/ to target/."""
    if not path.endswith(C_SUFFIXES) or not path.startswith(("libompd/", "include/", "sampler/")):
        return
    allowed = c_layer(path)
    for line, name in numbered(r'^\s*#\s*include\s+"([^"]+)"', without_comments(text)):
        fits = any(name == a or (a.endswith("/") and name.startswith(a)) for a in allowed)
        if not fits:
            yield f"{path}:{line}: must not include {name}"


def c_calls(path: str, text: str) -> Iterator[str]:
    """All memory comes from the debugger, and all text goes to it."""
    if not in_libompd(path):
        return
    for line, name in numbered(r"(?<![\w.>])([a-z_]+)\s*\(", without_strings(text)):
        if name in BANNED_CALLS:
            yield f"{path}:{line}: must not call {name}"


def c_headers(path: str, text: str) -> Iterator[str]:
    """No stdio, no allocator, no signals: a debugger's process is not ours."""
    if not in_libompd(path):
        return
    allowed = ("limits.h", "stdbool.h", "stddef.h", "stdint.h", "string.h", "inttypes.h", "elf.h")
    for line, name in numbered(r"^\s*#\s*include\s+<([^>]+)>", without_comments(text)):
        if name not in allowed:
            yield f"{path}:{line}: must not include <{name}>"


def c_runtime_names(path: str, text: str) -> Iterator[str]:
    """What is special to a runtime stays in its folder; target/ has not heard of OpenMP."""
    if path.startswith("libompd/api/"):
        pattern = r"(?i)\b((?:__)?kmp\w*|\w*(?:iomp|goacc)\w*|gomp_\w*)"
    elif path.startswith("libompd/target/"):
        # The texts of the diagnostics are for people, and name what was looked for.
        if path.endswith(".def"):
            return
        pattern = r"(?i)\b(\w*(?:kmp|gomp|iomp|libomp(?!d))\w*|omp_\w*)"
    else:
        return
    for line, name in numbered(pattern, without_comments(text)):
        yield f"{path}:{line}: must not know {name}"


def c_callbacks(path: str, text: str) -> Iterator[str]:
    """The callbacks have one user; api/library.c hands them over."""
    users = ("libompd/target/callbacks.c", "libompd/target/callbacks.h", "libompd/api/library.c")
    if in_libompd(path) and path not in users:
        for line, name in numbered(r"\b(ompd_callbacks_t|callbacks_use)\b", without_strings(text)):
            yield f"{path}:{line}: {name} belongs into target/callbacks.c"


def c_routines(path: str, text: str) -> Iterator[str]:
    """What the debugger calls is defined in api/, and nothing else is exported."""
    if path == "libompd/libompd.map":
        exported = re.findall(r"^\s*(\S+);", text.partition("local:")[0], re.MULTILINE)
        for name in exported:
            if name not in ("ompd_*", "ompdx_*"):
                yield f"{path}: must not export {name}"
        if not re.search(r"local:\s*\*;", text):
            yield f"{path}: everything else must be local"
    elif in_libompd(path) and path.endswith(".c") and not path.startswith("libompd/api/"):
        pattern = r"^(?!static\b)\w[\w \t*]*?\b(ompdx?_\w+)\([^;{]*\)\s*\{"
        for line, name in numbered(pattern, without_strings(text)):
            yield f"{path}:{line}: {name} belongs into api/"


# ---- The plugin ----------------------------------------------------------------------------------

# By module or folder (its name ends in a dot), the first that fits: which of ours may be imported.
PYTHON_LAYERS: dict[str, tuple[str, ...]] = {
    # Knows no debugger.
    "ompd_core.errors": (),
    "ompd_core.files": (),
    "ompd_core.signals": (),
    "ompd_core.source_tree": (),
    "ompd_core.code.": ("ompd_core.code.",),
    "ompd_core.arch.": ("ompd_core.arch.", "ompd_core.code.", "ompd_core.errors"),
    "ompd_core.abi.": ("ompd_core.abi.",),
    "ompd_core.runtimes.": ("ompd_core.runtimes.", "ompd_core.abi."),
    "ompd_core.formats.untold_code": ("ompd_core.formats.", "ompd_core.abi.", "ompd_core.arch."),
    "ompd_core.formats.": ("ompd_core.formats.", "ompd_core.errors", "ompd_core.signals"),
    "ompd_core.cpython.": ("ompd_core.cpython.", "ompd_core.errors"),
    "ompd_core.light_classes": (),
    "ompd_core.late_patterns": (),
    "ompd_core.library.types": (),
    "ompd_core.library.": (
        "ompd_core.library.",
        "ompd_core.formats.elf",
        "ompd_core.formats.images",
        "ompd_core.errors",
        "ompd_core.source_tree",
    ),
    "ompd_core.model.": (
        "ompd_core.model.",
        "ompd_core.signals",
        "ompd_core.library.types",
        "ompd_core.runtimes.",
        "ompd_core.abi.",
        "ompd_core.code.",
        "ompd_core.errors",
    ),
    "ompd_core.debugger": (
        "ompd_core.model.native",
        "ompd_core.model.standstill",
        "ompd_core.signals",
        "ompd_core.library.callbacks",
        "ompd_core.formats.",
        "ompd_core.arch.base",
        "ompd_core.code.futex",
    ),
    "ompd_core.snapshot.": (
        "ompd_core.snapshot.",
        "ompd_core.cpython.",
        "ompd_core.debugger",
        "ompd_core.model.",
        "ompd_core.library.",
        "ompd_core.formats.",
        "ompd_core.runtimes.",
        "ompd_core.abi.",
        "ompd_core.arch.base",
        "ompd_core.code.",
        "ompd_core.signals",
        "ompd_core.errors",
    ),
    # Of what a sampler wrote: neither a debugger nor a snapshot is there.
    "ompd_core.recording.": (
        "ompd_core.recording.",
        "ompd_core.model.naming",
        "ompd_core.model.python_files",
        "ompd_core.model.states",
        "ompd_core.model.thread_starts",
        "ompd_core.errors",
    ),
    # Types of what the views write. They are not loaded while it runs: see python_types.
    "ompd_core.documents.": ("ompd_core.documents.",),
    "ompd_core.views.": (
        "ompd_core.views.",
        "ompd_core.signals",
        "ompd_core.recording.",
        "ompd_core.documents.",
        "ompd_core.model.",
        "ompd_core.code.refusal",
        "ompd_core.runtimes.",
        "ompd_core.errors",
    ),
    # GDB.
    "ompd_gdb.target.": (
        "ompd_gdb.target.",
        "ompd_core.debugger",
        "ompd_core.signals",
        "ompd_core.model.",
        "ompd_core.runtimes.",
        "ompd_core.abi.",
        "ompd_core.arch.",
        "ompd_core.code.",
        "ompd_core.formats.",
        "ompd_core.library.images",
        "ompd_core.errors",
    ),
    "ompd_gdb.picture": ("ompd_gdb.target.", "ompd_core.snapshot.", "ompd_core.model."),
    "ompd_gdb.before_attach": (
        "ompd_gdb.session",
        "ompd_gdb.target.machines",
        "ompd_gdb.target.memory",
        "ompd_core.formats.",
        "ompd_core.errors",
    ),
    "ompd_gdb.settings": (),
    "ompd_gdb.texts": ("ompd_core.views.terminal",),
    "ompd_gdb.thread_names_setting": ("ompd_gdb.thread_names",),
    "ompd_gdb.session": (
        "ompd_gdb.picture",
        "ompd_gdb.settings",
        "ompd_gdb.target.",
        "ompd_core.snapshot.",
        "ompd_core.library.",
        "ompd_core.formats.images",
        "ompd_core.debugger",
        "ompd_core.model.",
        "ompd_core.runtimes.",
        "ompd_core.errors",
    ),
    "ompd_gdb.second_look": (
        "ompd_core.formats.free_memory",
        "ompd_gdb.session",
        "ompd_gdb.target.",
        "ompd_core.snapshot.",
        "ompd_core.model.",
        "ompd_core.library.library",
        "ompd_core.errors",
    ),
    "ompd_gdb.breakpoints": (
        "ompd_gdb.session",
        "ompd_gdb.target.",
        "ompd_core.views.",
        "ompd_core.model.",
        "ompd_core.formats.symbols",
        "ompd_core.library.library",
        "ompd_core.runtimes.",
        "ompd_core.errors",
    ),
    "ompd_gdb.thread_names": (
        "ompd_gdb.session",
        "ompd_gdb.target.",
        "ompd_core.library.library",
        "ompd_core.errors",
    ),
    "ompd_gdb.functions": ("ompd_gdb.session", "ompd_core.library.library", "ompd_core.errors"),
    "ompd_gdb.state_tracking": (
        "ompd_gdb.session",
        "ompd_core.library.library",
        "ompd_core.errors",
    ),
    "ompd_gdb.frames.": (
        "ompd_gdb.frames.",
        "ompd_gdb.session",
        "ompd_gdb.settings",
        "ompd_gdb.target.",
        "ompd_core.debugger",
        "ompd_core.model.",
        "ompd_core.formats.untold_code",
        "ompd_core.library.library",
        "ompd_core.runtimes.",
        "ompd_core.abi.",
        "ompd_core.errors",
    ),
    "ompd_gdb.commands.": (
        "ompd_gdb.commands.",
        "ompd_gdb.session",
        "ompd_gdb.picture",
        "ompd_gdb.breakpoints",
        "ompd_gdb.target.inferior_calls",
        "ompd_core.views.",
        "ompd_core.model.",
        "ompd_core.snapshot.",
        "ompd_core.library.library",
        "ompd_core.files",
        "ompd_core.errors",
    ),
    "ompd_gdb.mi.": ("ompd_gdb.mi.", "ompd_gdb.commands.", "ompd_core.views."),
    # The shell. What runs in a GDB of its own is one file of it.
    "ompd_cli.guardian": (),
    "ompd_cli.wrapper": (),
    "ompd_cli.waking": ("ompd_cli.guardian",),
    "ompd_cli.inside": (
        "ompd_gdb.before_attach",
        "ompd_gdb.commands.",
        "ompd_gdb.second_look",
        "ompd_gdb.target.endings",
        "ompd_gdb.commands.output",
        "ompd_core.views.table",
        "ompd_cli.guardian",
        "ompd_cli.outcome",
        "ompd_cli.waking",
    ),
    # Before there is a GDB, libompd lists a core file's images.
    "ompd_cli.libraries": (
        "ompd_cli.debug_files",
        "ompd_cli.images",
        "ompd_cli.search",
        "ompd_core.formats.",
        "ompd_core.library.",
        "ompd_core.errors",
    ),
    "ompd_cli.": (
        "ompd_cli.",
        "ompd_core.arch.",
        "ompd_core.formats.",
        "ompd_core.recording.",
        "ompd_core.views.",
        "ompd_core.model.job",
        "ompd_core.model.job_parts",
        "ompd_core.model.members",
        "ompd_core.model.rank_reports",
        "ompd_core.library.search",
        "ompd_core.files",
        "ompd_core.errors",
        "ompd_core.source_tree",
    ),
}
PACKAGES = ("ompd_core", "ompd_gdb", "ompd_cli")
GDB_USERS = ("ompd_gdb.", "ompd_cli.inside")
CTYPES_USERS = ("ompd_core.library.capi", "ompd_gdb.target.same_memory")
# Instead of the standard library's, for everybody.
LIGHT_CLASSES, LATE_PATTERNS = "ompd_core.light_classes", "ompd_core.late_patterns"
# Who alone makes text of what GDB calls things, for all that know GDB.
TEXTS = "ompd_gdb.texts"
# Who may speak of registers by their names, and of runtimes by the names of what they define.
MACHINES = ("ompd_core.arch.", "ompd_gdb.target.machines")
RUNTIMES = ("ompd_core.abi.", "ompd_core.runtimes.", "ompd_core.model.naming")


def module_of(path: str) -> str | None:
    """gdb-plugin/ompd_core/model/ids.py is ompd_core.model.ids, and model/__init__.py is
    ompd_core.model. (a folder). None: of none of the packages."""
    if not path.startswith("gdb-plugin/ompd") or not path.endswith(".py") or path.count("/") < 2:
        return None
    name = path[len("gdb-plugin/") : -len(".py")].replace("/", ".")
    return name[: -len("__init__")] if name.endswith("__init__") else name


def imports(module: str, text: str) -> Iterator[tuple[int, str]]:
    """Modules that are imported, at the top or inside a function: `gdb`, `ompd_core.model.ids`."""
    package = module.split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - (node.level - 1)] if node.level else []
            inside = [*base, *(node.module or "").split(".")] if node.module else base
            for alias in node.names:
                whole = ".".join([*inside, alias.name])
                yield node.lineno, whole if is_module(whole) else ".".join(inside)


def is_module(name: str) -> bool:
    at = TREE / "gdb-plugin" / name.replace(".", "/")
    return name.split(".")[0] in PACKAGES and (at.with_suffix(".py").is_file() or at.is_dir())


def within(module: str, allowed: tuple[str, ...]) -> bool:
    folder = f"{module}."
    return any(
        module == a or (a.endswith(".") and (module.startswith(a) or folder == a)) for a in allowed
    )


def python_imports(path: str, text: str) -> Iterator[str]:
    """commands/ -> snapshot/, views/ -> model/, and only the outer ring knows GDB."""
    module = module_of(path)
    if module is None or module in [f"{package}." for package in PACKAGES]:
        return
    layer = next((name for name in PYTHON_LAYERS if within(module.rstrip("."), (name,))), None)
    if layer is None:
        yield f"{path}: is in no layer; add it to PYTHON_LAYERS"
        return
    for line, name in imports(module, text):
        if name == "gdb" or name.startswith("gdb."):
            bad = not within(module.rstrip("."), GDB_USERS)
        elif name == "ctypes" or name.startswith("ctypes."):
            bad = module not in CTYPES_USERS
        elif name == "dataclasses":
            bad = module != LIGHT_CLASSES
        else:
            allowed = (LIGHT_CLASSES, LATE_PATTERNS, *PYTHON_LAYERS[layer])
            allowed += (TEXTS,) if within(module.rstrip("."), GDB_USERS) else ()
            bad = name.split(".")[0] in PACKAGES and not within(name, allowed)
        if bad:
            yield f"{path}:{line}: must not import {name}"


def python_loading(path: str, text: str) -> Iterator[str]:
    """What takes long to load, and is to be had for less."""
    module = module_of(path)
    # What is read when GDB begins imports nothing of ours.
    if module in (None, LIGHT_CLASSES, LATE_PATTERNS, "ompd_gdb.target.unwinder"):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == "typing":
            if any(alias.name == "NamedTuple" for alias in node.names):
                yield f"{path}:{node.lineno}: must not import typing's; use {LIGHT_CLASSES}"
        elif isinstance(node, ast.Attribute) and node.attr == "compile":
            if isinstance(node.value, ast.Name) and node.value.id == "re":
                yield f"{path}:{node.lineno}: must not compile yet; use {LATE_PATTERNS}"


def python_texts(path: str, text: str) -> Iterator[str]:
    """GDB raises where a name has other bytes than the host's character set."""
    module = module_of(path)
    if module is None or module == TEXTS or not within(module.rstrip("."), GDB_USERS):
        return
    for node in ast.walk(ast.parse(text)):
        # A name may be given to a thread.
        if isinstance(node, ast.Attribute) and type(node.ctx) is ast.Load and not may_name(node):
            yield f"{path}:{node.lineno}: must not ask GDB for {node.attr}; ask {TEXTS}"
        elif isinstance(node, ast.keyword) and node.arg == "to_string":
            yield f"{path}:{node.lineno}: must not ask GDB for what it prints; ask {TEXTS}"


GDB_TEXTS = "filename fullname solib_name linkage_name print_name format_string".split()
NAMED_BY_GDB = "block field frame function kind newest_frame selected_frame symbol thread".split()


def may_name(node: ast.Attribute) -> bool:
    of = getattr(node.value, "func", node.value)
    owner = getattr(of, "attr", getattr(of, "id", ""))
    if node.attr == "name":
        return owner not in NAMED_BY_GDB
    return node.attr not in GDB_TEXTS or owner in ("texts", "super", "error")


def python_evaluation(path: str, text: str) -> Iterator[str]:
    """Expressions may call functions in the program: one place decides whether they do."""
    module = module_of(path)
    # Registers and $_siginfo call nothing.
    if module in ("ompd_gdb.target.inferior_calls", MACHINES[1], "ompd_cli.inside"):
        return
    for node in ast.walk(ast.parse(text) if module is not None else ast.Module([], [])):
        if isinstance(node, ast.Attribute) and node.attr == "parse_and_eval":
            yield f"{path}:{node.lineno}: must not evaluate; ask ompd_gdb.target.inferior_calls"


def python_registry(path: str, text: str) -> Iterator[str]:
    """No interface, runtime or machine is imported by its name: their registries are asked."""
    module = module_of(path)
    if module is None:
        return
    for line, name in imports(module, text):
        folder, _, one = name.rpartition(".")
        known = (
            folder in ("ompd_core.abi", "ompd_core.runtimes", "ompd_core.arch") and one != "base"
        )
        known = known or name.startswith(("ompd_core.arch.x", "ompd_core.arch.a"))
        if known and not module.startswith(f"{folder}."):
            yield f"{path}:{line}: must not import {name}; ask {folder}"


def python_types(path: str, text: str) -> Iterator[str]:
    """What is for mypy alone is not loaded: GDB's Python may be too old for it."""
    module = module_of(path)
    if module is None or module.startswith("ompd_core.documents."):
        return
    told = {
        node
        for block in ast.walk(ast.parse(text))
        if isinstance(block, ast.If) and getattr(block.test, "id", None) == "TYPE_CHECKING"
        for node in range(block.lineno, (block.end_lineno or block.lineno) + 1)
    }
    for line, name in imports(module, text):
        if line not in told and name.startswith(("ompd_core.documents", "typing_extensions")):
            yield f"{path}:{line}: must not import {name} but for TYPE_CHECKING"


def python_registers(path: str, text: str) -> Iterator[str]:
    """Another machine is another folder of arch/."""
    module = module_of(path)
    if module is None or within(module.rstrip("."), MACHINES):
        return
    pattern = r"\b(read_register|fs_base|r[abcd]x|r[sd]i|r[sb]p|i386\w*|[xX]86_64|x86_64\w*"
    pattern += r"|tpidr|pauth\w*)\b"
    for line, name in numbered(pattern, text):
        yield f"{path}:{line}: {name} belongs into arch/"


def python_runtime_names(path: str, text: str) -> Iterator[str]:
    """What compilers call is in abi/, what is special to a runtime in runtimes/. Comments and
    documentation may tell of them."""
    module = module_of(path)
    if module is None or within(module.rstrip("."), RUNTIMES):
        return
    nodes = list(ast.walk(ast.parse(text)))
    told = [
        node.body[0].value
        for node in nodes
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    ]
    for node in nodes:
        if isinstance(node, ast.Constant) and node not in told:
            value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            met = re.search(r"__kmp\w*|\b(GOMP|gomp)_\w+|\blib[gi]?omp5?\b", str(value))
            if met:
                yield f"{path}:{node.lineno}: must not know {met.group()}"


# ---- All files -----------------------------------------------------------------------------------

SPDX = "SPDX-License-Identifier: Apache-2.0"
# Namespaces that documents name and nobody fetches.
HOSTS = ("www.apache.org", "json-schema.org", "www.speedscope.app", "www.debian.org")


def is_source(path: str, text: str) -> bool:
    return (
        path.endswith(SOURCE_SUFFIXES)
        or PurePosixPath(path).name == "CMakeLists.txt"
        or text.startswith("#!")
    )


def license_line(path: str, text: str) -> Iterator[str]:
    """Every source file says its license in its first lines."""
    # A version script, a config template, CI's two lines: nothing of their own to license.
    if path.endswith((".map", ".in")) or path.startswith(".ci/"):
        return
    if is_source(path, text) and SPDX not in "\n".join(text.splitlines()[:3]):
        yield f"{path}:1: has no line `{SPDX}'"


def machine_paths(path: str, text: str) -> Iterator[str]:
    """The project is the same on every machine."""
    # /home/user is nobody's: what the fakes say.
    pattern = r"(?<![\w.$}/*])(/(?:root|work|home(?!/user\b))/[\w.]+|/tmp/s/)"
    for line, name in numbered(pattern, text):
        yield f"{path}:{line}: {name} is a path of one machine"


def hosts(path: str, text: str) -> Iterator[str]:
    """Packages come from where the machine's own package manager gets them."""
    pattern = r"\b((?:deb|snapshot|archive|security|ftp|apt)\.[a-z]+\.(?:org|com|net))\b"
    for line, name in numbered(pattern, text):
        yield f"{path}:{line}: {name} is an archive's host"
    for line, name in numbered(r"\b(?:https?|ftp)://([\w.-]+\w)", text):
        if name not in HOSTS:
            yield f"{path}:{line}: {name} is a host that nothing here needs"


def documented_paths(path: str, text: str) -> Iterator[str]:
    """What a document names is there, and a suite has one row."""
    if not path.endswith(".md") or path == "CHANGELOG.md":
        return
    for line, name in numbered(r"`((?:tests|tools|docs|cmake)/[\w./-]*\w)`", text):
        if "NAME" not in name and not (TREE / name).exists():
            yield f"{path}:{line}: there is no {name}"
    rows = re.findall(r"^\| (`tests/\w+`) \|", text, flags=re.MULTILINE)
    for name in sorted(set(rows)):
        if rows.count(name) > 1:
            yield f"{path}: {name} has {rows.count(name)} rows"


# What users read.
USERS_READ = (
    "README.md",
    "CHANGELOG.md",
    "docs/install.md",
    "docs/tutorial.md",
    "docs/performance.md",
    "docs/releases.md",
    "docs/post-mortem.md",
    "docs/jobs.md",
    "docs/containers.md",
)
README_LINES = 120


def users_documents(path: str, text: str) -> Iterator[str]:
    """They are read in a terminal too, and the first one before it is known to be worth it. What
    commands print is as it is."""
    if path not in USERS_READ:
        return
    lines = text.splitlines()
    if path == "README.md" and len(lines) > README_LINES:
        yield f"{path}: has {len(lines)} lines"
    printed = False
    for number, line in enumerate(lines, 1):
        printed ^= line.startswith("```")
        if len(line) > 100 and not printed:
            yield f"{path}:{number}: has {len(line)} columns"


def users_requirements(path: str, text: str) -> Iterator[str]:
    """What building needs is what CMake refuses to go without."""
    if path not in ("README.md", "CHANGELOG.md"):
        return
    cmake = (TREE / "CMakeLists.txt").read_text(encoding="utf-8")
    (needed,) = re.findall(r"^cmake_minimum_required\(VERSION ([\d.]+)\)", cmake, re.MULTILINE)
    for line, told in numbered(r"CMake (\d[\d.]*\d)", text):
        if told != needed:
            yield f"{path}:{line}: CMake {told}, and CMakeLists.txt wants {needed}"


ARCHITECTURE = "docs/architecture.md"
# What the names of files in it are relative to, beside the tree.
HOMES = ("gdb-plugin", "gdb-plugin/ompd_core/model/logical_stack", "libompd")


def architecture_files(path: str, text: str) -> Iterator[str]:
    """The way through the code that it tells of leads along files that are there."""
    if path != ARCHITECTURE:
        return
    for line, name in numbered(r"`([\w./-]+\.(?:py|c|h|def|inc))`", text):
        homes = ("", *HOMES)
        if "NAME" not in name and not any((TREE / home / name).is_file() for home in homes):
            yield f"{path}:{line}: there is no {name}"


def architecture_folders(path: str, text: str) -> Iterator[str]:
    """It says of each part of the plugin's core what it knows."""
    if path != ARCHITECTURE:
        return
    for folder in sorted((TREE / CORE).iterdir()):
        if (folder / "__init__.py").is_file() and f"| `ompd_core/{folder.name}/` |" not in text:
            yield f"{path}: does not tell of ompd_core/{folder.name}/"


RULES: tuple[Callable[[str, str], Iterator[str]], ...] = (
    c_includes,
    c_calls,
    c_headers,
    c_runtime_names,
    c_callbacks,
    c_routines,
    python_imports,
    python_loading,
    python_texts,
    python_evaluation,
    python_registry,
    python_types,
    python_registers,
    python_runtime_names,
    license_line,
    machine_paths,
    hosts,
    documented_paths,
    users_documents,
    users_requirements,
    architecture_files,
    architecture_folders,
)


def tracked() -> list[tuple[str, str]]:
    """The files that git knows, and those that it would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TREE,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout.split("\0")
    found = []
    for name in sorted(set(listed) - {""}):
        # This file holds what the others must not.
        if (TREE / name).is_file() and (TREE / name) != Path(__file__).resolve():
            try:
                found.append((name, (TREE / name).read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                pass  # no text: a core file or a picture
    return found


@pytest.fixture(scope="module")
def files() -> list[tuple[str, str]]:
    return tracked()


def test_all_parts_are_seen(files: list[tuple[str, str]]) -> None:
    """An empty list would break no rule."""
    names = [name for name, _ in files]
    for part in (
        "libompd/api/",
        "libompd/inference/",
        "libompd/offload/",
        "libompd/runtime/llvm/",
        "libompd/target/",
        CORE + "model/",
        ADAPTER,
        SHELL,
    ):
        assert any(name.startswith(part) for name in names), f"no file of {part} is looked at"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rules_hold(
    rule: Callable[[str, str], Iterator[str]], files: list[tuple[str, str]]
) -> None:
    broken = [problem for name, text in files for problem in rule(name, text)]
    assert not broken, "\n" + (rule.__doc__ or "") + "\n" + "\n".join(broken)


VIOLATIONS = [
    (c_includes, "libompd/api/task.c", '#include "runtime/llvm/llvm.h"\n'),
    (c_includes, "libompd/api/task.c", '#include "target/image.h"\n'),
    (c_includes, "libompd/runtime/gomp/gomp.c", '#include "runtime/llvm/structures.h"\n'),
    (c_includes, "libompd/runtime/newcomer/task.c", '#include "runtime/llvm/structures.h"\n'),
    (c_includes, "libompd/runtime/llvm/task.c", '#include "api/scope.h"\n'),
    (c_includes, "libompd/opening/find.c", '#include "runtime/llvm/llvm.h"\n'),
    (c_includes, "libompd/runtime/icv.c", '#include "address_space.h"\n'),
    (c_includes, "libompd/runtime/llvm/libomp.c", '#include "opening/find.h"\n'),
    (c_includes, "libompd/target/callbacks.c", '#include "library.h"\n'),
    (c_includes, "libompd/inference/function.c", '#include "target/target.h"\n'),
    (c_includes, "libompd/runtime/llvm/task.c", '#include "inference/function.h"\n'),
    (c_includes, "libompd/offload/offload.c", '#include "runtime/llvm/llvm.h"\n'),
    (c_includes, "libompd/target/image.c", '#include "library.h"\n'),
    (c_includes, "include/ompd.h", '#include "ompd-ext.h"\n'),
    (c_includes, "sampler/unwind/cfi.c", '#include "target/images.h"\n'),
    (c_includes, "sampler/inference/tellings.c", '#include "record/tables.h"\n'),
    (c_calls, "libompd/api/task.c", "void f(void)\n{\n\tvoid *p = malloc(3);\n}\n"),
    (c_calls, "libompd/target/text.c", "int f(void)\n{\n\tassert (0);\n}\n"),
    (c_headers, "libompd/target/text.c", "#include <stdio.h>\n"),
    (c_runtime_names, "libompd/api/task.c", "struct kmp_info *info;\n"),
    (c_runtime_names, "libompd/api/task.c", 'find("__kmpc_fork_call");\n'),
    (c_runtime_names, "libompd/target/image.c", 'find("libomp.so");\n'),
    (c_callbacks, "libompd/runtime/llvm/task.c", "const ompd_callbacks_t *table;\n"),
    (c_routines, "libompd/libompd.map", "{\nglobal:\n\tompd_*;\n\tvector_*;\nlocal:\n\t*;\n};\n"),
    (c_routines, "libompd/libompd.map", "{\nglobal:\n\tompd_*;\n};\n"),
    (c_routines, "libompd/handle.c", "ompd_rc_t ompd_rel_x(void *h)\n{\n}\n"),
    (python_imports, CORE + "model/ids.py", "import gdb\n"),
    (python_imports, CORE + "views/table.py", "def f():\n    import gdb\n"),
    (python_imports, CORE + "model/ids.py", "from ..views import table\n"),
    (python_imports, CORE + "runtimes/libomp.py", "from ..formats import elf\n"),
    (python_imports, CORE + "views/table.py", "from ompd_gdb.session import Session\n"),
    (python_imports, CORE + "snapshot/places.py", "from ompd_gdb.target import inferior\n"),
    (python_imports, ADAPTER + "commands/bt.py", "from ompd_core.library import capi\n"),
    (python_imports, ADAPTER + "mi/fields.py", "from ompd_core.library.capi import Rc\n"),
    (python_imports, CORE + "library/library.py", "from ctypes import CDLL\n"),
    (python_imports, CORE + "model/ids.py", "from dataclasses import dataclass\n"),
    (python_imports, CORE + "library/library.py", "from ..formats import corefile\n"),
    (python_imports, ADAPTER + "newcomer.py", ""),
    (python_imports, SHELL + "debugger.py", "import gdb\n"),
    (python_imports, SHELL + "main.py", "from ompd_gdb.session import Session\n"),
    (python_imports, SHELL + "main.py", "from ompd_core import library\n"),
    (python_imports, SHELL + "guardian.py", "from .debugger import Task\n"),
    (python_imports, SHELL + "wrapper.py", "from ompd_core.errors import UserError\n"),
    (python_loading, CORE + "model/waits.py", "from typing import Any, NamedTuple\n"),
    (python_loading, CORE + "model/waits.py", "import re\n_A = re.compile('a')\n"),
    (python_texts, ADAPTER + "target/calls.py", "file = symtab.filename\n"),
    (python_texts, ADAPTER + "target/calls.py", "name = gdb.selected_frame().name()\n"),
    (python_texts, ADAPTER + "target/calls.py", "same = [one for one in all if symbol.name]\n"),
    (python_texts, SHELL + "inside.py", 'gdb.execute("run", to_string=True)\n'),
    (python_evaluation, ADAPTER + "target/stacks.py", 'found = gdb.parse_and_eval("x")\n'),
    (python_registry, CORE + "model/waits.py", "from ..abi import kmpc\n"),
    (python_registry, CORE + "snapshot/places.py", "from ..runtimes import libomp\n"),
    (python_registry, ADAPTER + "target/calls.py", "from ompd_core.arch import x86_64\n"),
    (python_registry, ADAPTER + "target/calls.py", "from ompd_core.arch.x86_64 import NAMES\n"),
    (python_registry, ADAPTER + "target/calls.py", "from ompd_core.arch.aarch64 import NAMES\n"),
    (python_types, CORE + "views/waits.py", "from ..documents import waits\n"),
    (python_types, CORE + "views/waits.py", "from ..documents.waits import Lock\n"),
    (python_registers, ADAPTER + "target/threads.py", "frame.read_register('x')\n"),
    (python_registers, CORE + "snapshot/outside.py", "registers('rdi')\n"),
    (python_runtime_names, CORE + "model/waits.py", "NAME = '__kmpc_barrier'\n"),
    (python_runtime_names, ADAPTER + "target/calls.py", "NAME = b'GOMP_task'\n"),
    (python_runtime_names, CORE + "views/job.py", "NAME = 'libomp.so'\n"),
    (license_line, "libompd/api/task.c", "/* The tasks. */\n"),
    (license_line, "tools/new", "#!/bin/sh\n"),
    (machine_paths, "docs/x.md", "see /home/me/notes\n"),
    (machine_paths, "tools/new", "cd /root/build\n"),
    (hosts, "tools/new", "fetch deb.debian.org\n"),
    (hosts, "docs/x.md", "https://example.net/file\n"),
    (documented_paths, "docs/x.md", "see `tests/unit`\n"),
    (documented_paths, "docs/x.md", "| `tests/gdb` | x |\n| `tests/gdb` | y |\n"),
    (users_documents, "README.md", "a line\n" * (README_LINES + 1)),
    (users_documents, "docs/tutorial.md", "a word " * 15 + "\n"),
    (users_requirements, "README.md", "a C compiler and CMake 2.8\n"),
    (architecture_files, ARCHITECTURE, "see `ompd_core/model/none.py`\n"),
    (architecture_files, ARCHITECTURE, "see `model/ids.py`\n"),
    (architecture_files, ARCHITECTURE, "see `target/none.c`\n"),
    (architecture_folders, ARCHITECTURE, "| `ompd_core/model/` | what it means |\n"),
]


@pytest.mark.parametrize("rule, path, text", VIOLATIONS)
def test_rule_sees_a_violation(
    rule: Callable[[str, str], Iterator[str]], path: str, text: str
) -> None:
    assert list(rule(path, text))


INNOCENT = [
    (c_calls, "libompd/api/task.c", '/* No malloc(3) here. */\nnote("printf(x)");\n'),
    (c_calls, "libompd/api/task.c", "callback_free(block);\nops->free(block);\n"),
    (c_includes, "libompd/runtime/newcomer/task.c", '#include "runtime/newcomer/queue.h"\n'),
    (c_runtime_names, "libompd/target/image.c", "/* libomp has 1,300. */\nompd_rc_t rc;\n"),
    (c_routines, "libompd/handle.c", "static ompd_rc_t ompd_x(void)\n{\n}\n"),
    (
        python_imports,
        ADAPTER + "commands/base.py",
        "from ompd_core.library.library import OmpdError\n",
    ),
    (python_imports, CORE + "library/library.py", "from ..formats.elf import ElfFile\n"),
    (python_imports, SHELL + "inside.py", "import gdb\n"),
    (python_imports, SHELL + "corefile.py", "from ompd_core.formats.elf import NotElf\n"),
    (python_imports, SHELL + "outcome.py", "from ompd_core.views import json_text\n"),
    (python_loading, CORE + "model/waits.py", "from ..light_classes import NamedTuple\n"),
    (python_loading, CORE + "model/waits.py", "import re\nre.match('a', 'a')\n"),
    (python_registry, CORE + "model/waits.py", "from .. import abi, runtimes\n"),
    (python_registry, CORE + "snapshot/outside.py", "from ..arch.base import Machine\n"),
    (python_runtime_names, CORE + "model/waits.py", '"""libomp keeps it."""\n'),
    (machine_paths, "tools/new", "$here/root/usr/bin\n"),
    (
        architecture_files,
        ARCHITECTURE,
        "`ompd_core/model/ids.py`, `target/image.c`, `runtime/NAME.c`\n",
    ),
]


@pytest.mark.parametrize("rule, path, text", INNOCENT)
def test_rule_leaves_in_peace(
    rule: Callable[[str, str], Iterator[str]], path: str, text: str
) -> None:
    assert not list(rule(path, text))


# ---- Documents that list what the code has -------------------------------------------------------


def test_conformance_names_every_routine_and_icv() -> None:
    header = (TREE / "include/ompd.h").read_text(encoding="utf-8")
    document = (TREE / "docs/conformance.md").read_text(encoding="utf-8")
    ownership = (TREE / "docs/ownership.md").read_text(encoding="utf-8")
    routines = set(re.findall(r"OMPD_API ompd_rc_t\s+(ompd_\w+)\(", header))
    assert len(routines) == 37
    tabled = re.findall(r"^\| `(ompd_\w+)` \|.*\| `(\S+)` \|$", document, re.MULTILINE)
    assert sorted(name for name, _ in tabled) == sorted(routines)
    assert [test for _, test in tabled if not (TREE / "tests" / test).exists()] == []
    giving = re.findall(r"(ompdx?_\w+)\([^)]*\*\*", without_comments(header), re.DOTALL)
    assert [name for name in giving if f"`{name}`" not in ownership] == []

    rows = (TREE / "libompd/runtime/icv.def").read_text(encoding="utf-8")
    names = re.findall(r'^ICV\(\w+, "([\w-]+)"', rows, re.MULTILINE)
    listed = re.findall(r"^\| (\d+) \| `([\w-]+)` \|", document, re.MULTILINE)
    assert [(str(i + 1), name) for i, name in enumerate(names)] == listed


# ---- Tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["runtime/llvm", "runtime/gomp", "offload"])
def test_each_row_of_a_layout_is_read(folder: str) -> None:
    """A member that nobody reads is looked up in each release, and stands in each record, for
    nothing. What libomp publishes has to be listed whole."""
    home = TREE / "libompd" / folder
    files = [path for path in home.iterdir() if path.suffix in (".c", ".h")]
    code = "\n".join(without_comments(path.read_text(encoding="utf-8")) for path in files)
    layout = (home / "layout.def").read_text(encoding="utf-8")
    pasted = re.findall(r"\b(\w+_)##\w+", code)

    def is_read(name: str) -> bool:
        whole = re.search(rf"\b(\w+_)?{name}\b", code) is not None
        parts = [name[len(start) :] for start in pasted if name.startswith(start)]
        return whole or any(re.search(rf"\b{part}\b", code) for part in parts)

    row = r"^(?:(?:RECORD(?:_AT|_BITFIELD)?|MEMBER)\(\w+, |OFFLOAD_(?:FIELD|LIST)\()(\w+)"
    rows = re.findall(row, without_comments(layout), re.MULTILINE)
    assert len(rows) > 20
    assert [name for name in rows if not is_read(name)] == []


def test_what_tools_call_beside_them_is_there() -> None:
    """They are seldom run: a name that was changed would be noticed months later."""
    called = [
        (tool, name)
        for folder in (TREE / "tools", TREE / "bench")
        for tool in folder.iterdir()
        if tool.is_file() and b"python3" in tool.read_bytes().split(b"\n")[0]
        for name in re.findall(r'HERE / "([^"]+)"', tool.read_text(encoding="utf-8"))
    ]
    assert len(called) >= 4
    for tool, name in called:
        assert (tool.parent / name).exists(), f"{tool} wants {name}"
