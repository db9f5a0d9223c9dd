# SPDX-License-Identifier: Apache-2.0
"""The sampler's table of CPython's releases is made of the plugin's."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_layouts() -> None:
    kept = (ROOT / "sampler" / "python" / "layouts.inc").read_text(encoding="utf-8")
    made = subprocess.run(
        [ROOT / "tools" / "gen-python-layouts"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert made.stdout == kept, "run: tools/gen-python-layouts > sampler/python/layouts.inc"
