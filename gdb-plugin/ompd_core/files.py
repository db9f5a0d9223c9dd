# SPDX-License-Identifier: Apache-2.0
"""How is a file written that shows what is in a program's memory? Nobody else may read it."""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import BinaryIO, Iterator, TextIO

_MODE = 0o600


def opened(path: str, replace: bool = True) -> int:
    """Its descriptor. A file that exists keeps its mode. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if replace else os.O_EXCL)
    return os.open(path, flags, _MODE)


@contextmanager
def created(path: str) -> Iterator[BinaryIO]:
    """Raises OSError, which names the file, also of what is written to it."""
    try:
        with open(opened(path), "wb") as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


@contextmanager
def created_text(path: str) -> Iterator[TextIO]:
    """The same in UTF-8, for text from anywhere."""
    with created(path) as file:
        with io.TextIOWrapper(file, "utf-8", errors="backslashreplace") as text:
            yield text


def write(path: str, text: str) -> None:
    """Raises OSError, which names the file."""
    with created_text(path) as file:
        file.write(text)
