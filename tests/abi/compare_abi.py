#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does ompd.h declare the same interface as LLVM's omp-tools.h, and what does it add?

compare_abi.py llvm OURS THEIRS     the lines of both files are the same
compare_abi.py versions OURS DOC    what is only in ours is what the table in DOC lists

OURS and THEIRS are what the programs built from print_abi.c print.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import List, Set

VERSION = re.compile(r"\d\.\d ")
ROW = re.compile(r"\| (\d\.\d) \| (\w+) \| `(\w+)` \| (\d*) ?\| (.+) \|")
SECTION = re.compile(r"\d\d\.\d|ompd-types\.h")


def printed(file: str) -> List[str]:
    lines = Path(file).read_text(encoding="ascii").splitlines()
    if len(lines) < 50:
        raise SystemExit(f"{file} has {len(lines)} lines only: it is not of the program meant")
    return lines


def documented_in(doc: Path) -> Set[str]:
    """The rows of the table, spelt as the programs print them."""
    lines = set()
    for line in doc.read_text(encoding="utf-8").splitlines():
        row = ROW.match(line)
        if row is None:
            continue
        since, kind, name, value, section = row.groups()
        if not SECTION.match(section):
            raise SystemExit(f"{doc}: {name}: '{section}' names no section")
        lines.add(f"{since} {kind} {name} {value}".rstrip())
    return lines


def report(title: str, lines: Set[str]) -> int:
    if lines:
        print(title, *sorted(lines), sep="\n    ")
    return len(lines)


def main(arguments: List[str]) -> int:
    mode, ours_file, other = arguments
    ours = printed(ours_file)
    if mode == "llvm":
        here = {x for x in ours if not VERSION.match(x) and not x.startswith("extension ")}
        there = set(printed(other))
        names = ("only in ompd.h:", "only in omp-tools.h:")
    else:
        here = {x for x in ours if VERSION.match(x)}
        there = documented_in(Path(other))
        names = ("in ompd.h, but not in the table:", "in the table, but not in ompd.h:")
    differences = report(names[0], here - there) + report(names[1], there - here)
    print(f"{len(here & there)} equal, {differences} different")
    return 1 if differences or not here else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
