# SPDX-License-Identifier: Apache-2.0
"""Does `ompd show' write what other tools read? Each file is opened by the tool that it is for, and
what that has understood is summed up by thread and state: it must be the time of which the record
was made, to the nanosecond."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import machine
import made_records
import npm
import paraver
import perfetto
import pytest
import speedscope
from browser import Browser, browser
from command import ompd
from made_records import Doing, Made

FLAMEGRAPH = Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")  # libdevel-nytprof-perl
SEEDS = (1, 2, 3) if machine.FULL else (1,)
Sums = dict[tuple[int, str], float]

FILES = {
    "speedscope": "speedscope.json",
    "chrome-trace": "trace.json",
    "folded": "folded",
    "pprof": "pb.gz",
    "paraver": "prv",
}
# What they share is made once.
pytestmark = pytest.mark.xdist_group("exports")


class Exported:
    def __init__(self, program: Made, folder: Path) -> None:
        self.program, self.folder = program, folder
        record = folder / "record.jsonl"
        record.write_bytes(program.data())
        words = [w for name in FILES for w in (f"--{name}", str(self.file(name)))]
        answer = ompd("show", str(record), *words, folder=folder)
        assert answer.status == 0 and answer.text == ""
        assert answer.errors.count("written.") == len(FILES)

    def file(self, name: str) -> Path:
        return self.folder / f"heat.{FILES[name]}"


@pytest.fixture(name="exported", scope="module", params=SEEDS)
def fixture_exported(request: pytest.FixtureRequest) -> Iterator[Exported]:
    with tempfile.TemporaryDirectory(prefix="ompd-exports-") as path:
        yield Exported(made_records.any_program(request.param, moments=100), Path(path))


@pytest.fixture(name="seen", scope="module")
def fixture_seen() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory(prefix="ompd-browser-") as path:
        with browser(Path(path)) as found:
            yield found


# ---- What it should be ---------------------------------------------------------------------------

# The innermost frame of what is no work, by the state and the construct.
LEAVES = {
    ("wait_barrier_implicit_parallel", "region"): "barrier, end of region",
    ("wait_barrier_implicit_workshare", "for"): "barrier, end of for",
    ("wait_barrier_explicit", "barrier"): "barrier",
    ("wait_critical", "critical"): "critical",
    ("wait_lock", "lock"): "lock",
    ("wait_taskwait", "taskwait"): "taskwait",
    ("wait_taskwait", "depend"): "dependences",
    ("wait_taskgroup", "taskgroup"): "taskgroup",
    ("wait_ordered", "ordered"): "ordered",
    ("overhead", None): "overhead",
    ("idle", None): "idle",
    ("preempted", None): "preempted",
    ("kernel", None): "in the kernel",
    ("asleep", None): "asleep",
    ("outside", None): "outside of OpenMP",
    ("?", None): "?",
}


def leaf(doing: Doing) -> str:
    if doing.state.startswith("work"):
        return "work"
    return LEAVES[doing.state, doing.construct[0] if doing.construct else None]


def by_leaf(program: Made) -> Sums:
    found: Sums = {}
    for number, moments in enumerate(program.threads):
        for moment in moments:
            key = (number, leaf(moment.doing))
            found[key] = found.get(key, 0) + moment.ns
    return found


def leaf_of(frame: str) -> str:
    """As it stands in a stack."""
    match = re.match(r"[<\[](.*?)[>\]]( \(|$)", frame)
    return match.group(1) if match else "work"


def thread_of(name: str) -> int:
    match = re.search(r"\bthread (\d+)", name)
    assert match is not None, name
    return int(match.group(1))


def added(sums: Iterator[tuple[tuple[int, str], float]]) -> Sums:
    found: Sums = {}
    for key, value in sums:
        found[key] = found.get(key, 0) + value
    return found


# ---- speedscope ----------------------------------------------------------------------------------


def test_speedscope(exported: Exported, seen: Browser) -> None:
    profiles, complaints = speedscope.read(seen, exported.file("speedscope"), exported.folder)
    assert complaints == []
    assert [profile["unit"] for profile in profiles] == ["nanoseconds"] * 4
    found = added(
        ((thread_of(profile["name"]), leaf_of(stack[-1])), ns)
        for profile in profiles
        for stack, ns in speedscope.stacks(profile).items()
    )
    assert found == by_leaf(exported.program)


def test_speedscope_schema(exported: Exported) -> None:
    """Of the file itself: speedscope's own, which comes with it."""
    jsonschema = pytest.importorskip("jsonschema")
    path = npm.package("speedscope") / "dist" / "release" / "file-format-schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(exported.file("speedscope").read_text("utf-8")), schema)


def test_trace_events(exported: Exported, seen: Browser) -> None:
    """Chrome's format, as speedscope reads it: microseconds, each state within its region."""
    profiles, complaints = speedscope.read(seen, exported.file("chrome-trace"), exported.folder)
    assert complaints == []
    found = added(
        ((thread_of(profile["name"]), json.loads(stack[-1][stack[-1].index("{") :])["state"]), us)
        for profile in profiles
        for stack, us in speedscope.stacks(profile).items()
    )
    true = exported.program.sums()
    assert found.keys() == true.keys()
    for key, us in found.items():
        assert us * 1000 == pytest.approx(true[key], abs=1), key


def test_trace_events_are_exact(exported: Exported) -> None:
    """Of each thread the events nest, and the states' times are the record's."""
    events = json.loads(exported.file("chrome-trace").read_text("utf-8"))["traceEvents"]
    names = {
        one["tid"]: thread_of(one["args"]["name"]) for one in events if one["name"] == "thread_name"
    }
    assert sorted(names.values()) == [0, 1, 2, 3]
    stacks: dict[int, list[dict[str, object]]] = {tid: [] for tid in names}
    sums: Sums = {}
    for one in events:
        if one["ph"] == "B":
            assert all(outer["cat"] == "region" for outer in stacks[one["tid"]])
            stacks[one["tid"]].append(one)
        elif one["ph"] == "E":
            begin = stacks[one["tid"]].pop()
            assert begin["name"] == one["name"] and begin["cat"] == one["cat"]
            if one["cat"] == "state":
                key = (names[one["tid"]], one["args"]["state"])
                sums[key] = sums.get(key, 0) + round(one["ts"] * 1000) - round(begin["ts"] * 1000)
        else:
            assert one["ph"] == "M"
    assert not any(stacks.values()) and sums == exported.program.sums()


COMPLAINTS = "select name, value from stats where severity != 'info' and value != 0"
SLICES = """select thread.name, category, depth, dur, extract_arg(slice.arg_set_id, 'args.state')
from slice join thread_track on track_id = thread_track.id join thread using (utid)"""


def test_trace_events_in_perfetto(exported: Exported) -> None:
    """It complains of nothing, and each thread is a track with the record's states."""
    complaints, slices, all_slices = perfetto.answers(
        exported.file("chrome-trace"), COMPLAINTS, SLICES, "select count(*) from slice"
    )
    assert complaints == [] and all_slices == [[len(slices)]]
    states = [one for one in slices if one[1] == "state"]
    found = added(((thread_of(name), state), ns) for name, _, _, ns, state in states)
    assert found == exported.program.sums()
    # Each stands in its regions' slices, and none in a state's.
    regions = {thread_of(name) for name, category, depth, _, _ in slices if category == "region"}
    assert regions == {0, 1, 2, 3} and {depth > 0 for _, _, depth, _, _ in states} == {True, False}


# ---- Folded stacks -------------------------------------------------------------------------------


def test_folded_in_speedscope(exported: Exported, seen: Browser) -> None:
    (profile,), complaints = speedscope.read(seen, exported.file("folded"), exported.folder)
    assert complaints == []
    found = added(
        ((thread_of(stack[0]), leaf_of(stack[-1])), ns)
        for stack, ns in speedscope.stacks(profile).items()
    )
    assert found == by_leaf(exported.program)


def test_flame_graph(exported: Exported) -> None:
    """As flamegraph.pl draws it: the width of each thread is its time."""
    assert FLAMEGRAPH.exists(), "apt-get install libdevel-nytprof-perl"
    done = subprocess.run(
        ["perl", FLAMEGRAPH, "--countname", "ns", exported.file("folded")],
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stderr == ""
    titles = re.findall(r"<title>(.*?) \(([\d,]+) ns", done.stdout)
    drawn = {name: int(ns.replace(",", "")) for name, ns in titles}
    program = exported.program
    assert drawn["all"] == sum(program.wall(i) for i in range(4))
    threads = {thread_of(name): ns for name, ns in drawn.items() if name.startswith("thread")}
    assert threads == {i: program.wall(i) for i in range(4)}


# ---- pprof ---------------------------------------------------------------------------------------

DECODE = """
const { Profile } = require(process.argv[1]);
const packed = require("fs").readFileSync(process.argv[2]);
const profile = Profile.decode(require("zlib").gunzipSync(packed));
const text = (at) => profile.stringTable.strings[Number(at)];
const named = (value) => [text(value.type), text(value.unit)];
const locations = new Map(profile.location.map((one) => [String(one.id), one]));
const functions = new Map(profile.function.map((one) => [String(one.id), one]));
const frame = (id) => {
    const line = locations.get(String(id)).line[0];
    const found = functions.get(String(line.functionId));
    return [text(found.name), text(found.filename), Number(line.line)];
};
const samples = profile.sample.map((one) => ({
    stack: one.locationId.map(frame),
    values: one.value.map(String),
    labels: Object.fromEntries(one.label.map((label) => [text(label.key), text(label.str)])),
}));
console.log(JSON.stringify({
    types: profile.sampleType.map(named),
    period: named(profile.periodType),
    every: String(profile.period),
    duration: String(profile.durationNanos), samples,
}));
"""


def test_pprof(exported: Exported) -> None:
    """As a decoder of pprof's own format reads it."""
    package = npm.package("pprof-format") / "dist" / "commonjs" / "index.js"
    done = subprocess.run(
        [npm.node(), "-e", DECODE, package, exported.file("pprof")],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["types"] == [["samples", "count"], ["time", "nanoseconds"]]
    assert found["period"] == ["time", "nanoseconds"] and found["every"] == "10000000"
    program = exported.program
    assert int(found["duration"]) == program.last
    sums = added(
        ((thread_of(one["labels"]["thread"]), one["labels"]["state"]), int(one["values"][1]))
        for one in found["samples"]
    )
    assert sums == program.sums()
    assert sum(int(one["values"][0]) for one in found["samples"]) == program.samples()
    leaves = added(
        ((thread_of(one["labels"]["thread"]), leaf_of(one["stack"][0][0])), int(one["values"][1]))
        for one in found["samples"]
    )
    assert leaves == by_leaf(program)
    solving = [frame for one in found["samples"] for frame in one["stack"] if frame[0] == "solve"]
    assert solving and all(frame == ["solve", made_records.FILE, 42] for frame in solving)


def pprof(exported: Exported, *words: str) -> str:
    """Of Go's tools, which the distribution brings without a command of that name."""
    found = [shutil.which("pprof"), *sorted(glob.glob("/usr/lib/go*/pkg/tool/*/pprof"))]
    program = next((one for one in found if one), None)
    if program is None:
        raise machine.Missing("There is no pprof: apt-get install golang-go")
    done = subprocess.run(
        [program, *words, exported.file("pprof")],
        env={**os.environ, "PPROF_TMPDIR": str(exported.folder)},
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


@pytest.mark.full
def test_pprof_itself(exported: Exported) -> None:
    """By samples, and as its table adds them up: each function with what it called."""
    program = exported.program
    samples = re.findall(
        r"^ +(\d+) +(\d+): [\d ]+\n +state:\[(.*?)\] thread:\[(.*?)\]$",
        pprof(exported, "-raw"),
        re.MULTILINE,
    )
    assert sum(int(count) for count, *_ in samples) == program.samples()
    sums = added(((thread_of(thread), state), float(ns)) for _, ns, state, thread in samples)
    assert sums == program.sums()
    table = pprof(exported, "-top", "-nodecount=1000", "-sample_index=time", "-unit=ns")
    flat = re.findall(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +\d+(?:ns)? +[\d.]+% +(.*)$", table, re.M)
    leaves = added((((0, leaf_of(name)), float(ns)) for ns, name in flat if int(ns)))
    true = added(((0, state), ns) for (_, state), ns in by_leaf(program).items())
    assert leaves == true


def test_pprof_in_speedscope(exported: Exported, seen: Browser) -> None:
    (profile,), complaints = speedscope.read(seen, exported.file("pprof"), exported.folder)
    assert complaints == []
    program = exported.program
    assert sum(speedscope.stacks(profile).values()) == sum(program.wall(i) for i in range(4))


# ---- Paraver -------------------------------------------------------------------------------------

# By ovni's names, which a user of its configurations looks for.
OVNI = {
    "work_serial": "Runtime: Attached",
    "work_parallel": "Runtime: User microtask",
    "work_reduction": "Runtime: User microtask",
    "wait_barrier_implicit_parallel": "Barrier: Join",
    "wait_barrier_implicit_workshare": "Barrier: Plain",
    "wait_barrier_explicit": "Barrier: Plain",
    "wait_critical": "Critical: Acquiring",
    "wait_lock": "Lock: Acquiring",
    "wait_taskgroup": "Task: Taskgroup",
    "wait_ordered": "Ordered: Waiting",
    "overhead": "Runtime: Internal microtask",
    "idle": "Barrier: Fork",
    "preempted": "Preempted",
    "kernel": "In the kernel",
    "asleep": "Asleep",
    "outside": "Outside of OpenMP",
    "?": "Not known",
}


def subsystem(doing: Doing) -> str:
    if doing.state == "wait_taskwait":
        depends = doing.construct is not None and doing.construct[0] == "depend"
        return "Task: Taskwait deps" if depends else "Task: Taskwait"
    return OVNI[doing.state]


def test_paraver(exported: Exported) -> None:
    """By a reader that refuses all that the format does not say."""
    trace = paraver.read(exported.file("paraver"))
    program = exported.program
    assert trace.duration == program.last and len(trace.rows) == 4
    assert [thread_of(name) for name in trace.rows] == [0, 1, 2, 3]
    true: Sums = {}
    for number, moments in enumerate(program.threads):
        for moment in moments:
            key = (number, subsystem(moment.doing))
            true[key] = true.get(key, 0) + moment.ns
    assert trace.sums("OpenMP subsystem") == true
    regions = added(
        ((number, "heat.c:40" if moment.doing.region else "None"), moment.ns)
        for number, moments in enumerate(program.threads)
        for moment in moments
    )
    assert trace.sums("OpenMP region") == regions
    running = added(
        ((key[0], "Running"), ns) for key, ns in program.sums().items() if key[1].startswith("work")
    )
    found = trace.states()
    assert {key: ns for key, ns in found.items() if key[1] == "Running"} == running
    assert sum(found.values()) == sum(program.wall(i) for i in range(4))
