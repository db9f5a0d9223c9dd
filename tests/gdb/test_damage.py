# SPDX-License-Identifier: Apache-2.0
"""Is what is damaged told as unknown, in a sentence or with a doubt, never as something else?"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import machine
import pytest
import sessions
import truth
from cells import GDBS
from machine import Case
from sentences import is_a_sentence
from sessions import ask, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
TEXTS = ["ompd", "ompd status", "ompd threads", "ompd threads -all", "ompd parallel"]
EVERYTHING = [*ASK, *TEXTS, "ompd -json", "ompd status -json"]


def told_or_true(answer: sessions.Answer, record: Any, *words: str, time: int = 0) -> None:
    """A damaged target: a sentence that has the words, or facts of which those are true that are
    told without a doubt."""
    threads, parallel = (answer.document(command, time) for command in ASK)
    texts = [text for c, text in zip(answer.commands, answer.texts) if c in TEXTS]
    for text in texts:
        for lie in ("no thread is in a parallel region", "not started"):
            assert lie not in text, text
    if "error" in threads:
        assert "error" in parallel
        for command, text in zip(answer.commands, answer.texts):
            if command in ("ompd threads", "ompd threads -all", "ompd parallel"):
                is_a_sentence(text, *words)
        return
    true = truth.Truth(record)
    assert {t["lwp"] for t in threads["threads"]} >= set(true.threads), "threads are missing"
    if any(doubts(thread) & UNSURE for thread in threads["threads"]):
        assert not any("No problems" in text for text in texts), answer.everything
    for thread in threads["threads"]:
        known = true.threads.get(thread["lwp"])
        if known is not None and known.record["kind"] == "openmp":
            is_true_or_doubted(thread, known)


UNSURE = {"openmp", "kind", "region", "ancestors"}


def doubts(thread: Any) -> set[str]:
    """Everything about a thread that is told as doubtful."""
    found = set(thread.get("doubts", {}))
    return found.union(*(member.get("doubts", {}) for member in thread["openmp"]))


def is_true_or_doubted(thread: Any, known: truth.TrueThread) -> None:
    unsure = doubts(thread)
    if not thread["openmp"]:
        assert unsure & UNSURE, f"told as a thread without OpenMP, without a doubt: {thread}"
    for member in thread["openmp"]:
        for fact in ("thread_num", "level", "active_level", "team_size"):
            true = known.record["num_threads" if fact == "team_size" else fact]
            if not unsure & {fact, *UNSURE}:
                assert member[fact] == true, f"{fact} is {true}, told without a doubt: {thread}"
        if not unsure & UNSURE:
            told = [outer["thread_num"] for outer in member["ancestors"]]
            assert told == [num for _, num in known.chain[1:]], f"told without a doubt: {thread}"


@pytest.mark.parametrize("gdb", GDBS)
def test_core_without_executable(gdb: str, folder: Path) -> None:
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        commands = ["ompd threads", "ompd parallel", "ompd status", "ompd status -json", *ASK]
        alone = ask(gdb, commands, [f"core {made.core}"], folder=folder)
        # Newer GDBs find the executable themselves.
        if alone.document("ompd status -json")["inferior"]["program"] is None:
            for text in alone.texts[:3]:
                for command in (f"`file {made.executable}'", f"`core {made.core}'"):
                    assert command in " ".join(text.split()), f"no {command} in:\n{text}"
        helped = [f"core {made.core}", f"file {made.executable}", f"core {made.core}"]
        answer = ask(gdb, ASK, helped, folder=folder)
        found = truth.mismatches(made.truth(), *(answer.document(c) for c in ASK))
        assert not found, truth.report(found) + answer.everything
    # Alone it may know less; what it tells is true.
    documents = [alone.document(command) for command in ASK]
    if not any("error" in document for document in documents):
        found = truth.mismatches(made.truth(), *documents, has_lines=False)
        found = [one for one in found if not one.fact.startswith("where")]
        assert not found, truth.report(found) + alone.everything


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("percent", [0, 5, 20, 40, 60, 80, 95, 99])
def test_truncated_core(percent: int, gdb: str, folder: Path) -> None:
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        assert made.core is not None
        short = folder / "short"
        whole = made.core.read_bytes()
        short.write_bytes(whole[: len(whole) * percent // 100])
        answer = ask(gdb, EVERYTHING, [], [made.executable, short], folder=folder)
        told_or_true(answer, made.truth(), "truncated" if percent else "process")


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("mask", ["0x00", "0x10", "0x30", "0x32"])
def test_undumped_pages(mask: str, gdb: str, folder: Path) -> None:
    """GDB itself answers zeros for what the kernel was told to leave out."""
    executable, runtime = machine.compiled("nested"), machine.cached("libomp-14")
    wrapper = folder / "filtered"
    wrapper.write_text(
        f'#!/bin/sh\necho {mask} > /proc/self/coredump_filter\nexec "$@"\n', encoding="utf-8"
    )
    wrapper.chmod(0o755)
    with target("core", wrapper, (str(executable),), runtime, folder) as made:
        answer = ask(gdb, EVERYTHING, [], [executable, *made.files[1:]], folder=folder)
        told_or_true(answer, made.truth())


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("change", ["gone", "another version", "empty", "executable gone"])
def test_files_changed_since_the_core(change: str, gdb: str, folder: Path) -> None:
    """What backs the pages that no core holds is not what was mapped any more."""
    runtime, executable = folder / "lib", folder / "nested"
    shutil.copytree(machine.cached("libomp-14"), runtime)
    shutil.copy2(machine.compiled("nested"), executable)
    with target("core", executable, (), runtime, folder) as made:
        library = runtime / "libomp.so.5"
        if change == "executable gone":
            executable.unlink()
        else:
            library.unlink()
        if change == "another version":
            shutil.copy2(machine.cached("libomp-16") / "libomp.so.5", library)
        elif change == "empty":
            library.touch()
        files = [f"core {made.core}"] if change == "executable gone" else []
        answer = ask(gdb, EVERYTHING, files, [] if files else made.files, folder=folder)
        told_or_true(answer, made.truth())


def test_core_of_something_else(folder: Path) -> None:
    """The executable is not the one that dumped the core."""
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        other = machine.compiled("beside")
        answer = ask("gdb", EVERYTHING, [], [other, *made.files[1:]], folder=folder)
        told_or_true(answer, made.truth())


@pytest.mark.parametrize(
    "case", [Case("nested"), Case("teams", args=("2", "nested")), Case("roots")], ids=str
)
def test_unknown_version(case: Case, folder: Path) -> None:
    """A table of no known version: what it covers is served, the rest is said to be unknown."""
    executable, runtime = machine.compiled(case.source), machine.cached("libomp-19-ompd")
    with target("live", executable, case.args, runtime, folder) as made:
        other = "set variable *(long *) &ompd_sizeof__kmp_taskdata_t = 424"
        answer = ask("gdb", EVERYTHING, [*made.before, other], made.files, folder=folder)
        record = made.truth()
    threads = told_truth(record, answer, has_record=False)
    codes = {one["code"] for one in threads["runtimes"][0]["diagnostics"]}
    assert any("record" in code for code in codes), codes


INFO = "__kmp_threads[$gtid]->th"
DAMAGES = {
    "team of a thread": f"set variable {INFO}.th_team = (kmp_team_p *) 0x10",
    "team unaligned": f"set variable {INFO}.th_team = (kmp_team_p *) ((char *) {INFO}.th_team + 3)",
    "team is its thread": f"set variable {INFO}.th_team = (kmp_team_p *) __kmp_threads[$gtid]",
    "task of a thread": f"set variable {INFO}.th_current_task = (kmp_taskdata_t *) 0x10",
    "root of a thread": f"set variable {INFO}.th_root = (kmp_root_p *) 0x10",
    "thread number": f"set variable {INFO}.th_info.ds.ds_tid = 99999",
    "negative thread number": f"set variable {INFO}.th_info.ds.ds_tid = -5",
    "gtid": f"set variable {INFO}.th_info.ds.ds_gtid = 12345",
    "pthread id": f"set variable {INFO}.th_info.ds.ds_thread = 0x4141414141414141",
    "huge team": f"set variable {INFO}.th_team->t.t_nproc = 0x7fffffff",
    "negative team": f"set variable {INFO}.th_team->t.t_nproc = -1",
    "empty team": f"set variable {INFO}.th_team->t.t_nproc = 0",
    "its own parent": f"set variable {INFO}.th_team->t.t_parent = {INFO}.th_team",
    "parent": f"set variable {INFO}.th_team->t.t_parent = (kmp_team_p *) 0x10",
    "no parent": f"set variable {INFO}.th_team->t.t_parent = (kmp_team_p *) 0",
    "level": f"set variable {INFO}.th_team->t.t_level = 0x7fffffff",
    "negative level": f"set variable {INFO}.th_team->t.t_level = -7",
    "active level": f"set variable {INFO}.th_team->t.t_active_level = 77",
    "serialized": f"set variable {INFO}.th_team->t.t_serialized = 0x7fffffff",
    "threads of a team": f"set variable {INFO}.th_team->t.t_threads = (kmp_info_p **) 0x10",
    "source position": f"set variable {INFO}.th_team->t.t_ident = (ident_t *) 0x10",
    "source text": f"set variable {INFO}.th_team->t.t_ident->psource = (char *) 0x10",
    "endless source text": f"set variable {INFO}.th_team->t.t_ident->psource = (char *) $sp",
    "outlined function": f"set variable {INFO}.th_team->t.t_pkfn = (microtask_t) 0x10",
    "thread's entry": "set variable __kmp_threads[$gtid] = (kmp_info_p *) 0x10",
    "thread's entry is another's": "set variable __kmp_threads[$gtid] = __kmp_threads[0]",
    "all threads": "set variable __kmp_threads = (kmp_info_p **) 0x10",
    "a size": "set variable ompd_sizeof__kmp_info_t = 7",
    "an offset": "set variable ompd_access__kmp_base_info_t__th_team = 0x7fffffffffff",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_structures(damage: str, folder: Path) -> None:
    """One word of the runtime's data overwritten, of a worker or of its team."""
    executable, runtime = machine.compiled("wide"), machine.cached("libomp-19-ompd")
    with target("live", executable, ("6",), runtime, folder) as made:
        before = [*made.before, "thread 4", "set language c++", "set variable $gtid = __kmp_gtid"]
        commands = ["print __kmp_gtid", *ASK, DAMAGES[damage], *ASK, *TEXTS]
        answer = ask("gdb", commands, before, made.files, folder=folder)
        record = made.truth()
    assert re.fullmatch(r"\$\d+ = \d+", answer.texts[0]), "the damage cannot be done"
    assert answer.texts[3] == "", f"the damage was not done: {answer.texts[3]}"
    found = truth.mismatches(record, *(answer.document(command) for command in ASK))
    assert not found, truth.report(found)
    told_or_true(answer, record, time=1)
    threads, parallel = (answer.document(command, 1) for command in ASK)
    if damage in ABOUT_ONE_THREAD:
        hurt = threads["threads"][3]["lwp"]
        found = truth.mismatches(record, threads, parallel)
        found = [one for one in found if one.tid not in (None, hurt)]
        assert not found, f"what is told of sound threads has changed:\n{truth.report(found)}"


ABOUT_ONE_THREAD = {
    "team of a thread",
    "team unaligned",
    "team is its thread",
    "task of a thread",
    "root of a thread",
    "thread number",
    "negative thread number",
    "gtid",
    "pthread id",
    "thread's entry",
}


TASK = "__kmp_threads[$gtid]->th.th_current_task"
QUEUE = "__kmp_threads[$gtid]->th.th_task_team->tt.tt_threads_data[0].td"
TASK_DAMAGES = {
    "its own parent": f"set variable {TASK}->td_parent = {TASK}",
    "parent": f"set variable {TASK}->td_parent = (kmp_taskdata_t *) 0x10",
    "flags": f"set variable *(int *) &{TASK}->td_flags = -1",
    "team": f"set variable {TASK}->td_team = (kmp_team_p *) 0x10",
    "place": f"set variable {TASK}->td_ident = (ident_t *) 0x10",
    "thread": f"set variable {TASK}->td_alloc_thread = (kmp_info_p *) 0x10",
    "taskgroup": f"set variable {TASK}->td_taskgroup = (kmp_taskgroup_t *) 0x10",
    "dependences": f"set variable {TASK}->td_depnode = (kmp_depnode_t *) 0x10",
    "queue": f"set variable {QUEUE}.td_deque = (kmp_taskdata_t **) 0x10",
    "huge queue": f"set variable {QUEUE}.td_deque_ntasks = 0x7fffffff",
    "negative queue": f"set variable {QUEUE}.td_deque_ntasks = -1",
    "head of a queue": f"set variable {QUEUE}.td_deque_head = 0x7fffffff",
    "no size": f"set variable {QUEUE}.td_deque_size = 0",
    "task in a queue": f"set variable {QUEUE}.td_deque[{QUEUE}.td_deque_head]"
    " = (kmp_taskdata_t *) 0x10",
    "queues": "set variable __kmp_threads[$gtid]->th.th_task_team->tt.tt_threads_data"
    " = (kmp_thread_data_t *) 0x10",
    "many threads": "set variable __kmp_threads[$gtid]->th.th_task_team->tt.tt_max_threads"
    " = 0x7fffffff",
}


@pytest.mark.parametrize("damage", TASK_DAMAGES)
def test_damaged_tasks(damage: str, folder: Path) -> None:
    """One word of the tasks' data overwritten: the other tasks are told as before."""
    executable, runtime = machine.compiled("task_graph"), machine.cached("libomp-19-ompd")
    with target("live", executable, (), runtime, folder) as made:
        before = [*made.before, "set language c++", "set variable $gtid = __kmp_gtid"]
        ask_tasks = ["ompd tasks -json", "ompd tasks", "ompd tasks -tree", "ompd threads -json"]
        commands = [*ask_tasks, TASK_DAMAGES[damage], *ask_tasks]
        answer = ask("gdb", commands, before, made.files, folder=folder)
    assert answer.texts[4] == "", f"the damage was not done: {answer.texts[4]}"
    sound = {task["address"]: task for task in answer.document(ask_tasks[0])["tasks"]}
    hurt = answer.document(ask_tasks[0], 1)["tasks"]
    assert {task["address"] for task in hurt} <= set(sound), "tasks are invented"
    assert all(answer.texts[6:8])
    if len(hurt) < len(sound):
        said = " ".join(answer.texts[6].split())
        assert "more" in said or "unknown" in said, f"tasks are missing without a word: {said}"
