# SPDX-License-Identifier: Apache-2.0
"""How do lines become a record? Whole files, and what comes through a pipe while the program runs.
A file may be anybody's: lines that say nothing are counted and passed over, what refers to nothing
is not known, and nothing grows without a bound."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any, Callable

from ..errors import UserError
from ..light_classes import replace
from ..model.naming import users_function, without_parameters
from . import fields
from .fields import Json, decimal, flag, number, part, real, sentences, word
from .record import (
    UNTOLD,
    Account,
    Activity,
    Construct,
    End,
    Frame,
    Header,
    Image,
    Place,
    Record,
    Region,
    Stack,
    Thread,
)

SCHEMA = "ompd-record/1"
LONGEST_LINE = 16 << 20  # bytes; the sampler writes a few thousand rows a line
AT_ONCE = 1_000_000_000  # ns in which a program that starts another one has done so
MOST_OF_A_KIND = 1 << 20  # frames, stacks, activities, ...: a million is no program's
MOST_THREADS = 1 << 17
MOST_ROWS = 10_000_000  # that are kept: 160 MB
MOST_DEPTH = 1024  # frames of a stack
MOST_NOTES = 100
MOST_DIGITS = 20  # of a number: int() takes very long for very many


# States that the kernel tells, which knows no place in the code.
_PLACELESS = ("preempted", "kernel")


class Reader:
    """record is whole up to the last line that was fed."""

    def __init__(self) -> None:
        self.record = Record()
        self._rest = b""
        self._line = 0
        self._damaged = 0
        self._first_damaged = 0
        self._rows = 0
        self._numbers: dict[str, dict[int, int]] = {}  # by kind: the record's, and the place here
        self._depths: list[int] = []
        self._before: dict[int, int] = {}  # by thread, the last activity with a place
        self._last: dict[int, int] = {}  # and the last
        self._derived: dict[tuple[int, int], int] = {}
        self._rates: list[float] = []
        self._limits: dict[str, None] = {}
        self._kinds: dict[str, Callable[[Json], None]] = {
            "runtime": self._runtime,
            "image": self._image,
            "frame": self._frame,
            "stack": self._stack,
            "region": self._region,
            "construct": self._construct,
            "thread": self._thread,
            "activity": self._activity,
            "segments": self._segments,
            "go_on": self._go_on,
            "told": self._told,
            "gone": self._gone,
            "rate": self._rate,
            "note": self._note,
            "end": self._end,
        }

    def feed(self, data: bytes) -> None:
        """Raises UserError if it is no record."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._take(line)
        if len(self._rest) > LONGEST_LINE:
            if self._line == 0:
                raise _foreign("its first line has no end")
            self._rest = b""
            self._damage()

    @property
    def rows(self) -> int:
        """How many are kept."""
        return self._rows

    def forget(self, before: int) -> None:
        """Rows that end before the moment: their sums stay."""
        self._rows -= sum(thread.forget(before) for thread in self.record.threads)

    def finish(self) -> Record:
        """Nothing more comes. Raises UserError if it is no record."""
        if self._line == 0:
            if self._rest:
                self._take(self._rest)
                self._rest = b""
            else:
                raise _foreign("it is empty")
        damage = self.record.damage
        if self._damaged:
            which = "line says" if self._damaged == 1 else "lines say"
            damage.append(
                f"{self._damaged:,} {which} nothing that can be read, the first is line"
                f" {self._first_damaged}: the file is damaged."
            )
        damage += self._limits
        if self._rest or self.record.end is None:
            after = f"after {self.record.last / 1e9:.1f} s and without its closing line"
            damage.append(
                f"It ends early, {after}: the sampler was killed, the disk was full, or the file is"
                " not all there."
            )
        self._rest = b""
        return self.record

    def _take(self, text: bytes) -> None:
        self._line += 1
        line = _parsed(text)
        if self._line == 1:
            self._header(line, text)
        elif not line:
            if text.strip():
                self._damage()
        else:
            kind = self._kinds.get(next(iter(line)))
            if kind is not None:
                kind(line)

    def _damage(self) -> None:
        self._damaged += 1
        self._first_damaged = self._first_damaged or self._line

    def _header(self, line: Json | None, text: bytes) -> None:
        schema = line.get("schema") if line else None
        if line is None or not isinstance(schema, str):
            raise _foreign(_what(text))
        if schema != SCHEMA:
            told = json.dumps(schema[:40])  # anybody's: without control characters
            if schema.startswith("ompd-record/"):
                raise UserError(
                    "record_version",
                    f"It is a record of another version, {told}; this is of {SCHEMA}.",
                    "Use the `ompd' that came with the sampler which wrote it.",
                )
            raise _foreign(f"it is a document of {told}")
        rate = part(line, "rate")
        self.record.header = Header(
            word(line, "program"),
            number(line, "pid"),
            word(line, "host"),
            word(line, "machine"),
            number(line, "processors"),
            word(line, "start"),
            decimal(line, "realtime"),
            word(line, "clock"),
            flag(line, "kernel_samples"),
            flag(line, "switches"),
            flag(line, "memory"),
            real(rate, "got") or real(rate, "asked"),
            sentences(line, "limits"),
            sentences(line, "how"),
        )

    # ---- Tables ----------------------------------------------------------------------------------

    def _runtime(self, line: Json) -> None:
        version = word(line, "version") or word(line, "kind") or "?"
        if version not in self.record.runtimes and len(self.record.runtimes) < MOST_NOTES:
            self.record.runtimes.append(version)

    def _image(self, line: Json) -> None:
        made = Image(word(line, "kind"), word(line, "path"), word(line, "build_id"))
        self._put("image", line, self.record.images, made)

    def _frame(self, line: Json) -> None:
        region = self._of("region", line, "region")
        place = self._place(line)
        if region is not None and not place:
            place = self.record.regions[region].place
        made = Frame(
            word(line, "kind") or "unknown",
            place,
            word(line, "text"),
            region,
            self._of("construct", line, "construct"),
            self._of("image", line, "image"),
            word(line, "language"),
            fields.address(line, "offset"),
        )
        self._put("frame", line, self.record.frames, made)

    def _stack(self, line: Json) -> None:
        frame, parent = self._of("frame", line, "frame"), self._of("stack", line, "parent")
        known = self._place_of("stack", line, "stack")
        if frame is None or (known is not None and parent is not None and parent >= known):
            self._damage()  # a stack that calls itself
            return
        depth = 1 if parent is None else self._depths[parent] + 1
        if depth > MOST_DEPTH:
            parent, depth = None, 1
            self._limit(f"Stacks of more than {MOST_DEPTH:,} frames were cut.")
        at = self._put("stack", line, self.record.stacks, Stack(frame, parent))
        if at is not None:
            self._depths[at : at + 1] = [depth]
        region = self.record.frames[frame].region
        caller = self.record.interpreted(parent) if region is not None else None
        if region is not None and caller is not None:
            self.record.callers.setdefault(region, {})[caller] = None

    def _region(self, line: Json) -> None:
        made = Region(self._place(line), word(line, "generator"))
        self._put("region", line, self.record.regions, made)

    def _construct(self, line: Json) -> None:
        made = Construct(
            word(line, "kind"),
            self._place(line),
            word(line, "name"),
            word(line, "address"),
            self._of("region", line, "region"),
            self._of("image", line, "image"),
            _inside(line),
        )
        self._put("construct", line, self.record.constructs, made)

    def _thread(self, line: Json) -> None:
        thread = self._thread_of(line, "thread")
        if thread is None:
            return
        thread.lwp, thread.name = number(line, "lwp"), word(line, "name")
        thread.kind, thread.runtime_id = word(line, "kind"), number(line, "runtime_id")
        born = number(line, "born")
        if born is not None and thread.end == thread.born:
            thread.born = thread.end = born

    def _activity(self, line: Json) -> None:
        made = Activity(
            word(line, "state") or "?",
            flag(line, "on"),
            self._of("stack", line, "stack"),
            self._of("region", line, "region"),
            number(line, "level"),
            self._number_of_thread(line, "team"),
            number(line, "thread_num"),
            self._of("construct", line, "construct"),
            self._number_of_thread(line, "holder"),
            word(line, "certainty"),
            word(line, "why"),
        )
        self._put("activity", line, self.record.activities, made)

    def _put(self, kind: str, line: Json, into: list[Any], made: object) -> int | None:
        """Where it is now; a second of the same number takes the place of the first."""
        name, numbers = number(line, kind), self._numbers.setdefault(kind, {})
        if name is None:
            self._damage()
            return None
        at = numbers.get(name)
        if at is None:
            if len(into) >= MOST_OF_A_KIND:
                self._limit(f"It has more than {MOST_OF_A_KIND:,} lines of the kind `{kind}'.")
                return None
            at = numbers[name] = len(into)
            into.append(made)
        else:
            into[at] = made
        return at

    def _place(self, line: Json) -> Place:
        """Code without a name is called by its file."""
        at = number(line, "line", 1 << 31)
        name = word(line, "function")
        function = name and without_parameters(users_function(name) or name)
        place = Place(function, word(line, "file"), at or None)
        image, offset = self._of("image", line, "image"), fields.address(line, "offset")
        path = None if place or image is None else self.record.images[image].path
        if not path or offset is None:
            return place
        return Place(f"{path.rsplit('/', 1)[-1]}+{offset:#x}")

    def _of(self, kind: str, line: Json, name: str) -> int | None:
        return self._place_of(kind, line, name)

    def _place_of(self, kind: str, line: Json, name: str) -> int | None:
        found = number(line, name)
        return None if found is None else self._numbers.get(kind, {}).get(found)

    def _limit(self, sentence: str) -> None:
        self._limits[sentence] = None

    # ---- Time ------------------------------------------------------------------------------------

    def _number_of_thread(self, line: Json, name: str) -> int | None:
        """Its place in the list. A holder's own line may still come."""
        if line.get(name) is None:
            return None
        thread = self._thread_of(line, name)
        return None if thread is None else self._numbers["thread"][thread.number]

    def _thread_of(self, line: Json, name: str) -> Thread | None:
        found, numbers = number(line, name), self._numbers.setdefault("thread", {})
        threads = self.record.threads
        if found is None:
            self._damage()
            return None
        if found not in numbers:
            if len(threads) >= MOST_THREADS:
                self._limit(f"It has more than {MOST_THREADS:,} threads.")
                return None
            numbers[found] = len(threads)
            threads.append(Thread(found))
        return threads[numbers[found]]

    def _segments(self, line: Json) -> None:
        thread, start, rows = (
            self._thread_of(line, "segments"),
            number(line, "start"),
            line.get("rows"),
        )
        if thread is None or start is None or not isinstance(rows, list):
            self._damage()
            return
        if start < thread.end:
            self._damage()  # it would count time twice
            return
        if not thread.sums:
            thread.born = thread.end = start
        elif start > thread.end:
            self._row(thread, start - thread.end, UNTOLD, 0)  # lines are missing
        numbers, place = self._numbers.get("activity", {}), self._numbers["thread"][thread.number]
        for row in rows:
            if not _is_row(row) or thread.end + row[0] > fields.MOST:
                self._damage()
                return
            activity = self._placed(place, numbers.get(row[1], UNTOLD))
            self._row(thread, row[0], activity, row[2])

    def _go_on(self, line: Json) -> None:
        """What threads did, they do up to here."""
        until, spans = number(line, "go_on"), _spans(line.get("threads"))
        if until is None or spans is None:
            self._damage()
            return
        firsts = [first for first, _ in spans]
        for thread in self.record.threads:
            at = bisect_right(firsts, thread.number) - 1
            if at >= 0 and thread.number <= spans[at][1]:
                self._prolong(thread, until)

    def _prolong(self, thread: Thread, until: int) -> None:
        if not thread.sums or until < thread.end:
            self._damage()
            return
        activity, ns = self._last[thread.number], until - thread.end
        kept = thread.activities and not self.record.rows_left_out
        if kept and thread.activities[-1] == activity:
            thread.sums[activity].add(ns, 0)
            thread.durations[-1] += ns
            thread.end = until
        else:
            self._row(thread, ns, activity, 0)

    def _placed(self, thread: int, number: int) -> int:
        """Who has no processor is where he was when he lost it, and so is who is in the kernel."""
        activities, before = self.record.activities, self._before.get(thread, UNTOLD)
        told = activities[number]
        was = activities[before]
        if told.state in _PLACELESS and told.stack is None and told.region in (None, was.region):
            key = (before, number)
            if key not in self._derived and len(activities) < MOST_OF_A_KIND:
                made = replace(was, state=told.state, on=told.on, holder=None)
                self._derived[key] = len(activities)
                activities.append(replace(made, construct=None))
            return self._derived.get(key, number)
        self._before[thread] = number
        return number

    def _row(self, thread: Thread, ns: int, activity: int, samples: int) -> None:
        if ns == 0 and samples == 0:
            return
        account = thread.sums.get(activity)
        if account is None:
            account = thread.sums[activity] = Account()
        account.add(ns, samples)
        thread.end += ns
        self._last[thread.number] = activity
        if self._rows >= MOST_ROWS:
            if not self.record.rows_left_out:
                self._limit(
                    f"It has more than {MOST_ROWS:,} rows: the sums are of all of them, what shows"
                    " times one after the other is of the first."
                )
            self.record.rows_left_out += 1
            return
        self._rows += 1
        thread.durations.append(ns)
        thread.activities.append(activity)
        thread.samples.append(samples)

    def _told(self, line: Json) -> None:
        self.record.told = max(self.record.told, number(line, "told") or 0)

    def _gone(self, line: Json) -> None:
        thread = self._thread_of(line, "gone")
        if thread is not None:
            thread.gone = True

    # ---- What happens in between, and how it ends ------------------------------------------------

    def _rate(self, line: Json) -> None:
        rate = real(line, "rate")
        if rate is None:
            return
        if not self._rates:
            why = word(line, "why")
            because = f": {why}" if why else ""
            self._say(f"After {(number(line, 'at') or 0) / 1e9:.1f} s the rate changed{because}")
        self._rates.append(rate)
        self.record.rate = rate

    def _note(self, line: Json) -> None:
        executed = word(line, "program") if word(line, "note") == "exec" else None
        if executed is not None:
            # As of `env PROGRAM': what started it is not what is recorded.
            self.record.header = replace(self.record.header, program=executed)
            if (number(line, "at") or 0) < AT_ONCE:
                return
        self._say(word(line, "text") or word(line, "note") or "?")

    def _say(self, sentence: str) -> None:
        notes = self.record.notes
        sentence = sentence if sentence.endswith(".") else f"{sentence}."
        if sentence in notes:
            return
        if len(notes) < MOST_NOTES:
            notes.append(sentence)
        else:
            self._limit(f"It has more than {MOST_NOTES} notes.")

    def _end(self, line: Json) -> None:
        at = number(line, "end")
        if at is None:
            self._damage()
            return
        self.record.end = End(
            at,
            word(line, "how"),
            word(line, "text"),
            number(line, "status"),
            number(line, "signal"),
            number(line, "lost") or 0,
            number(line, "cut") or 0,
            real(part(line, "sampler"), "percent"),
        )


def _inside(line: Json) -> range | None:
    """The code of who has a critical construct."""
    first, end = fields.address(line, "inside_from"), fields.address(line, "inside_to")
    return None if first is None or end is None or first >= end else range(first, end)


def _is_row(row: object) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 3
        and fields.is_number(row[0])
        and fields.is_number(row[1])
        and fields.is_number(row[2], (1 << 32) - 1)
    )


def _spans(value: object) -> list[tuple[int, int]] | None:
    """The first and the last of each, one behind the other; None: they are none."""
    found: list[tuple[int, int]] = []
    for span in value if isinstance(value, list) else [None]:
        if not isinstance(span, list) or len(span) != 2 or not all(map(fields.is_number, span)):
            return None
        if span[1] < span[0] or (found and span[0] <= found[-1][1]):
            return None
        found.append((span[0], span[1]))
    return found


def _parsed(text: bytes) -> Json | None:
    """None: no object of JSON."""
    if len(text) > LONGEST_LINE or not text.lstrip().startswith(b"{"):
        return None
    try:
        found = json.loads(text, parse_int=_integer, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= MOST_DIGITS else None


def _what(text: bytes) -> str:
    if text.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ")):
        return "it is compressed twice, or damaged"
    if text.startswith(b"\x7fELF"):
        return "it is an ELF file, a program or a core"
    if b"\0" in text[:4096]:
        return "it is not text"
    return "its first line does not say so"


def _foreign(why: str) -> UserError:
    return UserError(
        "no_record", f"It is not a record of ompd-sampler: {why}.", "`ompd record' makes one."
    )
