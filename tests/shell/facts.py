# SPDX-License-Identifier: Apache-2.0
"""What did a program of the corpus record of itself, and does a report tell that? Fact by fact."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable

import truth
from states import OF_ANY_KIND

Json = dict[str, Any]

# What a thread does that declared nothing, where the program says so: it is in no region.
UNDECLARED = "idle"


@dataclass
class Score:
    right: int = 0
    all: int = 0


score = Score()  # of all tests of this process


@dataclass
class Facts:
    """wrong: what is told that the program does not say, as lines for people."""

    entry: Json
    true: Json
    told: Json
    damaged: bool = False  # what is said to be unknown is not wrong
    wrong: list[str] = field(default_factory=list)

    @property
    def is_gnus(self) -> bool:
        return str(self.entry["runtime"]).startswith("libgomp")

    def expect(self, what: str, told: object, true: object) -> None:
        score.all += 1
        if told == true:
            score.right += 1
        else:
            self.wrong.append(f"{self.entry['name']}: {what}: told {told!r}, true {true!r}")

    def compare(self) -> list[str]:
        checks: list[Callable[[], None]] = [self._runtime, self._end, self._record]
        checks += [getattr(self, f"_{kind}") for kind in ("states", "waits", "tasks")]
        for check in checks:
            check()
        return self.wrong

    # ---- The process -----------------------------------------------------------------------------

    def _runtime(self) -> None:
        release = re.match(r"lib(?:omp|gomp)-(\d+)", self.entry["runtime"])
        assert release is not None
        kind, name = ("gomp", "libgomp.so.1") if self.is_gnus else ("llvm", "libomp.so.5")
        files = [file for path, file in self.entry["files"].items() if path.endswith(name)]
        told = [(one["kind"], one["build_id"]) for one in self.told["runtimes"]]
        self.expect("runtime", told, [(kind, files[0])])
        for one in self.told["runtimes"]:
            version = one["version"]
            unknown = self.damaged and version is None
            self.expect("version", None if unknown else version, None if unknown else release[1])

    def _end(self) -> None:
        """What is wrong, and the signal."""
        told = [one["code"] for one in self.told["findings"]]
        codes = sorted(code for code in told if code != "cannot_tell")
        # One moment may prove nothing; that is said of nothing that is healthy and whole.
        unproven = "cannot_tell" in told
        unseen = [] if codes or not (self.damaged or unproven) else self.true["findings"]
        healthy = not (self.damaged or self.true["findings"])
        self.expect("it cannot be told", unproven and healthy, False)
        self.expect("findings", sorted(codes + unseen), self.true["findings"])
        signal = self.told["signal"]
        if "crash" not in self.true:
            quit_ = "kill -QUIT" in self.entry["core_by"]
            self.expect("crash", bool(signal and signal["crash"]), False)
            self.expect("signal", signal and signal["name"], "SIGQUIT" if quit_ else None)
            return
        ((line, address, lwp),) = self.true["crash"]
        self.expect("signal", (signal["name"], signal["crash"]), ("SIGSEGV", True))
        self.expect("crashed thread", signal["lwp"], int(lwp))
        self.expect("line of the crash", signal["where"]["line"], int(line))
        self.expect("address", int(signal["address"], 0), int(address, 0))

    def _record(self) -> None:
        """Numbers and regions of every thread."""
        record = self.true["record"]
        record = truth.as_gnus(record, self.told) if self.is_gnus else record
        if not any(thread["kind"] == "openmp" for thread in record["threads"]):
            self.expect("threads", self._missing(thread["tid"] for thread in record["threads"]), [])
            return
        before = truth.compared
        has_lines = any(record["construct_lines"]) and not self.damaged
        found = truth.mismatches(record, self.told, self.told, has_lines=has_lines)
        if not has_lines:
            found = [one for one in found if not one.fact.startswith(("where", "doubts"))]
        score.all += truth.compared - before
        score.right += truth.compared - before - len(found)
        self.wrong += [f"{self.entry['name']}: {one}" for one in found]

    def _missing(self, lwps: Any) -> list[int]:
        return sorted(set(lwps) - {thread["lwp"] for thread in self.told["threads"]})

    # ---- Its threads -----------------------------------------------------------------------------

    def _states(self) -> None:
        declared = {int(tid): rest for tid, *rest in self.true.get("states", [])}
        for lwp, member in self._members() if declared else ():
            if self.damaged and "state" in member.get("doubts", {}):
                continue
            state, line, call = declared.get(lwp, (UNDECLARED, "0", "-"))
            told_state = member["state"]
            if self.is_gnus and {told_state, state} <= OF_ANY_KIND:
                told_state = state
            self.expect(f"state of {lwp}", told_state, state)
            self.expect(f"{lwp} waits", member["wait"] is not None, state.startswith("wait_"))
            place = member["wait"]["loc"] if member["wait"] is not None else None
            # gcc's line table has a barrier at its loop's end in the loop.
            told_by_gcc = self.is_gnus and state in OF_ANY_KIND
            if int(line) and member["wait"] is not None and not told_by_gcc:
                unknown = self.damaged and place is None
                told_line = int(line) if unknown else (place or {}).get("line")
                self.expect(f"line of {lwp}'s wait", told_line, int(line))
            told = self._thread(lwp)["in_call"]
            self.expect(f"call of {lwp}", told and told["function"], None if call == "-" else call)

    def _thread(self, lwp: int) -> Json:
        (found,) = [thread for thread in self.told["threads"] if thread["lwp"] == lwp]
        return dict(found)

    def _members(self) -> list[tuple[int, Json]]:
        threads = self.told["threads"]
        return [(thread["lwp"], member) for thread in threads for member in thread["openmp"]]

    def _waits(self) -> None:
        """Locks, and the circle of those that wait for each other."""
        waits = self.true.get("waits", [])
        if self.damaged and self.told["deadlock"]["verdict"] == "unknown":
            return
        holders = {name: int(tid) for verb, tid, name in waits if verb == "holds"}
        wanted = {int(tid): name for verb, tid, name in waits if verb == "wants"}
        lwps = {member["id"]: lwp for lwp, member in self._members()}
        by_name = {lock["name"]: lock for lock in self.told.get("locks", [])}
        for name, lwp in holders.items():
            lock = by_name.get(name) or {}
            self.expect(f"holder of {name}", lwps.get(lock.get("holder")), lwp)
        for lwp, name in wanted.items():
            waiting = [lwps.get(one) for one in (by_name.get(name) or {}).get("waiters", [])]
            self.expect(f"{lwp} waits for {name}", lwp in waiting, True)
            waits_of = [member["wait"] for tid, member in self._members() if tid == lwp]
            self.expect(f"name in {lwp}'s wait", [one and one["name"] for one in waits_of], [name])
        if not waits:
            return
        ids = {lock["id"]: lock["name"] for lock in self.told["locks"]}
        circles = self.told["deadlock"]["cycles"]
        self.expect("verdict", self.told["deadlock"]["verdict"], "deadlock")
        self.expect("circles", len(circles), 1)
        for edge in (edge for circle in circles for edge in circle):
            if edge["wants"]:
                name = ids[edge["wants"]]
                self.expect("who wants", wanted.get(lwps[edge["thread"]]), name)
                self.expect("who holds", lwps[edge["waits_for"]], holders[name])

    def _tasks(self) -> None:
        lines = self.true.get("tasks", [])
        executed = {int(word): int(number) for word, number in lines if word.isdigit()}
        named = {word: int(number) for word, number in lines if not word.isdigit()}
        if not named:
            return
        tasks = self.told["tasks"]
        lwps = {member["id"]: lwp for lwp, member in self._members()}
        running = [task for task in tasks if task["state"] == "executing"]
        self.expect("tasks", len(tasks), named["made"])
        self.expect("tasks that run", {lwps[t["thread"]]: _line_of(t) for t in running}, executed)
        chain = [task for task in tasks if _line_of(task) == named["chain"]]
        lines_of = {task["id"]: _line_of(task) for task in tasks}
        blocked = [task for task in chain if task["state"] == "blocked"]
        self.expect("tasks in a chain", (len(chain), len(blocked)), (4, 3))
        for task in blocked:
            self.expect(
                f"what {task['id']} depends on",
                [lines_of.get(one) for one in task["depends_on"]],
                [named["chain"]],
            )
        (waiting,) = [task for task in tasks if _line_of(task) == named["waiting"]]
        children = [_line_of(task) for task in tasks if task["parent"] == waiting["id"]]
        self.expect("children", children, [named["child"]] * named["begun"])
        state = "suspended" if named["begun"] else "ready"
        self.expect("task with a child", waiting["state"], state)
        urgent = [task["priority"] for task in tasks if _line_of(task) == named["urgent"]]
        self.expect("priority", urgent, [3])


def _line_of(task: Json) -> int | None:
    """Where it was made."""
    return (task["created"] or {}).get("line")
