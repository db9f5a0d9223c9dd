# SPDX-License-Identifier: Apache-2.0
"""What clang's and flang's code calls of an offload runtime (__tgt_*), LLVM's libomptarget."""

from __future__ import annotations

from .base import AFTER, CALLED, IDENT_SOURCE, Interface, Maps, TargetCall


def _of_data(construct: str, begins: bool = True) -> TargetCall:
    return TargetCall(construct, source=0, device=1, maps=_columns(2), begins=begins)


def _of_kernel(construct: str) -> TargetCall:
    return TargetCall(construct, source=0, device=1, maps=_columns(3), kernel=2)


def _columns(first: int) -> Maps:
    """Behind the number and where the variables themselves begin."""
    return Maps(first, first + 2, first + 3, first + 4, first + 5, first + 6)


# Of __tgt_kernel_arguments, which begins with a version and the number of rows, of 4 bytes each.
_IN_BLOCK = Maps(4, 16, 24, 32, 40, 48, block=5)

# Until clang 14, and from 15 on.
_KERNELS = {
    "__tgt_target_mapper": _of_kernel("target"),
    "__tgt_target_nowait_mapper": _of_kernel("target nowait"),
    "__tgt_target_teams_mapper": _of_kernel("target teams"),
    "__tgt_target_teams_nowait_mapper": _of_kernel("target teams nowait"),
    "__tgt_target_kernel": TargetCall("target", source=0, device=1, maps=_IN_BLOCK, kernel=4),
    "__tgt_target_kernel_nowait": TargetCall(
        "target nowait", source=0, device=1, maps=_IN_BLOCK, kernel=4
    ),
}
# One call is `enter data' or the begin of `target data', another one `exit data' or its end. Only
# the directives that stand alone can be deferred.
_BEGINS = {
    "__tgt_target_data_begin_mapper": _of_data("target [enter] data"),
    "__tgt_target_data_begin_nowait_mapper": _of_data("target enter data nowait"),
}
_ENDS = {
    "__tgt_target_data_end_mapper": _of_data("target [exit] data", False),
    "__tgt_target_data_end_nowait_mapper": _of_data("target exit data nowait", False),
}
_UPDATES = {
    "__tgt_target_data_update_mapper": _of_data("target update", False),
    "__tgt_target_data_update_nowait_mapper": _of_data("target update nowait", False),
}

INTERFACE = Interface(
    prefix="__tgt_",
    source_at=IDENT_SOURCE,
    waits={
        **dict.fromkeys(_KERNELS, "target"),
        **dict.fromkeys({**_BEGINS, **_ENDS}, "target_map"),
        **dict.fromkeys(_UPDATES, "target_update"),
    },
    targets={**_KERNELS, **_BEGINS, **_ENDS, **_UPDATES},
    events={
        ("target", "begin"): dict.fromkeys(_KERNELS, CALLED),
        ("target", "end"): dict.fromkeys(_KERNELS, AFTER),
        ("data", "begin"): dict.fromkeys(_BEGINS, CALLED),
        ("data", "end"): dict.fromkeys(_ENDS, AFTER),
        ("update", "begin"): dict.fromkeys(_UPDATES, CALLED),
        ("update", "end"): dict.fromkeys(_UPDATES, AFTER),
    },
)
