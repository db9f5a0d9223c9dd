# SPDX-License-Identifier: Apache-2.0
"""Is docs/commands.md what GDB's help says?"""

from __future__ import annotations

import re

from generated import ROOT, fresh


def test_the_document_is_fresh() -> None:
    assert "## ompd threads" in fresh("docs/commands.md", "tools/gen-commands-doc")


HELP = re.findall(
    r"^## ((?:set )?ompd[^\n]*)\n\n```text\n(.*?)```",
    (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


def test_help_fits_a_terminal() -> None:
    """Of 80 columns, with the four that GDB before 12 puts before each line."""
    assert len(HELP) > 25
    for name, text in HELP:
        assert [line for line in text.splitlines() if len(line) > 76] == [], name


def test_first_lines_are_summaries() -> None:
    """`help ompd' lists them, one in a line."""
    for name, text in HELP:
        first, second = text.split("\n")[:2]
        if name.startswith("ompd"):
            assert len(f"{name} -- {first}") <= 80 and not second and first.endswith("."), name
