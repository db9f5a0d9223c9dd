# SPDX-License-Identifier: Apache-2.0
"""What the C library keeps and threads wait for, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.glibc import INITIALISED, Kept

if TYPE_CHECKING:
    from ..documents.outside import Outside


def sentence(kept: Kept, waiter: str, here: str, owner: str, there: str = "") -> str:
    """R1.0 (T1) waits for mutex `m1' in f () at x.cc:10, which R1.1 (T2) holds. here: where; there:
    where the owner is."""
    if kept.kind == "join":
        return f"{waiter} waits{here} for {owner} to end."
    does = "executes" if kept.kind in INITIALISED else "holds"
    holder = f"which it {does} itself" if owner == "itself" else f"which {owner} {does}{there}"
    return f"{waiter} waits for {kept.words}{here}, {holder}."


def cause(kept: Kept, itself: bool) -> str | None:
    """Of a circle, and what to do about it. itself: a thread waits for itself."""
    if kept.kind in INITIALISED:
        name = _capital(kept.words)
        if itself:
            return f"{name} needs what it initialises."
        return f"{name} waits for a thread that needs it: run it before any region needs it."
    if kept.is_loaders:
        return (
            "What the dynamic linker calls, such as a constructor of a library, must not wait for a"
            " thread that loads or looks for one."
        )
    if kept.kind == "stream":
        return f"Whoever has {kept.words} must not wait for a thread that prints."
    if kept.kind == "unit":
        if itself:
            return f"What is written to or read from a unit must not use the unit: {kept.words}."
        return f"Whoever has {kept.words} must not wait for a thread that uses the unit."
    if kept.kind == "rwlock" and kept.readers and itself:
        return f"A thread that has {kept.words} for reading must unlock it before it writes."
    if kept.kind == "gil":
        return (
            "Whoever begins a region whose threads call Python has to give the GIL away before: by"
            " ctypes.CDLL, `with nogil' or Py_BEGIN_ALLOW_THREADS."
        )
    if kept.kind == "malloc" and itself:
        return "A signal has interrupted malloc (), and its handler may not call that."
    return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def document(kept: Kept | None) -> Outside | None:
    if kept is None:
        return None
    return {
        "kind": kept.kind,
        "name": kept.name,
        "address": f"{kept.address:#x}" if kept.address is not None else None,
    }
