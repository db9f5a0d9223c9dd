# SPDX-License-Identifier: Apache-2.0
"""Do `ompd threads -json' and `ompd parallel -json' tell what the program recorded of itself?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterator

Json = dict[str, Any]
Key = tuple[Any, ...]  # root, then for a league its team, then who began each region

# Of a sound program nothing else may be doubtful.
MAY_BE_UNKNOWN = {"state", "wait", "requested", "barrier", "loc", "function"}


@dataclass(frozen=True)
class Mismatch:
    tid: int | None
    fact: str
    told: Any
    true: Any

    def __str__(self) -> str:
        who = f"thread {self.tid}: " if self.tid is not None else ""
        return f"{who}{self.fact}: told {self.told!r}, true {self.true!r}"


@dataclass
class TrueRegion:
    level: int
    active_level: int
    team_size: int
    generator: str
    parent: Key | None
    serialized: bool
    league_size: int | None = None
    team_num: int | None = None
    members: dict[int, int] = field(default_factory=dict)  # thread number: tid


@dataclass
class TrueThread:
    record: Json
    chain: list[tuple[Key, int]]  # innermost first, with the number in each


class Truth:
    """What the record says, region by region."""

    def __init__(self, record: Json) -> None:
        self.record = record
        self.lines: list[int] = record["construct_lines"]
        self.regions: dict[Key, TrueRegion] = {}
        self.threads: dict[int, TrueThread] = {}
        for thread in record["threads"]:
            chain = self._chain(thread) if thread["kind"] == "openmp" else []
            self.threads[thread["tid"]] = TrueThread(thread, chain)

    def _chain(self, thread: Json) -> list[tuple[Key, int]]:
        numbers, sizes = thread["ancestors"], thread["sizes"]
        root: Key = (thread["root"],)
        self._add(root, TrueRegion(0, 0, 1, "program", None, False))
        chain = [(root, 0)]
        if thread["league"]:
            team: Key = (*root, f"team {thread['team_num']}")
            size, num = thread["league"], thread["team_num"]
            self._add(team, TrueRegion(0, 0, 1, "teams", root, False, size, num))
            chain.insert(0, (team, 0))
        for level in range(1, thread["level"] + 1):
            outer, begun_by = chain[0]
            key = (*outer, begun_by)
            active = sum(size > 1 for size in sizes[1 : level + 1])
            alone = sizes[level] == 1
            self._add(key, TrueRegion(level, active, sizes[level], "parallel", outer, alone))
            chain.insert(0, (key, numbers[level]))
        for key, num in self._own(chain):
            self.regions[key].members[num] = thread["tid"]
        return chain

    def _add(self, key: Key, region: TrueRegion) -> None:
        known = self.regions.setdefault(key, region)
        assert (known.level, known.team_size) == (
            region.level,
            region.team_size,
        ), "the record is wrong"

    @staticmethod
    def _own(chain: list[tuple[Key, int]]) -> Iterator[tuple[Key, int]]:
        """Where the thread itself is the member: outwards as long as it is who began it."""
        for position, (key, num) in enumerate(chain):
            yield key, num
            began_by_it = num == 0
            if len(key) == 2 and isinstance(key[1], str):
                began_by_it = key[1] == "team 0"
            if not began_by_it or position + 1 == len(chain):
                return

    def kind(self, tid: int) -> str:
        if tid == self.record["pid"]:
            return "initial"
        return "root" if tid in self.record["roots"].values() else "worker"


class Comparison:
    def __init__(self, record: Json, threads: Json, parallel: Json, has_lines: bool) -> None:
        self.truth = Truth(record)
        self.threads: list[Json] = threads["threads"]
        self.regions: dict[str, Json] = {region["id"]: region for region in parallel["regions"]}
        self.order = [region["id"] for region in parallel["regions"]]
        self.has_lines = has_lines
        self.found: list[Mismatch] = []
        self.key_of: dict[str, Key] = {}  # told id: true region
        self.by_tid = {thread["lwp"]: thread for thread in self.threads}

    def expect(self, tid: int | None, fact: str, told: Any, true: Any) -> None:
        global compared
        compared += 1
        if told != true or type(told) is not type(true):
            self.found.append(Mismatch(tid, fact, told, true))

    def run(self) -> list[Mismatch]:
        self.expect(None, "threads listed", len(self.threads), len(self.by_tid))
        for tid, thread in self.truth.threads.items():
            told = self.by_tid.get(tid)
            if told is None:
                self.found.append(Mismatch(tid, "thread", None, thread.record["kind"]))
                continue
            self._compare_thread(tid, thread, told)
        for listed in self.threads:
            if listed["lwp"] not in self.truth.threads:
                self._compare_unrecorded(listed)
        self._compare_regions()
        return self.found

    def _compare_thread(self, tid: int, true: TrueThread, told: Json) -> None:
        self._no_doubts(tid, told)
        self.expect(tid, "running", told["running"], False)
        kind = true.record["kind"]
        if kind == "native":
            self.expect(tid, "kind", told["kind"], "none")
            self.expect(tid, "openmp", told["openmp"], [])
            return
        self.expect(tid, "kind", told["kind"], self.truth.kind(tid))
        self.expect(tid, "runtimes that know it", len(told["openmp"]), 1)
        if len(told["openmp"]) != 1:
            return
        member = told["openmp"][0]
        self._no_doubts(tid, member)
        if kind == "idle":
            self._compare_idle(tid, member)
        else:
            self._compare_member(tid, true, member)
            self._compare_place(tid, told)

    def _compare_idle(self, tid: int, member: Json) -> None:
        for fact in ("id", "region", "thread_num", "level"):
            self.expect(tid, fact, member[fact], None)
        self.expect(tid, "ancestors", member["ancestors"], [])
        self.expect(tid, "state", member["state"], "idle")

    def _compare_member(self, tid: int, true: TrueThread, member: Json) -> None:
        record = true.record
        self.expect(tid, "thread_num", member["thread_num"], record["thread_num"])
        self.expect(tid, "level", member["level"], record["level"])
        self.expect(tid, "active_level", member["active_level"], record["active_level"])
        self.expect(tid, "in_parallel", member["active_level"] != 0, record["in_parallel"])
        # A league's initial team is of one thread; libomp counts those it keeps for regions.
        in_league = record["league"] and record["level"] == 0
        size = record["sizes"][0] if in_league else record["num_threads"]
        self.expect(tid, "team_size", member["team_size"], size)
        self.expect(tid, "id", member["id"], f"{member['region']}.{member['thread_num']}")
        task = member["task"] or {}
        self.expect(tid, "task kind", task.get("kind"), record["task"])
        self.expect(tid, "task final", task.get("final"), record["final"])
        self.expect(tid, "task has an id", task.get("id") is not None, record["task"] == "explicit")
        told = [(member["region"], member["thread_num"])]
        told += [(outer["region"], outer["thread_num"]) for outer in member["ancestors"]]
        self.expect(
            tid, "numbers, innermost first", [n for _, n in told], [n for _, n in true.chain]
        )
        for (name, _), (key, _) in zip(told, true.chain):
            self.expect(tid, f"which region {name} is", key, self.key_of.setdefault(name, key))
        sizes = [self.regions.get(name, {}).get("team_size") for name, _ in told]
        self.expect(
            tid,
            "team sizes, innermost first",
            sizes,
            [self.truth.regions[k].team_size for k, _ in true.chain],
        )

    def _compare_place(self, tid: int, told: Json) -> None:
        """Every thread stands in the program's own code, or in the runtime under it. An optimised
        program leaves no frame when a barrier is the last that a region does."""
        where = told["where"] or {}
        if self.has_lines:
            self.expect(tid, "where is known", bool(where.get("function")), True)
            own = {
                self.truth.record["source"],
                "truth.h",
                "states.h",
                "waits.h",
                "fortran_callee.f90",
                "fortran_recorder.c",
            }
            file = str(where.get("file")).rsplit("/", 1)[-1]
            self.expect(tid, "where", file if file not in own else "own", "own")

    def _compare_unrecorded(self, told: Json) -> None:
        """Only what never ran the program's code may be unknown to the record. A primary that needs
        no worker goes on while the first one of its pool still begins."""
        states = [(member["state"], member["region"]) for member in told["openmp"]]
        idle = states == [("idle", None)]
        begins = states == [("overhead", None)] and told["where"] is None
        unused = told["kind"] == "worker" and (idle or begins)
        if not unused and told["kind"] != "helper":
            self.found.append(
                Mismatch(told["lwp"], "unrecorded thread", [told["kind"], states], "idle worker")
            )

    def _no_doubts(self, tid: int | None, told: Json) -> None:
        doubtful = sorted(set(told.get("doubts", {})) - MAY_BE_UNKNOWN)
        self.expect(tid, "doubts", doubtful, [])

    def _compare_regions(self) -> None:
        self.expect(None, "region ids", self.order, [f"R{i}" for i in range(len(self.order))])
        ids = {key: name for name, key in self.key_of.items()}
        self.expect(None, "each region has one id", len(ids), len(self.key_of))
        self.expect(None, "number of regions", len(self.regions), len(self.truth.regions))
        for key, true in self.truth.regions.items():
            name = ids.get(key)
            told = self.regions.get(name or "")
            if told is None:
                self.found.append(Mismatch(None, f"region {key}", name, true))
                continue
            self._compare_region(ids, name or "", told, true)
        self._compare_order()

    def _compare_region(self, ids: dict[Key, str], name: str, told: Json, true: TrueRegion) -> None:
        self._no_doubts(None, told)
        for fact in ("level", "active_level", "team_size", "generator", "serialized"):
            self.expect(None, f"{name} {fact}", told[fact], getattr(true, fact))
        self.expect(None, f"{name} league_size", told["league_size"], true.league_size)
        self.expect(None, f"{name} team_num", told["team_num"], true.team_num)
        parent = None if true.parent is None else ids.get(true.parent)
        self.expect(None, f"{name} parent", told["parent"], parent)
        members = [
            {"thread_num": n, "gdb": self._gdb(true.members.get(n))} for n in range(true.team_size)
        ]
        self.expect(None, f"{name} members", told["members"], members)
        self._compare_construct(name, told, true)

    def _gdb(self, tid: int | None) -> str | None:
        found = self.by_tid.get(tid) if tid is not None else None
        return found["gdb"] if found else None

    def _compare_construct(self, name: str, told: Json, true: TrueRegion) -> None:
        """A line is true or unknown: unknown only where libomp keeps several regions in one
        structure, or the program has no line information."""
        line = self.truth.lines[true.level]
        if true.generator == "program" or not line:
            return
        loc = told["loc"] or {}
        if loc.get("line") is None:
            may_be = true.serialized or not self.has_lines
            self.expect(None, f"{name} construct's line", None if may_be else "unknown", None)
            doubt = told.get("doubts", {}).get("loc", {})
            self.expect(None, f"{name} has a doubt of loc", bool(doubt.get("why")), True)
            if self.has_lines:
                self.expect(
                    None, f"{name} advised -g, in vain", "-g" in doubt.get("how", ""), False
                )
            return
        file = str(loc.get("file")).rsplit("/", 1)[-1]
        doubt = told.get("doubts", {}).get("loc", {})
        if doubt.get("certainty") == "likely" and loc["line"] == line - 1:
            line -= 1  # optimised code calls the runtime with what the line before has begun
        self.expect(
            None,
            f"{name} construct",
            f"{file}:{loc['line']}",
            f"{self.truth.record['source']}:{line}",
        )

    def _compare_order(self) -> None:
        """Pre-order, the roots by GDB's number of their thread."""
        seen: list[str] = []
        roots = []
        for name in self.order:
            parent = self.regions[name]["parent"]
            if parent is None:
                member = self.regions[name]["members"][0]["gdb"]
                roots.append(int(member.rpartition(".")[2]) if member else 0)
                seen = [name]
                continue
            while seen and seen[-1] != parent:
                seen.pop()
            self.expect(None, f"{name} stands in pre-order", bool(seen), True)
            seen.append(name)
        self.expect(None, "order of roots", roots, sorted(roots))


def as_gnus(record: Json, threads: Json) -> Json:
    """What is left of it with GNU's runtime, which ends the threads that a smaller team does not
    need, and keeps nothing of one that only asked it."""
    alive = {thread["lwp"] for thread in threads["threads"]}
    unknown = {thread["lwp"] for thread in threads["threads"] if thread["kind"] == "none"}
    in_regions = {thread.get("root") for thread in record["threads"] if thread.get("level")}
    left = []
    for thread in record["threads"]:
        only_asked = thread["kind"] == "openmp" and thread["root"] not in in_regions
        # Of the first one what regions that are over have left may still be there.
        if only_asked and (thread["tid"] != record["pid"] or thread["tid"] in unknown):
            thread = {**thread, "kind": "native"}
        if thread["kind"] != "idle" or thread["tid"] in alive:
            left.append(thread)
    return {**record, "threads": left}


compared = 0  # facts, by all tests of this process


def mismatches(
    record: Json, threads: Json, parallel: Json, *, has_lines: bool = True
) -> list[Mismatch]:
    return Comparison(record, threads, parallel, has_lines).run()


def report(found: list[Mismatch]) -> str:
    return "".join(f"{one}\n" for one in found)


def text_mismatches(threads: Json, all_threads: str, tree: str, parallel: Json) -> list[Mismatch]:
    """Do the rows of `ompd threads -all' and the ids of `ompd parallel' agree with the JSON?"""
    rows = re.findall(r"^[* ]  +(\d+|-) +(\S+) ", all_threads, flags=re.MULTILINE)
    told = sorted(rows)
    true = sorted(
        (
            str(thread["gdb"] or "-").rpartition(".")[2],
            ", ".join(member["id"] or "-" for member in thread["openmp"]) or "-",
        )
        for thread in threads["threads"]
    )
    found = [Mismatch(None, "rows of `ompd threads -all'", told, true)] if told != true else []
    ids: list[int] = []
    width = tree.index("Construct")
    for line in tree.splitlines()[1:]:
        if re.match(r"\d|\?", line):
            break  # the rows are over
        # A list that is too long goes on in the next line.
        text = line[:width].partition("R")[2] or line[:width].strip(" |│")
        for part in re.findall(r"[\d-]+", text):
            first, _, last = part.partition("-")
            ids += range(int(first), int(last or first) + 1)
    regions = sorted(int(region["id"][1:]) for region in parallel["regions"])
    if sorted(ids) != regions:
        found.append(Mismatch(None, "regions in `ompd parallel'", sorted(ids), regions))
    return found
