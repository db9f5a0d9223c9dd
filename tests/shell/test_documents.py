# SPDX-License-Identifier: Apache-2.0
"""Does what the documents tell readers to type work, and print what they show, whichever compiler
made the program? And do their links lead somewhere?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import documents
import machine
import pytest

# What no test types, and why.
UNTYPED = {
    "tools/demo": "it installs packages: step `bare' of tools/check runs it",
    "cmake -S . -B build && cmake --build build": "the build is what these tests run with",
}
# What gcc has no option for.
OF_CLANG = "-fopenmp-targets"
# What GDB alone shows is another with each runtime.
GDB_ALONE = "bt 5"


class Story(NamedTuple):
    document: str
    section: str
    compiler: str

    def __str__(self) -> str:
        return f"{Path(self.document).stem}, {self.section}, {self.compiler}"

    def steps(self) -> list[documents.Step]:
        return documents.sections(self.document)[self.section]

    def is_told(self) -> bool:
        """Where nothing is compiled, one compiler is enough; and what is sampled takes long."""
        words = " ".join(step.words for step in self.steps())
        by_gcc = "clang" in words and OF_CLANG not in words
        return self.compiler == "clang" or by_gcc and (machine.FULL or "ompd record" not in words)

    def compares(self, step: documents.Step) -> bool:
        return bool(step.shown) and (self.compiler == "clang" or step.words != GDB_ALONE)


STORIES = [
    Story(document, section, compiler)
    for document in documents.DOCUMENTS
    for section in documents.sections(document)
    for compiler in ("clang", "gcc")
]


@pytest.mark.each("story")
@pytest.mark.parametrize("story", filter(Story.is_told, STORIES), ids=str)
def test_story(story: Story, folder: Path) -> None:
    steps = [step for step in story.steps() if step.words not in UNTYPED]
    where = documents.tree(folder) / documents.DOCUMENTS[story.document]
    documents.type_all(steps, story.compiler, folder, where)
    for step in (part for one in steps for part in one.parts()):
        assert step.status not in documents.WRONG, f"{step.words}\n{step.text}"
        if story.compares(step):
            assert documents.agrees(step, story.compiler), f"{step.words}\n{step.text}"


def test_untyped() -> None:
    """No more than is there to be typed."""
    assert set(UNTYPED) <= {step.words for story in STORIES for step in story.steps()}


@pytest.mark.each("where")
@pytest.mark.parametrize("where", ["source tree", "installed"])
def test_links(where: str, folder: Path) -> None:
    """README and docs are installed beside each other, as they are here."""
    home = machine.ROOT
    if where == "installed":
        home = machine.installed(folder) / "share" / "doc" / "ompd"
    pages = [home / "README.md", home / "CHANGELOG.md", *(home / "docs").glob("*.md")]
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if not link.startswith("https://"):
                assert (page.parent / link).exists(), f"{page.name}: {link}"
