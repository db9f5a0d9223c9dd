# SPDX-License-Identifier: Apache-2.0
"""Do all outputs of one stop say the same? And which of them accuse the program, or pass it?

What two commands tell of a thread, a lock, a barrier or the whole process has to agree, as JSON and
as text: each rule below yields a sentence for whatever does not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

Json = dict[str, Any]

# What is asked at each stop, in this order.
COMMANDS = [
    "ompd report",
    "ompd",
    "ompd threads",
    "ompd barriers",
    "ompd locks",
    "ompd deadlock",
    "ompd tasks",
]
TEXTS = ["ompd", "ompd threads", "ompd barriers", "ompd locks", "ompd deadlock", "ompd report"]
# Sections of the report, and the commands that tell the same.
SECTIONS = {
    "threads": "ompd threads",
    "barriers": "ompd barriers",
    "locks": "ompd locks",
    "deadlock": "ompd deadlock",
    "tasks": "ompd tasks",
    "summary": "ompd",
}
# Said of a program only if it will never go on.
ACCUSING = re.compile(
    r"DEADLOCK|deadlocked|[Nn]ever released|will never be|[Nn]ever go on|Nobody can go|NOBODY CAN"
)
WAITS = {
    "critical": {"wait_critical"},
    "lock": {"wait_lock"},
    "nest_lock": {"wait_lock"},
    "ordered": {"wait_ordered"},
    "doacross": {"wait_ordered"},
    "atomic": {"wait_atomic"},
    "taskwait": {"wait_taskwait"},
    "depend": {"wait_taskwait"},
    "taskgroup": {"wait_taskgroup"},
}
BARRIERS = {
    "wait_barrier",
    "wait_barrier_implicit_parallel",
    "wait_barrier_implicit_workshare",
    "wait_barrier_implicit",
    "wait_barrier_explicit",
    "wait_barrier_implementation",
    "wait_barrier_teams",
}
# What OpenMP knows of a thread that is none of its own.
NO_MEMBER: Json = {"id": None, "state": None, "wait": None, "task": None}
LONGEST = 1 << 12  # threads of one list


@dataclass
class Stop:
    """What was told at one moment: documents and texts by command."""

    documents: Mapping[str, Json]
    texts: Mapping[str, str]
    stacks: str = ""  # as GDB shows them

    def section(self, command: str, name: str) -> Any:
        return self.documents[command][name]

    @property
    def findings(self) -> list[Json]:
        found: list[Json] = self.section("ompd", "summary")["findings"]
        return found

    @property
    def deadlock(self) -> Json:
        found: Json = self.section("ompd deadlock", "deadlock")
        return found

    def text(self, command: str) -> str:
        """As if lines had no end: where they are broken is a matter of style."""
        return " ".join(self.texts[command].split())

    def names(self) -> dict[str, str]:
        """A thread that has begun inner regions has a name in each around it: the innermost by all
        of them."""
        found = {}
        for name, (_, member) in self.threads().items():
            found[name] = name
            number = member.get("thread_num")
            for outer in member.get("ancestors", ()):
                if number != 0:
                    break  # that is who began the region
                number = outer["thread_num"]
                found[f"{outer['region']}.{number}"] = name
        return found

    def threads(self) -> dict[str, tuple[Json, Json]]:
        """By their ids, as lists name them: the thread, and what its runtime knows of it."""
        found = {}
        for thread in self.section("ompd threads", "threads"):
            for member in thread["openmp"][:1] or [NO_MEMBER]:
                native = (thread["gdb"] or "?.?").partition(".")[2]
                found[member["id"] or f"T{native}"] = (thread, member)
        return found


def accusations(stop: Stop) -> list[str]:
    """What says that the program will never go on."""
    found = [f"{one['code']}: {one['text']}" for one in stop.findings if one["wrong"]]
    if stop.deadlock["verdict"] == "deadlock":
        found.append(stop.deadlock["text"])
    for command, text in stop.texts.items():
        met = ACCUSING.search(" ".join(text.split()))
        if met is not None:
            found.append(f"`{command}' prints `{met.group()}'")
    return found


def cannot_tell(stop: Stop) -> bool:
    return bool(stop.deadlock["verdict"] == "unknown")


def contradictions(stop: Stop) -> list[str]:
    if any("error" in document for document in stop.documents.values()):
        return _of_errors(stop)
    rules = [_report, _verdicts, _texts, _waiting, _barriers, _locks, _tasks]
    return [sentence for rule in rules for sentence in rule(stop)]


def _of_errors(stop: Stop) -> list[str]:
    """A command that fails, when another can tell the same."""
    failed = [name for name, document in stop.documents.items() if "error" in document]
    return [f"`{name}' fails and others do not" for name in failed if name != "ompd deadlock"]


def _report(stop: Stop) -> Iterator[str]:
    """Each section is what its command tells."""
    report = stop.documents["ompd report"]
    for section, command in SECTIONS.items():
        if section not in report:
            yield f"the report has no {section}"
        elif report[section] != stop.section(command, section):
            yield f"the report's {section} are not those of `{command}'"
    if report["findings"] != stop.findings:
        yield "the report's findings are not those of `ompd'"
    if len({str(document["stop_id"]) for document in stop.documents.values()}) != 1:
        yield "the documents are of several stops"


def _verdicts(stop: Stop) -> Iterator[str]:
    codes = [finding["code"] for finding in stop.findings]
    verdict, cycles = stop.deadlock["verdict"], stop.deadlock["cycles"]
    # Threads at different barriers are a circle too.
    found = bool({"deadlock", "self_deadlock", "barrier_divergence"} & set(codes))
    if found != (verdict == "deadlock") or (verdict == "deadlock") != bool(cycles):
        yield f"the findings are {codes}, the verdict {verdict}, with {len(cycles)} circles"
    if verdict == "none" and {"standing_still"} & set(codes):
        yield f"there is no deadlock, and {', '.join(codes)}"
    if verdict == "standstill" and "standstill" not in codes:
        yield f"nobody can go on, and the findings are {codes}"
    if verdict == "unknown" and not stop.deadlock["unknown"]:
        yield "it cannot be told, and all is known"
    if ("cannot_tell" in codes) != (verdict == "unknown" and "standing_still" not in codes):
        yield f"the findings are {codes}, the verdict {verdict}"
    if verdict == "none" and stop.deadlock["certainty"] == "certain":
        if stop.deadlock["unknown"]:
            yield f"no deadlock, for certain, and not known: {stop.deadlock['unknown']}"
        if stop.deadlock["waits"] and not _at_work(stop):
            yield "no deadlock, for certain, and nobody is at work"


def _at_work(stop: Stop) -> bool:
    """Does anybody work, or can anybody go on?"""
    free = set(stop.threads()) - _listed(stop)
    return bool(free) or any(one["progress"] for one in stop.deadlock["waits"])


def _listed(stop: Stop) -> set[str]:
    return {who for one in stop.deadlock["waits"] for who in expanded(one["who"])}


def _texts(stop: Stop) -> Iterator[str]:
    """The verdict as text is the one of the document."""
    for finding in stop.findings:
        # `ompd merge', and many threads: what is cut stands in the same order.
        if not _within(finding["text"], stop.text("ompd")):
            yield f"`ompd' does not print: {finding['text']}"
        if not _within(finding["text"], stop.text("ompd report")):
            yield f"`ompd report' does not print: {finding['text']}"
    for command in ("ompd", "ompd report"):
        if ("No problems found" in stop.text(command)) != (not stop.findings):
            yield f"`{command}' says otherwise than its findings"
    for command in ("ompd deadlock", "ompd report"):
        if not _within(stop.deadlock["text"], stop.text(command)):
            yield f"`{command}' does not print: {stop.deadlock['text']}"
    if ("DEADLOCK" in stop.text("ompd deadlock")) != (stop.deadlock["verdict"] == "deadlock"):
        yield "`ompd deadlock' says otherwise than its document"
    number = re.search(r"Threads : (\d+):", stop.text("ompd"))
    if number is None or int(number.group(1)) != len(stop.section("ompd threads", "threads")):
        yield f"`ompd' counts {number and number.group(1)} threads"


def _within(sentence: str, text: str) -> bool:
    return " ".join(sentence.split()) in text


def _waiting(stop: Stop) -> Iterator[str]:
    """Who waits according to `ompd threads' does according to `ompd deadlock', for the same."""
    threads = stop.threads()
    waiting: dict[str, Json] = {}
    for one in stop.deadlock["waits"]:
        names = expanded(one["who"])
        if len(names) != one["count"]:
            yield f"{one['who']} are not {one['count']} threads"
        for name in names:
            if name in waiting:
                yield f"{name} waits twice"
            waiting[name] = one
            if name not in threads:
                yield f"{name} waits and is no thread"
            else:
                yield from _state_of(name, *threads[name], one)
    for name, (thread, member) in threads.items():
        state, sure = member["state"], "state" not in member.get("doubts", {})
        if state and state.startswith("wait_") and sure and name not in waiting:
            yield f"{name} is in {state}, and waits for nothing"
        if member["wait"] is not None and name not in waiting and sure:
            yield f"{name} waits for {member['wait']['kind']}, and for nothing"
        if thread["running"] and name in waiting:
            yield f"{name} runs, and waits"


def _state_of(name: str, thread: Json, member: Json, one: Json) -> Iterator[str]:
    state, sure = member["state"], "state" not in member.get("doubts", {})
    if not sure:
        return
    # There are tasks to execute, or who is at work there lets it in soon, or all have come.
    soon = one["kind"] in ("taskwait", "taskgroup", "atomic", "barrier")
    if one["progress"] and not soon and (state or "").startswith("wait_"):
        yield f"{name} can go on, and is in {state}"
    if one["kind"] != "barrier" and one["kind"] not in WAITS:
        # Outside of OpenMP: for a mutex, for a thread that ends, for whatever.
        call = thread["in_call"]
        if one["outside"] and (call is None or one["outside"] != call["function"]):
            yield f"{name} waits in {one['outside']}, and is in {call and call['function']}"
        if (state or "").startswith("wait_"):
            yield f"{name} waits for {one['kind']}, and is in {state}"
        return
    right = BARRIERS if one["kind"] == "barrier" else WAITS.get(one["kind"], set())
    if not one["progress"] and state not in right:
        yield f"{name} waits for {one['kind']}, and is in {state}"
    if member["wait"] is not None and member["wait"]["kind"] != one["kind"]:
        yield f"{name} waits for {one['kind']}, and for {member['wait']['kind']}"


def _barriers(stop: Stop) -> Iterator[str]:
    threads = stop.threads()
    rows = stop.section("ompd barriers", "barriers")
    for row in rows:
        arrived, missing = expanded(row["arrived"]), expanded(row["missing"] or "")
        where = f"{row['region']}, {row['kind']}"
        if set(arrived) & set(missing):
            yield f"{where}: {set(arrived) & set(missing)} have arrived, and are missing"
        for name in arrived:
            state = threads[name][1]["state"] if name in threads else None
            if state not in BARRIERS:
                yield f"{where}: {name} has arrived, and is in {state}"
        if [one["who"] for one in row["instead"]] != missing:
            yield f"{where}: missing {missing}, not told what all of them do"
        for one in row["instead"]:
            yield from _instead(where, one, threads)
    for one in stop.deadlock["waits"]:
        if one["barrier"] is not None:
            yield from _meeting(one, rows, stop.names())


# What a missing thread does, and what it is then.
_DOING = {
    "working": ("work_",),
    "call": ("work_",),
    "barrier": ("wait_barrier",),
    "waiting": ("wait_",),
}


def _instead(where: str, one: Json, threads: Mapping[str, Any]) -> Iterator[str]:
    if one["doing"] in _DOING and one["who"] in threads:
        state = threads[one["who"]][1]["state"] or ""
        if not state.startswith(_DOING[one["doing"]]):
            yield f"{where}: {one['who']} is {one['doing']}, and in {state}"


def _meeting(one: Json, rows: Sequence[Json], names: Mapping[str, str]) -> Iterator[str]:
    """Those that wait stand in rows where the same are missing. Several rows can be of one meeting:
    the runtime has one barrier for several constructs."""

    def known(text: str | None) -> set[str]:
        return {names.get(name, name) for name in expanded(text or "")}

    waiters, missing = known(one["who"]), known(one["barrier"]["missing"])
    if waiters & missing:
        yield f"{waiters & missing} wait for themselves at a barrier"
    those = [row for row in rows if waiters & known(row["arrived"])]
    stand = set().union(*(known(row["arrived"]) for row in those))
    if not waiters <= stand:
        yield f"{waiters - stand} wait at a barrier, and have not arrived"
    if not one["barrier"]["complete"] or one["progress"]:
        return
    for row in those:
        told = known(row["missing"])
        certain = "missing" not in row.get("doubts", {})
        if not missing <= told or (certain and len(rows) == 1 and told != missing):
            yield f"{one['who']} wait for {sorted(missing)}, and {sorted(told)} are missing"


def _locks(stop: Stop) -> Iterator[str]:
    threads = stop.threads()
    locks = {lock["id"]: lock for lock in stop.section("ompd locks", "locks")}
    waits = {who: one for one in stop.deadlock["waits"] for who in expanded(one["who"])}
    for one in stop.deadlock["waits"]:
        for edge in one["for"]:
            if edge["lock"] is None:
                continue
            lock = locks.get(edge["lock"])
            if lock is None:
                yield f"{edge['lock']} is waited for, and is no lock"
            elif lock["holder"] != edge["thread"]:
                yield f"{edge['thread']} is waited for, {lock['holder']} holds {lock['id']}"
            elif not set(expanded(one["who"])) <= set(lock["waiters"]):
                yield f"{one['who']} wait for {lock['id']}, {lock['waiters']} are in its queue"
    for lock in locks.values():
        for name in lock["waiters"]:
            state = threads[name][1]["state"] if name in threads else None
            if state not in {"wait_lock", "wait_critical", "wait_ordered", "wait_atomic"}:
                yield f"{name} waits for {lock['id']}, and is in {state}"
            elif name not in waits:
                yield f"{name} waits for {lock['id']}, and for nothing"
            elif lock["held"] is False and not _can_take(lock, waits[name]):
                yield f"{name} waits for {lock['id']}, which is free"
        if lock["held"] is False and lock["holder"] is not None:
            yield f"{lock['id']} is free, and {lock['holder']} holds it"


def _can_take(lock: Json, wait: Json) -> bool:
    """Or it is not certain that this is the lock it waits for."""
    unsure = "waiters" in lock.get("doubts", {}) and bool(wait["unknown"])
    return bool(wait["progress"]) or unsure


def _tasks(stop: Stop) -> Iterator[str]:
    tasks = {task["id"]: task for task in stop.section("ompd tasks", "tasks")}
    for one in stop.deadlock["waits"]:
        for edge in one["for"]:
            if edge["task"] is None:
                continue
            task = tasks.get(edge["task"])
            if task is None:
                yield f"{edge['task']} is waited for, and is no task"
            elif task["thread"] != edge["thread"]:
                yield f"{edge['thread']} is waited for, {task['thread']} executes {task['id']}"
    for name, (_, member) in stop.threads().items():
        task = tasks.get(member["task"]["id"]) if member["task"] else None
        if task is not None and (task["state"], task["thread"]) != ("executing", name):
            yield f"{name} executes {task['id']}, which is {task['state']} on {task['thread']}"


def expanded(text: str) -> list[str]:
    """R1.0-2 R2-3.0 T7: each by itself."""
    found = []
    for word in text.split():
        regions, dot, numbers = word.rpartition(".")
        if not dot:
            found += [f"T{number}" for number in _numbers(word[1:])]
            continue
        for region in _numbers(regions[1:]):
            found += [f"R{region}.{number}" for number in _numbers(numbers)]
    assert len(found) <= LONGEST
    return found


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        found += range(int(low), int(high or low) + 1)
    return found


# ---- How often -----------------------------------------------------------------------------------


@dataclass
class Score:
    """Counted over all tests of this process."""

    stops: int = 0  # of innocents
    accusations: int = 0
    cannot_tell: int = 0
    guilty: int = 0
    found: int = 0
    told_as_unknown: int = 0
    compared: int = 0  # stops whose outputs were compared
    contradictions: int = 0

    def add(self, counts: Sequence[int]) -> None:
        for name, count in zip(vars(self), counts):
            setattr(self, name, getattr(self, name) + count)

    @property
    def counts(self) -> list[int]:
        return list(vars(self).values())

    def lines(self) -> list[str]:
        return [
            f"innocents: {self.accusations} accusations in {self.stops} stops,"
            f" {self.cannot_tell} cannot tell",
            f"guilty: {self.found} of {self.guilty} found, {self.told_as_unknown} told as cannot"
            " tell",
            f"contradictions: {self.contradictions} in {self.compared} stops",
        ]

    def compare(self, stop: Stop) -> list[str]:
        found = contradictions(stop)
        self.compared += 1
        self.contradictions += len(found)
        return found

    def judge_innocent(self, stop: Stop) -> list[str]:
        found = accusations(stop)
        self.stops += 1
        self.accusations += bool(found)
        self.cannot_tell += cannot_tell(stop)
        return found

    def judge_status(self, status: int) -> None:
        """The shell's ompd has looked at an innocent."""
        self.stops += 1
        self.accusations += status == 1
        self.cannot_tell += status == 3


score = Score()
