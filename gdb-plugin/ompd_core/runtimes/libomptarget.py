# SPDX-License-Identifier: Apache-2.0
"""LLVM's libomptarget, and what it reaches devices through."""

from __future__ import annotations

from .base import Offload

OFFLOAD = Offload(
    name="LLVM libomptarget",
    files=("libomptarget.so*",),
    # Its plugins, what calls a kernel of its host plugin, and the drivers that its plugins load.
    helpers=(
        "libomptarget.rtl.*",
        "libffi.so*",
        "libcuda.so*",
        "libnvidia-*.so*",
        "libhsa-runtime64.so*",
        "libhsakmt.so*",
        "libze_loader.so*",
        "libze_intel_gpu.so*",
    ),
    waits=(
        r"cu(Stream|Event|Ctx)(Synchronize|Query)(_ptsz)?|hsa(_amd)?_signal_wait\w*"
        r"|ze(Fence|Event)HostSynchronize|zeCommandQueueSynchronize"
    ),
    plugins=r"libomptarget\.rtl\.(\w+)\b.*\.so",
    plugins_inside=19,
    transfers=r"cuMemcpy\w*|hsa_amd_memory_\w+|hsa_memory_copy|zeCommandListAppendMemoryCopy\w*",
)
