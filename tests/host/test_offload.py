# SPDX-License-Identifier: Apache-2.0
"""Is what libompd tells of devices and mappings what the program recorded of itself, on each
stripped libomptarget? ompd-host asks, of processes that are attached to and of kernel cores."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path
from typing import Any

import comparison
import figures
import fork
import machine
import pytest
import sessions
import shown
from mark_as_cuda import EM_CUDA, SM_80, mark_as_cuda

OF_BOOKWORM = ("libomptarget-13", "libomptarget-14", "libomptarget-15", "libomptarget-16")
# Not 23, which takes no kernels of clang 14.
ALL = OF_BOOKWORM + tuple(f"libomptarget-{release}" for release in (17, 18, 19, 21, 22))
# Each way that a release keeps its tables, without full downloads of other suites.
COVER = ("libomptarget-13", "libomptarget-14", "libomptarget-16", "libomptarget-19")
RUNTIMES = ALL if machine.FULL else COVER
STEPS = 300
KIND_HOST, KIND_CUDA, KERNEL, VARIABLE = 1, 2, 1, 2
# Reads of a table of some hundred mappings, with finding the library, and KiB.
READS_MAX, KIB_MAX = 400, 1600


def seed() -> int:
    """Chosen when the test runs, and shown when it fails."""
    chosen = random.SystemRandom().randrange(1 << 30)
    print(f"seed {chosen}")
    return chosen


def compare(document: Any, account: Any, runtime: str, how: str) -> None:
    """Every mapping equal, none more, none missing; devices, ICVs and entries."""
    offload = document["offload"]
    figures.count(runtime, how, offload, account)
    release = int(runtime.rpartition("-")[2])
    assert offload["rc"] == "ok" and offload["version"] == release
    assert (offload["layout"], offload["mapping_layout"]) == ("proven", "proven"), offload["reason"]
    recorded, told = shown.recorded(account), shown.shown(offload)
    assert told == recorded
    comparison.compared["mappings"] += len(recorded)
    assert len(offload["devices"]) == account["devices"]
    assert all(device["kind"] == KIND_HOST for device in offload["devices"])
    used = {device for device, _ in recorded}
    assert used <= {device["number"] for device in offload["devices"] if device["used"] == 1}
    assert all(not device["locked"] and not device["problem"] for device in offload["devices"])
    entries = {entry["kind"]: entry for entry in offload["entries"]}
    assert int(entries[VARIABLE]["address"], 16) == account["declared"]
    assert entries[VARIABLE]["name"] == "declared"
    assert re.fullmatch(r"__omp_offloading_\w+_main_l\d+", entries[KERNEL]["name"])
    icvs = document["address_space"]["icvs"]
    assert icvs["num-devices-var"]["value"] == account["devices"]
    assert icvs["device-num-var"]["value"] == account["initial"]
    assert offload["reads"] <= READS_MAX and offload["bytes"] <= KIB_MAX * 1024


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_process(runtime: str, folder: Path) -> None:
    with shown.living(runtime, folder, seed(), STEPS, "wait") as (process, account):
        compare(shown.told("attach", process.pid), account, runtime, "living")


@pytest.mark.parametrize("runtime", RUNTIMES if machine.FULL else RUNTIMES[1::2])
def test_core(runtime: str, folder: Path) -> None:
    core, account = shown.died(runtime, folder, seed(), STEPS)
    compare(shown.told("core", core, shown.built(runtime)), account, runtime, "core")


@pytest.mark.full
@pytest.mark.parametrize("release", [21, 22, 23])
def test_code_of_its_own_clang(release: int, folder: Path) -> None:
    """What newer compilers have a program map."""
    runtime, compiler = f"libomptarget-{release}", f"clang-{release}"
    program = shown.built(runtime, "-nogpulib", compiler=compiler)
    with shown.living(runtime, folder, seed(), STEPS, "wait", program=program) as (
        process,
        account,
    ):
        compare(shown.told("attach", process.pid), account, runtime, f"living, {compiler}")
    core, account = shown.died(runtime, folder, seed(), STEPS, program=program)
    compare(shown.told("core", core, program), account, runtime, f"core, {compiler}")


def rows_in(text: str) -> list[tuple[int, ...]]:
    """Of a table that the runtime has printed. Before 14 there was one count."""
    row = r"(0x[0-9a-f]+) (0x[0-9a-f]+)\s+(\d+)\s+(INF|\d+)(?:\s+(INF|\d+))?(?:\s|$)"
    return sorted(
        (
            *(int(begin, 16), int(target, 16), int(size)),
            *(shown.NEVER if count == "INF" else int(count or 0) for count in counts),
        )
        for begin, target, size, *counts in re.findall(row, text)
    )


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_runtime_prints_the_same_when_it_fails(runtime: str, folder: Path) -> None:
    """What LIBOMPTARGET_INFO has it print of the device that a map clause fails on."""
    core, account = shown.died(
        *(runtime, folder, seed(), STEPS), how="extend", LIBOMPTARGET_INFO="4"
    )
    offload = shown.told("core", core, shown.built(runtime))["offload"]
    told, recorded = shown.shown(offload), shown.recorded(account)
    assert told == recorded
    scoped = next(key for key in recorded if recorded[key][4] == "scoped[0:bytes]")
    ours = sorted(
        (begin, target, end - begin, dynamic, hold)
        for (device, begin), (end, dynamic, hold, target, _) in told.items()
        if device == scoped[0]
    )
    text = (folder / "output").read_text(encoding="utf-8", errors="replace")
    # It has printed tables before, at the ends of other directives, and of other devices.
    tables = [
        one for one in text.split("pointer mappings") if f"device {scoped[0]} info: 0x" in one
    ]
    printed = rows_in(tables[-1])
    assert printed and printed == ours, text[-3000:]
    comparison.compared["mappings, as the runtime prints them"] += len(printed)


@pytest.mark.parametrize("runtime", [one for one in RUNTIMES if one >= "libomptarget-19"])
def test_runtime_prints_the_same(runtime: str, folder: Path) -> None:
    """Its own dump, of a program that waits outside of all mapping."""
    with shown.living(runtime, folder, seed(), STEPS, "dump") as (process, _):
        told = shown.shown(shown.told("attach", process.pid)["offload"])
        text = (folder / "output").read_text(encoding="utf-8", errors="replace")
    printed = rows_in(text)
    ours = sorted(
        (begin, target, end - begin, dynamic, hold)
        for (_, begin), (end, dynamic, hold, target, _) in told.items()
    )
    assert printed and printed == ours, text[-3000:]
    comparison.compared["mappings, as the runtime prints them"] += len(printed)


@pytest.mark.parametrize("runtime", RUNTIMES if machine.FULL else RUNTIMES[-1:])
def test_lock_is_held(runtime: str, folder: Path) -> None:
    """In the middle of a mapping the table is told all the same, and who is inside."""
    chosen = seed()
    program = shown.built(runtime, "-DCOUNT_NEW")
    held = 0
    for calls in range(24):
        try:
            with shown.living(runtime, folder, chosen, STEPS, f"lock{calls}", program=program) as (
                process,
                account,
            ):
                offload = shown.told("attach", process.pid)["offload"]
                pid = process.pid
        except AssertionError:
            break  # so often operator new is not called
        assert offload["reads"] <= READS_MAX and offload["bytes"] <= KIB_MAX * 1024
        owners = [device["owner"] for device in offload["devices"] if device["locked"]]
        assert owners in ([], [pid])
        assert offload["mapping_layout"] == "proven"
        told, recorded = shown.shown(offload), shown.recorded(account)
        assert {key: told[key] for key in recorded} == recorded
        assert len(told) <= len(recorded) + 1
        held += len(owners)
        if held and not machine.FULL:
            break
    assert held > 0


def shifted(folder: Path, names: str) -> Path:
    """libompd with records in which these members lie 8 bytes further."""
    place = folder / "offload"
    place.mkdir()
    text = (machine.ROOT / "libompd/offload/records.inc").read_text(encoding="utf-8")
    row = re.compile(rf"(OFFLOAD_FIELD_(?:{names})\] = {{)(\d+)")
    text, count = row.subn(lambda found: found[1] + str(int(found[2]) + 8), text)
    assert count > 8
    (place / "records.inc").write_text(text, encoding="utf-8")
    objects = machine.BUILD / "libompd" / "CMakeFiles" / "ompd_objects.dir"
    others = [path for path in objects.rglob("*.o") if path.name != "record.c.o"]
    sources = machine.ROOT / "libompd"
    library = folder / "libompd.so"
    machine.run(
        *("gcc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{folder}"),
        *(f"-I{sources}", f"-I{machine.ROOT / 'include'}", sources / "offload/record.c", *others),
        *(f"-Wl,--version-script={sources / 'libompd.map'}", "-o", library),
    )
    return library


SHIFTS = (
    "MAPPING_COUNTS?",
    "MAPPING_DEVICE_BEGIN",
    "MAPPING_ALLOCATION|MAPPING_DEVICE_BEGIN|MAPPING_COUNTS?|MAPPING_MUTEX",
    "DEVICE_MAPPINGS",
    "MANAGER_ENTRIES",
)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_shifted_records_are_refused(runtime: str, folder: Path) -> None:
    """What these tests compare would notice, and the library notices by itself."""
    with shown.living(runtime, folder, seed(), STEPS, "wait") as (process, account):
        for number, names in enumerate(SHIFTS):
            place = folder / str(number)
            place.mkdir()
            library = shifted(place, names)
            offload = shown.told("attach", process.pid, library=library)["offload"]
            assert shown.shown(offload) != shown.recorded(account), names
            assert offload["mapping_layout"] == "refused" and shown.shown(offload) == {}, names
            assert offload["reason"] in ("offload_unfit", "offload_mappings_unfit"), names


@pytest.mark.full
@pytest.mark.parametrize("one", fork.FORKS, ids=lambda one: one.name)
def test_a_build_with_another_member(one: fork.Fork, folder: Path) -> None:
    """What is told of it is right, living and of its core, or it is refused."""
    program, place = shown.built(fork.RUNTIME), fork.built(one)
    settings = {"LD_LIBRARY_PATH": str(place)}
    with shown.living(fork.RUNTIME, folder, seed(), STEPS, "wait", **settings) as (
        process,
        account,
    ):
        assert str(place) in Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        living = shown.told("attach", process.pid)["offload"]
    core, of_core = shown.died(fork.RUNTIME, folder, seed(), STEPS, **settings)
    dead = shown.told("core", core, program)["offload"]
    for offload, recorded in ((living, account), (dead, of_core)):
        assert offload["version"] == 14
        told, true = told_as_certain(offload), shown.recorded(recorded)
        assert all(true[key] == mapping for key, (mapping, _) in told.items()), one
        assert (told.keys() == true.keys()) or says_that_some_lack(offload)
        if one.fits:
            assert offload["mapping_layout"] == "proven" and told.keys() == true.keys()
        else:
            assert offload["mapping_layout"] != "proven"
        comparison.compared["mappings of builds with another member"] += len(told)


class Core:
    """A core file's bytes by their addresses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = bytearray(path.read_bytes())
        (start,) = struct.unpack_from("<Q", self.data, 32)
        (count,) = struct.unpack_from("<H", self.data, 56)
        self.parts = []
        for i in range(count):
            kind, _, offset, address, _, size = struct.unpack_from(
                "<IIQQQQ", self.data, start + 56 * i
            )
            if kind == 1 and size:
                self.parts.append((address, offset, size))

    def place(self, address: int) -> int | None:
        for start, offset, size in self.parts:
            if start <= address and address + 8 <= start + size:
                return offset + address - start
        return None

    def word(self, address: int) -> int | None:
        place = self.place(address)
        return None if place is None else int(struct.unpack_from("<Q", self.data, place)[0])

    def find(self, *words: int) -> int:
        """Where these stand beside each other."""
        wanted = struct.pack(f"<{len(words)}Q", *words)
        (found,) = (
            start + at - offset
            for start, offset, size in self.parts
            if (at := self.data.find(wanted, offset, offset + size)) >= 0
        )
        return found


def told_as_certain(offload: Any) -> dict[tuple[int, int], tuple[shown.Mapping, int]]:
    """With the address of each entry."""
    if "layout" not in offload or "refused" in (offload["layout"], offload["mapping_layout"]):
        return {}
    found = {}
    for device in offload["devices"]:
        for one in device["mappings"]:
            if not one["problem"]:
                (key, mapping), *_ = shown.shown(
                    {"devices": [{**device, "mappings": [one]}]}
                ).items()
                found[key] = mapping, int(one["address"], 16)
    return found


def says_that_some_lack(offload: Any) -> bool:
    return (
        offload.get("layout") != "proven"
        or offload["mapping_layout"] != "proven"
        or any(
            device["problem"] or device["mapped"] != len(device["mappings"])
            for device in offload["devices"]
        )
    )


ENTRY_BYTES, COUNTS_BYTES = 96, 72


def own_words(image: Core, entry: int) -> list[range]:
    """An entry, its node's key, and what it leads to."""
    found = [range(entry - 48, entry + ENTRY_BYTES)]
    for address in range(entry, entry + ENTRY_BYTES, 8):
        word = image.word(address)
        if word is not None and image.place(word) is not None:
            found.append(range(word, word + COUNTS_BYTES))
    return found


def test_damaged_cores(folder: Path) -> None:
    """Words of the structures changed: no crash, no hang; a mapping that nothing was changed of is
    told as it is, or not at all, and that some lack is said."""
    runtime = random.choice(RUNTIMES)
    core, account = shown.died(runtime, folder, seed(), STEPS)
    whole = shown.told("core", core, shown.built(runtime))["offload"]
    image = Core(core)
    places = [int(whole["manager"], 16)]
    for device in whole["devices"]:
        places.append(int(device["address"], 16))
        places += [int(one["address"], 16) for one in device["mappings"]]
    recorded = shown.recorded(account)
    refused = right = changed = 0
    for _ in range(1000 if machine.FULL else 12):
        data = bytearray(image.data)
        spoilt = []
        for _ in range(random.choice([1, 3, 10, 100])):
            address = random.choice(places) + 8 * random.randrange(-8, 90)
            place = image.place(address)
            if place is None:
                continue
            spoilt.append(address)
            other = image.place(random.choice(places) + 8 * random.randrange(-8, 90)) or place
            word = random.choice(
                [bytes(8), b"\xff" * 8, random.randbytes(8), bytes(data[other : other + 8])]
            )
            data[place : place + 8] = word
        damaged = folder / "damaged"
        damaged.write_bytes(data)
        offload = shown.told("core", damaged, shown.built(runtime))["offload"]
        assert offload["rc"] in ("ok", "unavailable")
        refused += offload.get("layout") == "refused"
        assert offload["reads"] < 5000, offload["reads"]
        told = told_as_certain(offload)
        others = {key: one for key, one in told.items() if recorded.get(key) != one[0]}
        for key, (mapping, entry) in others.items():
            areas = own_words(image, entry)
            assert any(at in area for at in spoilt for area in areas), (key, mapping, spoilt)
        right += len(told) - len(others)
        changed += len(others)
        # The list of devices may be shorter and sound.
        if not {int(whole["manager"], 16) // 1024} & {at // 1024 for at in spoilt}:
            assert len(told) == len(recorded) or says_that_some_lack(offload), spoilt
    comparison.compared["mappings in damaged cores"] += right
    print(
        f"{runtime}: {refused} refused, {right} mappings right, {changed} as they were changed to"
    )


def layout_of(release: int) -> dict[str, int]:
    """Where the members are, by the shipped record."""
    text = (machine.ROOT / "libompd/offload/records.inc").read_text(encoding="utf-8")
    for record in text.split(".name =")[1:]:
        versions = re.search(r"\.versions = \{([\d, ]+)\}", record)
        if versions and str(release) in versions[1].split(", "):
            return {
                name: int(offset)
                for name, offset in re.findall(r"OFFLOAD_FIELD_(\w+)\] = \{(\d+)", record)
            }
    raise AssertionError(f"no record for {release}")


def contradictions(image: Core, layout: dict[str, int], one: Any) -> dict[str, tuple[int, int]]:
    """What of a mapping can be seen to be wrong: a word's address, and what is put there."""
    entry, begin = int(one["address"], 16), int(one["begin"], 16)
    end, device = entry + layout["MAPPING_END"], entry + layout["MAPPING_DEVICE_BEGIN"]
    node = entry - 32
    found = {"ends before it begins": (end, begin - 8), "nowhere on the device": (device, 0)}
    if "KEY_MAPPING" in layout:
        key = image.find(begin, entry)
        node = key - 32
        found["another key"] = key, begin + 1
        found["begins elsewhere"] = entry + layout["MAPPING_BEGIN"], begin + 1
        found["its node leads elsewhere"] = key + 8, entry + 8
    if "MAPPING_ALLOCATION" in layout:
        found["beside its block"] = device, int(one["device_begin"], 16) + 64
        found["its block is behind it"] = (
            entry + layout["MAPPING_ALLOCATION"],
            int(one["device_begin"], 16) + 8,
        )
    counts = entry + layout.get("MAPPING_COUNT", layout.get("MAPPING_COUNTS", 0))
    if "MAPPING_COUNTS" in layout:
        found["its counts are nowhere"] = counts, 16
        counts = image.word(counts) or 0
    found["more counts than can be"] = counts, 1 << 40
    found["no colour"] = node, 7
    found["its parent is another"] = node + 8, node
    found["a circle"] = node + 16, node
    return found


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_damage_that_can_be_seen(runtime: str, folder: Path) -> None:
    """Whatever contradicts itself is not told as certain, and takes nothing else along unsaid."""
    core, account = shown.died(runtime, folder, seed(), STEPS)
    whole = shown.told("core", core, shown.built(runtime))["offload"]
    image, recorded = Core(core), shown.recorded(account)
    device = max(whole["devices"], key=lambda device: len(device["mappings"]))
    one = random.choice([one for one in device["mappings"] if one["source"]])
    key = device["number"], int(one["begin"], 16)
    assert recorded.keys() >= {key}
    layout = layout_of(whole["version"])
    for what, (address, word) in contradictions(image, layout, one).items():
        place = image.place(address)
        assert place is not None, what
        damaged, data = folder / "damaged", bytearray(image.data)
        data[place : place + 8] = struct.pack("<Q", word)
        damaged.write_bytes(data)
        offload = shown.told("core", damaged, shown.built(runtime))["offload"]
        told = told_as_certain(offload)
        assert key not in told or told[key][0] == recorded[key], what
        assert all(recorded[key] == mapping for key, (mapping, _) in told.items()), what
        assert says_that_some_lack(offload), what


# The releases whose CUDA plugin takes code that says to be of this interface's version.
WITH_DRIVER = (14, 15, 16, 17, 18, 19, 21, 22) if machine.FULL else (14, 19)


@pytest.mark.parametrize("release", WITH_DRIVER)
def test_gpu(release: int, folder: Path) -> None:
    """LLVM's own CUDA plugin over a driver of ours: device addresses are none of the process's."""
    runtime = f"libomptarget-{release}"
    driver = folder / "libcuda.so.1"
    machine.run(
        *("gcc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-O1"),
        *(shown.PROGRAMS / "fake_driver.c", "-o", driver),
    )
    (folder / "libcuda.so").symlink_to(driver.name)
    program = folder / "maps"
    assert mark_as_cuda(shown.built(runtime), program) == 1
    path = f"{folder}:{shown.environment(runtime)['LD_LIBRARY_PATH']}"
    with shown.living(
        runtime, folder, seed(), STEPS, "wait", program=program, LD_LIBRARY_PATH=path
    ) as (process, account):
        offload = shown.told("attach", process.pid)["offload"]
        maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
    assert shown.shown(offload) == shown.recorded(account)
    comparison.compared["mappings on a GPU"] += len(account["mappings"])
    ranges = [[int(x, 16) for x in line.split()[0].split("-")] for line in maps.splitlines()]
    for device in offload["devices"]:
        assert (device["kind"], device["machine"]) == (KIND_CUDA, EM_CUDA)
        assert device["machine_flags"] == SM_80
        for one in device["mappings"]:
            at = int(one["device_begin"], 16)
            assert not any(start <= at < end for start, end in ranges)


def test_no_offload_runtime(folder: Path) -> None:
    """A program without one: no devices are made up."""
    executable = machine.compiled("wide")
    place = machine.cached("libomp-19")
    with sessions.target("attach", executable, ("4",), place, folder) as target:
        document = shown.told("attach", target.pid or 0)
    assert document["offload"]["rc"] == "unavailable"
    icvs = document["address_space"]["icvs"]
    assert icvs["num-devices-var"]["rc"] == icvs["device-num-var"]["rc"] == "unavailable"
