# SPDX-License-Identifier: Apache-2.0
"""Does a machine, or a runtime, that is only in its registry get all that the others get? The ones
of made_up.py are nowhere else."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Iterator

import made_up
import pytest
from ompd_core import arch, runtimes
from ompd_core.model import where
from ompd_core.runtimes import libgomp
from ompd_core.snapshot.picture import Picture
from ompd_core.snapshot.runtimes import Runtimes
from ompd_core.views import json_document, threads
from ompd_core.views.table import Style


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine beside the others, the runtime in another's place, since much is made of the list
    when it is loaded."""
    monkeypatch.setitem(sys.modules, "imaginary", made_up.MACHINE)
    monkeypatch.setitem(arch.MODULES, "imaginary", "imaginary")
    with monkeypatch.context() as place:
        place.setattr(libgomp, "RUNTIME", made_up.RUNTIME)
        importlib.reload(runtimes)
        yield
    importlib.reload(runtimes)


@pytest.fixture
def picture(registered: None) -> Picture:
    debugger: Any = made_up.Debugger()
    library: Any = made_up.Library()
    opened = Runtimes(library, debugger)
    found, natives = opened.all(), debugger.native_threads()
    opened.take_views(natives)
    return Picture(debugger, opened, natives, found)


def test_threads(picture: Picture) -> None:
    picture.locate_threads()
    process = picture.process
    (runtime,) = process.runtimes
    assert (runtime.name, runtime.supported, runtime.problem) == ("Imaginary OpenMP 7", True, None)
    told = json_document.threads(process.threads)
    assert [one["where"]["line"] for one in told] == [10, 20]
    members = [member for one in told for member in one["openmp"]]
    assert [(one["id"], one["state"]) for one in members] == [
        ("R1.0", "wait_lock"),
        ("R1.1", "wait_lock"),
    ]
    shown = "\n".join(threads.lines(process, process.threads, None, Style(100)))
    assert "lock_a" in shown and "one () at stuck.c:10" in shown


def test_what_is_waited_for(picture: Picture) -> None:
    """One lock by a constant in the code, the other by a pointer in memory."""
    picture.locate_threads()
    (first,), (second,) = (thread.openmp for thread in picture.process.threads)
    assert first.wait is not None and second.wait is not None
    assert (first.wait.address, first.wait.name, first.wait.exact) == (
        made_up.LOCK_B,
        "lock_b",
        False,
    )
    assert (second.wait.address, second.wait.exact) == (made_up.LOCK_A, True)


def test_what_is_held(picture: Picture) -> None:
    told = json_document.locks(picture.locks.all)
    assert {one["name"]: (one["holder"], one["waiters"]) for one in told} == {
        "lock_a": ("R1.0", ["R1.1"]),
        "lock_b": ("R1.1", ["R1.0"]),
    }


def test_verdict(picture: Picture) -> None:
    told = json_document.deadlock(picture.judgement())
    assert told["verdict"] == "deadlock"
    assert [edge["thread"] for edge in told["cycles"][0]] == ["R1.0", "R1.1"]


def test_report(picture: Picture) -> None:
    process = picture.process
    found = json_document.findings(picture.assessment(picture.judgement()))
    assert found[0]["code"] == "deadlock"
    document = json_document.envelope("threads", 1, "none", [], None, process.runtimes)
    assert document["runtimes"][0]["kind"] == "imaginary"
    assert json_document.regions(process.regions)[1]["team_size"] == 2


def test_linked_into_the_program() -> None:
    """Its functions are known by their names."""
    code = where.CodeMap([where.Runtime(0, 0x9000, "/bin/stuck", embedded=True)])
    names = ("imagine_sleep", "omp_set_lock", "GOMP_parallel", "imagined", "one")
    own = [code.is_runtime(made_up.frame(name, 0x1000)) for name in names]
    assert own == [True, True, True, False, False]


def test_its_settings() -> None:
    assert "IMAGINE_SPIN".startswith(runtimes.ENVIRONMENT)
