#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of libompd do the tests in C run? `tests/coverage.py BUILD` after ctest in a build of
the preset `coverage'; exit status 1 below the bounds. Generated tables do not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

LINES, BRANCHES = 95.0, 85.0  # per cent


def documents(build: Path) -> list[dict]:
    found = sorted((build / "libompd").rglob("*.gcda"))
    if not found:
        sys.exit(f"{build} holds no counts: configure with --preset coverage, build, run ctest")
    gcov = ["gcov", "--json-format", "--branch-probabilities", "--stdout"]
    run = subprocess.run([*gcov, *map(str, found)], cwd=build, capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines() if line.strip()]


def main() -> int:
    lines: Counter[tuple[str, int]] = Counter()
    branches: Counter[tuple[str, int, int]] = Counter()
    for document in documents(Path(sys.argv[1]).resolve()):
        for file in document["files"]:
            name = file["file"]
            if "/libompd/" not in name or name.endswith((".inc", ".def")):
                continue
            for line in file["lines"]:
                lines[name, line["line_number"]] += line["count"]
                for i, branch in enumerate(line["branches"]):
                    branches[name, line["line_number"], i] += branch["count"]
    shares = [100 * sum(map(bool, counts.values())) / len(counts) for counts in (lines, branches)]
    print(f"{shares[0]:.1f} % of {len(lines)} lines, {shares[1]:.1f} % of {len(branches)} branches")
    return 0 if shares[0] >= LINES and shares[1] >= BRANCHES else 1


if __name__ == "__main__":
    sys.exit(main())
