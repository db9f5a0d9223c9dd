# SPDX-License-Identifier: Apache-2.0
"""Where does a debugger find the libraries whose names do not begin at the root? dlopen ("./a.so")
leaves such names, which begin in a folder that the program may have left since."""

from __future__ import annotations

import os
from typing import Mapping


def search_path(files: Mapping[str, str]) -> str:
    """Of folders, with colons between them. files: by the dynamic linker's names, those that are
    proven to be the ones."""
    folders: dict[str, None] = {}
    for name, file in files.items():
        if name.startswith("/") or not name:
            continue
        inside = "/" + os.path.normpath(name)
        # Else it is found by the last part of its name.
        folder = file[: -len(inside)] if file.endswith(inside) else os.path.dirname(file)
        if folder.startswith("/") and ":" not in folder and folder.isprintable():
            folders[folder] = None
    return ":".join(folders)
