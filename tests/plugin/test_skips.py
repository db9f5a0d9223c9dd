# SPDX-License-Identifier: Apache-2.0
"""Whose code is it, as the user told GDB?"""

from __future__ import annotations

import pytest
from ompd_core.model.native import Frame, Location
from ompd_core.model.skips import Skip, in_system_header
from ompd_core.model.users_frame import users_frame
from ompd_core.model.where import CodeMap, Runtime

PLACE = Location("grid::solve(int)", "solve.cc", "/src/grid/solve.cc", 7, 0x10, "/bin/p")


@pytest.mark.parametrize(
    "file, expected",
    [
        ("/usr/include/c++/12/bits/std_mutex.h", True),
        ("/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/stl_algo.h", True),
        ("/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h", True),
        ("/opt/gcc-13/include/c++/13/vector", True),
        ("/data/include/mesh.h", False),
        ("/usr/src/project/main.c", False),
        ("main.c", False),
    ],
)
def test_system_headers(file: str, expected: bool) -> None:
    assert in_system_header(Location("f", file, file, 1)) is expected


@pytest.mark.parametrize(
    "skip, expected",
    [
        (Skip(None, False, "grid::solve", False), True),
        (Skip(None, False, "solve", False), False),
        (Skip(None, False, "^grid::", True), True),
        (Skip(None, False, "(", True), False),
        (Skip("solve.cc", False, None, False), True),
        (Skip("ve.cc", False, None, False), False),
        (Skip("*/grid/*", True, None, False), True),
        (Skip("*.h", True, "grid::solve", False), False),
    ],
)
def test_gdbs_list(skip: Skip, expected: bool) -> None:
    assert skip.matches(PLACE) is expected


def frame(function: str, file: str) -> Frame:
    return Frame(Location(function, file, file, 3, 0x10, "/bin/p"), executable=True)


def test_the_users_own_frame() -> None:
    lock = frame("std::mutex::lock", "/usr/include/c++/12/bits/std_mutex.h")
    guard, own = frame("guard", "/src/guard.h"), frame("main", "/src/main.cc")
    assert users_frame([lock, guard, own], CodeMap([])) is guard
    skips = [Skip(None, False, "guard", False)]
    assert users_frame([lock, guard, own], CodeMap([], stepped_over=skips)) is own
    # Nothing but such code: the innermost, as if nothing had been said.
    assert users_frame([lock, guard], CodeMap([], stepped_over=skips)) is lock


def test_what_starts_threads_is_nobodys_own() -> None:
    """Of a worker whose code has made way for a barrier, with the C library in the program."""
    names = ("GOMP_barrier", "gomp_thread_start", "start_thread", "__clone3")
    stack = [Frame(Location(name, pc=number), executable=True) for number, name in enumerate(names)]
    code = CodeMap([Runtime(0, 0, None, embedded=True)])
    assert users_frame(stack, code) is None
    own = Frame(Location("start_thread", "mine.c", line=3), executable=True)
    assert users_frame([own, *stack], code) is own


def test_whose_names_look_like_the_runtimes() -> None:
    """With libomp in the program: what has a line of the user's is his, whatever he calls it."""
    code = CodeMap([Runtime(0, 0, None, embedded=True)])
    inner = Frame(Location("kmp_wait", "kmp_wait_release.h", line=300), executable=True)
    for name in ("kmp_search", "kmp::table", "omp_setup_grid", "omp_save"):
        own = Frame(Location(name, "/home/user/solver.cc", line=12), executable=True)
        assert users_frame([inner, own], code) is own, name
    assert code.is_runtime(inner)


def test_headers_of_a_runtime_with_debug_information() -> None:
    """What is inlined from libgomp's has names that any program may have, and is innermost."""
    code = CodeMap([Runtime(0, 0, None, embedded=True)])
    source = "../../../gcc-13.2.0/libgomp"
    inlined = [
        Frame(Location(name, f"{source}/{file}", line=44), executable=True, inlined=True)
        for name, file in (
            ("futex_wait", "config/linux/x86/futex.h"),
            ("do_spin", "config/linux/wait.h"),
            ("do_wait", "config/linux/wait.h"),
            ("gomp_barrier_handle", "config/linux/bar.h"),
            ("spin_count", "wait.h"),
        )
    ]
    assert all(map(code.is_runtime, inlined))
    for file in ("/home/user/wait.h", "/src/libgomp/testsuite/wait.h", "/src/libgomp/mine.c", None):
        for name in ("do_wait", "do_spin"):
            own = Frame(Location(name, file, line=3), executable=True)
            assert users_frame([*inlined, own], code) is own, file
