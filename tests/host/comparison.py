# SPDX-License-Identifier: Apache-2.0
"""Does what ompd-host printed agree with what the program recorded of itself?"""

from __future__ import annotations

import collections
import contextlib
import re
from typing import Any, Iterator

from truth import Json, Key, Mismatch, TrueThread, Truth

compared: collections.Counter[str] = collections.Counter()  # facts, by all tests of this process
untold: set[str] = set()  # ICVs that some answer left out


@contextlib.contextmanager
def aside() -> Iterator[collections.Counter[str]]:
    """What is compared here is no fact that libompd told."""
    before, silent = compared.copy(), untold.copy()
    compared.clear()
    try:
        yield compared
    finally:
        compared.clear()
        compared.update(before)
        untold.clear()
        untold.update(silent)


# The ICVs that 5.0 has only for debuggers go by names of their own there.
NAMES_OF_5_0 = {
    "team-size-var": "ompd-team-size-var",
    "thread-num-var": "ompd-thread-num-var",
    "final-task-var": "ompd-final-var",
    "num-procs-var": "ompd-num-procs-var",
    "implicit-task-var": "ompd-implicit-var",
}
# ICV: what the program recorded as omp_get_..()
SETTINGS = {
    "bind-var": "proc_bind",
    "nthreads-var": "max_threads",
    "dyn-var": "dynamic",
    "max-active-levels-var": "max_active_levels",
    "thread-limit-var": "thread_limit",
    "final-task-var": "final",
    "default-device-var": "default_device",
    "cancel-var": "cancellation",
    "num-procs-var": "num_procs",
    "max-task-priority-var": "max_task_priority",
}
# What the library has to tell of every OpenMP thread; what else it tells has to be true.
REQUIRED = {"team-size-var", "thread-num-var", "levels-var", "active-levels-var", "run-sched-var"}
REQUIRED |= set(SETTINGS)
GENERATORS = {"program": 0, "parallel": 1, "teams": 2}  # ompd_team_generator_t
WORDS = {"false": 0, "true": 1, "primary": 2, "close": 3, "spread": 4}
SCHEDULES = {1: "static", 2: "dynamic", 3: "guided", 4: "auto"}  # omp_sched_t
TOLD = ("ok", "incomplete")
# Nothing was wrong with these programs, so nothing may be wrong with the answers.
FAILURES = {"error", "callback_error", "stale_handle", "nomem", "device_read_error"}
FAILURES |= {"device_write_error", "incompatible_handle"}


def failures(document: Any, path: str = "") -> Iterator[str]:
    """Return codes that no question to a sound program deserves."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from failures(value, f"{path}.{key}")
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from failures(value, f"{path}[{number}]")
    elif document in FAILURES or re.match(r"rc -?\d+$", str(document)):
        yield f"{path}: {document}"


def icvs_of(document: Any, path: str = "") -> Iterator[tuple[str, Json]]:
    """All that stands under an `icvs', but the list of them."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == "icvs" and isinstance(value, dict):
                yield from ((f"{path}.{name}", icv) for name, icv in value.items())
            else:
                yield from icvs_of(value, f"{path}.{key}")
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from icvs_of(value, f"{path}[{number}]")


class Comparison:
    def __init__(self, record: Json, told: Json) -> None:
        self.truth = Truth(record)
        self.told = told
        self.found: list[Mismatch] = []
        self.by_lwp: dict[int, Json] = {thread["lwp"]: thread for thread in told["threads"]}

    def expect(self, tid: int | None, fact: str, told: Any, true: Any) -> None:
        compared[fact] += 1
        if told != true or type(told) is not type(true):
            self.found.append(Mismatch(tid, fact, told, true))

    def _compare_words(self) -> None:
        """An ICV's integer is its first item in words, and only a list is `incomplete'."""
        for path, icv in icvs_of(self.told):
            if icv["rc"] not in TOLD or icv["string_rc"] != "ok":
                continue
            first, comma, _ = icv["string"].partition(",")
            self.expect(None, f"{path} is a list", icv["rc"] == "incomplete", bool(comma))
            if first in WORDS or first.isdigit():
                told = WORDS[first] if first in WORDS else int(first)
                self.expect(None, f"{path} in words", told, icv["value"])

    def run(self) -> list[Mismatch]:
        self._compare_words()
        self.expect(None, "pid", self.told["pid"], self.truth.record["pid"])
        self.expect(None, "finalize", self.told["finalize"], "ok")
        self.expect(None, "bad_frees", self.told["cost"]["bad_frees"], 0)
        self.expect(None, "writes", self.told["cost"]["writes"], 0)
        self.expect(None, "texts", self.told["cost"]["texts"], 0)
        left = self.told["cost"]["live_allocations_at_end"]
        self.expect(None, "live allocations at the end", left, 0)
        self.expect(None, "threads are distinct", len(self.by_lwp), len(self.told["threads"]))
        for tid, true in self.truth.threads.items():
            told = self.by_lwp.get(tid)
            if told is None:
                self.found.append(Mismatch(tid, "thread", None, true.record["kind"]))
                continue
            self.expect(tid, "pthread", told["pthread"], true.record["pthread"])
            self._compare_thread(tid, true, told)
        return self.found

    def _compare_thread(self, tid: int, true: TrueThread, told: Json) -> None:
        kind = true.record["kind"]
        self.expect(tid, "handle", told["rc"], "unavailable" if kind == "native" else "ok")
        if told["rc_by_lwp"] != "unsupported":
            self.expect(tid, "handle by LWP", told["rc_by_lwp"], told["rc"])
        if told["rc"] != "ok" or kind == "native":
            return
        identity = told["identity"]
        self.expect(tid, "id from handle", identity.get("pthread"), true.record["pthread"])
        self.expect(tid, "same handle twice", identity.get("same_thread"), True)
        if identity["get_device_from_thread"] != "absent":
            self.expect(tid, "device", identity.get("same_device"), True)
        if kind == "idle":
            self.expect(tid, "regions of an idle thread", told["regions"], [])
            self.expect(tid, "end of regions", told["regions_end"], "unavailable")
            return
        self._compare_regions(tid, true, told)
        self._compare_icvs(tid, true, told)
        self._compare_tasks(tid, true.record, told)

    def _compare_regions(self, tid: int, true: TrueThread, told: Json) -> None:
        regions = told["regions"]
        self.expect(tid, "number of regions", len(regions), len(true.chain))
        self.expect(tid, "end of regions", told["regions_end"], "unavailable")
        # Who stands for the thread in each region: outwards, who began the inner one, its thread 0.
        member = told["pthread"]
        for region, (key, number) in zip(regions, true.chain):
            self._compare_region(tid, region, key)
            if member in region["threads"]:
                self.expect(tid, f"number in {key}", region["threads"].index(member), number)
            else:
                self.expect(tid, f"member of {key}", region["threads"], member)
            # The initial threads of a league, but its first, are no threads of the region outside.
            if self.truth.regions[key].generator == "teams":
                break
            member = region["threads"][0] if region["threads"] else None

    def _compare_region(self, tid: int, told: Json, key: Key) -> None:
        true = self.truth.regions[key]
        facts = {
            "levels-var": true.level,
            "active-levels-var": true.active_level,
            "team-size-var": true.team_size,
        }
        for name, value in facts.items():
            icv = told["icvs"].get(self._name(name), {"rc": "no such ICV"})
            self.expect(tid, name, icv.get("value", icv["rc"]), value)
        self.expect(tid, "size of team", len(told["threads"]), true.team_size)
        self.expect(tid, "thread behind the last", told["threads_end"], "bad_input")
        self.expect(tid, "implicit tasks", told["tasks"], true.team_size)
        for number, member in true.members.items():
            pthread = self.truth.threads[member].record["pthread"]
            here = told["threads"][number : number + 1]
            self.expect(tid, f"thread {number} of {key}", here, [pthread])

    def _name(self, icv: str) -> str:
        return NAMES_OF_5_0.get(icv, icv) if self.told["api"] == 201811 else icv

    def _icv(self, told: Json, icv: str) -> Json | None:
        """Of the thread, of what it executes, of the process: wherever the library puts it."""
        for holder in (told, *told["tasks"][:1], *told["regions"][:1], self.told["address_space"]):
            found: Json | None = holder["icvs"].get(self._name(icv))
            if found is not None:
                return found
        return None

    def _compare_icvs(self, tid: int, true: TrueThread, told: Json) -> None:
        facts = {icv: int(true.record[fact]) for icv, fact in SETTINGS.items()}
        facts["thread-num-var"] = true.record["thread_num"]
        facts["explicit-task-var"] = int(true.record["task"] == "explicit")
        facts["implicit-task-var"] = int(true.record["task"] != "explicit")
        region = self.truth.regions[true.chain[0][0]]
        facts["league-size-var"] = true.record["num_teams"]
        facts["team-num-var"] = true.record["team_num"]
        facts["team-generator-var"] = GENERATORS[region.generator]
        for icv, value in facts.items():
            found = self._icv(told, icv)
            if found is not None and found["rc"] in TOLD:
                self.expect(tid, icv, found["value"], value)
            elif icv in REQUIRED:
                self.expect(tid, icv, found, value)
            else:
                untold.add(icv)
        self._compare_schedule(tid, true.record, self._icv(told, "run-sched-var"))

    def _compare_schedule(self, tid: int, record: Json, found: Json | None) -> None:
        """It has no integer; in words, [modifier:]kind[,chunk]."""
        if found is None or found["string_rc"] != "ok":
            untold.add("run-sched-var")
            if "run-sched-var" in REQUIRED:
                self.expect(tid, "run-sched-var", found, "told")
            return
        words = re.fullmatch(r"(?:\w+:)?(\w+)(?:,\s*(\d+))?", found["string"])
        kind = SCHEDULES[record["schedule_kind"] & 0xFFFF]
        self.expect(tid, "run-sched-var", words and words.group(1), kind)
        # `auto' has none, and what libomp answers for `static' without one is 0.
        if words and words.group(2) and kind != "auto":
            chunk = int(words.group(2))
            self.expect(tid, "chunk of run-sched-var", chunk, record["schedule_chunk"])

    def _compare_tasks(self, tid: int, record: Json, told: Json) -> None:
        self.expect(tid, "has a current task", bool(told["tasks"]), True)
        if told["tasks_end"] != "unsupported":
            # Each region on the way out has one implicit task, the outermost none around it.
            self.expect(tid, "end of tasks", told["tasks_end"], "unavailable")
            implicit = [task for task in told["tasks"] if not self._is_explicit(task)]
            self.expect(tid, "implicit tasks outwards", len(implicit), len(told["regions"]))
        for task in told["tasks"][:1]:
            self.expect(tid, "region of its task", task["parallel"], "ok")
            self.expect(tid, "region of its task is its own", task.get("parallel_matches"), True)
            self._compare_implicit(tid, record, task["implicit_of"])
            self._compare_function(tid, record, task["function"])

    @staticmethod
    def _is_explicit(task: Json) -> bool:
        implicit = task["icvs"].get("implicit-task-var")  # until 5.1
        if implicit is not None:
            return implicit.get("value") == 0
        return task["icvs"]["explicit-task-var"].get("value") == 1

    def _compare_implicit(self, tid: int, record: Json, told: Any) -> None:
        """The thread's number in the region whose implicit task it executes."""
        number = None if record["task"] == "explicit" else record["thread_num"]
        self.expect(tid, "whose implicit task it is", told, number)

    def _compare_function(self, tid: int, record: Json, told: Json) -> None:
        """A region's outlined function begins on the line of its construct, a task's somewhere."""
        if told["rc"] != "ok" or record["task"] == "initial":
            return
        source = self.truth.record["source"]
        self.expect(tid, "file of its task", str(told["file"]).rsplit("/", 1)[-1], source)
        line = self.truth.lines[record["level"]]
        if record["task"] == "implicit" and line:
            self.expect(tid, "line of its task", told.get("line"), line)


def mismatches(record: Json, told: Json) -> list[Mismatch]:
    found = Comparison(record, told).run()
    return found + [Mismatch(None, "failure", where, None) for where in failures(told)]
