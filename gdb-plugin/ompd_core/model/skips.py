# SPDX-License-Identifier: Apache-2.0
"""Is code with line information the user's own? Not if it is a system header's, such as those of
the C++ library, and not if he told his debugger to step over it."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from functools import lru_cache

from .. import late_patterns
from ..light_classes import NamedTuple
from .naming import without_parameters
from .native import Location

_HEADERS = late_patterns.compile(
    r"/usr/include/|.*/include/c\+\+/|.*/lib\d*/(gcc|clang)/.*/include/"
)


class Skip(NamedTuple):
    """Of GDB's list. None: any."""

    file: str | None
    is_glob: bool
    function: str | None
    is_expression: bool

    def matches(self, place: Location) -> bool:
        return self._has_file(place) and self._has_function(place.function)

    def _has_file(self, place: Location) -> bool:
        if self.file is None:
            return True
        names = [name for name in (place.file, place.fullname) if name]
        if self.is_glob:
            names += [posixpath.basename(name) for name in names]
            return any(fnmatch.fnmatchcase(name, self.file) for name in names)
        return any(f"/{name}".endswith(f"/{self.file.lstrip('/')}") for name in names)

    def _has_function(self, function: str | None) -> bool:
        if self.function is None:
            return True
        if function is None:
            return False
        if not self.is_expression:
            return without_parameters(function) == without_parameters(self.function)
        try:
            return re.search(self.function, function) is not None
        except re.error:
            return False  # GDB's expressions are not quite Python's


def in_system_header(place: Location) -> bool:
    return _is_system_header(place.fullname or place.file or "")


@lru_cache(maxsize=4096)
def _is_system_header(file: str) -> bool:
    return _HEADERS.match(posixpath.normpath(file)) is not None
