# SPDX-License-Identifier: Apache-2.0
"""Are stacks judged alike by the plugin, which asks libompd through ctypes, and by a caller in C,
as the sampler is one? Those that were recorded (tests/inference/stacks.jsonl), and mutated ones:
10,000, in --full a million."""

from __future__ import annotations

import copy
import os
import random
import subprocess
import time
from itertools import islice
from typing import Any, Iterator

from ompd_core import abi
from ompd_core.library import capi
from ompd_core.library.types import Classification
from test_classify import BUILD, RECORDED, classified, inference

LINES = BUILD / "tests" / "inference" / "classify_lines"
MUTATED = 1_000_000 if os.environ.get("OMPD_FULL") == "1" else 10_000
AT_ONCE = 5000
# Their numbers, by the plugin's words.
CODES, KINDS, THREADS, GENERATORS = (
    {one.name.lower(): int(one) for one in kind}
    for kind in (capi.Code, capi.RuntimeKind, capi.ThreadKind, capi.TeamGenerator)
)
RECORDED_NAMES = {name for one in RECORDED for row in one["frames"] for name in row[3:6:2] if name}
NAMES = sorted({*RECORDED_NAMES, *abi.WAITS, *abi.FORKS, *abi.EXECUTES_TASKS})
SOURCES = sorted({one["source"] for one in RECORDED if one["source"]})
FLAGS = sorted({one["flags"] for one in RECORDED if one["flags"] is not None})
MOST_FRAMES, MOST_LEVELS = 64, 16


def mutate(one: Any, draw: random.Random) -> None:
    """In one way, or not at all where that way does not fit."""
    frames, chain = one["frames"], one["chain"]
    at = draw.randrange(len(frames)) if frames else 0
    way = draw.randrange(20)
    if way < 3 and frames:
        del frames[at]
    elif way < 5 and frames and len(frames) < MOST_FRAMES:
        frames.insert(draw.randrange(len(frames) + 1), list(frames[at]))
    elif way == 5 and frames:
        other = draw.randrange(len(frames))
        frames[at], frames[other] = frames[other], frames[at]
    elif way == 6:
        other_frames = draw.choice(RECORDED)["frames"]
        cut = draw.randrange(len(other_frames) + 1)
        one["frames"] = [list(row) for row in (frames[:at] + other_frames[cut:])[:MOST_FRAMES]]
    elif way < 9 and frames:
        frames[at][3] = draw.choice((None, *draw.sample(NAMES, 3)))
    elif way == 9 and frames:
        frames[at][5] = draw.choice((None, *draw.sample(NAMES, 2)))
    elif way == 10 and frames:
        frames[at][0] = draw.choice([*CODES])
    elif way == 11 and frames:
        frames[at][1], frames[at][2] = draw.choice((None, 0, 1)), draw.choice([*KINDS])
    elif way == 12 and frames:
        frames[at][6] = draw.choice((-1, 0, 1))
    elif way == 13 and frames:
        near = chain[0][6] if chain else 0
        frames[at][4] = draw.choice((0, near, draw.getrandbits(47)))
    elif way == 14:
        one["extent"] = draw.randrange(3)
        one["has_team"] = draw.random() < 0.5
    elif way == 15:
        now = draw.choice((None, draw.randrange(70)))
        address = draw.choice(chain)[0] if chain else draw.getrandbits(47)
        offset = draw.choice((0, 128, 132, 1280, draw.randrange(4000)))
        one["word"] = draw.choice((None, [address + offset, draw.randrange(70), now]))
    elif way == 16:
        one["thread"], one["kind"] = draw.choice([*THREADS]), draw.choice([*KINDS])
        one["runtime"] = draw.randrange(2)
    elif way == 17:
        one["flags"] = draw.choice((None, *draw.sample(FLAGS, 2), draw.getrandbits(30)))
        text = list(draw.choice(SOURCES))
        text[draw.randrange(len(text))] = draw.choice(";;x1")
        one["source"] = draw.choice((None, "".join(text)))
    elif way == 18:
        numbers = [draw.randrange(6), draw.randrange(6), draw.choice((None, 0, 1, 5))]
        one["arrivals"] = draw.choice((None, numbers))
    elif chain:
        row = chain[draw.randrange(len(chain))]
        what = draw.randrange(6)
        if what == 0:
            chain.remove(row)
        elif what == 1 and len(chain) < MOST_LEVELS:
            chain.append(list(row))
        elif what == 2:
            row[1], row[2] = draw.choice([*GENERATORS]), draw.random() < 0.5
        elif what == 3:
            row[3], row[4] = draw.choice((None, 0, 1, 2)), draw.choice((None, 0, 3))
        elif what == 4:
            row[5], row[7] = draw.randrange(6), draw.randrange(6)
        else:
            row[6] = draw.choice((0, draw.getrandbits(47)))


def stacks(draw: random.Random) -> Iterator[Any]:
    yield from RECORDED
    while True:
        one = copy.copy(draw.choice(RECORDED))
        for part in ("frames", "chain"):
            one[part] = [list(row) for row in one[part]]
        for _ in range(draw.choice((1, 1, 2, 3, 8))):
            mutate(one, draw)
        yield one


def line_of(one: Any) -> str:
    """As tests/inference/classify_lines.c reads it."""
    words: list[Any] = [one["extent"], one["word"] is not None]
    if one["word"]:
        address, expected, now = one["word"]
        words += [address, expected, now is not None, now or 0]
    words += [one["runtime"], KINDS[one["kind"]], THREADS[one["thread"]]]
    words += [one["has_team"], one["flags"], text(one["source"])]
    words += [one["arrivals"] is not None, *(one["arrivals"] or ()), len(one["chain"])]
    for address, generator, serialized, level, team_num, members, function, number in one["chain"]:
        words += [address, GENERATORS[generator], serialized, level, team_num]
        words += [members, function, number]
    words.append(len(one["frames"]))
    for code, runtime, kind, name, entry, called, direct in one["frames"]:
        words += [CODES[code], KINDS.get(kind, 0), runtime or 0, text(name)]
        words += [entry, text(called), direct]
    return "\t".join(
        "-" if word is None else str(int(word) if isinstance(word, bool) else word)
        for word in words
    )


def text(name: str | None) -> str | None:
    return None if name is None else f"={name}"


def told_by_c(line: str) -> Classification:
    """Its numbers in the plugin's words."""
    number = [int(word) for word in line.split()]
    state, wait, construct, place, doubt, doubt_of_construct, told, asks = number[:8]
    none = 2**32 - 1
    frames = [None if one == none else one for one in number[8:12]]
    return Classification(
        None if state == 0x102 else state,
        capi.WaitFor(wait).name.lower() if wait else None,
        capi.Construct(construct).name.lower() if construct else None,
        capi.Place(place).name.lower(),
        capi.DoubtCode(doubt).name.lower() if doubt else None,
        *(told, asks, *frames),
        number[12],
        number[13] if told & capi.OMPDX_TOLD_ROUND else None,
        capi.DoubtCode(doubt_of_construct).name.lower() if doubt_of_construct else None,
    )


def test_both_ways_agree() -> None:
    assert LINES.exists(), f"{LINES}: build it, or set OMPD_BUILD"
    library, seed, began = inference(), random.randrange(1 << 32), time.monotonic()
    print("seed", seed)
    source = stacks(random.Random(seed))
    kinds, compared = set(), 0
    while compared < len(RECORDED) + MUTATED:
        some = list(islice(source, AT_ONCE))
        lines = "".join(line_of(one) + "\n" for one in some)
        done = subprocess.run((LINES,), input=lines, capture_output=True, text=True, check=True)
        answers = done.stdout.splitlines()
        assert len(answers) == len(some)
        for one, answer in zip(some, answers):
            by_plugin, by_c = classified(library, one), told_by_c(answer)
            assert by_plugin == by_c, repr((one, line_of(one), by_plugin, by_c))
            kinds.add((by_c.state, by_c.wait, by_c.construct, by_c.doubt))
        compared += len(some)
    print(f"{compared} stacks, {len(kinds)} kinds of answers, {time.monotonic() - began:.0f} s")
    # What is judged alike because it is all not known would show nothing.
    assert len(kinds) > 30
