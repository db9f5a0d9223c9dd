# SPDX-License-Identifier: Apache-2.0
"""Which exception did the C++ library end the program for? Knows how libstdc++ keeps exceptions of
64-bit programs (unwind-cxx.h), and trusts only what proves itself: a marked header whose exception
has been caught, of a type that has a type_info.

The exception is the one that the library caught to end the program: its address is on the stack,
between the frames that did so."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..debugger import Debugger, StoppedThread
from ..errors import Unreadable
from ..light_classes import NamedTuple
from ..model.logical_stack.stack import Walked

# In _Unwind_Exception: the mark of GNU's C++. The other parts of the exception, counted from there.
_CLASS = b"\0++CCUNG"
_REFERENCES, _TYPE, _CAUGHT, _OBJECT = -96, -80, -40, 32
# So much of the stack is looked at, for so many exceptions.
_STACK, _MOST = 16384, 16
_LONGEST = 400  # characters of a text
# what() of these returns the text that the object holds behind its first word.
_HOLD_TEXT = ("std::runtime_error::what() const", "std::logic_error::what() const")
# Whoever calls clang's function lets no exception out; of gcc's code the library's personality
# routine tells the unwinder, which works for the routines that throw.
_CLANGS, _JUDGES = "__clang_call_terminate", "__gxx_personality_v0"
_THROWERS = ("__cxa_throw", "__cxa_rethrow")
_THROW = ("_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow")
_NUMBERS = {"i": 4, "l": 8, "x": 8, "s": 2}


class Found(NamedTuple):
    type: str
    what: str | None
    level: int | None  # of the frame that lets none out, counted from the innermost


class Exceptions:
    def __init__(self, target: Debugger, stopped: StoppedThread) -> None:
        self._target, self._stopped = target, stopped

    def ending(self, stack: Walked) -> Found | None:
        """Of the thread that the library has ended. None: it is not known which."""
        names = [frame.location.function or "" for frame in stack.frames]
        if not any("terminate" in name or name in (_JUDGES, *_THROWERS) for name in names):
            return None
        try:
            found = {one for one in self._on_stack() if self._is_caught(one)}
            return self._read(found.pop(), stack, names) if len(found) == 1 else None
        except (Unreadable, ValueError):
            return None

    def _on_stack(self) -> Iterator[int]:
        start = self._stopped.stack_pointer(0) & -8
        seen: set[int] = set()
        for at in range(start, start + _STACK, 8):
            try:
                word = self._word(at)
            except Unreadable:
                return  # the stack's end
            if word in seen or word % 16 or len(seen) == _STACK:
                continue
            seen.add(word)
            try:
                if self._target.read(word, len(_CLASS)) == _CLASS:
                    yield word
            except Unreadable:
                pass

    def _is_caught(self, at: int) -> bool:
        """And not freed: memory that is free has other things where the references are counted."""
        try:
            counts = [self._target.number(at + of, 4) for of in (_REFERENCES, _CAUGHT)]
            return all(0 < one <= _MOST for one in counts)
        except Unreadable:
            return False

    def _read(self, at: int, stack: Walked, names: Sequence[str]) -> Found | None:
        kind = self._word(at + _TYPE)
        if "type_info" not in (self._target.code.object(self._word(kind)) or ""):
            return None
        mangled = self._text(self._word(kind + 8)).lstrip("*")
        name = self._target.code.readable(f"_ZTS{mangled}").rpartition(" for ")[2]
        try:
            what = self._what(mangled, at + _OBJECT)
        except Unreadable:
            what = None
        return Found(name, what, self._level(stack, names))

    def _what(self, mangled: str, address: int) -> str | None:
        if mangled in _NUMBERS:
            bits = 8 * _NUMBERS[mangled]
            number = self._target.number(address, _NUMBERS[mangled])
            return str(number - (number >> (bits - 1) << bits))
        if mangled in ("PKc", "Pc"):
            return self._text(self._word(address))
        methods = self._word(address)
        if self._target.code.object(self._word(methods + 16)) in _HOLD_TEXT:
            return self._text(self._word(address + 8))
        return None

    def _level(self, stack: Walked, names: Sequence[str]) -> int | None:
        if _CLANGS in names:
            return names.index(_CLANGS) + 1
        if _JUDGES not in names:
            return None
        # The unwinder is at that frame: next to each other it has the frame's stack pointer and
        # its address of return.
        first = names.index(_JUDGES)
        frames = stack.frames
        last = next((i for i in range(first, len(names)) if names[i] in _THROW), None)
        if last is None or last + 1 >= len(frames):
            return None
        start, end = map(self._stopped.stack_pointer, (first, last + 1))
        words = [self._word(at) for at in range(start, min(end, start + _STACK), 8)]
        pairs = set(zip(words, words[1:]))
        found = [
            i
            for i, frame in enumerate(frames)
            if i > last and (self._stopped.stack_pointer(i), frame.pc) in pairs
        ]
        # One that did not go through the frame that lets none out is the thrower's own.
        return found[-1] if found and names[found[-1]] not in _THROWERS else None

    def _word(self, address: int) -> int:
        return self._target.number(address, 8)

    def _text(self, address: int) -> str:
        data = b""
        while b"\0" not in data and len(data) < _LONGEST:
            data += self._target.read(address + len(data), 1)
        return data.partition(b"\0")[0].decode("utf-8", "replace")
