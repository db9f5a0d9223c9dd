# SPDX-License-Identifier: Apache-2.0
"""What may stand behind an option, and what is said of what may not?"""

from __future__ import annotations

import argparse
import re

from ..origin import problem_of


def job_of_slurm(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,10}(\.([0-9]{1,10}|batch|interactive))?", text):
        raise argparse.ArgumentTypeError(f"`{text}' is no JOBID or JOBID.STEP")
    return text


def number(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,5}", text):
        raise argparse.ArgumentTypeError(f"`{text}' is not a number above 0")
    return int(text)


def file_name(text: str) -> str:
    problem = problem_of(text) if text else "a file has a name"
    if problem is not None:
        raise argparse.ArgumentTypeError(problem)
    return text


def seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found < 1e9:
        raise argparse.ArgumentTypeError(f"`{text}' is not a number of seconds")
    return found


def process(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text) or not int(text):
        raise argparse.ArgumentTypeError(f"`{text}' is not a process ID")
    return int(text)
