# SPDX-License-Identifier: Apache-2.0
"""What stands between the C library and the function that a thread of C++ was made for? At a stop
and in a record."""

from __future__ import annotations


def is_starter(path: str | None) -> bool:
    """Is it the C++ library's file?"""
    return (path or "").rsplit("/", 1)[-1].startswith(("libstdc++.so", "libc++.so"))


def is_in_headers(function: str | None) -> bool:
    """Of std::thread, std::invoke; libraries of C++ write the result's type in front."""
    return (function or "").startswith(("std::", "void std::"))
