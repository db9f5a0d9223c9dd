# SPDX-License-Identifier: Apache-2.0
"""Where threads wait for others that do not notice a cancellation, is it said? And that a
cancellation does nothing? Of programs that go on nothing wrong is said."""

from __future__ import annotations

import os
from pathlib import Path

import looks
import machine
import pytest
from sessions import ask, settle

RUNTIMES = (
    *("libgomp-12", "libomp-19", "libgomp-10", "libgomp-14", "libgomp-16", "libomp-13"),
    *("libomp-15", "libomp-16", "libomp-17", "libomp-18", "libomp-21-debug", "libomp-22-debug"),
    "libomp-23",
)
# What is requested, as each kind of runtime keeps it.
WHAT = {
    "parallel": ("`cancel parallel'", "`cancel parallel'"),
    "for": ("`cancel for' or `cancel sections'", "`cancel for'"),
    "taskgroup": ("`cancel taskgroup'", "`cancel taskgroup'"),
}
OFF = ("off", "unneeded")
_LINES = (machine.PROGRAMS / "cancels.c").read_text(encoding="ascii").splitlines()
LINE = next(i for i, line in enumerate(_LINES, 1) if "/* here */" in line)


def cells() -> list[object]:
    ways = (*WHAT, *OFF, "points")
    default = {
        ("parallel", "libgomp-12"),
        ("taskgroup", "libomp-19"),
        ("off", "libgomp-12"),
        ("points", "libomp-19"),
    }
    return [
        pytest.param(way, runtime, marks=() if (way, runtime) in default else pytest.mark.full)
        for way in ways
        for runtime in RUNTIMES
    ]


@pytest.mark.parametrize("way, runtime", cells())
def test_notes(way: str, runtime: str, folder: Path) -> None:
    gnus = machine.is_gnus(runtime)
    executable = machine.built_for(runtime, "cancels")
    environment = {
        "LD_LIBRARY_PATH": str(machine.cached(runtime)),
        "OMP_CANCELLATION": "false" if way in OFF else "true",
        "OMP_DYNAMIC": "false",
        **machine.settings_of(runtime),
    }
    program = looks.Program(executable, (way, folder / "begun"), environment, folder / "begun")
    with looks.running(program, folder) as pid:
        looks.wait_for_threads(pid, 3)
        if way in WHAT:
            settle(int(lwp) for lwp in os.listdir(f"/proc/{pid}/task"))
        answer = ask("gdb", ["ompd report -json", "ompd"], [f"attach {pid}"], folder=folder)
    report = answer.documents[0]
    assert report is not None and report["findings"] == []
    notes = {one["code"]: one["text"] for one in report["summary"]["slowdowns"]}
    if way in WHAT:
        text = notes["cancelled"]
        assert f"A thread has requested {WHAT[way][not gnus]}, which ends" in text
        assert "in work () at cancels.c:" in text and text.endswith("and work () has none.")
        assert text in " ".join(answer.texts[1].split())
    elif way in OFF:
        assert "cancelled" not in notes
    else:
        assert "cancellation_off" not in notes and "has none" not in notes.get("cancelled", "")
    if way == "off":
        does = f"at cancels.c:{LINE} does nothing: cancellation is off (cancel-var)."
        assert does in notes["cancellation_off"]
