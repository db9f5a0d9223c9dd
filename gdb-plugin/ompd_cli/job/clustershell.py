# SPDX-License-Identifier: Apache-2.0
"""What starts collectors where no resource manager does: ClusterShell, with its sets of nodes, over
ssh or whatever it is set up for."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import Sequence

from ompd_core.errors import UserError
from ompd_core.views.terminal import plain


def nodes(text: str) -> list[str]:
    """Raises UserError."""
    for tool in ("clush", "nodeset"):
        if shutil.which(tool) is None:
            raise UserError(
                "no_launcher",
                f"There is no `{tool}' here.",
                "Install ClusterShell; `ompd job JOBID' needs Slurm alone.",
            )
    done = subprocess.run(
        ["nodeset", "-e", text],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    found = done.stdout.split()
    if done.returncode != 0 or not found:
        words = plain(done.stderr.strip().split("\n")[-1] or "it is empty")
        raise UserError("bad_argument", f"{text} is not a set of nodes: {words}.", "As in n[1-40].")
    return found


def clush(heads: Sequence[str], command: Sequence[str]) -> list[str]:
    """%h is the host's name."""
    return ["clush", "-q", "-w", ",".join(heads), "-f", str(len(heads)), shlex.join(command)]
