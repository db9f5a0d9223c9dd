# SPDX-License-Identifier: Apache-2.0
"""Does what stands on something stand on itself? Files, and the folders that they are in."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from test_lint import (
    C_SUFFIXES,
    imports,
    in_libompd,
    is_module,
    module_of,
    tracked,
    without_comments,
    without_strings,
)

Needs = dict[str, set[str]]


def reached(needs: Needs, start: str) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        new = needs.get(ahead.pop(), set()) - found
        found |= new
        ahead += new
    return found


def circles(needs: Needs) -> Needs:
    """Those that need themselves, and by whom of them."""
    needs = {name: wanted - {name} for name, wanted in needs.items()}
    far = {name: reached(needs, name) for name in needs}
    return {
        name: {one for one in wanted if name in far.get(one, ())}
        for name, wanted in needs.items()
        if name in far[name]
    }


def python_needs(files: list[tuple[str, str]]) -> Needs:
    """Modules that each imports, also inside functions, also for types alone."""
    needs: Needs = {}
    for path, text in files:
        module = module_of(path)
        if module is not None:
            name = module.rstrip(".")
            needs[name] = {one for _, one in imports(module, text) if is_module(one)}
    return needs


def python_parts(needs: Needs) -> Needs:
    """The same of each package's folders, with all that is in them, and of its own modules."""
    found: Needs = {}
    for name, wanted in needs.items():
        found.setdefault(part(name), set()).update(map(part, wanted))
    return found


def part(name: str) -> str:
    return ".".join(name.split(".")[:2])


def unit(path: str) -> str:
    """A header and the file that defines what it declares are one; tables stand alone."""
    return re.sub(r"\.[ch]$", "", path)


def defined(text: str) -> set[str]:
    """Functions and variables that other files can name."""
    text = re.sub(r"^\s*#.*$", "", without_strings(text), flags=re.MULTILINE)
    begin = r"^(?!static\b|extern\b|typedef\b|enum\b)\w[\w \t*]*?\b"
    functions = re.findall(begin + r"(\w+)\([^;{]*\)\s*\{", text, re.MULTILINE)
    variables = re.findall(begin + r"(\w+)(?:\[[^\]]*\])*\s*(?:=|;)", text, re.MULTILINE)
    return {*functions, *variables}


def c_needs(files: list[tuple[str, str]]) -> Needs:
    """Files that each includes, and those whose functions and variables it uses: a header that
    declares what many files define hides who needs whom."""
    sources = [(path, text) for path, text in files if in_libompd(path)]
    paths = {path for path, _ in sources}
    homes = {
        name: unit(path) for path, text in sources if path.endswith(".c") for name in defined(text)
    }
    needs: Needs = {}
    for path, text in sources:
        wanted = needs.setdefault(unit(path), set())
        for name in re.findall(
            r'^\s*#\s*include\s+"([^"]+)"', without_comments(text), re.MULTILINE
        ):
            if f"libompd/{name}" in paths:
                wanted.add(unit(f"libompd/{name}"))
        if path.endswith(".c"):
            # A file's own name, or a member's, is not another's.
            own = re.findall(r"^static\b[^;={]*?\b(\w+)[([=;]", text, flags=re.MULTILINE)
            words = set(re.findall(r"(?<![\w.>])(?<!\bstruct )\w+\b", without_strings(text)))
            wanted.update(homes[word] for word in (words - set(own)) & homes.keys())
    return needs


def of_folders(needs: Needs) -> Needs:
    found: Needs = {}
    for name, wanted in needs.items():
        folder = str(PurePosixPath(name).parent)
        found.setdefault(folder, set()).update(str(PurePosixPath(one).parent) for one in wanted)
    return found


def test_python() -> None:
    needs = python_needs(tracked())
    assert len(needs) > 100 and not circles(needs)
    parts = python_parts(needs)
    assert {"ompd_core.model", "ompd_core.formats", "ompd_gdb.target"} <= parts.keys()
    assert not circles(parts)


def test_c_files() -> None:
    needs = c_needs(tracked())
    assert len(needs) > 100 and not circles(needs)


def test_c_folders() -> None:
    needs = of_folders(c_needs(tracked()))
    assert {"libompd/api", "libompd/runtime/llvm", "libompd/target"} <= needs.keys()
    assert not circles(needs)


def test_names_are_found() -> None:
    """Who needs whom is read from the text: it must not overlook how functions are written."""
    needs = c_needs(tracked())
    assert "libompd/target/callbacks" in needs["libompd/target/vector"]
    assert "libompd/runtime/llvm/icv" in needs["libompd/runtime/llvm/libomp"]
    assert "libompd/library" in needs["libompd/handle"]
    assert "libompd/opening/runtimes" in needs["libompd/opening/recognise"]
    assert not any(name.endswith(C_SUFFIXES[:2]) for name in needs)


A, B = "libompd/target/a", "libompd/api/b"


def test_circle_of_includes() -> None:
    files = [
        (A + ".h", '#include "api/b.h"\n'),
        (B + ".h", ""),
        (B + ".c", '#include "target/a.h"\n'),
    ]
    assert circles(c_needs(files)) == {A: {B}, B: {A}}
    assert circles(of_folders(c_needs(files))) == {
        "libompd/target": {"libompd/api"},
        "libompd/api": {"libompd/target"},
    }


def test_circle_of_uses() -> None:
    """Whatever header declares them."""
    files = [
        (A + ".c", "ompd_rc_t go(void)\n{\n\treturn come();\n}\n"),
        (B + ".c", "int many[] = {1};\n\nstruct part *come(int a,\n\t\t  int b)\n{\n\tgo();\n}\n"),
    ]
    assert circles(c_needs(files)) == {A: {B}, B: {A}}


def test_no_circle() -> None:
    files = [
        (A + ".c", "ompd_rc_t go(void)\n{\n\treturn ops->come(x.come);\n}\n"),
        (
            A + "x.c",
            "static int come(void)\n{\n\treturn come();\n}\n\nint near(void)\n{\n\tcome();\n}\n",
        ),
        (B + ".c", "int come(void)\n{\n\tgo();\n\tnear();\n}\n"),
    ]
    assert not circles(c_needs(files))
