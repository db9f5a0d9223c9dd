# SPDX-License-Identifier: Apache-2.0
"""Does the shell's command name code of libraries that have no symbols, as GDB with the plugin
does: by the library and the place in it?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import FINDING, ompd
from place_libraries import are_right, crashed, made

NAMED = re.compile(r"(lib\w+\.so)\+0x([0-9a-f]+)")
PAGE = 0x1000


@pytest.mark.each("apart")
@pytest.mark.parametrize("apart", [False, True], ids=["loaded", "in a namespace of its own"])
def test_library_without_symbols(apart: bool, folder: Path) -> None:
    executable, shared = made(folder, "gcc", "-g", "gcc")
    core, truth = crashed(executable, ["region", str(shared)], folder, apart=apart)
    answer = ompd("core", core, "--json", folder=folder)
    assert answer.status == FINDING
    are_right(answer.document["threads"], truth, answer.text)
    shown = ompd("core", core, folder=folder).text.split("Parallel regions")[0]
    assert "?? ()" not in shown and "R1.1-2" in shown
    offsets = {int(at, 16) % PAGE for name, at in NAMED.findall(shown) if name == shared.name}
    waiting = {
        int(one["where"]["pc"], 16) % PAGE
        for one in answer.document["threads"]
        if one["openmp"] and one["openmp"][0]["state"].startswith("wait_barrier")
    }
    assert waiting and waiting <= offsets, shown
