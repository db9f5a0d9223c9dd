# SPDX-License-Identifier: Apache-2.0
"""Does tools/check run what it lists, and end what does not end?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check"
HERE = "# ---- What they share"


def check(*words: str, tool: Path = CHECK) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [tool, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def with_steps(folder: Path, text: str) -> Path:
    """The tool in a tree of its own, with more steps."""
    tool = folder / "tools" / "check"
    tool.parent.mkdir()
    tool.write_text(CHECK.read_text(encoding="utf-8").replace(HERE, text + HERE, 1))
    tool.chmod(0o755)
    return tool


def test_list() -> None:
    """Each step is run by default, but what only --full does."""
    text = CHECK.read_text(encoding="utf-8")
    listed = [line.split()[0] for line in check("--list").stdout.splitlines()]
    whole = text.split("everything() {")[1].split("\n}")[0]
    run = re.findall(r"\bstep ([\w-]+)", whole)
    run += " ".join(re.findall(r"\btogether (.+)", whole)).split()
    assert sorted(run) == sorted(listed) and len(set(run)) == len(run) > 15
    assert re.findall(r"^do_([\w-]+)\(\)", text, flags=re.MULTILINE) == listed


def test_unknown_step() -> None:
    done = check("nosuch")
    assert done.returncode == 2 and "no step nosuch" in done.stdout


def test_steps(tmp_path: Path) -> None:
    """Those that one needs run first, once; what fails shows its log; what hangs is ended, with all
    that it started."""
    tool = with_steps(
        tmp_path,
        'add first 60 "" "x"\ndo_first() { echo first >>order; }\n'
        'add good 60 "first" "x"\ndo_good() { echo good >>order; }\n'
        'add bad 60 "first" "x"\ndo_bad() { echo bad >>order; echo its words; false; }\n'
        'add slow 1 "" "x"\ndo_slow() { sleep 600 & echo $! >sleeper; wait; }\n',
    )
    done = check("good", "bad", "slow", tool=tool)
    assert (tmp_path / "order").read_text().split() == ["first", "good", "bad"]
    assert done.returncode == 1 and "      its words\n" in done.stdout
    assert re.search(r"^FAIL  slow .*\n +It did not end in 1 s\.$", done.stdout, flags=re.MULTILINE)
    assert "failed: bad slow" in done.stdout
    sleeper = Path("/proc", (tmp_path / "sleeper").read_text().strip(), "stat")
    assert not sleeper.exists() or sleeper.read_text().rpartition(")")[2].split()[0] == "Z"
    assert check("good", tool=tool).stdout.endswith("Everything asked for passed.\n")


def live_suite(
    folder: Path, name: str, text: str, options: str = ""
) -> "subprocess.CompletedProcess[str]":
    """A step whose only file of tests has that name. options: pytest's."""
    tests = folder / "live"
    tests.mkdir()
    (tests / name).write_text(text)
    tool = with_steps(
        folder, f'add host 60 "" "x"\ndo_host() {{ live_suite host {tests} {options}; }}\n'
    )
    return check("host", tool=tool)


ONCE = """
import pathlib

def test_it():
    mark = pathlib.Path(__file__).with_suffix(".mark")
    seen = mark.exists()
    mark.touch()
    assert seen, "no time"

def test_other():
    pass
"""


def test_unsteady(tmp_path: Path) -> None:
    """A test that fails once and passes alone is named, and fails nothing."""
    done = live_suite(tmp_path, "test_states.py", ONCE)
    assert done.returncode == 0 and done.stdout.count("unsteady, passed alone: FAILED") == 1
    assert "1 failed, 1 passed" in done.stdout and "no time" in done.stdout


def test_failing(tmp_path: Path) -> None:
    done = live_suite(tmp_path, "test_states.py", ONCE.replace("assert seen", "assert False"))
    assert done.returncode == 1 and "unsteady" not in done.stdout


def test_one_of_a_group(tmp_path: Path) -> None:
    """Side by side it is known by another name."""
    grouped = """
import pytest

@pytest.mark.xdist_group("together")
def test_grouped():
    assert False
"""
    done = live_suite(tmp_path, "test_states.py", ONCE + grouped, "-n 2 --dist loadgroup")
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_believed_at_once(tmp_path: Path) -> None:
    """What accuses a healthy program once is not asked again; nor are many failures."""
    done = live_suite(tmp_path, "test_innocents.py", ONCE)
    assert done.returncode == 1 and "unsteady" not in done.stdout


def test_many_failures(tmp_path: Path) -> None:
    many = "".join(ONCE.replace("test_it", f"test_{n}").replace(".mark", f".{n}") for n in range(4))
    done = live_suite(tmp_path, "test_states.py", many)
    assert done.returncode == 1 and "unsteady" not in done.stdout
