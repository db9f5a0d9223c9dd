# SPDX-License-Identifier: Apache-2.0
"""Is the core file packed? Then it is unpacked, by Python's library or the tool of that name."""

from __future__ import annotations

import errno
import os
from contextlib import closing, contextmanager
from typing import IO, Iterator, Protocol

from ompd_core.errors import UserError

from .progress import Progress

# How a packed file begins, and the tool that unpacks what Python cannot.
_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
_TOOLS = {b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_PIECE = 1 << 20


class _Readable(Protocol):
    def read(self, size: int) -> bytes:
        ...

    def close(self) -> object:
        ...


def unpacked(path: str, folder: str) -> str:
    """The path of the core file itself. Raises UserError."""
    with open(path, "rb") as file:
        start = file.read(6)
    if start.startswith(_GZIP):
        return _from_gzip(path, folder)
    if start == _XZ:
        return _from_xz(path, folder)
    tool = _TOOLS.get(start[:4])
    if tool is None:
        return path
    with _by_tool(tool, path) as stream:
        return _copied(stream, path, folder, ())


# Most core files are not packed: what unpacks them is not read before.


def _from_gzip(path: str, folder: str) -> str:
    import gzip
    import zlib

    broken = (EOFError, gzip.BadGzipFile, zlib.error)
    return _copied(gzip.open(path, "rb"), path, folder, broken)


def _from_xz(path: str, folder: str) -> str:
    import lzma

    return _copied(lzma.open(path, "rb"), path, folder, (EOFError, lzma.LZMAError))


@contextmanager
def _by_tool(tool: str, path: str) -> Iterator[IO[bytes]]:
    import shutil
    import subprocess

    if shutil.which(tool) is None:
        raise UserError(
            "no_tool", f"{path} is packed by {tool}, which is not installed.", f"Install {tool}."
        )
    with open(path, "rb") as packed:
        process = subprocess.Popen(
            [tool, "-d", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    assert process.stdout is not None and process.stderr is not None
    try:
        yield process.stdout
        words = process.stderr.read().decode("utf-8", "replace").strip()
        if process.wait() != 0:
            raise _broken(path, words.split("\n")[-1])
    finally:
        process.kill()
        process.communicate()


def _copied(stream: _Readable, path: str, folder: str, broken: tuple[type[Exception], ...]) -> str:
    """broken: what is raised where the file is damaged."""
    name = os.path.basename(path)
    target = os.path.join(folder, name)
    progress = Progress()
    size = 0
    try:
        with closing(stream), open(target, "wb") as file:
            while True:
                piece = stream.read(_PIECE)
                if not piece:
                    break
                size += len(piece)
                _append(file, piece)
                progress.show(f"unpacking {name}: {size >> 20} MiB")
            file.truncate(size)
    except broken as error:
        raise _broken(path, str(error)) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        raise UserError(
            "file_error",
            f"{path} cannot be unpacked: there is no room in {os.path.dirname(folder)}"
            f" ({size >> 20} MiB were written).",
            "Set TMPDIR to a directory with room.",
        ) from None
    finally:
        progress.clear()
    return target


def _append(file: IO[bytes], piece: bytes) -> None:
    """Zeros, of which cores are full, need no room on the disk."""
    if any(piece):
        file.write(piece)
    else:
        file.seek(len(piece), os.SEEK_CUR)


def _broken(path: str, why: str) -> UserError:
    return UserError(
        "core_unreadable", f"{path} cannot be unpacked: {why or 'it is damaged'}.", "Copy it again."
    )
