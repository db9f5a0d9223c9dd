# SPDX-License-Identifier: Apache-2.0
"""Does libompd tell the truth to a debugger other than GDB? ompd-host finds threads by libthread_db
and symbols by libelf, reads processes and cores by itself, and asks standard routines only."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any, Callable

import cells
import comparison
import looks
import machine
import pytest
import sessions
import truth
from machine import Case

PATIENCE = 300  # seconds for anything; a hang is a failure
APIS = (201811, 202011, 202111, 202411)

# ICVs that are not as by default; those of a thread of its own are set by settings.c.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "4,3,2",
    "OMP_PROC_BIND": "spread,close",
    "OMP_CANCELLATION": "true",
    "OMP_MAX_TASK_PRIORITY": "9",
    "OMP_THREAD_LIMIT": "2000",
    "OMP_SCHEDULE": "guided,7",
}


def host() -> Path:
    path = machine.BUILD / "tests" / "host" / "ompd-host"
    if not path.is_file():
        raise machine.Missing(
            f"There is no {path}: apt-get install libelf-dev libdw-dev,"
            f" then cmake --build {machine.BUILD}"
        )
    return path


def run_host(
    *words: str | Path | int, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(host()), *(str(word) for word in words)],
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


LIBOMPS = [name for name in cells.RUNTIMES if name.startswith("libomp")]


def ask(
    *words: str | Path | int,
    api: int = 202411,
    library: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Any:
    options = ["--library", library or machine.library(), "--api", api]
    done = run_host(*options, *words, environment=environment)
    assert done.returncode == 0 and not done.stderr, f"{done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


def words_for(target: sessions.Target) -> list[str | Path | int]:
    if target.core is not None:
        return ["core", target.core, target.executable]
    assert target.pid is not None
    return ["attach", target.pid]


def told_truth(record: Any, told: Any) -> None:
    assert told["process_initialize"] == "ok"
    found = comparison.mismatches(record, told)
    assert not found, truth.report(found) + json.dumps(told, indent=1)


@pytest.mark.each("case", "runtime")
@pytest.mark.parametrize("kind", ["attach", "core"])
@pytest.mark.parametrize("runtime", LIBOMPS)
@pytest.mark.parametrize("case", cells.CASES, ids=str)
def test_cell(case: Case, runtime: str, kind: str, folder: Path) -> None:
    executable = machine.compiled(case.source)
    place = machine.cached(runtime)
    with sessions.target(kind, executable, case.args, place, folder, ENVIRONMENT) as target:
        told = ask(*words_for(target))
        told_truth(target.truth(), told)
    assert Path(told["program"]) == executable.resolve()
    assert re.search(rf"\b{cells.RUNTIMES[runtime][0]}\b", told["omp_version_string"]["value"])


def test_task_of_league(folder: Path) -> None:
    """The task that a league's initial thread executes is the one of its team's region, although
    libomp has two there: of the league, and of the thread's contention group."""
    executable, place = machine.compiled("teams"), machine.cached("libomp-14")
    with sessions.target("core", executable, ("2", "flat"), place, folder) as target:
        told, record = ask(*words_for(target)), target.truth()
    threads = {thread["lwp"]: thread for thread in told["threads"]}
    mine = [one for one in record["threads"] if one["kind"] == "openmp"]
    assert len(mine) == 2 and all(one["league"] and one["level"] == 0 for one in mine)
    assert [threads[one["tid"]]["tasks"][0]["implicit_of"] for one in mine] == [0, 0]
    assert {threads[one["tid"]]["tasks_end"] for one in mine} == {"unavailable"}


@pytest.mark.parametrize("runtime", LIBOMPS)
def test_debug_var(runtime: str, folder: Path) -> None:
    """What a program prepares for debuggers changes nothing of the truth."""
    executable, place = machine.compiled("nested"), machine.cached(runtime)
    environment = {"OMP_DEBUG": "enabled"}
    with sessions.target("core", executable, (), place, folder, environment) as target:
        told_truth(target.truth(), ask(*words_for(target)))


@pytest.mark.parametrize("api", APIS)
def test_versions(api: int, folder: Path) -> None:
    """Each sees the names of its own version."""
    executable = machine.compiled("nested")
    with sessions.target("core", executable, (), machine.cached("libomp-14"), folder) as target:
        told = ask(*words_for(target), api=api)
        told_truth(target.truth(), told)
    names = [icv["name"] for icv in told["icvs"]]
    assert told["api"] == api and told["newest_api"] == max(APIS)
    assert len(set(names)) == len(names)
    assert ("ompd-team-size-var" in names) is (api <= 202111)
    assert ("explicit-task-var" in names) is (api >= 202111)
    assert ("league-size-var" in names) is (api >= 202411)
    states = [state["name"] for state in told["states"]]
    assert len(set(states)) == len(states)
    assert ("ompt_state_wait_barrier_teams" in states) is (api >= 202011)
    assert ("ompt_state_work_free_agent" in states) is (api >= 202411)


def test_display_control_vars(folder: Path) -> None:
    """What the user set is what is in force."""
    executable, place = machine.compiled("wide"), machine.cached("libomp-19")
    with sessions.target("core", executable, ("3",), place, folder, ENVIRONMENT) as target:
        told = ask(*words_for(target))
    set_by_us = {f"{name}={value}" for name, value in ENVIRONMENT.items()}
    assert set_by_us - set(told["display_control_vars"]) == set()
    assert told["rel_display_control_vars"] == "ok"


def test_version_of_nobody() -> None:
    done = run_host("--library", machine.library(), "--api", 201511, "attach", os.getpid())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ompd-host: the library refuses API version 201511: unsupported\n"


def environment_of(runtime: str, record: Path) -> dict[str, str]:
    return {"LD_LIBRARY_PATH": str(machine.cached(runtime)), "OMPD_TRUTH_FILE": str(record)}


def test_run(folder: Path) -> None:
    """Started by the host, and looked at where it aborts."""
    record = folder / "truth.json"
    environment = {**environment_of("libomp-16", record), "OMPD_TRUTH_STOP": "abort"}
    told = ask("run", machine.compiled("nested"), environment=environment)
    told_truth(json.loads(record.read_text(encoding="utf-8")), told)


def test_run_without_stop(folder: Path) -> None:
    environment = environment_of("libomp-16", folder / "truth.json")
    done = run_host("run", machine.compiled("nested"), environment=environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nested ended with status 0 before it raised SIGSTOP" in done.stderr


def test_goes_on(folder: Path) -> None:
    """A process that was looked at runs as before, and can be looked at again."""
    executable = machine.compiled("nested")
    with sessions.target("attach", executable, (), machine.cached("libomp-14"), folder) as target:
        first, second = (ask(*words_for(target)) for _ in range(2))
        state = Path(f"/proc/{target.pid}/status").read_text(encoding="utf-8")
    assert first == second
    assert re.search(r"^TracerPid:\t0$", state, re.MULTILINE)
    assert re.search(r"^State:\t[RS] ", state, re.MULTILINE)


def test_never_still(folder: Path) -> None:
    """Wherever a busy program is stopped: nothing fails, each thread is where its team has it."""
    environment = {**os.environ, **environment_of("libomp-19", folder / "truth.json")}
    members = 0
    with subprocess.Popen([machine.compiled("churn")], env=environment) as process:
        try:
            looks.wait_for_threads(process.pid, 5)
            for _ in range(25):
                told = ask("attach", process.pid)
                assert list(comparison.failures(told)) == []
                assert told["cost"]["live_allocations_at_end"] == 0
                for thread in told["threads"]:
                    if thread["rc"] == "ok" and thread["regions"]:
                        team = thread["regions"][0]["threads"]
                        number = thread["icvs"]["thread-num-var"]["value"]
                        assert team[number] == thread["pthread"]
                        members += 1
        finally:
            process.kill()
    assert members > 25


def test_without_openmp(folder: Path) -> None:
    """It ends before it stops, so `run' is told; and while it lives it is no OpenMP program."""
    done = run_host("run", machine.compiled("no_openmp"))
    assert done.returncode == 1 and "ended with status 0" in done.stderr
    with subprocess.Popen(["sleep", "60"], cwd=folder) as process:
        try:
            # Before that the dynamic linker may still be at work.
            while "nanosleep" not in Path(f"/proc/{process.pid}/wchan").read_text(encoding="utf-8"):
                time.sleep(0.02)
            told = ask("attach", process.pid)
        finally:
            process.kill()
    assert told["process_initialize"] == "incompatible"
    assert told["cost"]["live_allocations_at_end"] == 0


def test_llvms_library(folder: Path) -> None:
    """The host is no part of our library: LLVM's own tells it the truth, too. Nothing of ours is
    seen here, but that the host and the comparison are right about every ICV."""
    place = machine.cached("libomp-19-ompd")
    environment = {**ENVIRONMENT, "OMP_DEBUG": "enabled"}
    executable = machine.compiled("settings")
    with sessions.target("attach", executable, (), place, folder, environment) as target:
        told = ask(*words_for(target), api=201811, library=place / "libompd.so")
        record = target.truth()
    assert "LLVM" in told["library_version"]
    assert told["thread_id_kinds"]["rc"] == "absent"  # a routine of 5.2
    with comparison.aside() as compared:
        found = comparison.mismatches(record, told)
        icvs = {fact for fact, count in compared.items() if fact.endswith("-var") and count >= 4}
    # It reads the pointer to the region around the outermost, NULL, and reports that that fails.
    found = [one for one in found if one.fact != "end of regions"]
    assert not found, truth.report(found)
    assert icvs >= comparison.REQUIRED


def swap_threads(told: Any) -> None:
    first, second = (thread for thread in told["threads"][:2])
    first["regions"], second["regions"] = second["regions"], first["regions"]


def lose_region(told: Any) -> None:
    told["threads"][0]["regions"].pop()


def lie_on_team(told: Any) -> None:
    told["threads"][0]["regions"][2]["threads"].reverse()


def lie_on_size(told: Any) -> None:
    told["threads"][0]["regions"][0]["icvs"]["team-size-var"]["value"] += 1


def lie_on_icv(told: Any) -> None:
    told["threads"][0]["tasks"][0]["icvs"]["dyn-var"]["value"] = 1


def lie_in_words(told: Any) -> None:
    told["threads"][0]["tasks"][0]["icvs"]["dyn-var"]["string"] = "true"


def lie_on_schedule(told: Any) -> None:
    told["threads"][0]["tasks"][0]["icvs"]["run-sched-var"]["string"] = "guided,3"


def lie_on_function(told: Any) -> None:
    told["threads"][0]["tasks"][0]["function"].update(rc="ok", file="nested.c", line=1)


def lose_task(told: Any) -> None:
    told["threads"][0]["tasks"].pop()


def lose_required(told: Any) -> None:
    told["threads"][0]["icvs"].clear()


def leak(told: Any) -> None:
    told["cost"]["live_allocations_at_end"] = 1


def fail_somewhere(told: Any) -> None:
    told["threads"][0]["state"]["rc"] = "error"


LIES = [swap_threads, lose_region, lie_on_team, lie_on_size, lie_on_icv, lose_required, leak]
LIES += [fail_somewhere, lie_in_words, lie_on_schedule, lie_on_function, lose_task]


def test_lies_are_seen(folder: Path) -> None:
    executable = machine.compiled("nested")
    with sessions.target("core", executable, (), machine.cached("libomp-14"), folder) as target:
        told, record = ask(*words_for(target)), target.truth()
    told_truth(record, told)

    def is_seen(lie: Callable[[Any], None]) -> bool:
        false = copy.deepcopy(told)
        lie(false)
        with comparison.aside():
            return bool(comparison.mismatches(record, false))

    assert [lie.__name__ for lie in LIES if not is_seen(lie)] == []


MISTAKES = {
    "nothing": ([], 2, "usage: "),
    "no number": (["attach", "x"], 2, "usage: "),
    "no option": (["--apy", "1", "attach", "1"], 2, "usage: "),
    "no process": (["attach", "999999999"], 1, "there is no process 999999999"),
    "no core": (["core", __file__, __file__], 1, "is not a core file"),
    "no file": (["core", "/nonexistent", __file__], 1, "cannot open /nonexistent"),
    "no library": (["--library", "/nonexistent", "attach", "1"], 1, "cannot load the OMPD"),
    "no OMPD": (["--library", "libc.so.6", "attach", "1"], 1, "is no OMPD library"),
    "no program": (["run", "/nonexistent"], 1, "cannot start /nonexistent"),
}


@pytest.mark.each("mistake")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    words, status, sentence = MISTAKES[mistake]
    done = run_host(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr


def test_all_routines_are_asked() -> None:
    """The host knows each routine of the header, and calls it."""
    header = (machine.ROOT / "include" / "ompd.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"^OMPD_API ompd_rc_t\s+ompd_(\w+)\(", header, re.MULTILINE))
    assert len(declared) == 37
    sources = Path(__file__).parent
    listed = (sources / "routines.def").read_text(encoding="utf-8")
    assert set(re.findall(r"^ROUTINE\((\w+)\)", listed, re.MULTILINE)) == declared
    code = "".join(path.read_text(encoding="utf-8") for path in sources.glob("*.c"))
    called = set(re.findall(r"ASK\([^,]+,\s*(\w+)", code))
    called |= set(re.findall(r"\bompd(?:\.|->)(\w+)\(", code))
    assert declared - called == set()


@pytest.mark.parametrize("kind", ["attach", "core"])
@pytest.mark.parametrize("runtime", ["libgomp-10", "libgomp-12"])
@pytest.mark.parametrize("case", [Case("nested"), Case("tasks")], ids=str)
def test_gnus(case: Case, runtime: str, kind: str, folder: Path) -> None:
    """GNU's runtime, by the standard routines alone. (Those with a libc of their own need another
    libthread_db.)"""
    executable, place = machine.built_for(runtime, case.source), machine.cached(runtime)
    settings = {**ENVIRONMENT, **machine.settings_of(runtime)}
    with sessions.target(kind, executable, case.args, place, folder, settings) as target:
        told = ask(*words_for(target))
        known = {True: "openmp", False: "none"}
        threads = [{"lwp": t["lwp"], "kind": known[t["rc"] == "ok"]} for t in told["threads"]]
        record = truth.as_gnus(target.truth(), {"threads": threads})
        told_truth(record, told)
