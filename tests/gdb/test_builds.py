# SPDX-License-Identifier: Apache-2.0
"""Is it right whatever way the runtime was built, named and brought into the process, and when
there are two of them?"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import machine
import pytest
import truth
from machine import CLANG, PROGRAMS, Case
from sessions import Answer, Target, ask, kernel_core, target
from test_truth import told_truth

ASK = ["ompd threads -json", "ompd parallel -json"]
GNU = "libgomp-12"
SHOWN = [*ASK, "ompd status", "ompd", "ompd threads"]
NOWHERE = Path("/nonexistent")


def static_program(folder: Path, program: str, stripped: bool) -> Path:
    """With libomp linked into it."""
    archive = machine.cached("libomp-19-static") / "libomp.a"
    made, code = folder / program, folder / f"{program}.o"
    machine.run(CLANG, "-g", "-fopenmp", "-c", PROGRAMS / f"{program}.c", "-o", code)
    machine.run(CLANG, code, archive, "-o", made, "-pthread", "-ldl", "-lm", "-lstdc++")
    if stripped:
        machine.run("strip", made)
    return made


@pytest.mark.parametrize("kind", ["live", "attach", "core"])
@pytest.mark.parametrize("stripped", [False, True], ids=["symbols", "stripped"])
@pytest.mark.parametrize("program", ["nested", "beside"])
def test_linked_into_the_program(program: str, stripped: bool, kind: str, folder: Path) -> None:
    """No shipped record has a static libomp's layout: the truth, but for where constructs are."""
    executable = static_program(folder, program, stripped)
    with target(kind, executable, (), NOWHERE, folder) as made:
        before = made.before
        if stripped and kind == "live":
            # No name to break at is left.
            before = ["set environment OMPD_TRUTH_STOP abort", *before]
        answer = ask("gdb", SHOWN, before, made.files, folder=folder)
        found = told_truth(made.truth(), answer, has_lines=False, has_record=False)
    runtime = found["runtimes"][0]
    assert runtime["descriptors"] == ("recovered" if stripped else "symbols")
    assert runtime["version"] == (None if stripped else "19")
    assert "linked into the program" in answer.texts[2]


@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("runtime", ["libomp-14", "libomp-19"])
def test_private_copy(runtime: str, kind: str, folder: Path) -> None:
    """The runtime's file has another name."""
    private = folder / "lib"
    private.mkdir()
    shutil.copy2(machine.cached(runtime) / "libomp.so.5", private / "solver-rt.so")
    (private / "libomp.so.5").symlink_to("solver-rt.so")
    executable = folder / "nested"
    code = machine.compiled("nested").read_bytes()
    # What the program asks for; a name of the same length.
    executable.write_bytes(code.replace(b"libomp.so.5\0", b"solver-rt.s\0"))
    executable.chmod(0o755)
    (private / "solver-rt.s").symlink_to("solver-rt.so")
    with target(kind, executable, (), private, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        told_truth(made.truth(), answer)


@pytest.mark.parametrize("late", [False, True], ids=["at the start", "after a command"])
def test_separate_debug_information(late: bool, folder: Path) -> None:
    """By build-id, under a debug-file-directory; also when GDB gets it after our first command."""
    private, debug = folder / "lib", folder / "debug"
    private.mkdir()
    library = private / "libomp.so.5"
    shutil.copy2(machine.cached("libomp-19-debug") / "libomp.so.5", library)
    notes = machine.run("readelf", "-n", library)
    build_id = notes.partition("Build ID: ")[2].split()[0]
    into = debug / ".build-id" / build_id[:2]
    into.mkdir(parents=True)
    machine.run("objcopy", "--only-keep-debug", library, into / f"{build_id[2:]}.debug")
    machine.run("strip", library)
    found = [f"set debug-file-directory {debug}"]
    again = [*found, "nosharedlibrary", "sharedlibrary"]
    with target("live", machine.compiled("nested"), (), private, folder) as made:
        before = made.before if late else [*found, *made.before]
        commands = [*ASK, *again, *ASK] if late else [*ASK, *ASK]
        answer = ask("gdb", commands, before, made.files, folder=folder)
        first = told_truth(made.truth(), answer)["runtimes"][0]
        then = told_truth(made.truth(), answer, time=1)["runtimes"][0]
    assert first["descriptors"] == ("recovered" if late else "symbols")
    assert then["descriptors"] == "symbols"


def second_part(folder: Path, kind: str) -> Path:
    """A library with a runtime of its own: another libomp, or libgomp."""
    library, source = folder / "second_part.so", PROGRAMS / "second_part.c"
    if kind == "gomp":
        machine.run("gcc", "-g", "-fopenmp", "-shared", "-fPIC", source, "-o", library)
        return library
    private = folder / "libomq.so.5"
    code = (machine.cached("libomp-16") / "libomp.so.5").read_bytes()
    private.write_bytes(code.replace(b"libomp.so.5\0", b"libomq.so.5\0"))
    compiled = folder / "second_part.o"
    machine.run(CLANG, "-g", "-fopenmp", "-fPIC", "-c", source, "-o", compiled)
    machine.run(CLANG, "-shared", compiled, private, f"-Wl,-rpath,{folder}", "-o", library)
    return library


def second_truth(made: Target) -> dict[int, int]:
    lines = Path(f"{made.record}.second").read_text(encoding="utf-8").splitlines()
    return {int(tid): int(number) for tid, number in (line.split() for line in lines)}


@pytest.mark.parametrize("kind", ["live", "core"])
@pytest.mark.parametrize("namespace", [False, True], ids=["dlopen", "dlmopen"])
def test_two_libomp(namespace: bool, kind: str, folder: Path) -> None:
    settings = {
        "OMPD_SECOND_PART": str(second_part(folder, "llvm")),
        "KMP_DUPLICATE_LIB_OK": "TRUE",  # libomp itself refuses
        **({"OMPD_NAMESPACE": "1"} if namespace else {}),
    }
    executable, runtime = machine.compiled("two_runtimes"), machine.cached("libomp-19")
    with target(kind, executable, (), runtime, folder, settings) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        check_both(answer, second_truth(made), "16")


def check_both(answer: Answer, true: dict[int, int], version: str) -> None:
    """version: of the second runtime; the program's own is libomp 19."""
    document = answer.document(ASK[0])
    versions = [one["version"] for one in document["runtimes"]]
    assert sorted(versions) == sorted([version, "19"])
    second, first = versions.index(version), versions.index("19")
    inside = {
        thread["lwp"]: member["thread_num"]
        for thread in document["threads"]
        for member in thread["openmp"]
        if member["runtime"] == second and member["level"] == 1
    }
    assert inside == true
    both = [t for t in document["threads"] if {m["runtime"] for m in t["openmp"]} == {0, 1}]
    assert len(both) == 1
    levels = {member["runtime"]: member["level"] for member in both[0]["openmp"]}
    assert levels == {first: 1, second: 1}
    regions = answer.document(ASK[1])["regions"]
    sizes = {one["runtime"]: one["team_size"] for one in regions if one["level"] == 1}
    assert sizes == {first: 2, second: 3}
    assert "2 OpenMP runtimes" in " ".join(answer.texts[3].split())
    assert "2 OpenMP runtimes" in " ".join(answer.texts[2].split())


@pytest.mark.parametrize("kind", ["live", "core"])
def test_libgomp_beside_libomp(kind: str, folder: Path) -> None:
    settings = {"OMPD_SECOND_PART": str(second_part(folder, "gomp"))}
    executable, runtime = machine.compiled("two_runtimes"), machine.cached("libomp-19")
    with target(kind, executable, (), runtime, folder, settings) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        check_both(answer, second_truth(made), machine.gccs_release())
    kinds = [one["kind"] for one in answer.document(ASK[0])["runtimes"]]
    assert sorted(kinds) == ["gomp", "llvm"]


@pytest.mark.parametrize("release", ["21", "22", "23"])
@pytest.mark.parametrize("case", [Case("nested"), Case("teams", args=("2", "nested"))], ids=str)
def test_newer_releases(case: Case, release: str, folder: Path) -> None:
    executable, runtime = machine.compiled(case.source), machine.cached(f"libomp-{release}-debug")
    with target("live", executable, case.args, runtime, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        found = told_truth(made.truth(), answer)
    assert found["runtimes"][0]["version"] in (release, "22" if release == "21" else release)


# ---- GNU's runtime in the program ----------------------------------------------------------------


def cells_of_libgomp() -> list[tuple[str, str, str]]:
    programs, kinds = ["nested", "tasks", "beside"], ["live", "attach", "core"]
    every = [(p, how, kind) for p in programs for how in machine.LINKED for kind in kinds]
    few = [
        (programs[i % 2 * 2 if i < 3 else 0], how, kinds[(i + k) % 3])
        for i, how in enumerate(machine.LINKED)
        for k in range(2)
    ]
    return every if machine.FULL else list(dict.fromkeys(few))


@pytest.mark.parametrize("program, how, kind", cells_of_libgomp())
def test_libgomp_in_the_program(program: str, how: str, kind: str, folder: Path) -> None:
    """Its symbol versions are gone: its own code tells its layout."""
    executable = machine.with_libgomp(program, how, folder)
    with target(kind, executable, (), NOWHERE, folder) as made:
        shown = [*SHOWN, "ompd bt -merge"]
        answer = ask("gdb", shown, made.before, made.files, folder=folder)
        record = truth.as_gnus(made.truth(), answer.document(ASK[0]))
        found = told_truth(record, answer)
    runtime = found["runtimes"][0]
    assert (runtime["kind"], runtime["descriptors"]) == ("gomp", "record")
    assert "linked into the program" in answer.texts[2]
    # Nor is what the C library starts threads and programs with the user's.
    assert "main" in answer.texts[-1]
    assert not re.search("_start|clone", answer.texts[-1]), answer.texts[-1]


@pytest.mark.parametrize(
    "program, build, kind",
    [
        ("beside", "linked", "attach"),
        ("beside", "optimised", "core"),
        ("beside", "optimised", "live"),
    ],
)
def test_optimised_with_lines(program: str, build: str, kind: str, folder: Path) -> None:
    """Where gcc's code of a construct begins, functions can that are inlined: their line is not the
    construct's. linked: with -flto."""
    executable, home = machine.built_for(GNU, program, build), machine.cached(GNU)
    with target(kind, executable, (), home, folder) as made:
        answer = ask("gdb", SHOWN, made.before, made.files, folder=folder)
        told_truth(truth.as_gnus(made.truth(), answer.document(ASK[0])), answer)


@pytest.mark.parametrize("how", ["archive", "static"])
def test_stripped_with_libgomp(how: str, folder: Path) -> None:
    """What is not looked into is not told to be without OpenMP."""
    executable = machine.with_libgomp("nested", how, folder)
    machine.run("strip", executable)
    with target("core", executable, (), NOWHERE, folder) as made:
        shown = ["ompd", "ompd threads", "ompd status", "ompd report -json"]
        answer = ask("gdb", shown, made.before, made.files, folder=folder)
    kinds = [thread["kind"] for thread in answer.document(shown[-1])["threads"]]
    assert len(kinds) > 1 and set(kinds) == {None}, answer.everything
    for text in answer.texts[:2]:
        assert text.startswith("GNU libgomp is linked into the program, which is stripped: where")
    assert "Runtime : none that can be read" in answer.texts[2]


def test_unknown_release(folder: Path) -> None:
    """It has a version of its symbols that no libgomp has that is known, and no known build-id."""
    executable, library = machine.built_for(GNU, "nested"), folder / "libgomp.so.1"
    original = machine.cached(GNU) / "libgomp.so.1"
    build_id = bytes.fromhex(
        machine.run("readelf", "-n", original).split("Build ID:")[1].split()[0]
    )
    changed = original.read_bytes().replace(build_id, bytes(len(build_id)))
    library.write_bytes(changed.replace(b"\0GOMP_5.1\0", b"\0GOMP_7.1\0"))
    with target("core", executable, (), folder, folder) as made:
        answer = ask("gdb", ["ompd", "ompd threads"], made.before, made.files, folder=folder)
    for text in answer.texts:
        assert text.startswith("GNU libgomp is loaded, and of a release that this libompd does not")


def test_static_program_without_names(folder: Path) -> None:
    executable, source = folder / "plain", folder / "plain.c"
    source.write_text("#include <stdlib.h>\nint main(void) { abort(); }\n", encoding="utf-8")
    machine.run("gcc", "-static", "-s", source, "-o", executable)
    core = kernel_core(executable, (), {}, folder)
    shown = ["ompd", "ompd threads", "ompd report -json"]
    answer = ask("gdb", shown, [], [executable, core], folder=folder)
    (thread,) = answer.document(shown[-1])["threads"]
    assert thread["kind"] is None
    for text in answer.texts[:2]:
        assert text.startswith("The program is linked statically"), answer.everything


def named_libiomp(runtime: str, folder: Path) -> Path:
    """Where a copy lies that says to be libiomp5: one of Intel's cannot be had."""
    private = folder / "lib"
    private.mkdir()
    code = (machine.cached(runtime) / "libomp.so.5").read_bytes()
    code = code.replace(b"libomp.so.5\0", b"libiomp5.so\0").replace(b"libomp.so\0", b"libiomp5\0\0")
    (private / "libomp.so.5").write_bytes(code)
    return private


def test_libiomp_is_read_by_its_own_table(folder: Path) -> None:
    """And by nothing that was measured in LLVM's, however alike it is."""
    private = named_libiomp("libomp-19", folder)
    with target("attach", machine.compiled("nested"), (), private, folder) as made:
        answer = ask("gdb", [*SHOWN, "ompd tasks"], made.before, made.files, folder=folder)
        found = told_truth(made.truth(), answer, has_record=False)
    assert found["runtimes"][0]["descriptors"] == "recovered"
    assert "libiomp5 (like LLVM 19)" in answer.texts[2]
    assert "noted: this is Intel's libiomp5, or built under its name" in answer.texts[2]
    assert "no shipped record fits" in answer.texts[-1]


def test_libiomp_without_a_table_is_refused(folder: Path) -> None:
    private = named_libiomp("libomp-19-lto", folder)
    with target("attach", machine.compiled("nested"), (), private, folder) as made:
        answer = ask("gdb", ["ompd", "ompd threads"], made.before, made.files, folder=folder)
    said = (
        "publishes nothing that proves where it keeps its threads, and no build of it was measured"
    )
    assert all(said in " ".join(text.split()) for text in answer.texts), answer.texts
