# SPDX-License-Identifier: Apache-2.0
"""Has docs/hangs.md a row for each finding, and quotes what the views say? That what tests meet is
there, tests/gdb/schema.py sees to."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Iterator

TREE = Path(__file__).resolve().parents[2]
sys.path.append(str(TREE / "tests" / "gdb"))

import hangs_page  # noqa: E402
from ompd_cli.arguments import common, reports  # noqa: E402
from ompd_core.views import status, target_findings  # noqa: E402


def test_each_finding_has_a_row() -> None:
    of_hosts = status.WRONG - target_findings.CODES
    assert set(hangs_page.sentences()) == of_hosts | {status.CANNOT_TELL}


def test_each_finding_is_in_the_lists_of_exit_statuses() -> None:
    document = (TREE / "docs" / "post-mortem.md").read_text(encoding="utf-8")
    for listed in (common.EXIT, reports.EXIT_OF_A_RUN, document):
        missing = [code for code in status.WRONG - target_findings.CODES if code not in listed]
        assert not missing, listed


def texts() -> Iterator[str]:
    """What the code writes; a blank stands for what it puts in."""
    for path in sorted((TREE / "gdb-plugin").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                parts = (one.value if isinstance(one, ast.Constant) else " " for one in node.values)
                yield "".join(map(str, parts))


def test_what_it_quotes_is_said() -> None:
    whole = "\n".join(re.sub(r"\{\d*\}", " ", text) for text in texts())
    for known in hangs_page.sentences().values():
        for one in known:
            for part in re.split(r"\.\*", one):
                words = re.sub(r"SIG[A-Z]+", "", re.sub(r"\\(.)", r"\1", part)).strip(" ,")
                assert words in whole, f"nothing says `{words}'"
