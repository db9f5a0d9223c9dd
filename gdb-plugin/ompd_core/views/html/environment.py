# SPDX-License-Identifier: Apache-2.0
"""Which variables of OpenMP's does the program's environment hold?"""

from __future__ import annotations

from ..environment import NONE
from .document import objects, word
from .markup import row, table, tag
from .report import Report, Section


def section(report: Report) -> Section | None:
    if "environment" not in report.document:
        return None
    found = objects(report.document, "environment")
    if not found:
        return Section("environment", "Environment", tag("p", NONE, class_="lead"), "0")
    rows = [
        row(tag("code", word(one, "name") or "?"), tag("code", word(one, "value") or ""))
        for one in found
    ]
    body = table(["Variable", "Value"], rows, "OpenMP's variables in the environment")
    return Section("environment", "Environment", body, f"{len(rows):,}")
