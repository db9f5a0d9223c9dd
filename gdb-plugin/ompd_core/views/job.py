# SPDX-License-Identifier: Apache-2.0
"""`ompd merge' as text: which ranks are odd, then what all of them do."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Sequence, TypeVar

from .. import runtimes
from ..model import ids
from ..model.job import Group, Job, RankClass, Said, Unread
from ..model.members import Members, folded, in_words, who
from ..model.rank_reports import Awaiting, Doing, Missing, Runtime, State
from ..model.roll import Entry
from . import job_tree, threads
from .cxx_names import shorten
from .status import CANNOT_TELL
from .table import Style, Table, count, cut_list, paragraph, place
from .terminal import plain

MOST_CLASSES = 5  # of ranks, and of threads in each, that are shown
MOST_ROWS = 5
MOST_TEXTS = 5
LONGEST_STATE = 40  # characters
_INDENT = " " * 10
_OTHER = "Other findings"


def lines(job: Job, style: Style) -> list[str]:
    classes = job.classes()
    found = verdict(job, classes, style)
    if job.rows:
        other = [
            one
            for one in job.findings()
            if not (job.is_wrong(one.finding) or one.finding.code == CANNOT_TELL)
        ]
        if other:
            found += ["", *_heading(_OTHER), *_texts(job, other, style)]
        for title, shown in (
            (f"Classes of {_nouns(job)}", _classes(job, classes, style)),
            ("Messages", _messages(job, style)),
            ("Stacks, merged", job_tree.lines(job, classes, _nouns(job), style)),
            ("Programs and runtimes", _programs(job, style)),
        ):
            found += ["", *_heading(title), *shown] if shown else []
    unknown = _unknown(job, style)
    if unknown:
        found += ["", *_heading("What could not be read"), *unknown]
    return found


def _heading(title: str) -> list[str]:
    return [title, "-" * len(title)]


# ---- The verdict ---------------------------------------------------------------------------------


def verdict(job: Job, classes: Sequence[RankClass], style: Style) -> list[str]:
    first = headline(job, classes)
    found = paragraph(first, style, _INDENT)
    said = [one for one in job.findings() if job.is_wrong(one.finding)]
    found += _texts(job, said, style, _INDENT)
    for one in classes[:MOST_CLASSES]:
        if one.odd and not one.codes:
            found += paragraph(
                f"{_INDENT}{_named(job, one.members)}: {_summary(one)}", style, _INDENT
            )
    doubtful = [one for one in job.findings() if one.finding.code == CANNOT_TELL]
    if doubtful:
        sentence = _cannot_tell(job, classes)
        if sentence != first:
            found += paragraph(sentence, style, _INDENT)
        found += _texts(job, doubtful, style, _INDENT)
    usual = [one for one in classes if not one.odd]
    if len(usual) == 1 and len(classes) > 1:
        words = f"{_named(job, usual[0].members)}: {_summary(usual[0])}"
        found += paragraph(f"Others  : {words}", style, _INDENT)
    return found + paragraph(f"Reports : {_counted(job)}", style, _INDENT)


def headline(job: Job, classes: Sequence[RankClass]) -> str:
    total = sum(len(one.members) for one in classes)
    if not total:
        return "No report could be read."
    wrong = [one for one in classes if one.codes]
    odd = [one for one in classes if one.odd]
    if wrong:
        number = sum(len(one.members) for one in wrong)
        have = "has" if number == 1 else "have"
        codes = ", ".join(dict.fromkeys(code for one in wrong for code in one.codes))
        return f"Odd     : {_share(job, number, total)} {have} a finding: {plain(codes)}."
    if odd:
        number = sum(len(one.members) for one in odd)
        verb = "is" if number == 1 else "are"
        return f"Odd     : {_share(job, number, total)} {verb} elsewhere than the others."
    if unclear(job):
        return _cannot_tell(job, classes)
    if len(classes) == 1:
        where = f", all at the same places: {_summary(classes[0])}" if total > 1 else ""
        beside = f" beside `{_OTHER}'" if job.findings() else ""
        return f"No problems found{beside} in {_all(job, total)}{where}."
    return (
        f"No finding, and no {_noun(job)} stands out: {_all(job, total)} are at {len(classes)}"
        " different places."
    )


def unclear(job: Job) -> Members:
    """Of whom it cannot be told whether something is wrong."""
    found = Members()
    for one in job.findings():
        if one.finding.code == CANNOT_TELL:
            found.update(one.members)
    return found


def in_order(job: Job) -> list[Entry]:
    """By rank; what has none of its own comes last."""
    return sorted(job.entries(), key=lambda one: _order(job, one))


def _order(job: Job, one: Entry) -> tuple[object, ...]:
    ranked = one.rank is not None and one.rank not in job.repeated
    rank = (0, one.rank) if ranked else (1, 0)
    return (*rank, one.host or "", one.pid or 0, one.file)


def has_failed(job: Job, entry: Entry) -> bool:
    return bool(job.failed) and member(job, entry).is_within(job.failed)


def member(job: Job, entry: Entry) -> Members:
    """As it is named in the job."""
    if entry.rank is not None and entry.rank not in job.repeated:
        return Members([(entry.rank, entry.rank)])
    others = job.everybody.others
    process = entry.process
    return Members((), [process if process and process in others else entry.by_file])


def _cannot_tell(job: Job, classes: Sequence[RankClass]) -> str:
    total = sum(len(one.members) for one in classes)
    share = _share(job, len(unclear(job)), total)
    return f"Unclear : of {share} it cannot be told whether something is wrong."


def _share(job: Job, number: int, total: int) -> str:
    return f"{number} of {_all(job, total)}" if total > 1 else _all(job, total)


def _all(job: Job, total: int) -> str:
    """Of which reports tell; there may be others."""
    whole = not job.absent() and not job.lost and len(job.everybody) == total
    words = count(total, _noun(job), _nouns(job))
    return words if whole else f"{words} with a report"


def _noun(job: Job) -> str:
    return "rank" if job.by_rank() else "process"


def _nouns(job: Job) -> str:
    return "ranks" if job.by_rank() else "processes"


def _named(job: Job, members: Members) -> str:
    """rank 2; 3 ranks (0-1,3)"""
    names = cut_list(plain(who(members)))
    if len(members) == 1:
        return f"{_noun(job)} {names}"
    return f"{len(members)} {_nouns(job)} ({names})"


def _summary(one: RankClass) -> str:
    """What most of its threads do that are not idle."""
    if not one.readable:
        return "its OpenMP state cannot be read"
    counted = [doing for doing, _ in by_number(one.doing) if doing.states and not doing.idle]
    if not counted:
        return "no thread is in OpenMP"
    words = []
    for doing in counted[:2]:
        where = where_of(doing)
        words.append(words_of(doing) + (f": {where}" if where != "-" else ""))
    more = len(counted) - len(words)
    return "; ".join(words) + (f"; {more} more" if more > 0 else "")


def _counted(job: Job) -> str:
    failed = len(job.failed)
    good = [one for one in job.entries() if not failed or not has_failed(job, one)]
    total = sum(one.threads for one in good)
    hosts = {one.host for one in good if one.host is not None}
    words = f"of {count(len(good), _noun(job), _nouns(job))}, {count(total, 'thread')}"
    if hosts:
        words += (
            f", on {plain(next(iter(hosts)))}" if len(hosts) == 1 else f", on {len(hosts)} hosts"
        )
    absent = job.absent()
    if absent:
        number = sum(high - low + 1 for low, high in absent)
        runs = in_words(absent)
        words += f"; of {number} of {job.size} ranks there is none: {cut_list(runs)}"
    if failed:
        words += f"; {count(failed, 'report')} failed"
    if job.lost:
        words += f"; {count(len(job.lost), 'host')} did not answer"
    if job.unread:
        verb = "is" if len(job.unread) == 1 else "are"
        words += f"; {count(len(job.unread), 'file')} {verb} no report"
    return words + "."


# ---- What they do --------------------------------------------------------------------------------


def _texts(job: Job, said: Sequence[Said], style: Style, indent: str = "") -> list[str]:
    found = []
    for one in _some(said, MOST_TEXTS, style):
        finding = one.finding
        passing = "" if finding.confirmed else " (passing: an earlier look showed something else)"
        example = "" if one.same else f" (in the words of {_named(job, member(job, one.by))})"
        text = f"{indent}{_named(job, one.members)}: {finding.text}{passing}{example}"
        found += paragraph(text, style, indent or "   ")
    return found + _rest(len(said), MOST_TEXTS, "findings", style, indent)


def _classes(job: Job, classes: Sequence[RankClass], style: Style) -> list[str]:
    table = Table([_nouns(job).capitalize(), "", "Threads", "State", "Where"], style, folding=(0,))
    several = len(job.hosts()) > 1
    for one in _some(classes, MOST_CLASSES, style):
        name = plain((job.where(one.members) if several else "") or who(one.members))
        mark = "odd" if one.odd else ""
        rows = _rows(one.doing)
        shown = list(_some(rows, MOST_ROWS, style))
        for doing, number in shown:
            words = shorten(words_of(doing), LONGEST_STATE)
            table.add(name, mark, str(number), words, _fitting(doing))
            name = mark = ""
        if len(rows) > len(shown):
            left = sum(number for _, number in rows[len(shown) :])
            table.add("", "", str(left), f"({len(rows) - len(shown)} more)", "")
    return table.lines() + _rest(len(classes), MOST_CLASSES, "classes", style)


def _rows(found: Counter[Doing]) -> list[tuple[Doing, int]]:
    """What differs in nothing that the table shows is one row of it."""
    alike: dict[tuple[int, str, str], tuple[Doing, int]] = {}
    for doing, number in by_number(found):
        key = (_rank_of(doing), words_of(doing), where_of(doing))
        first, before = alike.get(key, (doing, 0))
        alike[key] = first, before + number
    return sorted(alike.values(), key=lambda pair: (_rank_of(pair[0]), -pair[1]))


def by_number(found: Counter[Doing]) -> list[tuple[Doing, int]]:
    """What most do first; else in an order that does not depend on whose report came first."""
    return sorted(found.items(), key=lambda pair: (-pair[1], words_of(pair[0]), repr(pair[0])))


def _rank_of(doing: Doing) -> int:
    """In OpenMP, idle there, outside."""
    if not doing.states:
        return 2
    return 1 if doing.idle or doing.kind == "helper" else 0


def words_of(doing: Doing) -> str:
    if doing.running:
        return "running"
    if not doing.states:
        return "not OpenMP" if doing.kind else "?"
    if doing.kind == "helper":
        return "helper"
    return ", ".join(dict.fromkeys(_one_state(state) for state in doing.states))


def _one_state(told: State) -> str:
    if told.state is None:
        return "?"
    return plain(threads.in_words(told.state, told.wait)) + ("?" if told.likely else "")


def where_of(doing: Doing, room: int | None = None) -> str:
    at = doing.where
    if at is None or doing.idle or doing.running:
        return "-"
    suffix = f", in {plain(doing.call)}" if doing.call else ""
    left = None if room is None else room - len(suffix)
    return place(at.function, at.file, at.line, left) + suffix


def _fitting(doing: Doing) -> Callable[[int | None], str]:
    return lambda room: where_of(doing, room)


# ---- Who waits for whom --------------------------------------------------------------------------


def awaited(job: Job) -> list[tuple[Awaiting, Members]]:
    """What most ranks wait for first."""
    return sorted(
        job.awaiting.items(), key=lambda one: (-len(one[1]), one[1].first(), repr(one[0]))
    )


def words_of_message(job: Job, one: Awaiting) -> str:
    if not job.by_rank_awaited:
        return (
            f"in {plain(one.call)} {one.message.direction} other ranks, too many to be told apart"
        )
    return f"in {plain(one.call)} {one.message.words}"


def _messages(job: Job, style: Style) -> list[str]:
    """A rank of MPI_COMM_WORLD is one of the job's: what is known of it stands beside."""
    found = []
    all_awaited = awaited(job)
    for one, members in _some(all_awaited, MOST_TEXTS, style):
        rank = one.message.rank if one.message.world else None
        beside = _of_awaited(job, rank) if rank is not None else ""
        text = f"{_named(job, members)}: {words_of_message(job, one)}{beside}"
        found += paragraph(text, style, "   ")
    return found + _rest(len(all_awaited), MOST_TEXTS, "messages", style)


def _of_awaited(job: Job, rank: int) -> str:
    if job.size is not None and rank >= job.size:
        return ""  # of other jobs' numbers
    if rank not in job.everybody:
        return ", of which nothing is known"
    codes = [
        said.finding.code
        for said in job.findings()
        if job.is_wrong(said.finding) and rank in said.members
    ]
    return f", which has a finding: {plain(', '.join(dict.fromkeys(codes)))}" if codes else ""


# ---- Programs, runtimes, and what is missing -----------------------------------------------------


def _programs(job: Job, style: Style) -> list[str]:
    programs = [
        Group(one.members, plain(one.what or "(not known)")) for one in job.groups(job.programs)
    ]
    runtimes = [Group(one.members, _runtimes(one.what)) for one in job.groups(job.runtimes)]
    found = []
    for title, groups in (("Program : ", programs), ("Runtime : ", runtimes)):
        for group in _some(groups, MOST_TEXTS, style):
            whose = f"{_named(job, group.members)}: " if len(groups) > 1 else ""
            found += paragraph(f"{title}{whose}{group.what}", style, _INDENT)
        found += _rest(len(groups), MOST_TEXTS, "groups", style)
    return found


def _runtimes(found: Sequence[Runtime]) -> str:
    return "; ".join(map(runtime_name, found)) or "none that can be read"


def runtime_name(runtime: Runtime) -> str:
    name = runtimes.name_of(runtime.kind, plain(runtime.kind))
    version = plain(runtime.version) if runtime.version is not None else "of unknown version"
    identity = f", build-id {plain(runtime.build_id)}" if runtime.build_id else ""
    return f"{name} {version}, {plain(runtime.path or '(path unknown)')}{identity}"


def _unknown(job: Job, style: Style) -> list[str]:
    found = []
    missing = job.missing()
    for one in _some(missing, MOST_TEXTS, style):
        found += paragraph(f"{_named(job, one.members)}: {_why(one.what)}", style, "   ")
    found += _rest(len(missing), MOST_TEXTS, "reasons", style)
    reasons: dict[str, list[Unread]] = {}
    for unread in job.unread:
        reasons.setdefault(unread.why, []).append(unread)
    for why, files in _some(list(reasons.items()), MOST_TEXTS, style):
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        found += paragraph(f"{files[0].file}{more}: {why}.", style, "   ")
    found += _rest(len(reasons), MOST_TEXTS, "reasons", style)
    for why, hosts in lost(job):
        found += paragraph(f"{hosts}: {plain(why)}", style, "   ")
    return found + [line for note in notes(job) for line in paragraph(note, style, "   ")]


def lost(job: Job) -> list[tuple[str, str]]:
    """Why hosts did not answer, and which."""
    hosts: dict[str, list[str]] = {}
    for host, why in job.lost.items():
        hosts.setdefault(why, []).append(host)
    return sorted((why, plain(folded(names))) for why, names in hosts.items())


def _why(one: Missing) -> str:
    section = "no report" if one.section == "report" else one.section
    return f"{section}: {one.message} {one.hint}".rstrip()


def notes(job: Job) -> list[str]:
    found = []
    if job.repeated:
        ranks = cut_list(ids.compress(job.repeated))
        rank = min(job.repeated)
        files = " and ".join(job.repeated[rank])
        found.append(
            f"Several reports are of one rank ({ranks}; of rank {rank}: {files}): they are named by"
            " their processes or files. Are they of several jobs, or of several moments?"
        )
    if job.counted_twice:
        found.append(
            f"{count(len(job.counted_twice), 'file')} given twice, such as {job.counted_twice[0]},"
            " counted once."
        )
    return found


_T = TypeVar("_T")


def _some(found: Sequence[_T], most: int, style: Style) -> Sequence[_T]:
    return found if style.every else found[:most]


def _rest(number: int, most: int, noun: str, style: Style, indent: str = "") -> list[str]:
    if style.every or number <= most:
        return []
    return [f"{indent}{number - most} more {noun}: --all shows all."]
