# SPDX-License-Identifier: Apache-2.0
"""Is docs/commands.md what GDB's help says?"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_document_is_fresh() -> None:
    made = subprocess.run(
        [ROOT / "tools" / "gen-commands-doc"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    kept = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert "## ompd threads" in kept
    assert made.stdout == kept, "run: tools/gen-commands-doc > docs/commands.md"
