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
PLUGIN = "gdb-plugin/ompd_gdb/"
SHELL = "gdb-plugin/ompd_shell/"


# ---- libompd -------------------------------------------------------------------------------------

# The nouns that all layers speak of.
NOUNS = ("ompd.h", "ompd-ext.h", "library.h", "handle.h", "address_space.h")
# The questions, and the list of ICVs that they are about.
QUESTIONS = ("runtime/runtime.h", "runtime/icv.h", "runtime/icv.def")
# What api/ needs of the debugger that is no byte of the target.
BESIDE_BYTES = (
    "target/callbacks.h",
    "target/limits.h",
    "target/link_map.h",
    "target/text.h",
    "target/vector.h",
)

# By folder, the longest prefix first: what may be included, a folder's name ending in a slash.
C_LAYERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("libompd/target/callbacks.c", ("target/", "ompd.h", "library.h")),
    ("libompd/target/", ("target/", "ompd.h", "ompd-ext.h")),
    ("libompd/runtime/llvm/", ("runtime/llvm/", "target/", *QUESTIONS, *NOUNS)),
    ("libompd/runtime/gomp/", ("runtime/gomp/", "target/", *QUESTIONS, *NOUNS)),
    ("libompd/runtime/", ("target/", *QUESTIONS, *NOUNS)),
    ("libompd/api/", ("api/", *QUESTIONS, *NOUNS, *BESIDE_BYTES)),
    ("libompd/", ("target/", *QUESTIONS, *NOUNS)),
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


def c_includes(path: str, text: str) -> Iterator[str]:
    """Includes point from api/ through runtime/ to target/."""
    if not path.endswith(C_SUFFIXES) or not path.startswith(("libompd/", "include/")):
        return
    allowed = next(names for folder, names in C_LAYERS if path.startswith(folder))
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
    """The callbacks have one user; api/library.c stores them."""
    users = ("libompd/target/callbacks.c", "libompd/api/library.c")
    if in_libompd(path) and path not in users:
        for line, name in numbered(r"\blibrary\s*\.\s*(callbacks)\b", without_strings(text)):
            yield f"{path}:{line}: only target/callbacks.c uses library.{name}"


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

# By folder: which of the package's modules may be imported, a folder's name ending in a dot.
PLUGIN_LAYERS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "answers": (),
    "settings": ("thread_names",),
    "capi": (),
    "search": ("errors",),
    "callbacks": ("capi", "errors"),
    "library": ("capi", "callbacks", "answers", "errors", "target.elf"),
    "routines": ("library", "capi", "answers"),
    "icvs": ("routines", "capi", "answers"),
    "questions": ("routines", "answers"),
    "standard": ("icvs", "routines", "library", "capi", "answers", "errors"),
    "model.": ("model.", "answers", "errors"),
    "target.": ("target.", "model.", "errors"),
    "views.": ("views.", "model.", "errors"),
    "notes": ("target.",),
    "runtimes": (
        "notes",
        "answers",
        "errors",
        "library",
        "standard",
        "icvs",
        "questions",
        "routines",
        "model.",
        "target.",
    ),
    "picture": ("runtimes", "errors", "library", "model.", "target."),
    "session": (
        "search",
        "settings",
        "notes",
        "runtimes",
        "picture",
        "errors",
        "library",
        "model.",
        "target.",
    ),
    "breakpoints": ("session", "views.", "target.", "model.", "errors", "library"),
    "thread_names": ("session", "target.", "errors", "library"),
    "functions": ("session", "errors", "library"),
    "state_tracking": ("session", "errors", "library"),
    "frames.": ("frames.", "session", "settings", "target.", "model.", "errors", "library"),
    "commands.": (
        "commands.",
        "views.",
        "model.",
        "session",
        "picture",
        "breakpoints",
        "errors",
        "library",
    ),
    "mi.": ("mi.", "commands.", "views."),
}
# Known to commands/ for its error only, which base.py turns into a sentence.
LIBRARY_IN_COMMANDS = ("commands.base",)

GDB_USERS = (
    "commands.",
    "frames.",
    "mi.",
    "target.",
    "session",
    "settings",
    "functions",
    "state_tracking",
    "breakpoints",
    "thread_names",
)
CTYPES_USERS = ("capi",)
REGISTER_USERS = re.compile(r"target\.arch_\w+$")


def module_of(path: str) -> str:
    """gdb-plugin/ompd_gdb/model/ids.py is model.ids, and model/__init__.py is model. (a folder)."""
    name = path[len(PLUGIN) : -len(".py")].replace("/", ".")
    return name[: -len("__init__")] if name.endswith("__init__") else name


def imports(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Modules that are imported, at the top or inside a function: `gdb`, `ctypes`, `.model.ids`."""
    package = module_of(path).split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - (node.level - 1)]
            inside = [*base, *(node.module or "").split(".")] if node.module else base
            for alias in node.names:
                whole = ".".join([*inside, alias.name])
                yield node.lineno, "." + (whole if is_module(whole) else ".".join(inside))


def is_module(name: str) -> bool:
    at = TREE / PLUGIN / name.replace(".", "/")
    return at.with_suffix(".py").is_file() or at.is_dir()


def within(module: str, allowed: tuple[str, ...]) -> bool:
    folder = f"{module}."
    return any(
        module == a or (a.endswith(".") and (module.startswith(a) or folder == a)) for a in allowed
    )


def python_imports(path: str, text: str) -> Iterator[str]:
    """commands/ -> views/ -> model/, and only the outer ring knows GDB."""
    if not path.startswith(PLUGIN) or not path.endswith(".py") or path == PLUGIN + "__init__.py":
        return
    module = module_of(path)
    layer = next((name for name in PLUGIN_LAYERS if within(module.rstrip("."), (name,))), None)
    if layer is None:
        yield f"{path}: is in no layer; add it to PLUGIN_LAYERS"
        return
    for line, name in imports(path, text):
        if name == "gdb" or name.startswith("gdb."):
            bad = not within(module.rstrip("."), GDB_USERS)
        elif name == "ctypes" or name.startswith("ctypes."):
            bad = module not in CTYPES_USERS
        elif name == ".library" and layer == "commands.":
            bad = module not in LIBRARY_IN_COMMANDS
        elif name.startswith("."):
            bad = not within(name[1:], PLUGIN_LAYERS[layer])
        else:
            bad = name.startswith("ompd_gdb")
        if bad:
            yield f"{path}:{line}: must not import {name}"


# What the shell's command shares with the plugin: nothing of it imports gdb.
SHARED = (
    "errors",
    "model.job",
    "model.rank_reports",
    "target.corefile",
    "target.elf",
    "target.images",
    "target.proof",
    "views.html",
    "views.job",
    "views.job_document",
    "views.json_text",
    "views.status",
    "views.table",
)
# Run by GDB; and run by themselves, where nothing else of ours can be imported.
INSIDE, ALONE = SHELL + "inside.py", (SHELL + "guardian.py", SHELL + "wrapper.py")


def shell_imports(path: str, text: str) -> Iterator[str]:
    """The shell's command runs outside of GDB, all but one file of it."""
    if not path.startswith(SHELL) or not path.endswith(".py"):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            bad = [n for n in names if n.split(".")[0] == "gdb" and path != INSIDE]
            bad += [n for n in names if n.startswith("ompd_gdb")]
        elif isinstance(node, ast.ImportFrom) and node.level:
            bad = [node.module or "."] if node.level > 1 or path in ALONE else []
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ompd_gdb"):
            base = (node.module or "")[len("ompd_gdb.") :]
            wholes = [f"{base}.{alias.name}".lstrip(".") for alias in node.names]
            bad = [w for w in wholes if base not in SHARED and w not in SHARED]
            bad += [base] if path in (INSIDE, *ALONE) else []
        else:
            continue
        for name in bad:
            yield f"{path}:{node.lineno}: must not import {name}"


def python_registers(path: str, text: str) -> Iterator[str]:
    """Another architecture is another file."""
    if path.startswith(PLUGIN) and not REGISTER_USERS.match(module_of(path)):
        for line, name in numbered(r"\b(read_register|fs_base|x86_64\.[a-z]+_reg)\b", text):
            yield f"{path}:{line}: registers ({name}) belong into target/arch_*.py"


# ---- All files -----------------------------------------------------------------------------------

SPDX = "SPDX-License-Identifier: Apache-2.0"
# Namespaces that documents name and nobody fetches.
HOSTS = ("www.apache.org", "json-schema.org")


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


RULES: tuple[Callable[[str, str], Iterator[str]], ...] = (
    c_includes,
    c_calls,
    c_headers,
    c_runtime_names,
    c_callbacks,
    c_routines,
    python_imports,
    shell_imports,
    python_registers,
    license_line,
    machine_paths,
    hosts,
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
    for part in ("libompd/api/", "libompd/runtime/llvm/", "libompd/target/", PLUGIN + "model/"):
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
    (c_includes, "libompd/runtime/llvm/task.c", '#include "api/scope.h"\n'),
    (c_includes, "libompd/target/image.c", '#include "library.h"\n'),
    (c_includes, "include/ompd.h", '#include "ompd-ext.h"\n'),
    (c_calls, "libompd/api/task.c", "void f(void)\n{\n\tvoid *p = malloc(3);\n}\n"),
    (c_calls, "libompd/target/text.c", "int f(void)\n{\n\tassert (0);\n}\n"),
    (c_headers, "libompd/target/text.c", "#include <stdio.h>\n"),
    (c_runtime_names, "libompd/api/task.c", "struct kmp_info *info;\n"),
    (c_runtime_names, "libompd/api/task.c", 'find("__kmpc_fork_call");\n'),
    (c_runtime_names, "libompd/target/image.c", 'find("libomp.so");\n'),
    (c_callbacks, "libompd/runtime/llvm/task.c", "library.callbacks.read_memory(c);\n"),
    (c_routines, "libompd/libompd.map", "{\nglobal:\n\tompd_*;\n\tvector_*;\nlocal:\n\t*;\n};\n"),
    (c_routines, "libompd/libompd.map", "{\nglobal:\n\tompd_*;\n};\n"),
    (c_routines, "libompd/handle.c", "ompd_rc_t ompd_rel_x(void *h)\n{\n}\n"),
    (python_imports, PLUGIN + "model/ids.py", "import gdb\n"),
    (python_imports, PLUGIN + "views/table.py", "def f():\n    import gdb\n"),
    (python_imports, PLUGIN + "model/ids.py", "from ..views import table\n"),
    (python_imports, PLUGIN + "model/runtimes/llvm.py", "from ...target import elf\n"),
    (python_imports, PLUGIN + "views/table.py", "from ..session import Session\n"),
    (python_imports, PLUGIN + "session.py", "from . import capi\n"),
    (python_imports, PLUGIN + "session.py", "from .capi import Rc\n"),
    (python_imports, PLUGIN + "library.py", "from ctypes import CDLL\n"),
    (python_imports, PLUGIN + "library.py", "from .target import memory\n"),
    (python_imports, PLUGIN + "commands/threads.py", "from ..library import Library\n"),
    (python_imports, PLUGIN + "newcomer.py", ""),
    (shell_imports, SHELL + "debugger.py", "import gdb\n"),
    (shell_imports, SHELL + "main.py", "from ompd_gdb.session import Session\n"),
    (shell_imports, SHELL + "main.py", "from ompd_gdb import library\n"),
    (shell_imports, SHELL + "guardian.py", "from .debugger import Task\n"),
    (shell_imports, SHELL + "wrapper.py", "from ompd_gdb.errors import UserError\n"),
    (python_registers, PLUGIN + "target/threads.py", "frame.read_register('x')\n"),
    (license_line, "libompd/api/task.c", "/* The tasks. */\n"),
    (license_line, "tools/new", "#!/bin/sh\n"),
    (machine_paths, "docs/x.md", "see /home/me/notes\n"),
    (machine_paths, "tools/new", "cd /root/build\n"),
    (hosts, "tools/new", "fetch deb.debian.org\n"),
    (hosts, "docs/x.md", "https://example.net/file\n"),
]


@pytest.mark.parametrize("rule, path, text", VIOLATIONS)
def test_rule_sees_a_violation(
    rule: Callable[[str, str], Iterator[str]], path: str, text: str
) -> None:
    assert list(rule(path, text))


INNOCENT = [
    (c_calls, "libompd/api/task.c", '/* No malloc(3) here. */\nnote("printf(x)");\n'),
    (c_calls, "libompd/api/task.c", "callback_free(block);\nops->free(block);\n"),
    (c_runtime_names, "libompd/target/image.c", "/* libomp has 1,300. */\nompd_rc_t rc;\n"),
    (c_routines, "libompd/handle.c", "static ompd_rc_t ompd_x(void)\n{\n}\n"),
    (python_imports, PLUGIN + "commands/base.py", "from ..library import OmpdError\n"),
    (python_imports, PLUGIN + "library.py", "from .target.elf import ElfFile\n"),
    (shell_imports, SHELL + "inside.py", "import gdb\n"),
    (shell_imports, SHELL + "corefile.py", "from ompd_gdb.target.elf import NotElf\n"),
    (shell_imports, SHELL + "outcome.py", "from ompd_gdb.views import json_text\n"),
    (machine_paths, "tools/new", "$here/root/usr/bin\n"),
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
