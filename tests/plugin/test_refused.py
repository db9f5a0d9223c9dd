# SPDX-License-Identifier: Apache-2.0
"""Why did an x86-64 processor refuse an instruction? As GDB writes it in both manners."""

from __future__ import annotations

import pytest
from ompd_core.arch import x86_64
from ompd_core.code import refusal
from ompd_core.code.refusal import DIVIDED, PROTECTED, UNDEFINED, Refusal

WILD = 0x4141414141414141
REGISTERS = {"rax": 0x7FFF_0000_1008, "rbx": WILD, "rcx": 0xFFFFFFFF, "rdx": 16, "rsp": 0x2000}
MEMORY = {0x2000: WILD, 0x3000: 0, 0x3008: 5}


def refused(how: str, text: str) -> Refusal | None:
    return x86_64.refused(
        how, text, REGISTERS.get, lambda at, size: MEMORY[at].to_bytes(8, "little")[:size]
    )


@pytest.mark.parametrize(
    "how, text, why, address",
    [
        (UNDEFINED, "ud2", refusal.TRAP, None),
        (UNDEFINED, "ud1    0x0(%eax),%eax", refusal.TRAP, None),
        (UNDEFINED, "(bad)", refusal.NO_INSTRUCTION, None),
        (UNDEFINED, "vexp2pd %zmm0,%zmm1", refusal.NOT_THERE, None),
        (UNDEFINED, "lock (bad)", refusal.NO_INSTRUCTION, None),
        (DIVIDED, "idiv   %ecx", refusal.TOO_LARGE, None),
        (DIVIDED, "idiv   ecx", refusal.TOO_LARGE, None),
        (DIVIDED, "divl   0x2ff0(%rdx)", refusal.BY_ZERO, None),
        (DIVIDED, "div    DWORD PTR [rdx+0x2ff0]", refusal.BY_ZERO, None),
        (DIVIDED, "idivq  0x2ff8(%rdx)", refusal.TOO_LARGE, None),
        (DIVIDED, "idivl  0x2e(%rip)        # 0x3000 <zero>", refusal.BY_ZERO, None),
        (PROTECTED, "movaps (%rax),%xmm0", refusal.NOT_ALIGNED, 0x7FFF_0000_1008),
        (PROTECTED, "movaps XMMWORD PTR [rax],xmm0", refusal.NOT_ALIGNED, 0x7FFF_0000_1008),
        (PROTECTED, "vmovapd %zmm1,0x10(%rax,%rdx,2)", refusal.NOT_ALIGNED, 0x7FFF_0000_1038),
        (PROTECTED, "vmovups (%rbx),%ymm0", refusal.NO_ADDRESS, WILD),
        (PROTECTED, "movzbl (%rbx),%eax", refusal.NO_ADDRESS, WILD),
        (PROTECTED, "ret", refusal.RETURNS_NOWHERE, WILD),
        (PROTECTED, "repz ret", refusal.RETURNS_NOWHERE, WILD),
        (PROTECTED, "call   *%rbx", refusal.CALLS_NOTHING, WILD),
        (PROTECTED, "jmp    *(%rsp)", refusal.CALLS_NOTHING, WILD),
        (PROTECTED, "call   rbx", refusal.CALLS_NOTHING, WILD),
        (PROTECTED, "hlt", refusal.PRIVILEGED, None),
        (PROTECTED, "wrmsr", refusal.PRIVILEGED, None),
    ],
)
def test_why(how: str, text: str, why: str, address: int | None) -> None:
    assert refused(how, text) == Refusal(why, text, address)


@pytest.mark.parametrize(
    "how, text",
    [
        (DIVIDED, "idivl  0x8(%r9)"),  # of a register that is not known
        (DIVIDED, "idivl  %fs:0x8"),
        (DIVIDED, "div    %ah"),
        (DIVIDED, "add    %ecx,%eax"),
        (PROTECTED, "movups (%rax),%xmm0"),
        (PROTECTED, "movsd  (%rax),%xmm0"),
        (PROTECTED, "movaps (%r9),%xmm0"),
        (PROTECTED, "mov    (%rax),%ecx"),
        (PROTECTED, "call   *%rax"),
        (PROTECTED, ""),
    ],
)
def test_not_known(how: str, text: str) -> None:
    assert refused(how, text) is None
