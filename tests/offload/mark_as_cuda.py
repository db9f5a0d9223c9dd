# SPDX-License-Identifier: Apache-2.0
"""A program whose device code is the host's, made to pass for one for an NVIDIA GPU.

Four fields of the device image's ELF header are changed, nothing of its code, so that the CUDA
plugin takes it; a driver that executes nothing (fake_driver.c) need not mind what is in it.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

EM_X86_64, EM_CUDA = 62, 190
ELFOSABI_CUDA, ABI_VERSION = 51, 7
SM_80 = 0x00500550  # e_flags: 64-bit addresses, virtual and real architecture
# Offsets in the header.
OSABI, ABI, MACHINE, FLAGS = 7, 8, 18, 48
# What the device's code defines, and the host's does not call itself in its first pages.
KERNEL = b"__omp_offloading"
REACH = 65536


def mark_as_cuda(program: Path, into: Path) -> int:
    """Returns how many images there were."""
    data = bytearray(program.read_bytes())
    images = 0
    for match in re.finditer(b"\x7fELF", bytes(data)):
        at = match.start()
        (machine,) = struct.unpack_from("<H", data, at + MACHINE)
        if at == 0 or machine != EM_X86_64 or KERNEL not in data[at : at + REACH]:
            continue
        struct.pack_into("<H", data, at + MACHINE, EM_CUDA)
        struct.pack_into("<I", data, at + FLAGS, SM_80)
        data[at + OSABI], data[at + ABI] = ELFOSABI_CUDA, ABI_VERSION
        images += 1
    into.write_bytes(data)
    into.chmod(0o755)
    return images
