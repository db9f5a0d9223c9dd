# SPDX-License-Identifier: Apache-2.0
"""What does a thread do, by its stack? libompd's pure functions, which need no runtime and no
target: those of the library that is used or, if that has OMPD's own routines only, of the one that
came with the plugin."""

from __future__ import annotations

import os
from typing import Any, Sequence

from ..errors import UserError
from . import capi, search
from .capi import Rc
from .types import Classification, Facts, Sleep, StackFrame

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CODES = {one.name.lower(): int(one) for one in capi.Code}
_RUNTIMES = {one.name.lower(): int(one) for one in capi.RuntimeKind}
_THREADS = {one.name.lower(): int(one) for one in capi.ThreadKind}
_GENERATORS = {one.name.lower(): int(one) for one in capi.TeamGenerator}
_WAITS = {int(one): one.name.lower() for one in capi.WaitFor if one}
_CONSTRUCTS = {int(one): one.name.lower() for one in capi.Construct if one}
_PLACES = {int(one): one.name.lower() for one in capi.Place}
_DOUBTS = {int(one): one.name.lower() for one in capi.DoubtCode if one}
_NOT_LOOKED_AT = -1
MOST_REMEMBERED = 4096  # stacks
_NONE = -1  # of a number that is not known
_UNDEFINED = 0x102  # ompt_state_undefined


class Inference:
    """Of one library that has them."""

    def __init__(self, dll: Any) -> None:
        self._dll = dll
        self._functions: dict[str, tuple[Any, int]] = {}  # what their names tell, and where that is
        self._frames: dict[tuple[StackFrame, ...], Any] = {}  # most threads' are one of few

    def classify(
        self,
        frames: Sequence[StackFrame],
        extent: int,
        sleep: Sleep | None = None,
        facts: Facts | None = None,
    ) -> Classification:
        """frames: innermost first; extent: PART, CUT or WHOLE."""
        word = None
        if sleep is not None:
            word = sleep.address, sleep.expected, sleep.now or 0, sleep.now is not None
        stack = capi.stack(self._array(tuple(frames)), extent, word)
        known = capi.byref(_facts(facts)) if facts is not None else None
        found = capi.classification()
        rc = self._dll.ompdx_classify(capi.byref(stack), known, capi.byref(found))
        if rc != Rc.OK:
            raise ValueError(f"ompdx_classify answered {rc}")
        return _told(found)

    def _array(self, frames: tuple[StackFrame, ...]) -> Any:
        found = self._frames.get(frames)
        if found is None:
            if len(self._frames) == MOST_REMEMBERED:
                self._frames.clear()
            found = self._frames[frames] = capi.frames([self._frame(one) for one in frames])
        return found

    def _frame(self, frame: StackFrame) -> tuple[int, int, int, int, int, int, int]:
        return (
            _CODES[frame.code],
            _RUNTIMES.get(frame.kind, 0),
            frame.runtime,
            _NOT_LOOKED_AT if frame.direct is None else frame.direct,
            self._function(frame.name),
            self._function(frame.called),
            frame.entry,
        )

    def _function(self, name: str | None) -> int:
        """Where what its name tells stands, as long as this lives."""
        if name is None:
            return 0
        known = self._functions.get(name)
        if known is None:
            made = capi.described(self._dll.ompdx_describe_function, name)
            known = self._functions[name] = made, capi.address_of(capi.pointer(made))
        return known[1]


def _known(number: int | None) -> int:
    return _NONE if number is None else number


def _facts(facts: Facts) -> Any:
    source = facts.ident_source
    regions = [
        dict(
            address=one.address,
            generator=_GENERATORS.get(one.generator, 0),
            serialized=bool(one.serialized),
            level=_known(one.level),
            team_num=_known(one.team_num),
            member_count=len(one.members),
            function=one.function,
            barrier_round=one.barrier_round,
        )
        for one, _ in facts.chain
    ]
    come = facts.arrivals
    return capi.facts(
        dict(
            known=capi.OMPDX_FACT_THREAD | capi.OMPDX_FACT_REGIONS,
            runtime=facts.runtime,
            runtime_kind=_RUNTIMES.get(facts.kind, 0),
            thread_kind=_THREADS.get(facts.thread, 0),
            has_team=facts.has_team,
            ident_flags=_known(facts.ident_flags),
            ident_source=source.encode("utf-8", "replace") if source is not None else None,
        ),
        [(at, num) for at, (_, num) in enumerate(facts.chain)],
        regions,
        (come.awaits, _known(come.arrived), _known(come.arrived_at_end)) if come else None,
    )


def _index(number: int) -> int | None:
    return None if number == capi.NO_INDEX else number


def _told(found: Any) -> Classification:
    return Classification(
        found.state if found.state != _UNDEFINED else None,
        _WAITS.get(found.wait),
        _CONSTRUCTS.get(found.construct),
        _PLACES.get(found.place, "none"),
        _DOUBTS.get(found.doubt),
        found.told,
        found.asks,
        _index(found.runtime),
        _index(found.entry_frame),
        _index(found.caller_frame),
        _index(found.outermost_frame),
        found.object,
        found.round if found.told & capi.OMPDX_TOLD_ROUND else None,
        _DOUBTS.get(found.construct_doubt),
    )


def of(dll: Any, missing: Sequence[str]) -> Inference | None:
    """missing: which extensions the library lacks. None: the plugin's own cannot be loaded."""
    if "ompdx_classify" not in missing:
        return Inference(dll)
    for candidate in search.own_candidates(_PACKAGE):
        try:
            search.refuse_truncated(candidate)
            own, lacks = capi.load(candidate)
        except (OSError, UserError):
            continue
        if "ompdx_classify" not in lacks:
            return Inference(own)
    return None
