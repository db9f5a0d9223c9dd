# SPDX-License-Identifier: Apache-2.0
"""Is a variable shared by the threads of a team, or has each its own? Their addresses tell."""

from __future__ import annotations

from typing import Sequence

from .process import Region, Thread
from .values import Answer, Variable

SHARED, PRIVATE, THREADPRIVATE = "shared", "private", "threadprivate"
REDUCTION = "reduction"


def of_answers(found: Sequence[Answer]) -> str | None:
    """None: not known, or not the same for all. What another frame has is none of the thread's."""
    variables = [
        value.variable
        for _, value in found
        if value.variable is not None and value.text is not None and value.parents is None
    ]
    told = sum(value.text is not None for _, value in found)
    if not variables or len(variables) < told or len(_regions(found)) != 1:
        return None
    addresses = {variable.address for variable in variables}
    if None in addresses:
        return None
    if all(one.is_parents for one in variables):
        return SHARED
    if len(variables) == 1:
        return _alone(variables[0])
    if any(one.twin for one in variables):
        return None
    if len(addresses) == 1:
        return SHARED
    # A reference may be to anything: an element of an array that is shared.
    if len(addresses) < len(variables) or any(one.reference for one in variables):
        return None
    if all(one.is_global for one in variables):
        return THREADPRIVATE
    return _own(variables)


def _regions(found: Sequence[Answer]) -> set[Region | None]:
    return {_region(thread) for thread, _ in found}


def _region(thread: Thread) -> Region | None:
    return next((member.region for member in thread.openmp if member.region is not None), None)


def _alone(variable: Variable) -> str | None:
    """Of one thread alone only what the compiler made of the variable tells: clang passes those
    that are shared to the code of a construct as references."""
    if not variable.in_construct or variable.is_global or variable.twin:
        return None
    return SHARED if variable.reference else _own([variable])


def _own(variables: Sequence[Variable]) -> str:
    return REDUCTION if all(one.reduces for one in variables) else PRIVATE
