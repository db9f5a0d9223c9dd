# SPDX-License-Identifier: Apache-2.0
"""What a stack tells of constructs of devices, and what compilers record of them."""

from __future__ import annotations

import pytest
from ompd_core import abi
from ompd_core.model import targets
from ompd_core.model.devices import Variable, variable_of
from ompd_core.model.naming import Kernel, is_outlined, kernel_of, users_function
from ompd_core.model.native import Frame, Location
from ompd_core.model.where import CodeMap

LIBRARY, PLUGIN, DRIVER = (
    "/x/libomptarget.so.19.1",
    "/x/libomptarget.rtl.cuda.so",
    "/x/libcuda.so.1",
)
LIBC = "/lib/libc.so.6"
CODE = CodeMap([])


def frame(function: str | None, objfile: str, executable: bool = False) -> Frame:
    return Frame(Location(function, pc=1, objfile=objfile), executable=executable)


def user(function: str | None = "solve") -> Frame:
    return frame(function, "/x/program", True)


ENTRY = frame("__tgt_target_kernel", LIBRARY)
INNER = frame(None, LIBRARY)


@pytest.mark.parametrize(
    "name,expected",
    [
        ("__omp_offloading_fe00_a7200f_main_l11", Kernel("main", 11)),
        ("__omp_offloading_fe00_a7200f_main_l11_debug__", Kernel("main", 11)),
        ("__omp_offloading_1_2_of_l3_l4_1", Kernel("of_l3", 4, 1)),
        ("__omp_offloading_1_2__ZN4grid5solveEv_l7", Kernel("_ZN4grid5solveEv", 7)),
        ("__omp_offloading_1_2_main", None),
        ("__omp_offloading_main_l3", None),
        ("main", None),
        (None, None),
    ],
)
def test_kernels(name: str | None, expected: Kernel | None) -> None:
    assert kernel_of(name) == expected
    if name is not None and expected is not None:
        assert is_outlined(name) and users_function(name) == expected.function


@pytest.mark.parametrize(
    "text,expected",
    [
        (";u[0:n];gpu.c;12;7;;", Variable("u[0:n]", "gpu.c", 12)),
        (";s.data[0:n];a;b.c;3;1;;", Variable("s.data[0:n];a", "b.c", 3)),
        (";unknown;unknown;0;0;;", None),
        ("unknown", None),
        ("", None),
        (None, None),
    ],
)
def test_variables(text: str | None, expected: Variable | None) -> None:
    assert variable_of(text) == expected


@pytest.mark.parametrize(
    "inner,phase",
    [
        ([INNER], targets.INSIDE),
        ([frame("__memcpy_avx_unaligned", LIBC), INNER], targets.TRANSFER),
        ([frame("cuMemcpyHtoDAsync_v2", DRIVER), frame(None, PLUGIN), INNER], targets.TRANSFER),
        ([frame("poll", LIBC), frame(None, DRIVER), frame("cuStreamSynchronize", DRIVER), INNER],
         targets.DEVICE),
        ([frame("__lll_lock_wait", LIBC), frame("pthread_mutex_lock", LIBC), INNER], targets.LOCK),
        # A lock of the driver's is the driver's own affair.
        ([frame("pthread_mutex_lock", LIBC), frame("cuStreamSynchronize", DRIVER), INNER],
         targets.DEVICE),
        ([frame("__pthread_kill", LIBC), frame("abort", LIBC), INNER], targets.ABORTED),
        ([user("__omp_offloading_1_2_solve_l3"), frame("ffi_call", "/x/libffi.so.8"), INNER],
         targets.KERNEL),
        ([user(None), frame("ffi_call", "/x/libffi.so.8"), INNER], targets.KERNEL),
        # Of a region in a kernel without symbols, `target teams'.
        ([user("omp_outlined[]"), frame("ffi_call", "/x/libffi.so.8"), INNER], targets.KERNEL),
        # The program's own operator new.
        ([frame("pthread_mutex_lock", LIBC), user("operator new"), INNER], targets.INSIDE),
    ],
)  # fmt: skip
def test_phases(inner: list[Frame], phase: str) -> None:
    (call,) = targets.calls_on([*inner, ENTRY, user(), user("main")], CODE)
    assert call.entry == "__tgt_target_kernel"
    assert call.caller is not None and call.caller.location.function == "solve"
    assert targets.phase_of(call, CODE) == phase
    assert call.on_top == (call.kernel is None)


def test_nested_calls_innermost_first() -> None:
    kernel = user("__omp_offloading_1_2_solve_l3")
    stack = [INNER, frame("__tgt_target_data_update_mapper", LIBRARY), kernel, INNER, ENTRY, user()]
    found = targets.calls_on(stack, CODE)
    assert [(one.entry, one.level, one.on_top) for one in found] == [
        ("__tgt_target_data_update_mapper", 1, True),
        ("__tgt_target_kernel", 4, False),
    ]


def test_the_code_on_the_host() -> None:
    """clang's unoptimised code is two functions."""
    name = "__omp_offloading_1_2_solve_l3"
    stack = [user(f"{name}_debug__"), user(name), user(), user("main")]
    (call,) = targets.calls_on(stack, CODE)
    assert (call.entry, call.level, targets.phase_of(call, CODE)) == (None, 1, targets.FALLBACK)


@pytest.mark.parametrize(
    "stack",
    [
        [],
        [user(), user("main")],
        # A function of the program's that has such a name is none.
        [user("__tgt_target_kernel"), user("main")],
        [frame("ffi_call", "/x/libffi.so.8"), frame(None, "/x/_ctypes.so"), user("main")],
        [INNER, frame("omp_target_memcpy", LIBRARY), user("main")],
    ],
)
def test_no_constructs(stack: list[Frame]) -> None:
    assert targets.calls_on(stack, CODE) == []


def test_each_construct_waits() -> None:
    assert set(abi.TARGETS) == {name for name in abi.WAITS if name.startswith("__tgt_")}
