# SPDX-License-Identifier: Apache-2.0
"""What is in the corpus, and how is one of its cores unpacked with the files that it needs?"""

from __future__ import annotations

import json
import lzma
import os
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).resolve().parent
MANIFEST = HERE / "manifest.toml"
FILES = HERE / "files"
PIECE = 1 << 16


def entries() -> dict[str, dict[str, Any]]:
    """By name, as the manifest has them."""
    manifest = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))
    return {entry["name"]: entry for entry in manifest["entry"]}


def expected(name: str) -> dict[str, Any]:
    """What the program recorded of itself, and what is wrong with it."""
    found: dict[str, Any] = json.loads((HERE / name / "expected.json").read_text(encoding="utf-8"))
    return found


def unpack(entry: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """The core and the program. Files lie below folder/root under the paths that they had."""
    folder.mkdir(parents=True, exist_ok=True)
    core = folder / "core"
    _unpack(HERE / entry["name"] / "core.xz", core)
    for path, build_id in entry["files"].items():
        file = folder / "root" / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        _unpack(FILES / f"{build_id}.xz", file)
    return core, folder / "root" / entry["executable"].lstrip("/")


def _unpack(packed: Path, into: Path) -> None:
    """Zeros, of which cores are full, need no room on the disk."""
    with lzma.open(packed) as stream, open(into, "wb") as file:
        while piece := stream.read(PIECE):
            if any(piece):
                file.write(piece)
            else:
                file.seek(len(piece), os.SEEK_CUR)
        file.truncate()
