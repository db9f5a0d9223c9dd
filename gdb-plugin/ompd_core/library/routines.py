# SPDX-License-Identifier: Apache-2.0
"""How are OMPD's own routines called, one by one? A failure is an answer here."""

from __future__ import annotations

from typing import Any

from . import capi
from .capi import Rc
from .library import Library, OmpdError
from .types import IcvValue, NativeIds

ICVS_MAX = 1000
# Regions in each other.
LEVELS_MAX = 4096


class Routines:
    """Of one address space, whose handle somebody else owns."""

    def __init__(self, library: Library, handle: Any, pointer_size: int) -> None:
        self._library = library
        self._handle = handle
        self._pointer_size = pointer_size
        self._icvs: dict[str, tuple[int, int]] = {}  # name: id, scope

    def _rc(self, routine: str, *arguments: Any) -> int:
        try:
            self._library._call(routine, *arguments)
        except OmpdError as error:
            return error.rc
        return Rc.OK

    def ok(self, routine: str, *arguments: Any) -> bool:
        """Whether the answer is ok; incomplete counts."""
        return self._rc(routine, *arguments) in (Rc.OK, Rc.INCOMPLETE)

    def made(self, routine: str, *arguments: Any) -> Any | None:
        """A handle; None: there is none."""
        out = capi.Handle()
        return out if self.ok(routine, *arguments, capi.byref(out)) else None

    def release(self, kind: str, handle: Any) -> None:
        self._rc(f"ompd_rel_{kind}_handle", handle)

    def same(self, kind: str, one: Any, other: Any) -> bool:
        out = capi.ompd_rc_t(1)
        told = self.ok(f"ompd_{kind}_handle_compare", one, other, capi.byref(out))
        return told and not out.value

    def thread_handle(self, ids: NativeIds) -> Any | None:
        if ids.pthread_id is None:
            return None
        given = ids.pthread_id.to_bytes(self._pointer_size, capi.HOST_BYTE_ORDER)
        kind = capi.OMPD_THREAD_ID_PTHREAD
        return self.made("ompd_get_thread_handle", self._handle, kind, self._pointer_size, given)

    def pthread_of(self, thread: Any) -> int | None:
        out = capi.ompd_thread_id_t(0)
        kind = capi.OMPD_THREAD_ID_PTHREAD
        told = self.ok("ompd_get_thread_id", thread, kind, self._pointer_size, capi.byref(out))
        return int(out.value) if told else None

    def state(self, thread: Any) -> tuple[int | None, int]:
        state, wait = capi.ompd_word_t(0), capi.ompd_wait_id_t(0)
        told = self.ok("ompd_get_state", thread, capi.byref(state), capi.byref(wait))
        return (int(state.value), int(wait.value)) if told else (None, 0)

    def function(self, task: Any) -> int:
        out = capi.ompd_address_t()
        told = self.ok("ompd_get_task_function", task, capi.byref(out))
        return int(out.address) if told else 0

    # ---- ICVs ------------------------------------------------------------------------------------

    def icvs(self) -> dict[str, tuple[int, int]]:
        """Id and scope by name, in the library's order."""
        if self._icvs:
            return self._icvs
        at, more = 0, True
        for _ in range(ICVS_MAX):
            following, text = capi.ompd_icv_id_t(0), capi.Handle()
            scope, left = capi.ompd_scope_t(0), capi.ompd_rc_t(0)
            outs = [capi.byref(out) for out in (following, text, scope, left)]
            if not more or not self.ok("ompd_enumerate_icvs", self._handle, at, *outs):
                break
            self._icvs[self._taken(text)] = (following.value, scope.value)
            at, more = following.value, bool(left.value)
        return self._icvs

    def _taken(self, text: Any) -> str:
        """The library's text, whose memory is ours to free."""
        taken = capi.string_at(text.value or 0).decode("utf-8", "backslashreplace")
        self._library.callbacks.free(text.value or 0)
        return taken

    def number(self, name: str, handle: Any, scope: int | None = None) -> int | None:
        if name not in self.icvs():
            return None
        icv, own_scope = self._icvs[name]
        out = capi.ompd_word_t(0)
        told = self.ok("ompd_get_icv_from_scope", handle, scope or own_scope, icv, capi.byref(out))
        return int(out.value) if told else None

    def value(self, name: str, handle: Any, scope: int | None = None) -> IcvValue:
        icv, own_scope = self.icvs()[name]
        out = capi.Handle()
        told = self.ok(
            "ompd_get_icv_string_from_scope", handle, scope or own_scope, icv, capi.byref(out)
        )
        text = self._taken(out) if told else None
        if text is not None and text.isascii() and text.isdecimal():
            return IcvValue(int(text), text)  # the text of a number says all
        return IcvValue(self.number(name, handle, scope), text)
