# SPDX-License-Identifier: Apache-2.0
"""Does GDB show the truth whatever the user did before: a plugin sourced late or twice, another
language, a Fortran frame selected, several stops and runs, other settings of the runtime?"""

from __future__ import annotations

import json
import re
from pathlib import Path

import machine
import pytest
from cells import GDBS
from machine import Case
from sessions import ask, sourcing, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
NESTED = Case("nested")


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("kind", ["live", "attach", "core", "gdbserver"])
def test_plugin_sourced_late(kind: str, gdb: str, folder: Path) -> None:
    with target(kind, machine.compiled("nested"), (), machine.cached("libomp-16"), folder) as made:
        before = [*made.before, *sourcing()]
        answer = ask(gdb, ASK, before, made.files, folder=folder, plugin=[])
        told_truth(made.truth(), answer)


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("kind", ["live", "core"])
def test_plugin_sourced_twice(kind: str, gdb: str, folder: Path) -> None:
    with target(kind, machine.compiled("nested"), (), machine.cached("libomp-14"), folder) as made:
        commands = [*ASK, sourcing()[0], *ASK]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        assert answer.texts[2] == ""
        told_truth(made.truth(), answer)
        told_truth(made.truth(), answer, time=1)


def test_one_snapshot_of_a_stop(folder: Path) -> None:
    """However much is asked; it ends with the picture."""
    counting = (
        "python from ompd_gdb import session; loaded = session.library(); real = loaded._call;"
        " asked = []; loaded._call = lambda name, *rest: (asked.append(name), real(name, *rest))[1]"
    )
    count = "python print(*[asked.count('ompdx_snapshot_' + x) for x in ('create', 'destroy')])"
    looks = ["ompd threads", "ompd tasks", "ompd locks", "ompd deadlock", "ompd barriers"]
    drop = "python session.current().drop_picture()"
    commands = [counting, *looks, count, drop, count, "ompd threads", count]
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-16"), folder
    ) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert [answer.texts[i] for i in (6, 8, 10)] == ["1 0", "1 1", "2 1"], answer.everything


def test_gdbserver_attached_over_tcp(folder: Path) -> None:
    executable, runtime = machine.compiled("nested"), machine.cached("libomp-19")
    with target("gdbserver-tcp", executable, (), runtime, folder) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


@pytest.mark.parametrize("gdb", GDBS)
def test_any_language(gdb: str, folder: Path) -> None:
    languages = [
        "pascal",
        "fortran",
        "ada",
        "modula-2",
        "go",
        "rust",
        "d",
        "opencl",
        "asm",
        "minimal",
    ]
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        commands = [step for name in languages for step in (f"set language {name}", "ompd", *ASK)]
        answer = ask(gdb, [*commands, "show language"], made.before, made.files, folder=folder)
        for time in range(len(languages)):
            told_truth(made.truth(), answer, time=time)
        assert '"minimal"' in answer.text


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("kind", ["live", "core", "gdbserver"])
def test_fortran_frame_selected(kind: str, gdb: str, folder: Path) -> None:
    executable, runtime = machine.compiled("fortran_frame"), machine.cached("libomp-14")
    with target(kind, executable, (), runtime, folder) as made:
        commands = ["frame function relax", "show language", "ompd", "ompd parallel", *ASK, "frame"]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        assert "fortran" in answer.texts[1]
        told_truth(made.truth(), answer)
        assert "::relax (" in answer.text, "another frame is selected now"


# DW_AT_language of the DWARF standard.
LANGUAGES = {"ada": 0x0D, "c++": 0x04, "d": 0x13, "go": 0x16, "modula-2": 0x0A, "rust": 0x1C}
CALLEE = "void relax(void (*callback)(void), int sweeps) { while (sweeps-- > 0) callback(); }\n"


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_frame_of_any_language_selected(language: str, gdb: str, folder: Path) -> None:
    """The compiler's debug information says that the function is written in it."""
    source, code = folder / "callee.c", folder / "callee.s"
    source.write_text(CALLEE, encoding="utf-8")
    machine.run("gcc", "-g", "-dA", "-S", source, "-o", code)
    text = code.read_text(encoding="utf-8")
    changed, count = re.subn(
        r"\.byte\t0x[0-9a-f]+(\s+# DW_AT_language)", rf".byte\t{LANGUAGES[language]}\1", text
    )
    assert count == 1
    code.write_text(changed, encoding="utf-8")
    program, main = folder / "program", machine.PROGRAMS / "fortran_frame.c"
    machine.run("gcc", "-c", code, "-o", folder / "callee.o")
    machine.run(
        *(machine.CLANG, "-g", "-fopenmp", main, folder / "callee.o", "-o", program, "-pthread")
    )
    with target("live", program, (), machine.cached("libomp-14"), folder) as made:
        commands = [
            "frame function relax",
            "show language",
            "ompd",
            "ompd threads",
            "ompd tasks",
            *ASK,
            "frame",
        ]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)
    assert f"currently {language}" in answer.texts[1], answer.texts[1]
    assert "relax" in answer.text, "another frame is selected now"


@pytest.mark.parametrize("gdb", GDBS)
def test_selection_is_kept(gdb: str, folder: Path) -> None:
    """Thread and frame, by every command and in every form."""
    shown = ["ompd", "ompd status", "ompd threads", "ompd threads R1 -all", "ompd parallel", *ASK]
    shown += ["ompd threads R99", "ompd parallel R1.1"]
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        before = [*made.before, "thread 2", "up", "up"]
        commands = ["thread", "frame"]
        for command in shown:
            commands += [command, "thread", "frame"]
        answer = ask(gdb, commands, before, made.files, folder=folder)
        thread, frame = answer.texts[:2]
        assert "thread is 2 " in thread and frame.startswith("#2")
        assert set(answer.texts[3::3]) == {thread}
        assert set(answer.texts[4::3]) == {frame}


@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19-ompd"])
def test_each_stop_of_a_session(runtime: str, folder: Path) -> None:
    """The team changes its size under the same structures: nothing of the last stop may be kept."""
    executable = machine.compiled("reused")
    with target("live", executable, ("all",), machine.cached(runtime), folder) as made:
        commands = []
        for stop in range(4):
            commands += [*ASK, f"shell cp truth.json truth.{stop}", "continue"]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    for stop in range(4):
        record = json.loads((folder / f"truth.{stop}").read_text(encoding="utf-8"))
        threads = told_truth(record, answer, time=stop)
        assert threads["stop_id"] == stop + 1


@pytest.mark.parametrize("gdb", GDBS)
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-16", "libomp-19", "libomp-19-ompd"])
def test_before_the_first_call_and_after(runtime: str, gdb: str, folder: Path) -> None:
    executable = machine.compiled("not_started")
    with target("live", executable, (), machine.cached(runtime), folder) as made:
        commands = ["ompd", *ASK, "shell cp truth.json before.json", "continue", "ompd", *ASK]
        answer = ask(gdb, commands, made.before, made.files, folder=folder)
        told_truth(json.loads((folder / "before.json").read_text(encoding="utf-8")), answer)
        told_truth(made.truth(), answer, time=1)
    assert "not started" in answer.texts[0]
    assert "not started" not in answer.texts[5]
    assert answer.document(ASK[0])["runtimes"][0]["initialized"] is False


def test_second_run_in_a_session(folder: Path) -> None:
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        commands = [*ASK, "kill", "ompd threads", "run", *ASK]
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer, time=1)
    first, second = (answer.document(ASK[0], time)["inferior"]["pid"] for time in (0, 1))
    assert first != second
    assert "no process" in answer.texts[3]


def test_two_inferiors(folder: Path) -> None:
    """One with OpenMP on each side: each answer is of the selected inferior alone."""
    other = folder / "other"
    other.mkdir()
    executable, runtime = machine.compiled("nested"), machine.cached("libomp-14")
    newer = machine.cached("libomp-19")
    with target("live", executable, (), runtime, folder) as one:
        with target("live", machine.compiled("beside"), (), newer, other) as two:
            second = ["add-inferior", "inferior 2", f'file "{two.executable}"']
            second += [step for step in two.before if not step.startswith("break")]
            commands = [*ASK, *second, *ASK, "inferior 1", *ASK, "inferior 2", *ASK]
            answer = ask("gdb", commands, one.before, one.files, folder=folder)
            told_truth(one.truth(), answer, time=0)
            told_truth(two.truth(), answer, time=1)
            told_truth(one.truth(), answer, time=2)
            told_truth(two.truth(), answer, time=3)


@pytest.mark.parametrize(
    "settings",
    [
        {"KMP_HOT_TEAMS_MODE": "1"},  # threads that a smaller team does not need stay in it
        {"KMP_HOT_TEAMS_MAX_LEVEL": "5"},  # nested teams are kept too
        {"KMP_BLOCKTIME": "0"},
        {"KMP_BLOCKTIME": "infinite"},
    ],
    ids=lambda settings: "=".join(*settings.items()),
)
@pytest.mark.parametrize("case", [Case("reused"), NESTED, Case("after_end")], ids=str)
def test_runtime_settings(case: Case, settings: dict[str, str], folder: Path) -> None:
    executable, runtime = machine.compiled(case.source), machine.cached("libomp-19")
    with target("core", executable, case.args, runtime, folder, settings) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


@pytest.mark.parametrize(
    "case",
    [
        NESTED,
        Case("serial_first"),
        Case("serial_only"),
        Case("teams", args=("2", "nested")),
        Case("teams", args=("2", "flat")),
        Case("roots"),
        Case("tasks"),
        Case("after_end"),
    ],
    ids=str,
)
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19-ompd"])
def test_states_tracked(case: Case, runtime: str, folder: Path) -> None:
    """With OMP_DEBUG=enabled libomp keeps serialized regions in another way, and records states."""
    executable = machine.compiled(case.source)
    tracking = {"OMP_DEBUG": "enabled"}
    with target("live", executable, case.args, machine.cached(runtime), folder, tracking) as made:
        answer = ask("gdb", [*ASK, "ompd threads"], made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    assert threads["runtimes"][0]["state_tracking"] is True
    states = {member["state"] for thread in threads["threads"] for member in thread["openmp"]}
    # In a region that a league's team began, libomp records nothing better for its primary thread.
    libomps_own = {"overhead"} if case.name == "teams" else set()
    assert states <= {"work_parallel", "work_serial", "idle", *libomps_own}


def test_states_in_a_barrier(folder: Path) -> None:
    executable, runtime = machine.compiled("barrier"), machine.cached("libomp-19-ompd")
    tracking = {"OMP_DEBUG": "enabled"}
    with target("live", executable, ("5",), runtime, folder, tracking) as made:
        answer = ask("gdb", ASK, made.before, made.files, folder=folder)
        threads = told_truth(made.truth(), answer)
    told = {
        t["openmp"][0]["thread_num"]: t["openmp"][0]["tracked_state"] for t in threads["threads"]
    }
    assert told == {**dict.fromkeys(range(4), "wait_barrier_explicit"), 4: "work_parallel"}


@pytest.mark.parametrize("program", ["whole_fortran", "nested", "tasks", "serial_first"])
@pytest.mark.parametrize("kind", ["live", "core"])
def test_gnu_compiler_on_llvm_runtime(kind: str, program: str, folder: Path) -> None:
    """GNU's entry points, through which the compiler tells nothing of the source."""
    executable = machine.compiled(program, compiler="gcc")
    runtime = machine.as_libgomp(machine.cached("libomp-19"), folder / "lib")
    with target(kind, executable, (), runtime, folder) as made:
        answer = ask("gdb", [*ASK, "ompd", "ompd parallel"], made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


def test_no_breakpoint_of_ours(folder: Path) -> None:
    commands = ["maint info breakpoints", *ASK, "ompd status", "maint info breakpoints"]
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
    assert answer.texts[0] == answer.texts[-1]
    assert "stop_here" in answer.texts[0]


def test_output_by_id(folder: Path) -> None:
    """The threads and regions that an id names, and no others."""
    named = {
        "R1": None,
        "R3.1": 1,
        "R1.0-1": None,
        "2-3": 2,
        "1.2": 1,
        "*": 6,
    }
    commands = [f"ompd threads {ids} -json" for ids in named] + ASK
    with target(
        "live", machine.compiled("nested"), (), machine.cached("libomp-14"), folder
    ) as made:
        answer = ask("gdb", commands, made.before, made.files, folder=folder)
        everything = told_truth(made.truth(), answer)["threads"]
    for ids, count in named.items():
        told = answer.document(f"ompd threads {ids} -json")["threads"]
        assert all(thread in everything for thread in told)
        if count is not None:
            assert len(told) == count, ids
    inside = [
        t
        for t in everything
        if any(o["region"] == "R1" for m in t["openmp"] for o in m["ancestors"])
    ]
    assert inside and all(t in inside for t in answer.document("ompd threads R1 -json")["threads"])
