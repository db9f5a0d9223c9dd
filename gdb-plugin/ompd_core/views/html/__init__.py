# SPDX-License-Identifier: Apache-2.0
"""How does a report's JSON document become one HTML file? It needs nothing else, and lets nothing
else in: no network, no script but its own."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import lru_cache
from typing import Any

from . import (
    barriers,
    environment,
    icvs,
    job,
    local_variables,
    locks,
    offload,
    program,
    recording,
    regions,
    stacks,
    tasks,
    threads,
    verdict,
    waits,
)
from .document import number, object_of, objects, word
from .markup import Markup, join, tag, text
from .report import Maker, Report, Section

_WAITS: tuple[Maker, ...] = (waits.section, barriers.section)
_PLACES: tuple[Maker, ...] = (
    stacks.section,
    local_variables.section,
    threads.section,
    regions.section,
)
_REST: tuple[Maker, ...] = (
    locks.section,
    tasks.section,
    offload.section,
    icvs.section,
    environment.section,
    program.section,
)


def page(document: dict[str, Any]) -> str:
    """document: of `ompd report', `ompd merge' or `ompd job'. What it lacks, the page lacks."""
    if document.get("command") in job.COMMANDS:
        name, what = job.program(document), job.size(document)
        found = job.sections(document)
        body = _body(name, what, found, job.banner(document))
        return _whole(job.title(document), body)
    if document.get("command") in recording.COMMANDS:
        return _of_record(document)
    report = Report(document)
    order = [*_WAITS, *_PLACES] if verdict.is_hang(document) else [*_PLACES, *_WAITS]
    sections = [made for make in (*order, *_REST) if (made := make(report))]
    known = {section.id for section in sections}
    top = join(verdict.banner(report, known), verdict.strip(report))
    unknown = _unknown(report)
    if unknown:
        sections.append(Section("doubts", "What could not be known", unknown, _reasons(report)))
    rank = number(document, "rank")
    parts = (program.process(document), "" if rank is None else f"rank {rank}")
    what = ", ".join(part for part in parts if part)
    return _whole(_title(document), _body(_program(document), what, sections, top))


def _of_record(document: dict[str, Any]) -> str:
    top = tag("section", recording.banner(document), id="verdict", aria_label="Where the time went")
    found = recording.sections(document)
    name, what = recording.program(document), recording.size(document)
    body = _body(name, what, found, top, "thread, function, file, state")
    return _whole(recording.title(document), body)


def _body(
    name: str,
    what: str,
    sections: list[Section],
    top: Markup,
    search: str = "R1.7, T8, function, file",
) -> Markup:
    return join(
        tag("a", "To the verdict", href="#verdict", class_="skip"),
        _header(name, what, search),
        tag("nav", _contents(sections), aria_label="Contents"),
        tag("main", top, [_section(section) for section in sections]),
        tag("footer", tag("p", "Made by ompd. This file is complete in itself.")),
    )


def _unknown(report: Report) -> Markup:
    doubts = report.doubts.list()
    lead = tag("p", "A ? stands where something is not certain. The reasons:", class_="lead")
    missing = [
        tag("li", tag("b", f"section `{word(one, 'section')}'"), ": ", verdict.why(one))
        for one in objects(report.document, "unavailable")
        if not verdict.is_whole(one)
    ]
    return join(tag("ul", missing) if missing else None, [lead, doubts] if doubts else None)


def _reasons(report: Report) -> str:
    missing = [one for one in objects(report.document, "unavailable") if not verdict.is_whole(one)]
    return f"{len(missing) + report.doubts.count:,}"


def _title(document: dict[str, Any]) -> str:
    return f"{_program(document)}: {verdict.headline(document)}"


def _program(document: dict[str, Any]) -> str:
    path = word(object_of(document, "inferior"), "program")
    return path.rsplit("/", 1)[-1] if path else "program"


def _header(name: str, what: str, search: str) -> Markup:
    return tag(
        "header",
        tag("h1", name, " ", tag("small", what) if what else None),
        tag(
            "div",
            tag("label", "Search ", tag("input", placeholder=search, **_SEARCH), class_="search"),
            tag("output", id="hits", for_="search"),
            tag("button", "Dark or light", type="button", id="theme"),
            class_="tools",
            id="tools",
            hidden=True,  # until the script runs
        ),
    )


_SEARCH = {
    "type": "search",
    "id": "search",
    "autocomplete": "off",
    "spellcheck": "false",
}


def _contents(sections: list[Section]) -> Markup:
    links = [
        tag("li", tag("a", one.title, href=f"#{one.id}"), _count(one.count)) for one in sections
    ]
    return tag("ul", links)


def _count(shown: str) -> Markup | None:
    return join(" ", tag("span", shown, class_="number")) if shown else None


def _section(section: Section) -> Markup:
    title = f"title-{section.id}"
    return tag(
        "section",
        tag("h2", section.title, id=title),
        section.body,
        id=section.id,
        aria_labelledby=title,
    )


def _whole(title: str, body: Markup) -> str:
    script = _part("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        f" script-src 'sha256-{digest}'"
    )
    dark = _part("dark.css")
    style = (
        _part("page.css")
        + "@media screen and (prefers-color-scheme: dark) {\n"
        + f":root:not([data-theme=light]) {{\n{dark}}}\n}}\n"
        + f":root[data-theme=dark] {{\n{dark}}}\n"
        + _part("print.css")
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


@lru_cache(maxsize=None)
def _part(name: str) -> str:
    """A file beside this one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, encoding="utf-8") as file:
        # The first line is its license.
        return file.read().split("\n", 1)[1]
