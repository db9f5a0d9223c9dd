# SPDX-License-Identifier: Apache-2.0
"""Do the sums of a record come out as the moments of which it was made, and is it told who waited
for whom?"""

from __future__ import annotations

import json
import random

import made_records as made
import pytest
from made_records import PERIOD, SOLVE, UPDATE, Made
from ompd_core.light_classes import replace
from ompd_core.recording import regions, shares, stacks, sums, timeline, waiting
from ompd_core.recording.reader import Reader
from ompd_core.recording.record import Account, Construct, Place, Record
from ompd_core.recording.states import Kind
from ompd_core.recording.summary import summary
from ompd_core.views.recording import slow, words

SEEDS = range(5)


def read(program: Made) -> Record:
    reader = Reader()
    reader.feed(program.data())
    return reader.finish()


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_are_the_moments(seed: int) -> None:
    program = made.any_program(seed)
    record = read(program)
    assert record.complete and not record.damage and not record.notes
    found = {
        (thread, state): total.threads[thread].ns
        for state, total in sums.by_state(record, sums.totals(record)).items()
        for thread in total.threads
    }
    assert found == program.sums()
    for number, thread in enumerate(record.threads):
        assert (
            thread.wall == program.wall(number) == sum(row.end - row.start for row in thread.rows())
        )
    whole = sums.whole(record, sums.totals(record))
    assert whole.whole.samples == program.samples()
    assert sum(account.ns for account in whole.kinds.values()) == whole.whole.ns


@pytest.mark.parametrize("piece", (1, 7, 4096))
def test_pieces_of_a_pipe(piece: int) -> None:
    """Lines come as they like."""
    program = made.any_program(1, moments=40)
    data, reader = program.data(), Reader()
    for at in range(0, len(data), piece):
        reader.feed(data[at : at + piece])
    record = reader.finish()
    assert record.complete
    assert sums.totals(record) == sums.totals(read(program))


def test_what_came_between() -> None:
    """Of two moments of a live record."""
    lines = list(made.any_program(2).lines())
    half, reader = len(lines) // 2, Reader()
    reader.feed("".join(lines[:half]).encode())
    before = sums.totals(reader.record)
    reader.feed("".join(lines[half:]).encode())
    after = sums.totals(reader.record)
    between = sums.since(after, before)
    for key, account in after.items():
        first = before[key].ns if key in before else 0
        second = between[key].ns if key in between else 0
        assert first + second == account.ns


# ---- Shares --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_forgotten(seed: int) -> None:
    """Their sums stay, and what is told of the rows that are kept is of these."""
    program, reader = made.any_program(seed), Reader()
    reader.feed(program.data())
    before = sums.totals(reader.record)
    moment = program.last // 2
    kept = [[row for row in one.rows() if row.end > moment] for one in reader.record.threads]
    reader.forget(moment)
    assert [list(one.rows()) for one in reader.record.threads] == kept
    assert reader.rows == sum(map(len, kept)) > 0
    assert sums.totals(reader.record) == before
    reader.forget(program.last)
    assert reader.rows == 0 and not any(list(one.rows()) for one in reader.record.threads)


def test_error_of_a_share() -> None:
    """Wilson's interval, as tables of it have it."""
    assert shares.error(0.5, 100) == pytest.approx(9.62, abs=0.01)
    assert shares.error(0.0, 100) == pytest.approx(1.85, abs=0.01)
    assert shares.error(0.1, 10_000) == pytest.approx(0.588, abs=0.001)
    assert shares.error(0.5, 0) is None
    assert str(shares.share(Account(341), Account(1000, 2000))) == "34.1 ±2.1"
    assert str(shares.share(Account(341), Account(1000, 20))) == "~34 ±19"
    assert str(shares.share(Account(341), Account(1000, 0))) == "~34 ±?"


def test_what_is_exact_has_no_error() -> None:
    """Nor do its samples make the rest any surer, or the rest's absence it vague."""
    exact = Account(900, 5, exact=900, spare=5)
    assert str(shares.share(exact, Account(900, 5, exact=900, spare=5))) == "100.0"
    assert str(shares.share(exact, Account(901, 5, exact=900, spare=5))) == "99.9 ±0.1"
    half = Account(500, 105, exact=0, spare=5)
    assert shares.share(half, Account(1000, 105, spare=5)).error == shares.error(0.5, 100)
    mixed = Account(1000, 105, exact=900, spare=5)
    assert shares.share(Account(950, 50, exact=900), mixed).error == pytest.approx(
        0.1 * (shares.error(0.5, 100) or 0)
    )


@pytest.mark.parametrize(
    "switches, on, certainty, exact",
    [
        (True, False, "certain", True),
        (True, False, "likely", False),
        (True, True, "certain", False),
        (False, False, "certain", False),
        (None, False, "certain", False),
    ],
)
def test_sleep_that_was_looked_at_is_exact(switches, on, certainty, exact) -> None:
    lines = [
        {"schema": "ompd-record/1", "clock": "perf", "switches": switches},
        {"activity": 0, "state": "wait_barrier", "on": on, "certainty": certainty},
        {"segments": 0, "start": 0, "rows": [[900, 0, 1]]},
        {"go_on": 1000, "threads": [[0, 0]]},
    ]
    found = Reader()
    found.feed("".join(json.dumps(line) + "\n" for line in lines).encode())
    whole = sums.whole(found.record, sums.totals(found.record)).whole
    assert (whole.ns, whole.exact, whole.spare) == (1000, 1000 * exact, int(exact))


# ---- Regions -------------------------------------------------------------------------------------


def test_efficiency_and_imbalance() -> None:
    work = [10 * PERIOD, 20 * PERIOD, 30 * PERIOD, 40 * PERIOD]
    record = read(made.uneven_team(50, work))
    (use,) = regions.uses(record, sums.totals(record))
    assert use.threads == 4 and use.wall == 50 * max(work)
    assert use.efficiency == pytest.approx(sum(work) / (4 * max(work)))
    assert use.efficiency == use.at_most
    assert use.imbalance == pytest.approx(max(work) / (sum(work) / 4))
    assert use.busiest == 3


def test_what_is_not_known_is_a_bound() -> None:
    moments = [
        made.Moment(3 * PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 3),
        made.Moment(1 * PERIOD, made.in_team("?", 0), 0),
    ]
    record = read(Made([moments]))
    (use,) = regions.uses(record, sums.totals(record))
    assert (use.efficiency, use.at_most) == (0.75, 1.0)


# ---- Why it is slow ------------------------------------------------------------------------------


def slow_notes(program: Made, processors: int) -> list[str]:
    program.header["processors"] = processors
    return slow.notes(summary(read(program)))


def test_threads_that_take_turns() -> None:
    works = [made.Moment(6 * PERIOD, made.in_team("work_parallel", n, (SOLVE,)), 6) for n in (0, 1)]
    waits = [made.Moment(4 * PERIOD, made.in_team("preempted", n, (SOLVE,)), 0) for n in (0, 1)]
    (found,) = slow_notes(Made([list(one) for one in zip(works, waits)]), 1)
    assert "had no processor for 40.0 % of their time: " in found
    assert "they take turns: the largest team has 2 threads, of 1 processor." in found


def test_regions_of_one_thread() -> None:
    alone = made.uneven_team(5, [10 * PERIOD])
    (found,) = slow_notes(alone, 8)
    assert found.startswith("All regions have one thread, of 8 processors. Look at OMP_NUM_THREADS")
    assert slow_notes(alone, 1) == []


@pytest.mark.parametrize("work, uneven", [([1, 1, 1, 9], True), ([8, 9, 9, 9], False)])
def test_barriers_that_are_waited_at(work: list[int], uneven: bool) -> None:
    found = slow_notes(made.uneven_team(20, [part * PERIOD for part in work]), 4)
    assert len(found) == uneven
    for said in found:
        assert "wait at its barriers for 66.7 " in said and "their work is uneven" in said


# ---- Who waits for whom --------------------------------------------------------------------------


def test_last_to_arrive_is_blamed() -> None:
    """Always thread 3, in update: all that the others wait is charged to it, there."""
    work = [10 * PERIOD, 20 * PERIOD, 20 * PERIOD, 40 * PERIOD]
    record = read(made.uneven_team(30, work))
    (found,) = waiting.waits(record, sums.totals(record))
    waited = 30 * sum(max(work) - ns for ns in work)
    assert found.sum.whole.ns == waited
    # While thread 0 alone waits for three, each of them has a third.
    alone = 30 * (20 - 10) * PERIOD
    assert found.by_thread()[3] == pytest.approx(waited - alone * 2 / 3)
    doing, ns = found.most()[0]
    assert (doing.thread, doing.kind, doing.place.function) == (3, Kind.WORK, UPDATE.function)
    assert doing.place.line == UPDATE.line and ns == pytest.approx(found.by_thread()[3])
    assert found.unknown == pytest.approx(0, abs=1) and found.nobody == 0
    assert found.last == {3: 30} and found.meetings == 30 and not found.blurred


@pytest.mark.parametrize("periods, blurred", [(1, True), (20, False)])
def test_short_waits_are_blurred(periods: int, blurred: bool) -> None:
    """By how long they are: one that sleeps is sampled once."""
    waits = made.Doing("wait_barrier_explicit", made.IN_REGION, 40, ("barrier", 72), 0, on=False)
    works = made.Moment(4 * PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 4)
    record = read(Made([[works, made.Moment(periods * PERIOD, waits, 1)] * 9]))
    (found,) = waiting.waits(record, sums.totals(record))
    assert (found.times, found.blurred) == (9, blurred)


def test_innocent_twin() -> None:
    """All work as long as each other: nobody waits, nobody is named."""
    record = read(made.uneven_team(30, [20 * PERIOD] * 4))
    assert waiting.waits(record, sums.totals(record)) == []
    (use,) = regions.uses(record, sums.totals(record))
    assert (use.efficiency, use.imbalance) == (1.0, 1.0)


def test_turns() -> None:
    """Each is last as often as the others: nobody has more of the blame."""
    threads: list[list[made.Moment]] = [[], [], [], []]
    for number in range(40):
        for thread, moments in enumerate(threads):
            late = number % 4 == thread
            ns = (30 if late else 10) * PERIOD
            moments.append(made.Moment(ns, made.in_team("work_parallel", thread, (SOLVE,)), 9))
            if not late:
                doing = made.in_team(
                    "wait_barrier_explicit", thread, (UPDATE,), construct=("barrier", 72)
                )
                moments.append(made.Moment(20 * PERIOD, doing, 20))
    record = read(Made(threads))
    (found,) = waiting.waits(record, sums.totals(record))
    assert found.last == {0: 10, 1: 10, 2: 10, 3: 10}
    blamed = found.by_thread().values()
    assert min(blamed) == pytest.approx(max(blamed))
    assert sum(blamed) == pytest.approx(found.sum.whole.ns)


def test_all_have_come() -> None:
    """And are not let go yet: it is nobody's fault."""
    waits = made.Doing("wait_barrier_explicit", made.IN_REGION, 40, ("barrier", 72), 0)
    work = [made.Moment(PERIOD, made.in_team("work_parallel", i, (SOLVE,)), 1) for i in (0, 1)]
    record = read(Made([[one, made.Moment(5 * PERIOD, waits, 5)] for one in work]))
    (found,) = waiting.waits(record, sums.totals(record))
    assert found.nobody == 10 * PERIOD and not found.charged and found.unknown == 0


@pytest.mark.parametrize("gap, lingers", [(0, 2.5), (1000, 0.5)])
def test_who_waits_again_waits_anew(gap: int, lingers: float) -> None:
    """Thread 1 meets thread 0 for a moment, and works on. That thread 0, which waits for it again,
    was away is told by no sample, or as something unknown half a period later."""
    waits = made.Doing("wait_barrier_explicit", made.IN_REGION, 40, ("barrier", 72), 0)
    works = made.in_team("work_parallel", 1, (SOLVE,))
    first = [made.Moment(40 * PERIOD, waits, 40)]
    second = [made.Moment(39 * PERIOD, works, 39), made.Moment(PERIOD, waits, 1)]
    rounds = 3
    for _ in range(1, rounds):
        first.append(made.Moment(PERIOD // 2, waits, 0))
        first.append(made.Moment(gap, made.Doing("?"), 0))
        first.append(made.Moment(40 * PERIOD - PERIOD // 2 - gap, waits, 40))
        second += second[:2]
    record = read(Made([first, second]))
    (found,) = waiting.waits(record, sums.totals(record))
    # At each meeting both wait for nobody, and thread 0 as long as a sample may tell of it.
    nobody = rounds * 2 * PERIOD + (rounds - 1) * lingers * PERIOD
    assert found.nobody == pytest.approx(nobody)
    assert found.by_thread() == {1: pytest.approx(found.sum.whole.ns - nobody)}


def test_who_is_preempted_is_waited_for() -> None:
    waits = made.Doing("wait_barrier_explicit", made.IN_REGION, 40, ("barrier", 72), 0)
    first = [made.Moment(PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 1)]
    second = [made.Moment(PERIOD, made.in_team("work_parallel", 1, (UPDATE,)), 1)]
    first.append(made.Moment(8 * PERIOD, waits, 8))
    second.append(made.Moment(8 * PERIOD, made.in_team("preempted", 1, (UPDATE,)), 0))
    record = read(Made([first, second]))
    (found,) = waiting.waits(record, sums.totals(record))
    ((doing, ns),) = found.charged.items()
    assert (doing.thread, doing.kind, ns) == (1, Kind.PREEMPTED, 8 * PERIOD)


def test_holder_of_a_lock() -> None:
    """What the holder did at that time, as long as each."""
    waits = made.in_team("wait_lock", 1, (UPDATE,), construct=("lock", 70), holder=0)
    holder = [
        made.Moment(2 * PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 2),
        made.Moment(6 * PERIOD, made.in_team("asleep", 0, (UPDATE,)), 0),
        made.Moment(2 * PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 2),
    ]
    other = [
        made.Moment(PERIOD, made.in_team("work_parallel", 1, (SOLVE,)), 1),
        made.Moment(8 * PERIOD, waits, 8),
    ]
    record = read(Made([holder, other]))
    (found,) = waiting.waits(record, sums.totals(record))
    charged = {(one.thread, one.kind, one.place.function): ns for one, ns in found.charged.items()}
    assert charged == {
        (0, Kind.ASLEEP, "update"): 6 * PERIOD,
        (0, Kind.WORK, "solve"): 2 * PERIOD,
    }
    assert found.unknown == 0


def test_holder_that_is_not_recorded() -> None:
    """Any of two others may have it."""
    waits = made.in_team("wait_critical", 0, (UPDATE,), construct=("critical", 71))
    others = [[made.Moment(PERIOD, made.in_team("work_parallel", i, (SOLVE,)), 1)] for i in (1, 2)]
    record = read(Made([[made.Moment(PERIOD, waits, 1)], *others]))
    (found,) = waiting.waits(record, sums.totals(record))
    assert found.unknown == PERIOD and not found.charged and not found.likely


def with_code_of_critical(record: Record) -> Record:
    """`update' is called by who has the critical construct."""
    record.frames[:] = [
        replace(one, image=0, offset=10 if one.place.function == "update" else 30)
        for one in record.frames
    ]
    record.constructs[:] = [replace(one, image=0, inside=range(5, 20)) for one in record.constructs]
    return record


@pytest.mark.parametrize("waits_before", [True, False])
def test_holder_is_who_executes_the_construct(waits_before: bool) -> None:
    """From when on and how long, whether it was seen to wait or not. Where nobody is seen there, it
    is nobody who was seen elsewhere."""
    wants = made.in_team("wait_critical", 1, (SOLVE,), construct=("critical", 71))
    outside, inside = (made.in_team("work_parallel", 1, (where,)) for where in (SOLVE, UPDATE))
    holder = [
        made.Moment(PERIOD, wants if waits_before else outside, 1),
        made.Moment(2 * PERIOD, inside, 2),
        made.Moment(3 * PERIOD, outside, 3),
    ]
    waits = made.in_team("wait_critical", 0, (SOLVE,), construct=("critical", 71))
    others = [[made.Moment(6 * PERIOD, waits, 6)], [made.Moment(6 * PERIOD, waits, 6)]]
    record = with_code_of_critical(read(Made([others[0], holder, others[1]])))
    (found,) = waiting.waits(record, sums.totals(record))
    charged = {(one.thread, one.place.function): ns for one, ns in found.charged.items()}
    assert charged == {(1, "update"): 4 * PERIOD}
    assert found.likely and found.unknown == (9 if waits_before else 8) * PERIOD


def test_holder_that_is_recorded_now_and_then() -> None:
    """What a picture shows is certain, and holds on until another stops waiting: that is likely."""
    shown = made.in_team("wait_lock", 0, (UPDATE,), construct=("lock", 70), holder=1)
    waits = made.in_team("wait_lock", 0, (UPDATE,), construct=("lock", 70))
    other = made.in_team("wait_lock", 2, (UPDATE,), construct=("lock", 70))
    works = [made.in_team("work_parallel", number, (SOLVE,)) for number in range(4)]
    parts = [(2, waits), (1, shown), (5, waits), (1, works[0])]
    threads = [
        [made.Moment(n * PERIOD, doing, n) for n, doing in parts],
        [made.Moment(9 * PERIOD, works[1], 9)],
        [made.Moment(6 * PERIOD, other, 6), made.Moment(3 * PERIOD, works[2], 3)],
        [made.Moment(9 * PERIOD, works[3], 9)],
    ]
    record = read(Made(threads))
    (found,) = waiting.waits(record, sums.totals(record))
    charged = {doing.thread: ns for doing, ns in found.charged.items()}
    concluded = {doing.thread: ns for doing, ns in found.concluded.items()}
    # Of thread 0: 1 shown, 3 until thread 2 has it, then 2 by that; of thread 2: 1 and 3.
    assert charged == {1: (1 + 3 + 1 + 3) * PERIOD, 2: 2 * PERIOD}
    assert concluded == {1: (3 + 1 + 3) * PERIOD, 2: 2 * PERIOD}
    assert found.unknown == (2 + 2) * PERIOD


def test_waits_without_a_processor() -> None:
    """Whoever goes on with the same wait had none in the middle of it."""
    waits = made.in_team("wait_critical", 0, (UPDATE,), construct=("critical", 71))
    works, none = made.in_team("work_parallel", 0, (SOLVE,)), made.Doing("preempted", on=False)
    parts = [(2, waits), (3, none), (1, waits), (5, none), (1, works), (7, none), (1, waits)]
    record = read(Made([[made.Moment(n * PERIOD, doing, n) for n, doing in parts]]))
    (found,) = waiting.waits(record, sums.totals(record))
    assert found.sum.whole.ns == 4 * PERIOD and found.preempted == 3 * PERIOD and found.times == 2


def test_only_one_can_have_it() -> None:
    waits = made.in_team("wait_critical", 0, (UPDATE,), construct=("critical", 71))
    works = made.in_team("work_parallel", 1, (SOLVE,))
    others = [works, made.Doing("idle"), made.in_team("wait_barrier_explicit", 3, (SOLVE,))]
    record = read(
        Made([[made.Moment(PERIOD, waits, 1)], *[[made.Moment(PERIOD, one, 1)] for one in others]])
    )
    found = next(one for one in waiting.waits(record, sums.totals(record)) if one.likely)
    ((doing, ns),) = found.charged.items()
    assert (doing.thread, doing.place.function, ns) == (1, SOLVE.function, PERIOD)


def _queue(drawn: random.Random, rounds: int) -> tuple[Made, dict[int, int]]:
    """Five threads work, want a lock, and have it one after the other, in the order in which they
    came. And how long each had it while others waited, all of them together."""
    turns: list[list[tuple[int, int, int]]] = [[] for _ in range(5)]  # wanted, got, released
    wanted, free = [drawn.randrange(1, 9) * PERIOD for _ in turns], 0
    for _ in range(rounds * 5):
        thread = min(range(5), key=lambda one: (wanted[one], one))
        got = max(wanted[thread], free)
        free = got + drawn.randrange(1, 5) * PERIOD
        turns[thread].append((wanted[thread], got, free))
        wanted[thread] = free + drawn.randrange(1, 9) * PERIOD
    threads, had = [], dict.fromkeys(range(5), 0)
    for number, of in enumerate(turns):
        moments, at = [], 0
        waits = made.in_team("wait_lock", number, (UPDATE,), construct=("lock", 70))
        for wanted_at, got, released in of:
            for until, path, doing in (
                (wanted_at, SOLVE, None),
                (got, UPDATE, waits),
                (released, UPDATE, None),
            ):
                ns = until - at
                doing = doing or made.in_team("work_parallel", number, (path,))
                moments.append(made.Moment(ns, doing, ns // PERIOD))
                at = until
            for holder, others in enumerate(turns):
                for _, since, until in others:
                    if holder != number:
                        had[holder] += max(min(until, got) - max(since, wanted_at), 0)
        threads.append(moments)
    return Made(threads), had


@pytest.mark.parametrize("seed", SEEDS)
def test_lock_is_handed_on(seed: int) -> None:
    """Nobody is charged with more than he had it, and most of the time is told."""
    program, had = _queue(random.Random(seed), 40)
    record = read(program)
    (found,) = waiting.waits(record, sums.totals(record))
    told = found.by_thread()
    assert all(ns <= had[thread] for thread, ns in told.items()), (told, had)
    assert sum(told.values()) > 0.8 * sum(had.values()) and found.likely


# ---- Stacks and time -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_of_stacks(seed: int) -> None:
    program = made.any_program(seed)
    record = read(program)
    root = stacks.tree(record, sums.totals(record))
    total = sum(program.wall(i) for i in range(4))
    assert root.whole.ns == total
    below = [root]
    for node in below:
        below += node.children.values()
        assert node.whole.ns == node.own.ns + sum(one.whole.ns for one in node.children.values())
        assert sum(node.kinds.values()) == node.whole.ns
    solving = sum(
        moment.ns for moments in program.threads for moment in moments if SOLVE in moment.doing.path
    )
    main = root.children["main (heat.c:80)"].children["#pragma omp parallel (heat.c:40)"]
    assert main.children["solve (heat.c:42)"].whole.ns == solving
    assert sum(account.ns for _, account, _ in stacks.hot(record, sums.totals(record))) == total


@pytest.mark.parametrize("seed", SEEDS)
def test_timeline_holds_all_time(seed: int) -> None:
    program = made.any_program(seed)
    found = timeline.timeline(read(program))
    total = sum(program.wall(i) for i in range(4))
    assert sum(sum(column) for column in found.together.values()) == total
    for runs in found.runs:
        assert all(begin < end for begin, end, _ in runs)
        assert all(one[1] <= two[0] for one, two in zip(runs, runs[1:]))


def test_team_that_is_not_told() -> None:
    """Such moments are of the region's only team, and its time is not counted twice."""
    unknown = made.Doing("work_parallel", (*made.IN_REGION, SOLVE), 40)
    first = [made.Moment(4 * PERIOD, made.in_team("work_parallel", 0, (SOLVE,)), 4)]
    second = [made.Moment(4 * PERIOD, unknown, 4)]
    record = read(Made([first, second]))
    (use,) = regions.uses(record, sums.totals(record))
    assert (use.threads, use.wall, use.efficiency) == (2, 4 * PERIOD, 1.0)


def test_preempted_where_it_was() -> None:
    """The kernel tells no place: it is that of what was done before, and needs no sample."""
    before = made.in_team("work_parallel", 0, (SOLVE,))
    moments = [
        made.Moment(2 * PERIOD, before, 2),
        made.Moment(6 * PERIOD, made.Doing("preempted", on=False), 0),
        made.Moment(2 * PERIOD, before, 2),
    ]
    record = read(Made([moments]))
    (use,) = regions.uses(record, sums.totals(record))
    assert use.sum.ns(Kind.PREEMPTED) == 6 * PERIOD and use.wall == 10 * PERIOD
    whole = sums.whole(record, sums.totals(record))
    assert whole.whole.exact == 6 * PERIOD
    assert shares.share(whole.of(Kind.PREEMPTED), whole.whole, exact=True).error == 0
    root = stacks.tree(record, sums.totals(record))
    main = root.children["main (heat.c:80)"].children["#pragma omp parallel (heat.c:40)"]
    solve = main.children["solve (heat.c:42)"]
    assert solve.own.ns == 4 * PERIOD and solve.children["<preempted>"].whole.ns == 6 * PERIOD


@pytest.mark.parametrize(
    "state, kind, told",
    [
        ("wait_barrier_explicit", "barrier", "barrier (heat.c:45)"),
        ("wait_barrier_implicit_workshare", "for", "barrier, end of for (heat.c:45)"),
        ("wait_barrier", "barrier", "barrier (near heat.c:45)"),  # as gcc's code tells them all
    ],
)
def test_barriers_places(state: str, kind: str, told: str) -> None:
    record = Record(constructs=[Construct(kind, Place("main", "heat.c", 45))])
    assert words.wait(record, sums.Wait(state, 0, None)) == told
