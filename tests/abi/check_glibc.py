#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does libompd.so load on old systems? check_glibc.py LIBOMPD: it may need nothing of glibc that is
newer than 2.17."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import List

OLDEST = (2, 17)


def main(arguments: List[str]) -> int:
    output = subprocess.run(
        ["readelf", "--version-info", "--wide", arguments[0]],
        check=True,
        stdout=subprocess.PIPE,
        encoding="ascii",
    ).stdout
    needed = {tuple(map(int, m.split("."))) for m in re.findall(r"GLIBC_([0-9.]+)", output)}
    newer = sorted(version for version in needed if version > OLDEST)
    for version in newer:
        print(f"needs GLIBC_{'.'.join(map(str, version))}")
    print(f"{len(needed)} versions of glibc's symbols are needed")
    return 1 if newer or not needed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
