# SPDX-License-Identifier: Apache-2.0
"""Where is this source tree built? For the plugin, the shell's command and the tests alike."""

from __future__ import annotations

import os

VARIABLE = "OMPD_BUILD"


def build(tree: str) -> str:
    """What OMPD_BUILD names, else build/, where README's commands put it, else where tools/check
    does: the first of the two that has our library."""
    named = os.environ.get(VARIABLE)
    if named:
        return os.path.abspath(named)
    usual = os.path.join(tree, "build")
    for folder in (usual, os.path.join(usual, "check", "gcc")):
        if os.path.exists(os.path.join(folder, "libompd", "libompd.so")):
            return folder
    return usual
