# SPDX-License-Identifier: Apache-2.0
"""Is a file that is kept here what its tool makes today?"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def fresh(file: str, tool: str) -> str:
    """The file's text, which is the tool's output."""
    made = subprocess.run(
        [ROOT / tool], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert made == (ROOT / file).read_text(encoding="utf-8"), f"run: {tool} > {file}"
    return made
