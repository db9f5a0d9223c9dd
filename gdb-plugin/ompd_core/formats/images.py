# SPDX-License-Identifier: Apache-2.0
"""Which images are in a process, and where? As library/images.py has listed them."""

from __future__ import annotations

from typing import Sequence

from ..light_classes import NamedTuple


class LoadedImage(NamedTuple):
    path: str  # as the dynamic linker has it; "" for the program itself
    bias: int
    dynamic: int  # 0: it has no dynamic section
    start: int = 0  # 0, 0: its headers cannot be read
    end: int = 0
    is_static: bool = False  # a program that asks for no dynamic linker
    is_nameless: bool = False  # the names of its symbols cannot be read
    build_id: str | None = None  # as it is in memory; None: none, or not known


class Images(NamedTuple):
    """Of one process."""

    loaded: Sequence[LoadedImage]  # in the dynamic linker's list, in all its namespaces
    program: LoadedImage | None
    vdso: LoadedImage | None  # the kernel's own
    r_debug: int  # 0: linked statically, or the dynamic linker has not run yet
    is_cut: bool  # not all of the list can be read

    @property
    def is_unread(self) -> bool:
        """There is a list, or should be one, and not all of it can be read."""
        return self.program is None or self.is_cut

    @property
    def begins(self) -> list[int]:
        """Where each begins, the program last."""
        begins = [image.start or image.bias for image in self.loaded]
        return begins + ([self.program.start] if self.program is not None else [])

    def nameless(self) -> list[LoadedImage]:
        """Those whose names cannot be read: whether one of them is a runtime is not known by them.
        Of a core file, when the file that the image came from is not here."""
        return [image for image in self.loaded if image.is_nameless]
