# SPDX-License-Identifier: Apache-2.0
"""Which images are in a process, and where? libompd walks the dynamic linker's list; what it needs
is memory alone, and where the kernel has put the program. GDB does not tell Python load addresses,
and asking it by an expression depends on the user's language.
"""

from __future__ import annotations

import os
from typing import Mapping, Protocol

from ..formats.images import Images, LoadedImage
from . import capi
from .library import Library, OmpdError

AT_PHDR, AT_PHNUM, AT_SYSINFO_EHDR = 3, 5, 33
NO_NAMESPACE = 0xFFFFFFFF
ROUTINE = "ompdx_images"


class Memory(Protocol):
    byte_order: str
    pointer_size: int

    def read(self, address: int, nbytes: int) -> bytes:
        """Exactly nbytes bytes. Raises Unreadable."""


class _Target:
    """Of which nothing is known but its memory: symbols are looked for in its images."""

    def __init__(self, memory: Memory) -> None:
        self.byte_order, self.pointer_size = memory.byte_order, memory.pointer_size
        self.read = memory.read

    def symbol(self, name: str, file_name: str | None) -> int | None:
        return None

    def thread_symbol(self, name: str, thread: int) -> int | None:
        return None

    def knows_pthread_ids(self) -> bool:
        return False

    def thread_with_pthread_id(self, pthread_id: int) -> int | None:
        return None

    def thread_with_lwp(self, lwp: int) -> int | None:
        return None


def images(library: Library, memory: Memory, auxv: Mapping[int, int]) -> Images:
    """auxv: what the kernel told the program, by getauxval's numbers."""
    context = library.add_target(_Target(memory))
    out = capi.pointer_to(capi.ompdx_images_t)()
    given = capi.auxv(*(auxv.get(key, 0) for key in (AT_PHDR, AT_PHNUM, AT_SYSINFO_EHDR)))
    try:
        library._call(ROUTINE, context, capi.byref(given), capi.byref(out))
    except OmpdError:
        return Images([], None, None, 0, is_cut=True)
    finally:
        library.remove_target(context)
    try:
        return _images(out.contents)
    finally:
        library.callbacks.free(capi.address_of(out))


def _images(answer: capi.ompdx_images_t) -> Images:
    loaded = []
    program = vdso = None
    for one in capi.array_at(answer.images or 0, answer.count, capi.ompdx_loaded_image_t):
        image = LoadedImage(
            os.fsdecode(one.path or b""),
            one.load_bias,
            one.dynamic,
            one.start,
            one.end,
            bool(one.flags & capi.OMPDX_IMAGE_STATIC),
            bool(one.flags & capi.OMPDX_IMAGE_NAMELESS),
            bytes(one.build_id[: one.build_id_length]).hex() or None,
        )
        if one.flags & capi.OMPDX_IMAGE_PROGRAM:
            program = image
        if one.flags & capi.OMPDX_IMAGE_VDSO:
            vdso = image
        if one.link_namespace != NO_NAMESPACE:
            loaded.append(image)
    return Images(loaded, program, vdso, answer.debug, is_cut=bool(answer.problem))
