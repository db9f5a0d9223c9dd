# SPDX-License-Identifier: Apache-2.0
"""Do the dependencies point one way, and does nothing call what it must not?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBOMPD = ROOT / "libompd"
PLUGIN = ROOT / "gdb-plugin" / "ompd_gdb"
NOUNS = {"library.h", "address_space.h", "handle.h"}
C_SOURCES = sorted(p for p in LIBOMPD.rglob("*") if p.suffix in (".c", ".h"))
PYTHON_SOURCES = sorted(PLUGIN.rglob("*.py"))

# What each layer may include of libompd's own headers.
ALLOWED = {
    "api": ("api/", "target/callbacks.h", "target/vector.h", "target/limits.h",
            "target/link_map.h", "runtime/runtime.h", "runtime/icv.def"),
    "runtime": ("runtime/", "target/"),
    "target": ("target/",),
}  # fmt: skip

BANNED = re.compile(
    r"\b(malloc|calloc|realloc|free|[fsv]*n?printf|puts|strcpy|strcat|strdup|abort|exit|assert)\("
)
MAY_IMPORT_GDB = {"commands", "frames", "mi", "target", "session.py", "settings.py", "functions.py"}


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", C_SOURCES, ids=relative)
def test_includes_point_one_way(path: Path) -> None:
    layer = path.relative_to(LIBOMPD).parts[0]
    for included in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
        if layer not in ALLOWED or included in NOUNS or included.startswith("ompd"):
            # Among the layers, the target knows one noun: the callbacks are in the library.
            assert layer != "target" or included not in NOUNS or path.name == "callbacks.c"
            continue
        assert included.startswith(ALLOWED[layer]), f"{relative(path)} includes {included}"
        other = {"llvm": "runtime/gomp", "gomp": "runtime/llvm"}
        for name, forbidden in other.items():
            assert name not in path.parts or not included.startswith(forbidden)


@pytest.mark.parametrize("path", C_SOURCES, ids=relative)
def test_calls_are_allowed(path: Path) -> None:
    found = BANNED.search(path.read_text())
    assert not found, f"{relative(path)} calls {found.group(1) if found else ''}"


@pytest.mark.parametrize("path", C_SOURCES, ids=relative)
def test_layers_know_only_theirs(path: Path) -> None:
    text = path.read_text()
    layer = path.relative_to(LIBOMPD).parts[0]
    if layer in ("api", "target") and path.name != "limits.h":
        assert not re.search(r"\bkmp_\w+|\bgomp_\w+_t\b", text), "knows a runtime's structures"
    if path.name != "callbacks.c" and layer != "api":
        assert "library.callbacks" not in text, "calls the debugger"


@pytest.mark.parametrize("path", PYTHON_SOURCES, ids=relative)
def test_python_imports_point_one_way(path: Path) -> None:
    text = path.read_text()
    place = path.relative_to(PLUGIN).parts[0]
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.MULTILINE))
    if place not in MAY_IMPORT_GDB:
        assert "gdb" not in imported, "only commands/, target/ and the session know GDB"
    if path.name not in ("capi.py", "callbacks.py"):
        assert "ctypes" not in imported
    inner = re.findall(r"^\s*from (\.+)(\w*)", text, re.MULTILINE)
    if place == "model":
        for dots, name in inner:
            assert len(dots) == 1 or name in ("answers", "errors", "model", ""), f"imports {name}"
    if place == "views":
        for dots, name in inner:
            assert len(dots) == 1 or name in ("model", "errors", ""), f"imports {name}"


def test_every_source_names_its_licence() -> None:
    for path in tracked():
        if path.suffix in (".c", ".h", ".py", ".def", ".cc", ".f90", ".F90"):
            head = path.read_text(errors="replace")[:400]
            assert "SPDX-License-Identifier: Apache-2.0" in head, relative(path)


def test_no_machine_is_named() -> None:
    names = re.compile(r"(?<!\w)/(?:work|root)/|deb\.debian\.org|snapshot\.debian")
    for path in tracked():
        if path == Path(__file__).resolve() or path.name == "LICENSE":
            continue
        found = names.search(path.read_text(errors="replace"))
        assert not found, f"{relative(path)} names {found.group(0) if found else ''}"
