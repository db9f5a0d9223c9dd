#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the headers compile as C11 and C++17 without a warning, alone and in every promised order?

compile_headers.py INCLUDE_DIR [OMP_TOOLS_H...]

Tries gcc and clang; on a machine that has neither, the test is skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

SKIPPED = 77
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror".split()
LANGUAGES = {".c": "-std=c11", ".cpp": "-std=c++17"}

STANDARD = '#include "ompd.h"\n'
EXTENSIONS = '#include "ompd-ext.h"\n'
LLVM = "#include <omp-tools.h>\n"
USE_STANDARD = "ompd_rc_t used(const ompd_callbacks_t *);\n"
USE_EXTENSIONS = "ompdx_view_t *seen(ompd_address_space_handle_t *);\n"

ALONE = [
    STANDARD + USE_STANDARD,
    EXTENSIONS + USE_STANDARD + USE_EXTENSIONS,
    STANDARD + EXTENSIONS + USE_EXTENSIONS,
    EXTENSIONS + STANDARD + USE_EXTENSIONS,
    STANDARD * 2 + EXTENSIONS * 2 + USE_EXTENSIONS,
]
AFTER_LLVM = LLVM + EXTENSIONS + USE_STANDARD + USE_EXTENSIONS


def compiles(compiler: str, suffix: str, text: str, include: Path, omp_tools: str) -> bool:
    """Compile a text; LLVM's header is not held to our warnings, so it counts as a system's."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "includes" + suffix)
        source.write_text(text, encoding="utf-8")
        command = [compiler, LANGUAGES[suffix], *WARNINGS, "-fsyntax-only", f"-I{include}"]
        if omp_tools:
            system = Path(folder, "system")
            system.mkdir()
            shutil.copy(omp_tools, system / "omp-tools.h")
            command += ["-isystem", str(system)]
        result = subprocess.run(
            command + [str(source)],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
    if result.returncode != 0:
        print(f"{compiler} {LANGUAGES[suffix]} refuses {omp_tools}:\n{text}\n{result.stdout}")
    return result.returncode == 0


def main(arguments: List[str]) -> int:
    include = Path(arguments[0])
    texts = [(text, "") for text in ALONE] + [(AFTER_LLVM, path) for path in arguments[1:]]
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not compilers:
        print("skipped: neither gcc nor clang is installed")
        return SKIPPED
    results = [
        compiles(compiler, suffix, text, include, omp_tools)
        for compiler in compilers
        for suffix in LANGUAGES
        for text, omp_tools in texts
    ]
    print(f"{' and '.join(compilers)}: {results.count(True)} of {len(results)} compiled")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
