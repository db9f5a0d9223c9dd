# SPDX-License-Identifier: Apache-2.0
"""Do libompd's tables of functions say what the plugin's say? The library is that of
the build."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import pytest
from ompd_core import abi, runtimes, source_tree
from ompd_core.abi import omp
from ompd_core.library import capi
from ompd_core.library.capi import FunctionClass, WaitFor
from ompd_core.model.naming import is_outlined

TREE = Path(__file__).resolve().parents[2]
BUILD = Path(source_tree.build(str(TREE)))

ENTRIES = sorted(
    {
        *(name for table in (abi.FUNCTIONS, abi.WAITS, abi.OBJECT_ARGUMENT) for name in table),
        *(name for table in (abi.CONSTRUCT_ENDS, abi.BEGINS, abi.ENDS) for name in table),
        *(
            name
            for names in (abi.EXECUTES_TASKS, abi.CANCELLABLE, abi.SERIALIZES)
            for name in names
        ),
        *(name for names in (abi.LOOP_STATIC, abi.LOOP_NEXT, abi.LOOP_LEFT) for name in names),
        *(name for table in abi.EVENTS.values() for name in table),
        *omp.ROUTINES,
    }
)
SPELT = ("{}", "{}_", "{}@VERSION", "{}@@GOMP_1.0", "__kmp_api_{}", "gomp_ialias_{}")
OTHERS = """
    main solve _solve __solve omp_ omp_mine kmp_set_blocktime kmp_set_blocktime_ GOMP __kmpc
    __kmp_fork_call __kmp_join_call __kmp_invoke_microtask ___kmp_x _kmp_x kmp_x __ompt_x __omp_x
    ompt_x ompd_bp_x gomp_barrier_wait_end gomp_x goacc_x GOACC_x GOACC futex_wait futex priority_x
    priority_queue_insert splay_tree_lookup gomp_ordered_sync __kmp_acquire_ticket_lock
    __kmp_acquire_lock __kmp_acquire_drdpa_lock_timed __kmp_acquire_ __kmp_release_ticket_lock
    .omp_outlined. .omp_outlined..2 .omp_outlined._debug__.3 .omp_task_entry..5 solve.omp_outlined
    solve.omp_outlined_debug__ solve.omp_outlined.omp_outlined solve._omp_fn.0 solve._omp_cpyfn.1
    _QMmPsolve..omp_par.2 romp_partial .omp_task_privates_map. comp_fn.c
""".split()


@pytest.fixture(scope="module")
def library() -> Any:
    path = BUILD / "libompd/libompd.so"
    assert path.exists(), f"{path}: build it, or set OMPD_BUILD"
    return capi.load(str(path))[0]


def described(library: Any, name: str) -> Any:
    found = capi.ompdx_function_t(size=ctypes.sizeof(capi.ompdx_function_t))
    assert library.ompdx_describe_function(name.encode(), ctypes.byref(found)) == capi.Rc.OK
    return found


def names() -> list[str]:
    return [spelt.format(name) for name in ENTRIES for spelt in SPELT] + OTHERS


def test_no_row_is_the_librarys_alone() -> None:
    """What compilers call is in both: the tests below ask for the plugin's names."""
    text = (TREE / "libompd/inference/entries.def").read_text(encoding="utf-8")
    rows = set(re.findall(r"^(?:ENTRY|ENDS|ROUTINE)\((\w+)", text, re.MULTILINE))
    assert len(rows) > 150 and not rows - set(ENTRIES)
    prefixes = set(re.findall(r"^INTERFACE\((\w+)", text, re.MULTILINE))
    assert prefixes == set(abi.PREFIXES)


def test_classes(library: Any) -> None:
    for name in names():
        told = FunctionClass(described(library, name).function_class)
        plain = name.partition("@")[0]
        if abi.is_entry_point(name):
            expected = FunctionClass.ENTRY
        elif re.match(runtimes.FUNCTIONS, plain):
            expected = FunctionClass.INTERNAL
        elif runtimes.defines(plain, None):
            expected = FunctionClass.AMBIGUOUS
        elif is_outlined(name):
            expected = FunctionClass.OUTLINED
        else:
            expected = FunctionClass.OTHER
        assert told == expected, name


def test_what_is_waited_for(library: Any) -> None:
    for spelt in names():
        told, name = described(library, spelt), abi.normal(spelt)
        if not told.roles & capi.OMPDX_ROLE_CONTENDED:
            wait = abi.WAITS.get(name, "none")
            assert WaitFor(told.wait).name.lower() == wait, spelt
        assert told.object_argument == abi.OBJECT_ARGUMENT.get(name, -1), spelt
        assert told.code_argument == abi.FUNCTIONS.get(name, -1), spelt


def test_roles(library: Any) -> None:
    for spelt in names():
        name = abi.normal(spelt)
        plain = spelt.partition("@")[0]
        expected = {
            capi.OMPDX_ROLE_FORKS: name in abi.FORKS,
            capi.OMPDX_ROLE_FORKS_BY_ANOTHER: name in abi.FORKS_BY_ANOTHER,
            capi.OMPDX_ROLE_LEAGUE: name in abi.FORKS and "teams" in name,
            capi.OMPDX_ROLE_SERIALIZES: name in abi.SERIALIZES,
            capi.OMPDX_ROLE_BEFORE_REGION: name in abi.BEFORE_REGION,
            capi.OMPDX_ROLE_EXECUTES_AT_ONCE: name in abi.EXECUTES_AT_ONCE,
            capi.OMPDX_ROLE_EXECUTES_TASKS: name in abi.EXECUTES_TASKS,
            capi.OMPDX_ROLE_NESTED: name.startswith(abi.NESTED),
            capi.OMPDX_ROLE_INVOKES: plain in runtimes.INVOKES,
            capi.OMPDX_ROLE_OF_CLANG: "omp_outlined" in plain,
        }
        told = described(library, spelt).roles
        wrong = [hex(role) for role, is_so in expected.items() if bool(told & role) != is_so]
        assert not wrong, (spelt, wrong)
