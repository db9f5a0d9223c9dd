# SPDX-License-Identifier: Apache-2.0
"""The page of many ranks: which are odd, what all of them do, all stacks as one tree. Made of the
document of `ompd merge' or `ompd job' alone."""

from __future__ import annotations

from ..table import count
from .document import Json, number, object_of, objects, word, words
from .markup import Markup, Part, fold, join, row, table, tag
from .report import Section, names_cell, names_line

COMMANDS = ("merge", "job")
MOST_DEPTH = 200  # branches within each other; HTML readers have limits
MOST_BRANCHES = 5000
MOST_ROWS = 1000


def title(document: Json) -> str:
    return f"{program(document)}: {verdict(document)}"


def program(document: Json) -> str:
    paths = [word(one, "program") for one in objects(document, "programs")]
    names = dict.fromkeys(path.rsplit("/", 1)[-1] for path in paths if path)
    return ", ".join(list(names)[:3]) or "job"


def size(document: Json) -> str:
    total = sum(number(one, "count") or 0 for one in objects(document, "programs"))
    return count(total, "process", "processes")


def verdict(document: Json) -> str:
    said = word(document, "verdict") or "No verdict."
    return said.partition(": ")[2] or said


def banner(document: Json) -> Markup:
    odd = any(words(one, "codes") for one in objects(document, "classes"))
    lost = objects(document, "lost") or objects(document, "unreadable")
    style = "wrong" if odd else "unknown" if lost or document.get("unclear") else "calm"
    shown: list[Part] = [
        tag("article", tag("h2", verdict(document)), class_=f"finding {style}"),
    ]
    for one in objects(document, "findings")[:MOST_ROWS]:
        shown.append(tag("p", names_line(word(one, "ranks") or ""), ": ", word(one, "text")))
    return tag("section", shown, id="verdict", aria_label="Verdict")


def sections(document: Json) -> list[Section]:
    made = (_classes, _messages, _stacks, _closer, _watch, _unknown, _programs)
    return [section for one in made if (section := one(document)) is not None]


def _classes(document: Json) -> Section | None:
    found = objects(document, "classes")
    rows = []
    for one in found[:MOST_ROWS]:
        mark = tag("span", "odd", class_="tag wrong") if one.get("odd") is True else None
        name = word(one, "nodes") or word(one, "ranks") or ""
        for i, ((said, place), counted) in enumerate(_alike(objects(one, "threads")).items()):
            first: Part = join(names_cell(name), " ", mark) if i == 0 else None
            rows.append(row(first, counted, said, place))
    title = f"Classes of {_nouns(document)}"
    head = (_nouns(document).capitalize(), "Threads", "State", "Where")
    body = table(head, rows, f"{title}, and what their threads do")
    return Section("classes", title, body, f"{len(found):,}") if rows else None


def _alike(threads: list[Json]) -> dict[tuple[str, str], int]:
    """As the text has them: an initial thread and a worker may do the same."""
    found: dict[tuple[str, str], int] = {}
    for doing in threads[:MOST_ROWS]:
        shown = word(doing, "text") or "", _place(doing)
        found[shown] = found.get(shown, 0) + (number(doing, "count") or 0)
    return found


def _nouns(document: Json) -> str:
    """The word of the text, too."""
    named = any(number(one, "rank") is not None for one in objects(document, "reports"))
    return "ranks" if named else "processes"


def _place(doing: Json) -> str:
    at = object_of(doing, "where")
    line = number(at, "line")
    place = f"{word(at, 'file')}:{line}" if word(at, "file") and line else word(at, "file")
    name = f"{word(at, 'function')} ()" if word(at, "function") else ""
    call = word(doing, "in_call")
    where = " at ".join(filter(None, (name, place)))
    return ", in ".join(filter(None, (where, call)))


def _messages(document: Json) -> Section | None:
    rows = [
        row(names_cell(word(one, "ranks") or ""), number(one, "count"), word(one, "text"))
        for one in objects(document, "awaiting")[:MOST_ROWS]
    ]
    body = table(
        (_nouns(document).capitalize(), "Count", "Wait"),
        rows,
        "Messages between ranks that are waited for",
    )
    return Section("messages", "Messages", body) if rows else None


def _stacks(document: Json) -> Section | None:
    root = object_of(document, "merged")
    if not objects(root, "children"):
        return None
    tree = _Tree(sum(number(one, "threads") or 0 for one in objects(root, "children")))
    body = tag("div", tree.branches(root, 0), class_="stacks")
    lead = "From the outermost frame inwards; the bar is the share of all threads."
    return Section("stacks", "Stacks, merged", join(tag("p", lead, class_="lead"), body))


class _Tree:
    def __init__(self, total: int) -> None:
        self._total = max(total, 1)
        self._branches = 0

    def branches(self, node: Json, depth: int) -> list[Part]:
        found: list[Part] = []
        for child in objects(node, "children"):
            self._branches += 1
            if self._branches > MOST_BRANCHES or depth > MOST_DEPTH:
                found.append(tag("p", "More branches are in the JSON document only."))
                break
            found.append(self._branch(child, depth))
        return found

    def _branch(self, node: Json, depth: int) -> Markup:
        frames = [node]
        while len(children := objects(frames[-1], "children")) == 1 and (
            children[0].get("threads") == node.get("threads")
        ):
            frames += children
        counted = number(node, "threads") or 0
        share = f"--share:{100 * counted / self._total:.1f}%"
        shown = join(
            tag("span", [_frame(frame) for frame in frames], class_="frames"),
            tag(
                "span",
                tag("b", f"{counted:,}"),
                tag("i", class_="share-bar", style=share, aria_hidden="true"),
                names_line(word(node, "ranks") or ""),
                class_="threads",
            ),
        )
        if objects(frames[-1], "children"):
            inside = tag("div", self.branches(frames[-1], depth + 1), class_="inside")
            return fold(shown, inside, opened=True, class_="branch")
        return tag("div", shown, class_="branch leaf")


def _frame(node: Json) -> Markup:
    kind = word(node, "kind") or "unknown"
    style = kind if kind in ("user", "wait", "construct") else "cut"
    return tag("span", word(node, "frame") or "(not known further out)", class_=f"frame {style}")


def _closer(document: Json) -> Section | None:
    rows = [
        row(names_cell(word(one, "ranks") or ""), tag("code", word(one, "command")))
        for one in objects(document, "closer")[:MOST_ROWS]
    ]
    body = table(
        (_nouns(document).capitalize(), "Opens one of them"),
        rows,
        "A command for a member of each class",
    )
    return Section("closer", "Look closer", body) if rows else None


def _watch(document: Json) -> Section | None:
    told = object_of(document, "watch")
    named = (("elsewhere", "Elsewhere"), ("same_places", "At the same places"))
    rows = [row(heading, names_cell(word(told, name) or "none")) for name, heading in named]
    body = table(("", _nouns(document).capitalize()), rows, "Two moments compared")
    return Section("watch", "Looked at twice", body) if told else None


def _unknown(document: Json) -> Section | None:
    items = [
        (word(one, "ranks"), f"{word(one, 'message')} {word(one, 'hint') or ''}")
        for one in objects(document, "unavailable")
    ]
    items += [(word(one, "hosts"), word(one, "message") or "") for one in objects(document, "lost")]
    items += [
        (word(one, "file"), word(one, "message") or "") for one in objects(document, "unreadable")
    ]
    absent = word(document, "absent")
    if absent:
        items.append((absent, "There is no report of these ranks."))
    items += [(None, note) for note in words(document, "notes")]
    rows = [row(names_cell(name or ""), said) for name, said in items[:MOST_ROWS]]
    body = table(("Whose", "Why"), rows, "What could not be known")
    return Section("unknown", "What could not be known", body, f"{len(items):,}") if items else None


def _programs(document: Json) -> Section | None:
    rows = [
        row(names_cell(word(one, "ranks") or ""), tag("code", word(one, "program") or "not known"))
        for one in objects(document, "programs")[:MOST_ROWS]
    ]
    for one in objects(document, "runtimes")[:MOST_ROWS]:
        for runtime in objects(one, "runtimes"):
            facts = [word(runtime, name) or "" for name in ("kind", "version", "path", "build_id")]
            name = names_cell(word(one, "ranks") or "")
            rows.append(row(name, tag("code", " ".join(filter(None, facts)))))
    body = table(
        (_nouns(document).capitalize(), "Program or runtime"), rows, "Programs and runtimes"
    )
    return Section("program", "Programs and runtimes", body) if rows else None
