# SPDX-License-Identifier: Apache-2.0
"""Does whatever a user or a broken target does wrong end in one clear sentence, and never in a traceback, a
crash or a hang? (ask() refuses the latter for every command of every test.)"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import machine
import pytest
import sessions
import truth
from cells import GDBS
from sessions import ask, target

ASK = ["ompd threads -json", "ompd parallel -json"]
TEXTS = ["ompd", "ompd status", "ompd threads", "ompd threads -all", "ompd parallel"]
EVERYTHING = [*ASK, *TEXTS, "ompd -json", "ompd status -json"]


def is_a_sentence(text: str, *words: str) -> None:
    """One line that ends in a full stop and has the words; a name or an id may begin it."""
    assert "\n" not in text, f"more than one line:\n{text}"
    assert re.match(r"(?:[A-Z`/(\d]|libompd ).*\.$", text), f"no sentence: {text!r}"
    for word in words:
        assert word in text, f"no `{word}' in: {text}"


def is_an_error(document: Any, code: str) -> None:
    assert document["error"]["code"] == code
    assert document["error"]["message"]


# ---- What was typed, and when ---------------------------------------------------------------------------


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("with_file", [False, True], ids=["nothing", "file"])
def test_no_process(with_file: bool, gdb: str, folder: Path) -> None:
    files = [machine.compiled("nested")] if with_file else []
    answer = ask(gdb, ["ompd threads", "ompd parallel", *ASK], [], files, folder=folder)
    for text in answer.texts:
        is_a_sentence(text, "process", "run")
    for command in ASK:
        is_an_error(answer.document(command), "no_process")


def test_process_has_ended(folder: Path) -> None:
    with target("live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        answer = ask("gdb", ["ompd threads", "continue", "ompd threads"], made.before, made.files, folder=folder)
    assert "6 threads" in answer.texts[0]
    is_a_sentence(answer.text, "process")


@pytest.mark.parametrize("gdb", GDBS)
def test_program_without_openmp(gdb: str, folder: Path) -> None:
    before = ["break stop_here", "run"]
    commands = ["ompd threads", "ompd parallel", "ompd threads -json"]
    answer = ask(gdb, commands, before, [machine.compiled("no_openmp")], folder=folder)
    for text in answer.texts:
        is_a_sentence(text, "OpenMP")
    is_an_error(answer.document("ompd threads -json"), "no_openmp")


def test_program_with_libgomp_alone(folder: Path) -> None:
    """GNU's runtime is recognised, named with its version, and not served yet."""
    executable = machine.compiled_by_gcc("nested")
    with target("live", executable, (), machine.cached("libgomp-12"), folder) as made:
        commands = ["ompd threads", "ompd parallel", "ompd threads -json", "ompd status -json"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    for text in answer.texts[:3]:
        is_a_sentence(text, "libgomp", "12")
    is_an_error(answer.document("ompd threads -json"), "not_supported")
    runtime = answer.document("ompd status -json")["runtimes"][0]
    assert (runtime["kind"], runtime["supported"]) == ("gomp", False)


UNKNOWN = {
    "ompd threads R99": ["R99", "ompd parallel"],
    "ompd threads R1.9": ["R1.9"],
    "ompd threads t7": ["t7"],
    "ompd threads 99": ["99", "info threads"],
    "ompd threads 3.1": ["3.1", "inferior"],
    "ompd threads nonsense": ["nonsense"],
    "ompd threads R1.": ["R1."],
    "ompd threads R-1": ["R-1"],
    "ompd threads 7-2": ["7-2"],
    "ompd threads R1.0-99999999999999999999": ["99999"],
    "ompd threads -nonsense": ["-nonsense", "-all"],
    "ompd threads --json": ["--json"],
    "ompd parallel R99": ["R99"],
    "ompd parallel -nonsense": ["-nonsense"],
    "ompd status nonsense": ["nonsense"],
    "ompd nonsense": ["nonsense"],
    "ompd threads -json /nonexistent/file.json": ["/nonexistent"],
    "ompd threads -json /": ["/"],
}


@pytest.mark.parametrize("gdb", GDBS)
def test_unknown_ids_and_options(gdb: str, folder: Path) -> None:
    with target("live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        answer = ask(gdb, [*UNKNOWN, "ompd threads"], made.before, made.files, folder=folder)
    wrong = []
    for (command, words), text in zip(UNKNOWN.items(), answer.texts):
        try:
            is_a_sentence(text, *words)
        except AssertionError as error:
            wrong.append(f"{command}: {error}")
    assert not wrong, "\n".join(wrong)
    assert "6 threads" in answer.text


# ---- The library ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize(
    "what", ["missing", "folder", "no library", "truncated", "another library", "empty"]
)
def test_library_that_is_none(what: str, gdb: str, folder: Path) -> None:
    path = folder / "libompd.so"
    if what == "folder":
        path.mkdir()
    elif what == "no library":
        path.write_text("nothing\n", encoding="utf-8")
    elif what == "empty":
        path.touch()
    elif what == "truncated":
        path.write_bytes(machine.library().read_bytes()[:20000])
    elif what == "another library":
        shutil.copy2(machine.cached("libomp-14") / "libomp.so.5", path)
    with target("live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        before = [*made.before, f"set ompd library {path}"]
        again = ["set ompd library", *sessions.sourcing()[1:], "ompd threads"]
        commands = ["ompd threads", "ompd parallel", "ompd threads -json", *again]
        answer = ask(gdb, commands, before, made.files, folder=folder)
    for text in answer.texts[:3]:
        is_a_sentence(text, str(path))
    assert "error" in answer.document("ompd threads -json")
    assert "6 threads" in answer.text, "the right library is not loaded afterwards"


# ---- Core files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("gdb", GDBS)
def test_core_without_executable(gdb: str, folder: Path) -> None:
    with target("core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        commands = ["ompd threads", "ompd parallel", "ompd status", "ompd status -json", *ASK]
        alone = ask(gdb, commands, [f"core {made.core}"], folder=folder)
        # Newer GDBs find the executable themselves.
        if alone.document("ompd status -json")["inferior"]["program"] is None:
            for text in alone.texts[:3]:
                assert f"file {made.executable}" in text and f"core {made.core}" in text, text
        helped = [f"core {made.core}", f"file {made.executable}", f"core {made.core}"]
        answer = ask(gdb, ASK, helped, folder=folder)
        found = truth.mismatches(made.truth(), *(answer.document(c) for c in ASK), has_lines=True)
        assert not found, truth.report(found) + answer.everything
    # Alone it may know less, and what it tells is true.
    for command in ASK:
        document = alone.document(command)
        if "error" not in document:
            found = [one for one in truth.mismatches(made.truth(), *(alone.document(c) for c in ASK), False)]
            assert not [one for one in found if "where" not in one.fact], truth.report(found)


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("percent", [0, 5, 20, 40, 60, 80, 95, 99])
def test_truncated_core(percent: int, gdb: str, folder: Path) -> None:
    with target("core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        assert made.core is not None
        short = folder / "short"
        whole = made.core.read_bytes()
        short.write_bytes(whole[: len(whole) * percent // 100])
        answer = ask(gdb, EVERYTHING, [], [made.executable, short], folder=folder)
        told_or_true(answer, made.truth(), "truncated" if percent else "process")


def told_or_true(answer: sessions.Answer, record: Any, *words: str) -> None:
    """A damaged target: a sentence, or facts that are true as far as they are told as certain."""
    documents = [answer.document(command) for command in ASK]
    if any("error" in document for document in documents):
        assert all("error" in document for document in documents)
        for command, text in zip(answer.commands, answer.texts):
            if command.startswith(("ompd threads", "ompd parallel")):
                is_a_sentence(text, *words)
        return
    told = documents[0]["threads"]
    true = truth.Truth(record)
    for thread in told:
        known = true.threads.get(thread["lwp"])
        if known is None:
            continue
        if known.record["kind"] == "openmp" and not thread["openmp"]:
            assert thread.get("doubts"), f"told as a thread without OpenMP, without doubt: {thread}"
        for member in thread["openmp"]:
            told_as_certain(member, known, thread)


def told_as_certain(member: Any, known: truth.TrueThread, thread: Any) -> None:
    doubts = set(member.get("doubts", {})) | set(thread.get("doubts", {}))
    for fact in ("thread_num", "level", "active_level", "team_size"):
        true = known.record["num_threads" if fact == "team_size" else fact]
        unsure = doubts & {fact, "region", "ancestors"}
        if not unsure:
            assert member[fact] == true, f"thread {known.record['tid']}: {fact} is {true}, told {member}"


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("mask", ["0x00", "0x10", "0x30", "0x32"])
def test_undumped_pages(mask: str, gdb: str, folder: Path) -> None:
    """GDB itself answers zeros for what the kernel was told to leave out."""
    executable, runtime = machine.compiled("nested"), machine.cached("libomp-14")
    wrapper = folder / "filtered"
    wrapper.write_text(f'#!/bin/sh\necho {mask} > /proc/self/coredump_filter\nexec "$@"\n', encoding="utf-8")
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
    with target("core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        other = machine.compiled("beside")
        answer = ask("gdb", EVERYTHING, [], [other, *made.files[1:]], folder=folder)
        told_or_true(answer, made.truth())


# ---- Structures that are damaged -------------------------------------------------------------------------

INFO = "__kmp_threads[$gtid]->th"
DAMAGES = {
    "team of a thread": f"set variable {INFO}.th_team = (kmp_team_p *) 0x10",
    "team is null": f"set variable {INFO}.th_team = (kmp_team_p *) 0",
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
    """One word of the runtime's data overwritten, in a worker of nested regions."""
    executable, runtime = machine.compiled("wide"), machine.cached("libomp-19-ompd")
    with target("live", executable, ("6",), runtime, folder) as made:
        before = [*made.before, "thread 4", "set language c++", "set variable $gtid = __kmp_gtid"]
        commands = ["print __kmp_gtid", *ASK, DAMAGES[damage], *ASK, *TEXTS]
        answer = ask("gdb", commands, before, made.files, folder=folder)
        record = made.truth()
    assert re.fullmatch(r"\$\d+ = \d+", answer.texts[0]), "the damage cannot be done"
    assert answer.texts[3] == "", f"the damage was not done: {answer.texts[3]}"
    found = truth.mismatches(record, *(answer.document(c) for c in ASK), has_lines=True)
    assert not found, truth.report(found)
    threads, parallel = (answer.document(command, 1) for command in ASK)
    if "error" in threads:
        is_a_sentence(answer.texts[4])
        return
    if damage in ABOUT_ONE_THREAD:
        found = truth.mismatches(record, threads, parallel, has_lines=True)
        others = [one for one in found if one.tid not in (None, int(threads["threads"][3]["lwp"]))]
        assert not others, f"a damaged thread changes what is told of others:\n{truth.report(others)}"
        hurt = threads["threads"][3]
        told_as_certain_or_doubted(hurt, record)


ABOUT_ONE_THREAD = {
    "team of a thread",
    "team unaligned",
    "team is its thread",
    "task of a thread",
    "root of a thread",
    "thread number",
    "negative thread number",
    "gtid",
}


def told_as_certain_or_doubted(thread: Any, record: Any) -> None:
    """Nothing false without a doubt about a thread whose structure is damaged."""
    known = truth.Truth(record).threads[thread["lwp"]]
    if not thread["openmp"]:
        assert thread.get("doubts"), f"told as a thread without OpenMP, without doubt: {thread}"
    for member in thread["openmp"]:
        told_as_certain(member, known, thread)


# ---- Threads that run, and Ctrl-C ------------------------------------------------------------------------


@pytest.mark.parametrize("gdb", GDBS)
def test_running_threads(gdb: str, folder: Path) -> None:
    """In non-stop mode: what memory tells is told, what needs a stopped thread is doubtful."""
    with target("live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        before = ["set non-stop on", *made.before]
        commands = [*EVERYTHING, "thread", "info threads"]
        answer = ask(gdb, commands, before, made.files, folder=folder)
        record = made.truth()
    threads = answer.document("ompd threads -json")
    running = [thread for thread in threads["threads"] if thread["running"]]
    assert len(running) == 5 and answer.text.count("(running)") == 5
    assert any("running" in note for note in threads["notes"])
    assert all("where" in thread["doubts"] and thread["where"] is None for thread in running)
    found = truth.mismatches(record, *(answer.document(c) for c in ASK), has_lines=True)
    unexpected = [one for one in found if one.fact not in ("running", "doubts", "where", "where is known")]
    assert not unexpected, truth.report(unexpected)


@pytest.mark.parametrize("gdb", GDBS)
def test_interrupted_in_the_middle(gdb: str, folder: Path) -> None:
    """Ctrl-C at many moments of a command on 300 threads: it prints Quit, and GDB goes on with the truth."""
    with target("live", machine.compiled("wide"), ("300",), machine.cached("libomp-14"), folder) as made:
        with Terminal(gdb, made, folder) as terminal:
            terminal.type("ompd threads -all")
            started = time.monotonic()
            terminal.until_prompt()
            lasts = time.monotonic() - started - Terminal.SETTLES
            quits = 0
            for step in range(TRIES):
                # What changes memory drops what was kept of the stop: all is read anew.
                terminal.type("set variable truth_lines[15] = 0")
                terminal.until_prompt()
                command, last_words = INTERRUPTED[step % 3]
                terminal.type(command)
                time.sleep(lasts * (step + 0.5) / TRIES)
                terminal.interrupt()
                told = terminal.until_prompt()
                quits += "Quit" in told and last_words not in told
            print(f"{quits} of {TRIES} commands of {lasts:.2f} s were interrupted")
            assert quits >= 3, f"only {quits} of {TRIES} were interrupted: too late to prove anything"
            for command in ASK:
                terminal.type(f"{command} {folder}/{command.split()[1]}.json")
                terminal.until_prompt()
            terminal.type("thread")
            assert "thread is " in terminal.until_prompt()
            everything = terminal.seen
    met = sessions.FORBIDDEN.search(everything)
    assert met is None, f"GDB printed `{met.group() if met else ''}':\n{everything}"
    documents = [
        json.loads((folder / f"{command.split()[1]}.json").read_text(encoding="utf-8")) for command in ASK
    ]
    found = truth.mismatches(made.truth(), *documents, has_lines=True)
    assert not found, truth.report(found)


TRIES = 18
INTERRUPTED = [
    ("ompd threads -all", "300 threads:"),
    ("ompd parallel", "region beside"),
    ("ompd", "Next    :"),
]


class Terminal:
    """GDB as a user has it: on a terminal, where Ctrl-C is a signal."""

    PROMPT = "(gdb) "
    SETTLES = 0.1  # seconds of silence behind a prompt

    def __init__(self, gdb: str, made: sessions.Target, folder: Path) -> None:
        self.seen = ""
        self._read_to = 0
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            words = [machine.gdb(gdb), "-nx", "-q", "-iex", "set debuginfod enabled off"]
            for step in ["set pagination off", "set width 0", *sessions.sourcing(), *made.before]:
                words += ["-ex", step]
            os.execvpe(words[0], [*words, *map(str, made.files)], {**os.environ, "TERM": "dumb"})
        self.until_prompt()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)  # hangs up: GDB ends, and kills the program
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)

    def type(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def interrupt(self) -> None:
        os.write(self._fd, b"\x03")

    def until_prompt(self) -> str:
        """What was printed since the last time; GDB must come back to its prompt and stay there."""
        end = time.monotonic() + sessions.PATIENCE
        while True:
            told = self.seen[self._read_to :]
            ready, _, _ = select.select([self._fd], [], [], self.SETTLES if told.endswith(self.PROMPT) else 1)
            if ready:
                try:
                    self.seen += os.read(self._fd, 1 << 16).decode(errors="replace")
                except OSError:
                    raise AssertionError(f"GDB is gone:\n{self.seen}") from None
            elif told.endswith(self.PROMPT):
                self._read_to = len(self.seen)
                return told
            assert time.monotonic() < end, f"no prompt comes:\n{self.seen}"
