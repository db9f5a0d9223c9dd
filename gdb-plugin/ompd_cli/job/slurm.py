# SPDX-License-Identifier: Apache-2.0
"""What does Slurm know of a job: its nodes, its steps, its processes? And its own way to them: a
second step inside of the job, which needs no processor of its own."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from typing import Sequence

from ompd_core.errors import UserError
from ompd_core.views.table import count, cut_list
from ompd_core.views.terminal import plain

STEP_NAME = "ompd"  # ours
SECONDS = 60  # for an answer of the controller


def need(tool: str) -> str:
    path = shutil.which(tool)
    if path is None:
        raise UserError(
            "no_launcher",
            f"There is no `{tool}' here.",
            "Run `ompd job' where Slurm's commands are, or name the hosts: --hosts; a launcher of"
            " this machine: --mpirun.",
        )
    return path


class SlurmJob:
    """Raises UserError: there is no such job, or it is not the user's."""

    def __init__(self, name: str) -> None:
        for tool in ("srun", "scontrol"):
            need(tool)
        self.number, _, step = name.partition(".")
        (told,) = self._shown("job", self.number)[:1] or [{}]
        state = told.get("JobState", "?")
        if state != "RUNNING":
            raise UserError(
                "no_job",
                f"Job {self.number} does not run: it is {plain(state)}.",
                "`squeue --me' lists yours that do.",
            )
        _check_owner(self.number, told.get("UserId", ""))
        self.steps = self._chosen(step)
        nodes = self.steps[0].get("NodeList") if step else told.get("NodeList")
        self.nodes = hostnames(nodes or "")

    def _chosen(self, step: str) -> list[dict[str, str]]:
        found = [one for one in self._shown("step", self.number) if one.get("Name") != STEP_NAME]
        ids = {one.get("StepId", "").partition(".")[2]: one for one in found}
        numbered = [one for one in ids if one.isdigit()]
        if step:
            if step not in ids:
                known = ", ".join(sorted(ids)) or "none"
                raise UserError(
                    "no_job",
                    f"Job {self.number} has no step {step} that runs.",
                    f"It has: {cut_list(plain(known))}.",
                )
            return [ids[step]]
        if len(numbered) > 1:
            words = [
                f"{self.number}.{one} ({plain(ids[one].get('Name', '?'))},"
                f" {count(int(ids[one].get('Tasks', 0)), 'task')})"
                for one in sorted(numbered, key=int)
            ]
            raise UserError(
                "several_steps",
                f"Job {self.number} has {len(numbered)} steps: {cut_list(', '.join(words))}.",
                f"Name one: `ompd job {self.number}.{min(numbered, key=int)}'.",
            )
        if not found:
            raise UserError(
                "no_job",
                f"Job {self.number} has no step that runs.",
                "Its ranks have not begun, or have ended.",
            )
        return found

    def step_names(self) -> list[str]:
        return [one.get("StepId", "").partition(".")[2] for one in self.steps]

    def _shown(self, what: str, name: str) -> list[dict[str, str]]:
        done = _run(["scontrol", "--oneliner", "show", what, name])
        if done.returncode != 0:
            words = plain(done.stderr.strip().split("\n")[-1])
            if "Invalid job id" in words:
                raise UserError(
                    "no_job", f"Slurm knows no job {name}.", "`squeue --me' lists yours."
                )
            raise UserError("launcher_error", f"Slurm says: {words.rstrip('.')}.")
        lines = [line for line in done.stdout.split("\n") if "=" in line]
        return [dict(re.findall(r"(\w+(?::\w+)?)=(\S*)", line)) for line in lines]


def srun(job: str, heads: Sequence[str], command: Sequence[str]) -> list[str]:
    return [
        "srun",
        f"--jobid={job}",
        "--overlap",
        f"--job-name={STEP_NAME}",
        f"--nodelist={','.join(heads)}",
        f"--nodes={len(heads)}",
        f"--ntasks={len(heads)}",
        "--ntasks-per-node=1",
        "--label",
        "--input=all",
        "--output=all",
        "--kill-on-bad-exit=0",
        "--wait=0",
        "--cpu-bind=none",
        "--quiet",
        *command,
    ]


def end_step(step: str) -> None:
    if re.fullmatch(r"[0-9]{1,10}\.[0-9]{1,10}", step):
        _run(["scancel", step])


def own_step() -> str | None:
    """Of a collector."""
    job, step = os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_STEP_ID")
    return f"{job}.{step}" if job and step else None


def pids(job: str, steps: Sequence[str], node: str) -> list[int]:
    """Of the steps' tasks on this node, and of what they have started."""
    own = os.environ.get("SLURM_STEP_ID")
    found = []
    for line in _run(["scontrol", "listpids", job, node]).stdout.split("\n")[1:]:
        words = line.split()
        if len(words) >= 3 and words[0].isdigit() and words[2] in steps and words[2] != own:
            found.append(int(words[0]))
    return found


def hostnames(nodes: str) -> list[str]:
    if not nodes or nodes == "(null)":
        return []
    return _run(["scontrol", "show", "hostnames", nodes]).stdout.split()


def _check_owner(number: str, told: str) -> None:
    """told: NAME(NUMBER)"""
    match = re.fullmatch(r"(.*)\(([0-9]+)\)", told)
    if match is None or os.geteuid() in (0, int(match[2])):
        return
    name = plain(match[1])
    try:
        own = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        own = str(os.geteuid())
    raise UserError(
        "not_permitted",
        f"Job {number} belongs to user {name}, and you are {own}.",
        "Its user and root may look at it.",
    )


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired:
        raise UserError(
            "launcher_error",
            f"`{command[0]}' gave no answer in {SECONDS} s.",
            "Is Slurm's controller there? `scontrol ping' tells.",
        ) from None
    except OSError as error:
        raise UserError("no_launcher", f"`{command[0]}': {error.strerror}.") from None
