# SPDX-License-Identifier: Apache-2.0
"""Of a machine whose registers and code are not known, is all that needs neither right, and is the
rest said in a sentence? Debian's own runtimes, in an emulator (`--full')."""

from __future__ import annotations

from pathlib import Path

import machine
import pytest
from sessions import ask
from test_aarch64 import Foreign, emulated
from test_truth import told_truth

pytestmark = pytest.mark.skipif(not machine.FULL, reason="in --full")
GDB = "gdb-multiarch"
# Its object files want what clang 14's linker has not.
RISCV64 = Foreign("riscv64-linux-gnu", ("qemu-riscv64",), "ld-linux-riscv64-lp64d.so.1", "bfd")
PPC64LE = Foreign("powerpc64le-linux-gnu", ("qemu-ppc64le",), "ld64.so.2")
ASK = ["ompd threads -json", "ompd parallel -json", "ompd bt * -json"]
REFUSED = {
    "ompd break parallel": "OpenMP breakpoints are not made for this machine yet.",
    "ompd step": "OpenMP steps are not made for this machine yet.",
    "print $_omp_thread_num()": "Which of OpenMP's threads the debugger's thread ",
}


@pytest.mark.parametrize(
    "name, there", [("libomp-14-ppc64el", PPC64LE), ("libomp-23-riscv64", RISCV64)]
)
def test_what_needs_no_register(name: str, there: Foreign, folder: Path) -> None:
    with emulated("nested", machine.cached(name), folder, there=there) as made:
        commands = [*ASK, *REFUSED]
        answer = ask(GDB, commands, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer, has_record=False)
    stacks = answer.document(ASK[2])["stacks"]
    assert len(stacks) == 6 and all(stack["complete"] for stack in stacks), answer.everything
    for text, (command, sentence) in zip(answer.texts[3:], REFUSED.items()):
        assert text.startswith(sentence), (command, text)


@pytest.mark.parametrize("there", [RISCV64, PPC64LE], ids=lambda there: there.target)
def test_gnus_runtime(there: Foreign, folder: Path) -> None:
    """Its layout is proven by its code only on machines that are known."""
    with emulated("nested", there.sysroot / "lib", folder, there=there) as made:
        answer = ask(GDB, ["ompd", "ompd status"], made.before, made.files, folder=folder)
    assert answer.texts[0].startswith("GNU libgomp of GCC 12 is loaded, but it cannot be told")
    known = "the structures of this runtime are known on x86-64 and AArch64 Linux only"
    assert known in " ".join(answer.texts[1].split())
