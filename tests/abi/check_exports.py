#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does libompd.so export what the headers declare, no more and no less, and need only libc?

check_exports.py OURS LIBRARY      OURS: what print_abi.c prints with our headers
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List, Set

LIBC = ("libc.so.",)
SANITIZERS = ("libasan.so.", "libubsan.so.", "libgcc_s.so.")  # of the asan-ubsan preset


def output_of(*command: str) -> List[str]:
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return result.stdout.splitlines()


def declared(printed: str) -> Set[str]:
    """The routines of both headers; the lines say `[5.2 |extension ]routine NAME`."""
    words = [line.split() for line in Path(printed).read_text(encoding="ascii").splitlines()]
    return {line[-1] for line in words if "routine" in line}


def exported(library: str) -> Set[str]:
    names = {line.split()[0] for line in output_of("nm", "-D", "-P", "--defined-only", library)}
    return {name.partition("@")[0] for name in names}


def needed(library: str) -> Set[str]:
    lines = [line for line in output_of("readelf", "-dW", library) if "(NEEDED)" in line]
    return {line.partition("[")[2].rstrip("]") for line in lines}


def main(arguments: List[str]) -> int:
    printed, library = arguments
    want, have = declared(printed), exported(library)
    for name in sorted(want - have):
        print(f"declared, not exported: {name}")
    for name in sorted(have - want):
        print(f"exported, not declared: {name}")
    strangers = [x for x in needed(library) if not x.startswith(LIBC + SANITIZERS)]
    for name in sorted(strangers):
        print(f"needed besides libc: {name}")
    print(f"{len(want & have)} of {len(want)} routines exported")
    return 0 if want == have and not strangers and want else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
