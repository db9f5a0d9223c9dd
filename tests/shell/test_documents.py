# SPDX-License-Identifier: Apache-2.0
"""Does what the documents tell readers to type work, and print what they show, whichever compiler
made the program? And do their links lead somewhere?"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

import command
import corpus
import documents
import machine
import pytest

# What no test types, and why.
UNTYPED = {
    "tools/demo": "it installs packages: step `bare' of tools/check runs it",
    "cmake -S . -B build && cmake --build build": "the build is what these tests run with",
    "mpirun --map-by": "as the loop of the section before it, on each node",
    "mpirun --mca": "it ends the job after a minute or an hour: test_ranks.py does, after seconds",
    "srun --overlap": "in a job of Slurm's, on nodes that users name",
    "srun -n 4 --kill-on-bad-exit=1": "as mpirun, which test_ranks.py runs",
    "for core in core.*": "the kernel does not name core files so here: test_ranks.py reads some",
    "ompd job --hosts": "hosts that are reached by ClusterShell: test_job_hosts.py has some",
}
# What test_slurm.py types, where there is a job.
SLURM = ("docs/jobs.md", "A job of Slurm")
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
        """Where nothing is compiled, one compiler is enough."""
        words = " ".join(step.words for step in self.steps())
        by_gcc = re.search(r"\b(clang|mpicc) ", words) and OF_CLANG not in words
        return self.compiler == "clang" or bool(by_gcc) and (machine.FULL or self.document in BOTH)

    def compares(self, step: documents.Step) -> bool:
        return bool(step.shown) and (self.compiler == "clang" or step.words != GDB_ALONE)


STORIES = [
    Story(document, section, compiler)
    for document in documents.DOCUMENTS
    for section in documents.sections(document)
    for compiler in ("clang", "gcc")
    if (document, section) != SLURM
]
# What gcc makes is looked at by default, too; elsewhere in --full.
BOTH = ("README.md", "docs/tutorial.md")


def is_typed(step: documents.Step) -> bool:
    return not step.words.startswith(tuple(UNTYPED))


@pytest.mark.each("story")
@pytest.mark.parametrize("story", filter(Story.is_told, STORIES), ids=str)
def test_story(story: Story, folder: Path) -> None:
    steps = list(filter(is_typed, story.steps()))
    where = documents.tree(folder) / documents.DOCUMENTS[story.document]
    documents.type_all(steps, story.compiler, folder, where)
    for step in (part for one in steps for part in one.parts()):
        assert step.status not in documents.WRONG, f"{step.words}\n{step.text}"
        if story.compares(step):
            assert documents.agrees(step, story.compiler), f"{step.words}\n{step.text}"


def test_untyped() -> None:
    """No more than is there to be typed."""
    words = [step.words for story in STORIES for step in story.steps()]
    for beginning in UNTYPED:
        assert any(one.startswith(beginning) for one in words), beginning


def test_reader_of_reports(folder: Path) -> None:
    """The Python in docs/post-mortem.md, of a crash, of a hang and of what is not a core file."""
    text = (machine.ROOT / "docs" / "post-mortem.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    for name in ("crash-nested", "lock-order"):
        core, executable = corpus.unpack(corpus.entries()[name], folder / name)
        words = ["core", "--json", "-o", folder / f"{name}.json"]
        command.ompd(*words, "--lib-search-root", folder / name, core, executable, folder=folder)
    command.ompd("core", "--json", "-o", folder / "none.json", folder / "none", folder=folder)
    lines = machine.run(sys.executable, "-c", program, cwd=folder).splitlines()
    assert lines[0] == "crash-nested.json ['crash']"
    assert lines[1] == "lock-order.json ['deadlock']"
    assert lines[2].startswith("none.json {'code': 'core_unreadable'")


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
