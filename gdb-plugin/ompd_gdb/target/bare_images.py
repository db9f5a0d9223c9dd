# SPDX-License-Identifier: Apache-2.0
"""Images that GDB took from memory and has no section of. Since GDB 14, `info symbol' is its end
while there is one: an assertion fails. The vDSO of a damaged core file may be one."""

from __future__ import annotations

from typing import Iterable

import gdb
from ompd_core import late_patterns

from .. import texts
from . import console

_FIRST = 14
# Of `14.1', and of `Fedora Linux 14.1-2.fc39', which that distribution's is called.
_RELEASE = late_patterns.compile(r"\d+(?=\.\d)")


def is_one_there(objfiles: Iterable[gdb.Objfile]) -> bool:
    release = _RELEASE.search(gdb.VERSION)
    if release is not None and int(release.group()) < _FIRST:
        return False
    names = [str(texts.filename(one)) for one in objfiles]
    names = [name for name in names if name.startswith("system-supplied DSO at ")]
    files = console.output("info files") if names else ""
    return any(name not in files for name in names)
