# SPDX-License-Identifier: Apache-2.0
"""Programs that are made when the test runs: their lines, the sizes of their teams, how deep each
stack is and the order of their locks are chance's, so that nothing can be known beforehand. What is
true each records itself (tests/programs/truth.h, waits.h)."""

from __future__ import annotations

import json
import math
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import machine
import test_locks
import truth
from sessions import Target, ask
from test_truth import told_truth

DRIVER = f"source {Path(__file__).with_name('record_calls.py')}"
FACTS = ["ompd threads -json", "ompd parallel -json"]


@dataclass(frozen=True)
class Made:
    seed: int
    kind: str  # "regions" or "locks"
    hangs: bool
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}{self.seed}"

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}.c"
        path.write_text(self.text, encoding="utf-8")
        return path


def new_seed() -> int:
    """OMPD_SEED makes one again."""
    return int(os.environ.get("OMPD_SEED") or random.SystemRandom().randrange(1 << 30))


def somewhere(chance: random.Random) -> str:
    return "\n" * chance.randrange(1, 40)


# --- Regions in regions ------------------------------------------------------------------------

LEVEL = """\
__attribute__((noinline)) static int deep_{level}(int more)
{{
    volatile char used[{used}];

    used[0] = (char)more;
    if (more > 0)
        return deep_{level}(more - 1) + used[0];
    {inside};
    return used[0];
}}
{lines}
__attribute__((noinline)) static void region_{level}(void)
{{
    TRUTH_CONSTRUCT({level});
#pragma omp parallel num_threads({size})
    {{{blank}        deep_{level}({deep} + omp_get_thread_num());
    }}
}}
"""
MAIN = """\
int main(void)
{
    omp_set_max_active_levels(9);
    region_1();
    return 0;
}
"""


def regions(seed: int) -> Made:
    chance = random.Random(seed)
    sizes = [chance.randrange(1, 4) for _ in range(chance.randrange(1, 4))] + [2]
    levels = []
    for level, size in enumerate(sizes, 1):
        inside = f"region_{level + 1}()" if level < len(sizes) else f"park({math.prod(sizes)})"
        text = LEVEL.format(
            level=level,
            size=size,
            inside=inside,
            used=chance.randrange(1, 300),
            deep=chance.randrange(6),
            lines=somewhere(chance),
            blank=somewhere(chance),
        )
        levels.append(somewhere(chance) + text)
    text = "".join(['#include "remembering.h"\n', *reversed(levels), somewhere(chance), MAIN])
    return Made(seed, "regions", False, text)


def check_regions(made: Made, one: Target, gdb: str, folder: Path) -> None:
    """All that its threads recorded, and where each return address of theirs is."""
    calls = folder / "calls"
    answer = ask(
        gdb, [*FACTS, DRIVER, f"record-calls {calls}"], one.before, one.files, folder=folder
    )
    told_truth(one.truth(), answer)
    told = json.loads(calls.read_text(encoding="utf-8"))
    lines = Path(f"{one.record}.calls").read_text(encoding="utf-8").splitlines()
    assert lines
    for line in lines:
        tid, *addresses = line.split()
        true = [int(address, 16) for address in addresses][2:]
        if true[-2:-1] == true[-1:]:
            true.pop()  # where the C library saw that it does not get on
        names = [name for name, _ in told[tid]["calls"]]
        found = [pc for _, pc in told[tid]["calls"]][names.index("park") + 1 :]
        both = min(len(true), len(found))
        assert both >= 2 and found[:both] == true[:both], (line, told[tid])
        assert told[tid]["whole"], told[tid]
        truth.compared += both


# --- Locks in any order ------------------------------------------------------------------------

TAKE = {
    "lock": ("omp_set_lock(&{0});", "omp_unset_lock(&{0});"),
    "nest": ("omp_set_nest_lock(&{0});", "omp_unset_nest_lock(&{0});"),
    "critical": ("\n#pragma omp critical({0})\n{{", "}}"),
}
TYPES = {"lock": "omp_lock_t", "nest": "omp_nest_lock_t"}
INITS = {"lock": "omp_init_lock", "nest": "omp_init_nest_lock"}


def locks(seed: int) -> Made:
    """Each of some threads holds one and wants the next one's. The last wants the first's, or goes
    on with its work."""
    chance = random.Random(seed)
    count, hangs = chance.randrange(2, 5), chance.random() < 0.5
    size = count + chance.randrange(1, 4)
    kinds = {f"{chance.choice('abcdefgh')}_{i}x": chance.choice([*TAKE]) for i in range(count)}
    names = list(kinds)
    parts = ['#include "waits.h"', "static int all;"]
    parts += [f"static {TYPES[kind]} {name};" for name, kind in kinds.items() if kind in TYPES]
    parts += [somewhere(chance), "static void run(void)", "{"]
    parts += [f"#pragma omp parallel num_threads({size})", "{"]
    for number, who in enumerate(chance.sample(range(size), count)):
        name, wanted = names[number], names[(number + 1) % count]
        take, leave = (text.format(name) for text in TAKE[kinds[name]])
        parts += [somewhere(chance), f"if (omp_get_thread_num() == {who}) {{", take]
        parts += [f'tell("holds", "{name}");', f"meet(&all, {count});"]
        if hangs or number + 1 < count:
            inner = [text.format(wanted) for text in TAKE[kinds[wanted]]]
            parts += [f'tell("wants", "{wanted}");', "declare();", *inner]
        else:
            parts.append("work_on();")
        parts += [leave, "} else"]
    parts += ["work_on();", "}", "}"]
    parts.append(f'static const struct scenario scenarios[] = {{{{"it", run, {size}}}}};')
    parts += ["int main(int argc, char **argv)", "{"]
    parts += [f"{INITS[kind]}(&{name});" for name, kind in kinds.items() if kind in INITS]
    parts += ["return RUN_SCENARIO(scenarios, argc, argv);", "}", ""]
    return Made(seed, "locks", hangs, "\n".join(parts))


def check_locks(made: Made, one: Target, gdb: str, folder: Path) -> None:
    """Who holds what, who waits for whom, and the verdict."""
    commands = [*test_locks.ASK, *test_locks.TEXTS]
    answer = ask(gdb, commands, one.before, one.files, folder=folder)
    true = test_locks.truth_of(one, "")
    true.verdict = "deadlock" if made.hangs else "none"
    test_locks.check_locks(answer, true)
    test_locks.check_verdict(answer, true, certain=False, code_tells=True)


MAKERS = {"regions": regions, "locks": locks}
CHECKS = {"regions": check_regions, "locks": check_locks}


def arguments(made: Made) -> Sequence[str]:
    return ("it",) if made.kind == "locks" else ()


def check(made: Made, one: Target, gdb: str, folder: Path) -> None:
    try:
        CHECKS[made.kind](made, one, gdb, folder)
    except AssertionError as error:
        raise AssertionError(f"OMPD_SEED={made.seed}, {made.kind}\n{made.text}\n{error}") from error


def compile_here(made: Made, build: str, folder: Path) -> Path:
    source, executable = made.write(folder), folder / made.name
    flags = {**machine.BUILDS, **machine.OTHER_BUILDS}[build]
    words = [machine.CLANG, *flags, "-fopenmp", f"-I{machine.PROGRAMS}", source]
    machine.run(*words, "-o", executable, "-pthread")
    return executable
