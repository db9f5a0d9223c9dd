# SPDX-License-Identifier: Apache-2.0
"""What are the ICVs, for the process and for each thread? All of them of one snapshot, at once."""

from __future__ import annotations

from typing import Iterator

from . import capi
from .capi import Scope
from .types import Icvs, IcvValue

_SCOPES = {
    Scope.GLOBAL: "process",
    Scope.ADDRESS_SPACE: "process",
    Scope.THREAD: "thread",
    Scope.PARALLEL: "region",
    Scope.IMPLICIT_TASK: "task",
    Scope.TASK: "task",
}


def scope_name(scope: int) -> str:
    """Whose it is: "process", "region", "thread", "task"."""
    return _SCOPES.get(Scope(scope), "process")


def of_snapshot(answer: capi.ompdx_icvs_t, thread_count: int) -> Icvs:
    """thread_count: of the tool's threads, whose rows are the first. The last is the process's."""
    scopes = {
        _decoded(one.name): scope_name(one.scope)
        for one in capi.array_at(answer.icvs or 0, answer.icv_count, capi.ompdx_icv_t)
    }
    names = list(scopes)
    rows = list(_rows(answer))
    process = dict(zip(names, rows[-1]))
    own = [number for number, name in enumerate(names) if scopes[name] != "process"]
    return Icvs(
        scopes,
        {name: value for name, value in process.items() if scopes[name] == "process"},
        {name: value for name, value in process.items() if scopes[name] == "task"},
        [
            {names[number]: row[number] for number in own} if any(map(_is_known, row)) else None
            for row in rows[:thread_count]
        ],
    )


def _rows(answer: capi.ompdx_icvs_t) -> Iterator[list[IcvValue]]:
    """Most values are met many times."""
    met: dict[tuple[int, int, int], IcvValue] = {}
    width = answer.icv_count
    cells = []
    count = width * answer.row_count
    for raw in capi.icv_values_at(answer.values or 0, count, answer.value_size):
        value = met.get(raw)
        if value is None:
            value = met[raw] = _value(*raw)
        cells.append(value)
    for at in range(0, count, width):
        yield cells[at : at + width]


def _value(text: int, number: int, known: int) -> IcvValue:
    return IcvValue(
        number if known & capi.OMPDX_ICV_NUMBER else None,
        _decoded(capi.string_at(text)) if known & capi.OMPDX_ICV_TEXT else None,
    )


def _is_known(value: IcvValue) -> bool:
    return value.number is not None or value.text is not None


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")
