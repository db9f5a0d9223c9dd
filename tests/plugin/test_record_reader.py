# SPDX-License-Identifier: Apache-2.0
"""Is a record that was cut, damaged, made by somebody else or made to do harm read as far as it
holds, said to be what it is, and never believed beyond that?"""

from __future__ import annotations

import json
import random

import made_records as made
import pytest
from ompd_core.errors import UserError
from ompd_core.recording import fields, reader, sums
from ompd_core.recording.reader import Reader
from ompd_core.recording.record import Record
from ompd_core.recording.stacks import tree
from ompd_core.recording.summary import summary
from ompd_core.recording.timeline import timeline
from ompd_core.views.exports import chrome_trace, folded, paraver, pprof, speedscope
from ompd_core.views.html import page
from ompd_core.views.recording import document, text
from ompd_core.views.table import Style
from ompd_core.views.terminal import plain


def read(data: bytes) -> Record:
    found = Reader()
    found.feed(data)
    return found.finish()


def refused(data: bytes) -> str:
    with pytest.raises(UserError) as met:
        read(data)
    sentence = met.value.sentence()
    assert plain(sentence) == sentence and sentence.endswith("."), sentence
    return sentence


PROGRAM = made.any_program(1, threads=3, moments=60)
LINES = [line.encode() for line in PROGRAM.lines()]


@pytest.mark.parametrize("seed", range(8))
def test_cut_anywhere(seed: int) -> None:
    """What is before the cut is there to the nanosecond, and it is said that it ends early."""
    data = PROGRAM.data()
    at = random.Random(seed).randrange(len(LINES[0]), len(data) - 1)
    found = read(data[:at])
    assert len(found.damage) == 1 and found.damage[0].startswith("It ends early, after ")
    whole = data[: data.rindex(b"\n", 0, at) + 1].decode().splitlines()
    told = [json.loads(line) for line in whole]
    ns = sum(row[0] for line in told if "segments" in line for row in line["rows"])
    assert sums.whole(found, sums.totals(found)).whole.ns == ns
    assert not found.complete


def test_without_its_closing_line() -> None:
    found = read(PROGRAM.data(end=False))
    assert not found.complete and "ends early" in found.damage[0]
    assert sums.whole(found, sums.totals(found)).whole.samples == PROGRAM.samples()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "it is empty"),
        (b"hello\n", "does not say so"),
        (b'{"schema":"ompd/1","command":"report"}\n', '"ompd/1"'),
        (b'{"schema":"ompd-record/2"}\n', "another version"),
        (b'{"schema":7}\n', "does not say so"),
        (b"\x7fELF" + bytes(100), "ELF"),
        (bytes(5000), "not text"),
        (b"[" * 100_000 + b"\n", "does not say so"),
        (b'{"schema":' * 50_000 + b"\n", "does not say so"),
        (b'{"schema":"\\u001b[31mred"}\n', "document of"),
    ],
)
def test_what_is_no_record(data: bytes, words: str) -> None:
    assert words in refused(data)


def test_line_without_an_end() -> None:
    found = Reader()
    with pytest.raises(UserError, match="no end"):
        for _ in range(20):
            found.feed(b"x" * (1 << 20))


def test_long_line_in_the_middle() -> None:
    found = Reader()
    found.feed(LINES[0])
    for _ in range(40):
        found.feed(b"x" * (1 << 20))
    assert len(found._rest) <= reader.LONGEST_LINE + (1 << 20)  # pylint: disable=protected-access
    found.feed(b"\n" + b"".join(LINES[1:]))
    record = found.finish()
    assert "nothing that can be read" in record.damage[0]
    assert record.threads and record.end is not None


def segments(rows: object, thread: object = 0, start: object = 0) -> bytes:
    return json.dumps({"segments": thread, "start": start, "rows": rows}).encode() + b"\n"


HEADER = LINES[0]
ACTIVITY = b'{"activity":1,"state":"work_serial"}\n'


@pytest.mark.parametrize(
    "rows",
    [
        [[-5, 1, 1]],
        [[1 << 54, 1, 1]],
        [[1.5, 1, 1]],
        [[True, 1, 1]],
        [[1, 1]],
        [[1, 1, 1 << 40]],
        ["x"],
        {"a": 1},
        [[None, 1, 1]],
    ],
)
def test_rows_that_are_none(rows: object) -> None:
    found = read(HEADER + ACTIVITY + segments(rows) + segments([[7, 1, 1]]))
    assert "nothing that can be read" in found.damage[0]
    assert sums.whole(found, sums.totals(found)).whole.ns == 7


def test_time_is_not_counted_twice() -> None:
    lines = ACTIVITY + segments([[100, 1, 1]]) + segments([[100, 1, 1]], start=50)
    found = read(HEADER + lines)
    assert found.threads[0].wall == 100 and "line 4" in found.damage[0]


def test_lines_that_are_missing() -> None:
    """The time of which nothing is told is not known, and counts."""
    found = read(HEADER + ACTIVITY + segments([[100, 1, 1]]) + segments([[100, 1, 1]], start=150))
    states = sums.by_state(found, sums.totals(found))
    assert {name: total.whole.ns for name, total in states.items()} == {
        "work_serial": 200,
        "?": 50,
    }


def go_on(until: object, *spans: object) -> bytes:
    return json.dumps({"go_on": until, "threads": spans}).encode() + b"\n"


def test_rows_that_go_on() -> None:
    """Of threads without a line of their own; the next line begins where they end."""
    lines = b"".join(segments([[100, 1, 1]], thread) for thread in (0, 1, 3))
    lines += go_on(150, [0, 1], [3, 3]) + go_on(170, [1, 1])
    found = read(HEADER + ACTIVITY + lines + segments([[10, 1, 1]], 3, start=150))
    assert not [one for one in found.damage if "nothing that can be read" in one]
    assert [thread.end for thread in found.threads] == [150, 170, 160]
    assert [sum(row.end - row.start for row in one.rows()) for one in found.threads] == [
        150,
        170,
        160,
    ]
    total = sums.whole(found, sums.totals(found)).whole
    assert (total.ns, total.samples) == (480, 4)


@pytest.mark.parametrize(
    "line",
    [
        go_on(None, [0, 0]),
        go_on(150, 7),
        go_on(150, [0]),
        go_on(150, [1, 0]),
        go_on(150, [0, 0], [0, 0]),
        go_on(150, [0, True]),
        go_on(50, [0, 0]),
        b'{"go_on":150}\n',
    ],
)
def test_rows_that_cannot_go_on(line: bytes) -> None:
    found = read(HEADER + ACTIVITY + segments([[100, 1, 1]]) + line)
    assert "nothing that can be read" in found.damage[0]
    assert found.threads[0].end == 100
    # Of threads that are not there nothing is made.
    found = read(HEADER + ACTIVITY + segments([[100, 1, 1]]) + go_on(150, [1, 1 << 50]))
    assert len(found.threads) == 1 and found.threads[0].end == 100


def test_activity_that_is_not_there() -> None:
    found = read(HEADER + segments([[100, 99, 1]]))
    assert list(sums.by_state(found, sums.totals(found))) == ["?"]


def test_stack_that_calls_itself() -> None:
    lines = [
        b'{"frame":0,"kind":"user","function":"f"}',
        b'{"stack":0,"frame":0,"parent":null}',
        b'{"stack":1,"frame":0,"parent":0}',
        b'{"stack":0,"frame":0,"parent":1}',
        b'{"activity":1,"state":"work_serial","stack":1}',
    ]
    found = read(HEADER + b"\n".join(lines) + b"\n" + segments([[7, 1, 1]]))
    assert len(found.path(1)) == 2 and "line 5" in found.damage[0]


def test_deep_stack() -> None:
    lines = [b'{"frame":0,"kind":"user","function":"f"}', b'{"stack":0,"frame":0}']
    lines += [b'{"stack":%d,"frame":0,"parent":%d}' % (n, n - 1) for n in range(1, 5000)]
    lines.append(b'{"activity":1,"state":"work_serial","stack":4999}')
    found = read(HEADER + b"\n".join(lines) + b"\n" + segments([[7, 1, 1]]))
    assert len(found.path(4999)) <= reader.MOST_DEPTH
    node, depth = tree(found, sums.totals(found)), 0
    while node.children:
        (node,), depth = node.children.values(), depth + 1
    assert depth <= reader.MOST_DEPTH
    everything(found)


def test_huge_numbers() -> None:
    lines = b'{"thread":0,"lwp":' + b"9" * 100_000 + b',"born":' + b"9" * 30 + b"}\n"
    found = read(HEADER + lines + ACTIVITY + segments([[7, 1, 1]]))
    assert found.threads[0].lwp is None and found.threads[0].wall == 7


@pytest.mark.parametrize("limit", ["MOST_THREADS", "MOST_OF_A_KIND", "MOST_ROWS"])
def test_bounds(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, limit, 2)
    found = read(PROGRAM.data())
    assert any("more than 2" in sentence for sentence in found.damage)
    assert not found.complete
    everything(found)


def everything(found: Record) -> str:
    """All that can be made of it; nothing that steers a terminal or a page."""
    import io

    made_of_it = summary(found)
    said = "\n".join(plain(line) for line in text.lines(made_of_it, Style(100, True)))
    told = document.document("show", made_of_it, timeline(found))
    html = page(dict(told))
    files = [io.StringIO() for _ in range(6)]
    for write, file in zip(
        (
            speedscope.write,
            chrome_trace.write,
            folded.write,
            paraver.write_prv,
            paraver.write_pcf,
            paraver.write_row,
        ),
        files,
    ):
        write(found, file)
    packed = io.BytesIO()
    pprof.write(found, packed)
    for written in (said, html, json.dumps(told), *(file.getvalue() for file in files)):
        assert all(plain(line) == line for line in written.replace("\t", "").split("\n"))
    json.loads(files[0].getvalue()), json.loads(files[1].getvalue())
    return html


HOSTILE = "\"'><script>hacked()</script>;\x1b[31m\x00\u202e\u2028 \ud800 100\n%s"


def test_hostile_names() -> None:
    """In all that a page or another tool may show."""
    bad = json.dumps(HOSTILE)
    data = PROGRAM.data().decode()
    for name in ("solve", "/src/heat.c", "heat", "update", "node7", "for", "critical"):
        data = data.replace(f'"{name}"', bad)
    found = read(data.replace('"/home/user/heat"', bad).encode())
    assert found.complete
    html = everything(found)
    assert "<script>hacked" not in html and "&lt;script&gt;hacked" in html


@pytest.mark.parametrize("seed", range(60))
def test_any_damage(seed: int) -> None:
    """Bytes, words, whole lines: it is refused in a sentence, or read and shown."""
    draw = random.Random(seed)
    data = bytearray(PROGRAM.data())
    lines = bytes(data).split(b"\n")
    for _ in range(draw.randrange(1, 12)):
        way = draw.randrange(4)
        if way == 0:
            data[draw.randrange(len(data))] = draw.randrange(256)
        elif way == 1:
            at = draw.randrange(len(data))
            del data[at : at + draw.randrange(200)]
        elif way == 2:
            at = data.find(b":", draw.randrange(len(data)))
            value = draw.choice((b"-1", b"1e400", b"null", b"[]", b'"x"', b"9" * 40, b"{}"))
            data[at + 1 : at + 1] = value + b","
        else:
            at = draw.randrange(len(data))
            data[at:at] = b"\n" + draw.choice(lines) + b"\n"
    try:
        found = read(bytes(data))
    except UserError as error:
        assert "\n" not in error.sentence()
        return
    for thread in found.threads:
        assert 0 <= thread.wall <= fields.MOST
        assert thread.wall == sum(account.ns for account in thread.sums.values())
    everything(found)
