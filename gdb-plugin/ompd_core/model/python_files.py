# SPDX-License-Identifier: Apache-2.0
"""Whose is a file of Python's, by its name?"""

from __future__ import annotations

from .. import late_patterns

# The standard library, and what is installed beside it.
_LIBRARY = late_patterns.compile(r".*/(site|dist)-packages/|.*/lib\d*/python3(\.\d+)?t?/|<frozen ")
# What the interpreter imports with, in Python, and of no file.
_IMPORTS = "<frozen importlib."


def in_library(file: str | None) -> bool:
    return file is not None and _LIBRARY.match(file) is not None


def imports(file: str | None) -> bool:
    return file is not None and file.startswith(_IMPORTS)
