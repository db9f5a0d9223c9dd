# SPDX-License-Identifier: Apache-2.0
"""Does a front end get in GDB/MI what `-json' writes, and every mistake as a sentence?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import machine
import mi
import pytest
import schema
from machine import Case
from sentences import is_a_sentence
from sessions import ask, target

GDBS = ["gdb", "gdb-16", "gdb-18"]
# As the issue lists them.
COMMANDS = {
    "-ompd-threads": "ompd threads",
    "-ompd-parallel": "ompd parallel",
    "-ompd-tasks": "ompd tasks",
    "-ompd-icvs": "ompd icvs",
    "-ompd-stacks": "ompd bt",
    "-ompd-locks": "ompd locks",
    "-ompd-barriers": "ompd barriers",
    "-ompd-deadlock": "ompd deadlock",
    "-ompd-status": "ompd status",
    "-ompd-report": "ompd report",
}
CASES = [Case("nested"), Case("tasks"), Case("states", args=("deadlock",)), Case("settings")]


def in_mi(value: Any) -> Any:
    """What MI can say of a document."""
    if isinstance(value, dict):
        return {
            key: [{"name": name, "count": str(count)} for name, count in one.items()]
            if key == "classes"
            else in_mi(one)
            for key, one in value.items()
            if one is not None
        }
    if isinstance(value, list):
        return [in_mi(one) for one in value]
    return str(int(value)) if isinstance(value, bool) else str(value)


def session(gdb: str, made: Any, folder: Path) -> mi.Session:
    return mi.Session(gdb, made.before, made.files, folder)


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("runtime", ["libomp-19", "libgomp-12"])
@pytest.mark.parametrize("case, kind", zip(CASES, ("live", "core", "attach", "core")), ids=str)
def test_fields_are_the_documents(
    case: Case, kind: str, runtime: str, gdb: str, folder: Path
) -> None:
    executable, home = machine.built_for(runtime, case.source), machine.cached(runtime)
    with target(kind, executable, case.args, home, folder) as made:
        with session(gdb, made, folder) as asked:
            for name, command in COMMANDS.items():
                told, document = asked.ask(name).fields, in_mi(asked.document(command))
                # The second in which each was made.
                assert bool(told.pop("made", "")) == bool(document.pop("made", "")), name
                assert told == document, name
                assert told["schema"] == "ompd/1"
            told = asked.ask("-ompd-stacks -merge *").fields
            assert told["merged"] == in_mi(asked.document("ompd bt -merge")["merged"])


@pytest.mark.parametrize("gdb", GDBS)
def test_ids_and_options(gdb: str, folder: Path) -> None:
    executable, home = machine.compiled("nested"), machine.cached("libomp-14")
    with target("core", executable, (), home, folder) as made:
        with session(gdb, made, folder) as asked:
            told = asked.ask("-ompd-threads R1 -all").fields["threads"]
            assert told == in_mi(asked.document("ompd threads R1")["threads"]) and told
            told = asked.ask("-ompd-parallel -wide -- R1").fields["regions"]
            assert [region["id"] for region in told] == ["R1"]
            told = asked.ask("-ompd-stacks 1 2 -depth 5").fields["stacks"]
            assert told == in_mi(asked.document("ompd bt 1 2 -depth 5")["stacks"])
            assert len(told) == 2


@pytest.mark.parametrize("gdb", GDBS)
def test_json(gdb: str, folder: Path) -> None:
    """The text of the document, for every command that has one."""
    asked_for = [command.split()[1] for command in COMMANDS.values()]
    asked_for += ["threads R1 -all", "bt -merge *", "info break", "print R1 1 + 1", ""]
    with target(
        "core", machine.compiled("values"), (), machine.cached("libomp-19"), folder
    ) as made:
        with session(gdb, made, folder) as asked:
            for command in asked_for:
                document = json.loads(asked.ask(f"-ompd-json {command}").fields["json"])
                schema.check(document)
                again = asked.document(f"ompd {command}".rstrip())
                document.pop("made", None)  # a second later, perhaps
                again.pop("made", None)
                assert document == again, command


MISTAKES = [
    ("-ompd-threads R99", "R99"),
    ("-ompd-threads R1x", "R1x"),
    ("-ompd-threads -nonsense", "no option `-nonsense'"),
    ("-ompd-threads -json", "`-json' has no place here"),
    ("-ompd-locks R1", "`R1' is not an id of a lock"),
    ("-ompd-barriers R1", "takes no argument `R1'"),
    ("-ompd-stacks -depth", "needs a word behind it"),
    ("-ompd-stacks -depth 0", "-depth"),
    ("-ompd-tasks t99", "t99"),
    ("-ompd-report a b", "takes no argument `b'"),
    ("-ompd-deadlock -watch 1", "`-watch' lets the program run"),
    ("-ompd-deadlock -dot /nonexistent/file", "cannot be written"),
    ("-ompd-json nonsense", "There is no command `ompd nonsense'"),
    ("-ompd-json info", "has no JSON document"),
    ("-ompd-json up", "has no JSON document"),
    ("-ompd-json each R1 print 1", "has no JSON document"),
    ("-ompd-json thread R1.1", "has no JSON document"),
    ("-ompd-json print", "needs an expression"),
    ("-ompd-json print me -json", "`-json' has no place here"),
]


@pytest.mark.parametrize("gdb", GDBS)
def test_mistakes(gdb: str, folder: Path) -> None:
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        with session(gdb, made, folder) as asked:
            for command, words in MISTAKES:
                is_a_sentence(asked.ask(command, "error").fields["msg"], words)
            assert asked.ask("-ompd-threads").fields["threads"]


@pytest.mark.parametrize("gdb", GDBS)
def test_without_process(gdb: str, folder: Path) -> None:
    with mi.Session(gdb, [], [], folder) as asked:
        for name in COMMANDS:
            if name == "-ompd-status":
                assert asked.ask(name).fields == in_mi(asked.document("ompd status"))
            else:
                is_a_sentence(asked.ask(name, "error").fields["msg"], "no process")
        is_a_sentence(asked.ask("-ompd-json threads", "error").fields["msg"], "no process")
        assert "library" in json.loads(asked.ask("-ompd-json status").fields["json"])


@pytest.mark.parametrize("gdb", GDBS)
def test_selection_stays(gdb: str, folder: Path) -> None:
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        with session(gdb, made, folder) as asked:
            asked.ask("-thread-select 2")
            asked.ask("-stack-select-frame 2")
            before = asked.ask("-stack-info-frame")
            seen = len(asked.seen)
            for name in COMMANDS:
                asked.ask(name)
                assert asked.ask("-thread-info").fields["current-thread-id"] == "2"
                assert asked.ask("-stack-info-frame") == before, name
            assert "=thread-selected" not in asked.seen[seen:]
            # GDB's own option: of another thread, for this command.
            (stack,) = asked.ask("-ompd-stacks --thread 1").fields["stacks"]
            assert stack["frames"][0]["thread"] == "1.1"
            assert asked.ask("-stack-info-frame") == before


def test_thousand_threads(folder: Path) -> None:
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("wide"), ("1000",), home, folder) as made:
        with session("gdb", made, folder) as asked:
            told = asked.ask("-ompd-threads").fields
            assert told == in_mi(asked.document("ompd threads"))
            inside = [one for one in told["threads"] if one["openmp"][0]["id"].startswith("R1.")]
            assert sorted(int(one["openmp"][0]["thread_num"]) for one in inside) == [*range(1000)]


def test_each_stop(folder: Path) -> None:
    """The team of the next region is another."""
    home = machine.cached("libomp-19")
    with target("live", machine.compiled("reused"), ("all",), home, folder) as made:
        with session("gdb-16", made, folder) as asked:
            seen = []
            for _ in range(3):
                told = asked.ask("-ompd-threads").fields
                assert told == in_mi(asked.document("ompd threads"))
                seen.append(told["stop_id"])
                asked.console("continue")
            assert len(set(seen)) == 3


def test_sourced_twice(folder: Path) -> None:
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        with session("gdb", made, folder) as asked:
            asked.console(f"source {machine.PLUGIN}")
            assert asked.ask("-ompd-threads").fields["threads"]


def test_absent_where_gdb_has_none(folder: Path) -> None:
    """GDB 10 knows no MI commands of others: it says so itself, and the rest works."""
    with target(
        "core", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        with session("gdb-10", made, folder) as asked:
            assert "Undefined MI command" in asked.ask("-ompd-threads", "error").fields["msg"]
            assert asked.document("ompd threads")["threads"]


def test_help_tells_who_has_a_document(folder: Path) -> None:
    """-ompd-json runs no command that has none."""
    script = folder / "documents.py"
    script.write_text(
        "from ompd_gdb.commands import registered\n"
        "for name, command in registered.items():\n"
        "    print(name, command.gives_json == ('-json' in command.__doc__))\n",
        encoding="utf-8",
    )
    lines = ask("gdb", [f"source {script}"], folder=folder).text.splitlines()
    assert len(lines) > 20
    assert [line for line in lines if not line.endswith(" True")] == []


@pytest.mark.parametrize("gdb", GDBS)
def test_console(gdb: str, folder: Path) -> None:
    """What is typed in a front end's console prints what it prints without one: GDB 18 hands out
    what its commands print as records of MI."""
    commands = [
        "ompd",
        "ompd threads",
        "ompd locks",
        "ompd bt -full",
        "ompd each R1 info symbol $pc",
    ]
    home = machine.cached("libomp-19")
    with target("core", machine.compiled("states"), ("deadlock",), home, folder) as made:
        plain = ask(gdb, commands, made.before, made.files, folder=folder)
        with session(gdb, made, folder) as asked:
            for command, text in zip(commands, plain.texts):
                assert asked.console(command).strip("\n") == text, command
