# SPDX-License-Identifier: Apache-2.0
"""Which call stacks did a program's author expect? He wrote them in comments of its source:
EXPECT SCENARIO THREADS: FRAME; FRAME; ..., innermost first, FRAME being NAME or NAME@PLACE, with a
comment `PLACE name' in the line that is meant."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

Stacks = Counter[tuple[str, ...]]


_EXPECT = re.compile(r"EXPECT (\w+) (\d+):(.*?)(?=EXPECT|\n\s*\n|$)", re.DOTALL)


def _plain(comment: str) -> str:
    return re.sub(r"^[ \t]*(?:/?\*+/?|//|!)|\*/", "", comment, flags=re.MULTILINE).strip()


def expected(source: Path, scenario: str, lines: bool = True) -> Stacks:
    """With lines: NAME:LINE, and the names of locks."""
    text = source.read_text(encoding="utf-8")
    places = {
        name: str(number)
        for number, line in enumerate(text.splitlines(), 1)
        for name in re.findall(r"PLACE (\w+)", line)
    }
    found: Stacks = Counter()
    blocks = re.findall(r"/\*.*?\*/|(?m:(?:^[ \t]*(?://|!)[^\n]*\n)+)", text, re.DOTALL)
    for name, threads, stack in (match for one in blocks for match in _EXPECT.findall(_plain(one))):
        if name == scenario:
            frames = [" ".join(frame.split()) for frame in stack.split(";")]
            found[tuple(_with_line(frame, places, lines) for frame in frames if frame)] += int(
                threads
            )
    assert found, f"{source.name} expects nothing of `{scenario}'"
    return found


def _nameless(wait: str) -> str:
    """Optimised code may hold a lock's address in a register all the time: it has no name then."""
    return re.sub(r"^<(critical|lock wait).*", r"<\1>", wait)


def _with_line(frame: str, places: dict[str, str], lines: bool) -> str:
    name, at, place = frame.partition("@")
    if not at:
        return name if lines else _nameless(name)
    assert place in places, f"there is no `PLACE {place}'"
    return f"{name}:{places[place]}" if lines else name


def told(document: Any, source: str, lines: bool = True) -> Stacks:
    """Of threads in OpenMP's hands. Lines are those of the program's source alone."""
    found: Stacks = Counter()
    for stack in document["stacks"]:
        if stack["who"] and (
            stack["who"].startswith("R") or stack["frames"][0]["text"] == "<idle>"
        ):
            found[tuple(_told(frame, source, lines) for frame in stack["frames"])] += 1
    return found


def _told(frame: Any, source: str, lines: bool) -> str:
    loc = frame["loc"] or {}
    if frame["kind"] == "wait":
        return str(frame["text"]) if lines else _nameless(frame["text"])
    name = re.split(r" \(\S*[=)]| \(\)| at |\s*\?$", frame["text"])[0]
    name = re.sub(r"\$_\d+", "lambda", name)  # as clang calls those of a function
    if frame["kind"] == "construct":
        match = re.match(r"(?:(?:#pragma|!\$)\s?omp (\w+)|(task))", frame["text"])
        assert match is not None, frame
        name = (match.group(1) or match.group(2)) + (
            " serialized" if ", serialized" in frame["text"] else ""
        )
    in_source = (loc.get("file") or "").endswith(source)
    return f"{name}:{loc['line']}" if lines and in_source and loc.get("line") else name
