#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do these load on old systems? check_glibc.py FILE...: they may need no library but glibc's, and
nothing of it that is newer than 2.17. One that is linked statically needs none."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import List, Optional, Tuple

OLDEST = (2, 17)
LIBRARIES = r"(libc|libm|libdl|libpthread|ld-linux-[\w-]+)\.so\.\d"


def readelf(option: str, file: str) -> str:
    command = ["readelf", option, "--wide", file]
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, encoding="ascii", errors="replace"
    ).stdout


def release(version: str) -> Optional[Tuple[int, ...]]:
    """None: a feature, as GLIBC_ABI_DT_RELR, which old ones do not have."""
    found = re.fullmatch(r"GLIBC_([0-9.]+)", version)
    return tuple(map(int, found[1].split("."))) if found else None


def main(files: List[str]) -> int:
    wrong = 0
    for file in files:
        versions = set(re.findall(r"Name: (\S+)", readelf("--version-info", file)))
        libraries = re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("--dynamic", file))
        newer = [one for one in versions if (release(one) or (9,)) > OLDEST]
        others = [one for one in libraries if not re.fullmatch(LIBRARIES, one)]
        for name in sorted(newer + others):
            print(f"{file} needs {name}")
        wrong += len(newer) + len(others) + (bool(libraries) != bool(versions))
        print(f"{file}: {', '.join(sorted(versions)) or 'no version'} of glibc's symbols")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
