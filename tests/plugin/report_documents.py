# SPDX-License-Identifier: Apache-2.0
"""Documents of `ompd report' to make pages of: small ones, that say of everything something."""

from __future__ import annotations

from typing import Any

from ompd_core.model import states

Json = dict[str, Any]

DOUBT = {"certainty": "likely", "why": "it is not recorded", "how": "look twice"}


SLOW = [{"code": "few_processors", "text": "The 4 threads of R1 take turns."}]


def place(function: str, line: int) -> Json:
    return {
        "function": function,
        "file": "solver.c",
        "fullname": "/home/user/solver.c",
        "line": line,
        "pc": "0x1000",
        "objfile": "/home/user/solver",
    }


def doing(state: str | None, wait: Json | None) -> str:
    name = wait["name"] if wait is not None else None
    words = states.in_words(state) if state is not None else "?"
    return f"{words} `{name}'" if name is not None else words


def thread(number: int, state: str | None, wait: Json | None = None, region: int = 1) -> Json:
    """OpenMP thread `number', GDB's thread number + 1."""
    return {
        "gdb": f"1.{number + 1}",
        "gdb_global": number + 1,
        "ptid": [100, 100 + number, 0],
        "lwp": 100 + number,
        "name": "solver",
        "running": False,
        "doing": doing(state, wait),
        "at": f"solve () at solver.c:{10 + number % 3}",
        "kind": "worker" if number else "initial",
        "where": place("solve", 10 + number % 3),
        "in_call": None,
        "openmp": [
            {
                "runtime": 0,
                "id": f"R{region}.{number}",
                "region": f"R{region}",
                "thread_num": number,
                "team_size": 4,
                "level": 1,
                "active_level": 1,
                "ancestors": [{"region": "R0", "thread_num": 0}],
                "state": state,
                "tracked_state": None,
                "wait": wait,
                "task": None,
                **({"doubts": {"state": DOUBT}} if state is None else {}),
            }
        ],
    }


def region(number: int, parent: int | None, size: int) -> Json:
    return {
        "id": f"R{number}",
        "runtime": 0,
        "parent": None if parent is None else f"R{parent}",
        "generator": "program" if parent is None else "parallel",
        "serialized": False,
        "level": 0 if parent is None else 1,
        "active_level": 0 if parent is None else 1,
        "team_size": size,
        "requested": None,
        "league_size": None,
        "team_num": None,
        "loc": None if parent is None else place("main", 5),
        "function": None,
        "address": "0x2000",
        "members": [{"thread_num": num, "gdb": f"1.{num + 1}"} for num in range(size)],
        "barrier": None,
    }


def frame(kind: str, text: str) -> Json:
    return {
        "kind": kind,
        "number": None,
        "loc": place("solve", 10),
        "text": text,
        "thread": "1.1",
        "level": 0,
        "region": None,
        "thread_num": None,
        "task": None,
    }


def node(who: str, count: int, label: str | None, *children: Json, kind: str = "user") -> Json:
    return {
        "who": who,
        "count": count,
        "frame": frame(kind, label) if label else None,
        "label": label,
        "known": True,
        "children": list(children),
    }


def wait(kind: str, name: str | None) -> Json:
    return {"kind": kind, "object": None, "name": name, "address": "0x3000", "holders": None}


def lock(number: int, name: str, holder: str, waiters: list[str]) -> Json:
    return {
        "id": f"L{number}",
        "runtime": 0,
        "kind": "queuing",
        "construct": "lock",
        "nested": False,
        "name": name,
        "address": "0x3000",
        "held": True,
        "depth": 2,
        "holder": holder,
        "held_since": place("solve", 8),
        "suspects": [],
        "waiting": len(waiters),
        "waiters": waiters,
        "ordered": True,
        "doubts": {"holder": DOUBT},
    }


def edge(waiter: str, needed: str, wants: str, holds: str) -> Json:
    return {
        "thread": waiter,
        "waits_for": needed,
        "kind": "lock",
        "holds": holds,
        "wants": wants,
        "region": None,
        "task": None,
        "certainty": "likely",
        "loc": place("solve", 10),
        "text": f"{waiter} waits for lock {wants}, which {needed} holds.",
    }


def waiting(who: str, count: int, kind: str, **fields: Any) -> Json:
    found: Json = {"who": who, "count": count, "kind": kind, "for": [], "barrier": None}
    return {**found, "outside": None, "unknown": None, "progress": False, **fields}


def target(needed: str, name: str) -> Json:
    return {"thread": needed, "lock": name, "task": None, "certainty": "likely"}


def deadlock() -> Json:
    """R1.0 and R1.1 hold what the other wants, R1.2 is at a barrier, R1.3 works."""
    text = (
        "DEADLOCK (likely): 2 threads, 2 locks: R1.0 (T1), R1.1 (T2). `ompd deadlock' tells more."
    )
    findings = [{"code": "deadlock", "text": text, "wrong": True}]
    barrier = {
        "region": "R1",
        "name": "barrier, solver.c:12",
        "missing": "R1.0-1,3",
        "complete": True,
        "certainty": "certain",
    }
    return {
        "schema": "ompd/1",
        "command": "report",
        "stop_id": 1,
        "gdb_version": "13.1",
        "made": "2026-11-21T10:37:20Z",
        "notes": ["It was stopped for 0.42 s."],
        "inferior": {
            "num": 1,
            "pid": 100,
            "kind": "core",
            "program": "/home/user/solver",
            "core": "/home/user/core.100",
        },
        "runtimes": [runtime()],
        "findings": findings,
        "signal": None,
        "summary": {
            "findings": findings,
            "classes": {},
            "regions": 2,
            "slowdowns": SLOW,
            "next": ["ompd locks"],
        },
        "library": {
            "path": "/usr/lib/libompd.so",
            "version": "libompd 0.1.0",
            "api_version": 202411,
            "missing": [],
        },
        "unavailable": [],
        "rank": 3,
        "rank_count": 8,
        "host": "node17",
        "environment": [{"name": "OMP_NUM_THREADS", "value": "4"}],
        "threads": [
            thread(0, "wait_lock", wait("lock", "second")),
            thread(1, "wait_lock", wait("lock", "first")),
            thread(2, "wait_barrier_explicit", wait("barrier", None)),
            thread(3, None),
        ],
        "regions": [region(0, None, 1), region(1, 0, 4)],
        "merged": node(
            "R1.0-3",
            4,
            None,
            node(
                "R1.0-3",
                4,
                "main, solver.c:5",
                node("R1.0-1", 2, "solve, solver.c:10"),
                node("R1.2", 1, "<barrier>", kind="wait"),
                node("R1.3", 1, "work, solver.c:20"),
            ),
        ),
        "locals": [
            {
                "who": "R1.0",
                "gdb": "1.1",
                "complete": False,
                "hidden": 3,
                "frames": [
                    {**frame("user", "solve () at solver.c:10"), "locals": "i = 7\nx = 0x0\n"},
                    frame("construct", "#pragma omp parallel at solver.c:5, R1.0 of 4"),
                ],
                "doubts": {"complete": DOUBT},
            }
        ],
        "deadlock": {
            "verdict": "deadlock",
            "certainty": "likely",
            "text": "DEADLOCK (likely): 2 threads, 2 locks.",
            "cycles": [[edge("R1.0", "R1.1", "L2", "L1"), edge("R1.1", "R1.0", "L1", "L2")]],
            "bystanders": "R1.2",
            "unknown": [],
            "second_look": None,
            "waits": [
                waiting("R1.0", 1, "lock", **{"for": [target("R1.1", "L2")]}),
                waiting("R1.1", 1, "lock", **{"for": [target("R1.0", "L1")]}),
                waiting("R1.2", 1, "barrier", barrier=barrier),
            ],
        },
        "locks": [lock(1, "first", "R1.0", ["R1.1"]), lock(2, "second", "R1.1", ["R1.0"])],
        "barriers": [
            {
                "region": "R1",
                "kind": "barrier",
                "loc": place("solve", 12),
                "arrived": "R1.2",
                "missing": "R1.0-1,3",
                "instead": [
                    {
                        "who": f"R1.{num}",
                        "doing": doing,
                        "in_call": None,
                        "loc": place("solve", 10),
                    }
                    for num, doing in ((0, "waiting"), (1, "waiting"), (3, "unknown"))
                ],
            }
        ],
        "tasks": [task(1, "suspended", []), task(2, "blocked", ["t1"]), task(3, "blocked", ["t1"])],
        "offload": offload(),
        "icvs": [
            {
                "name": "nthreads-var",
                "scope": "task",
                "changed": True,
                "values": [
                    {"value": 4, "text": "4", "who": "R1.0-2"},
                    {"value": 2, "text": "2", "who": "R1.3"},
                ],
            },
            {
                "name": "tool-var",
                "scope": "process",
                "changed": False,
                "values": [{"value": None, "text": None, "who": None, "doubts": {"text": DOUBT}}],
            },
        ],
    }


def offload() -> Json:
    """R1.2's kernel runs, R1.3 waits for a device that is not known, and in code of clang's."""
    return {
        "runtime": {
            "version": "19",
            "name": "LLVM libomptarget 19",
            "build_id": "abcd",
            "path": "/usr/lib/libomptarget.so.19",
            "record": "19",
            "layout": "proven",
            "mapping_layout": "likely",
            "reason": "a few mappings contradict it",
        },
        "target_offload": "default",
        "devices": [device(0, "cuda", True, 2), device(1, "other", False, 0)],
        "deferred": [
            {"task": "t1", "loc": place("solve", 23), "device": 1, "blocks": ["t2", "t3"]},
            {"task": "t4", "loc": None, "device": None, "blocks": []},
        ],
        "targets": [
            {
                **executed(3, "target teams", 17, 0, "kernel", "kernel runs on this thread"),
                "kernel": {"function": "solve", "line": 17, "number": 1},
                "arguments": [
                    argument("u[0:n]", "memory", "part"),
                    argument(None, "memory", "none"),
                    {**argument("n", "value", None), "host": None},
                ],
            },
            {
                **executed(4, "target", 20, None, "host", "runs on the host"),
                "reason": "target-offload-var is disabled",
                "doubts": {"loc": DOUBT, "kernel": DOUBT, "device": DOUBT},
            },
        ],
        "mappings": [
            mapping("u[0:n]", 1, False),
            mapping(None, 0, False),
            {**mapping("coefficients", None, True), "size": "18014398509481984"},
        ],
        "doubts": {"mappings": {"certainty": "likely", "why": "a few contradict it", "how": ""}},
    }


def device(number: int, kind: str, used: bool, mapped: int) -> Json:
    return {
        "num": number,
        "kind": kind,
        "machine": 190,
        "used": used,
        "mapped": mapped,
        "mapped_bytes": 800_000 * mapped,
        "complete": used,
    }


def executed(gdb: int, name: str, line: int, number: int | None, phase: str, text: str) -> Json:
    return {
        "gdb": f"1.{gdb}",
        "lwp": 99 + gdb,
        "construct": name,
        "loc": place("solve", line),
        "kernel": None,
        "device": number,
        "phase": phase,
        "text": text,
        "reason": None,
        "arguments": None,
    }


def argument(name: str | None, passed: str, mapped: str | None) -> Json:
    return {
        "name": name,
        "host": "0x5555555ddf70",
        "size": 800_000,
        "passed": passed,
        "mapped": mapped,
        "target": None,
    }


def mapping(name: str | None, dynamic: int | None, infinite: bool) -> Json:
    return {
        "device": 0,
        "name": name,
        "file": "solver.c" if name else None,
        "line": 12 if name else None,
        "host": "0x5555555ddf70",
        "size": 800_000,
        "target": "0x100000000200",
        "dynamic": dynamic,
        "hold": None if infinite else 2 if dynamic else 0,
        "infinite": infinite,
    }


def runtime() -> Json:
    return {
        "id": 0,
        "kind": "llvm",
        "version": "19",
        "build_id": "abcd",
        "path": "/usr/lib/libomp.so.5",
        "base": "0x7000",
        "descriptors": "recovered",
        "initialized": True,
        "supported": True,
        "state_tracking": False,
        "diagnostics": [{"code": "symbols_absent", "subject": "ompd_x", "text": "it is stripped"}],
    }


def task(number: int, state: str, before: list[str]) -> Json:
    return {
        "id": f"t{number}",
        "runtime": 0,
        "region": "R1",
        "address": "0x4000",
        "state": state,
        "undeferred": False,
        "final": False,
        "tied": True,
        "thread": "R1.0" if state == "suspended" else None,
        "inside": None,
        "created": place("make", 30),
        "function": place("make", 30),
        "parent": "t1" if before else None,
        "children": 2,
        "unseen_children": 0,
        "taskgroup": None,
        "taskgroup_left": None,
        "priority": None,
        "depends_on": before,
        "wait": {**wait("taskwait", "x"), "loc": place("make", 31)} if not before else None,
    }


def crash() -> Json:
    """Of the thread R1.1, among 64."""
    threads = [thread(num, "wait_barrier_implicit_parallel") for num in range(64)]
    threads[1] = thread(1, "work_parallel")
    text = "The program crashed: SIGSEGV (no memory is mapped at 0x10), in R1.1 (T2)."
    findings = [{"code": "crash", "text": text, "wrong": True}]
    signal = {
        "name": "SIGSEGV",
        "number": 11,
        "crash": True,
        "reason": "no memory is mapped at 0x10",
        "address": "0x10",
        "sender": None,
        "lwp": 101,
        "gdb": "1.2",
        "id": "R1.1",
        "where": place("solve", 10),
    }
    return {
        **deadlock(),
        "findings": findings,
        "signal": signal,
        "threads": threads,
        "regions": [region(0, None, 1), region(1, 0, 64)],
        "merged": node(
            "R1.0-63",
            64,
            None,
            node("R1.0,2-63", 63, "<barrier>", kind="wait"),
            node("R1.1", 1, "solve, solver.c:10"),
        ),
        "deadlock": {
            "verdict": "none",
            "certainty": "certain",
            "text": "No deadlock found.",
            "cycles": [],
            "bystanders": None,
            "unknown": [],
            "second_look": None,
            "waits": [],
        },
    }
