# SPDX-License-Identifier: Apache-2.0
"""What clang's and flang's code calls of an offload runtime (__tgt_*), LLVM's libomptarget."""

from __future__ import annotations

from .base import AFTER, CALLED, Interface, TargetCall


def _of_data(construct: str) -> TargetCall:
    return TargetCall(construct, source=0, device=1)


# Until clang 14, and from 15 on.
_KERNELS = {
    "__tgt_target_mapper": TargetCall("target", source=0, device=1, kernel=2),
    "__tgt_target_nowait_mapper": TargetCall("target nowait", source=0, device=1, kernel=2),
    "__tgt_target_teams_mapper": TargetCall("target teams", source=0, device=1, kernel=2),
    "__tgt_target_teams_nowait_mapper": TargetCall(
        "target teams nowait", source=0, device=1, kernel=2
    ),
    "__tgt_target_kernel": TargetCall("target", source=0, device=1, kernel=4),
    "__tgt_target_kernel_nowait": TargetCall("target nowait", source=0, device=1, kernel=4),
}
# One call is `enter data' or the begin of `target data', another one `exit data' or its end. Only
# the directives that stand alone can be deferred.
_BEGINS = {
    "__tgt_target_data_begin_mapper": _of_data("target [enter] data"),
    "__tgt_target_data_begin_nowait_mapper": _of_data("target enter data nowait"),
}
_ENDS = {
    "__tgt_target_data_end_mapper": _of_data("target [exit] data"),
    "__tgt_target_data_end_nowait_mapper": _of_data("target exit data nowait"),
}
_UPDATES = {
    "__tgt_target_data_update_mapper": _of_data("target update"),
    "__tgt_target_data_update_nowait_mapper": _of_data("target update nowait"),
}

INTERFACE = Interface(
    prefix="__tgt_",
    described=True,
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
