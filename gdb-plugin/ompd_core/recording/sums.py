# SPDX-License-Identifier: Apache-2.0
"""What do all moments of one kind come to: of a state, a thread, a region, a wait, a stack?"""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Iterator, Mapping, TypeVar

from ..light_classes import dataclass, field
from .record import Account, Activity, Record
from .states import Kind, is_exact, kind

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Sum:
    """Of all that belongs together."""

    whole: Account = field(default_factory=Account)
    kinds: dict[Kind, Account] = field(default_factory=dict)
    threads: dict[int, Account] = field(default_factory=dict)  # by their places in the record

    def add(self, thread: int, of: Kind, account: Account) -> None:
        for into in (
            self.whole,
            self.kinds.setdefault(of, Account()),
            self.threads.setdefault(thread, Account()),
        ):
            into.join(account)

    def of(self, *kinds: Kind) -> Account:
        found = Account()
        for one in kinds:
            found.join(self.kinds.get(one, Account()))
        return found

    def ns(self, *kinds: Kind) -> int:
        return sum(self.kinds[one].ns for one in kinds if one in self.kinds)


# By thread and activity.
Totals = Mapping["tuple[int, int]", Account]


def totals(record: Record) -> dict[tuple[int, int], Account]:
    """Of the whole record, as they are now."""
    found = {}
    for place, thread in enumerate(record.threads):
        for activity, account in thread.sums.items():
            one = found[place, activity] = Account(account.ns, account.samples)
            if is_exact(record.activities[activity], record.header.switches is True):
                one.exact, one.spare = one.ns, one.samples
    return found


def since(now: Totals, before: Totals) -> dict[tuple[int, int], Account]:
    """What has come between two moments."""
    found = {}
    for key, account in now.items():
        then = before.get(key, Account())
        ns, samples = account.ns - then.ns, account.samples - then.samples
        if ns > 0:
            exact, spare = account.exact - then.exact, account.spare - then.spare
            found[key] = Account(ns, samples, exact, spare)
    return found


def each(record: Record, of: Totals) -> Iterator[tuple[int, Activity, Account]]:
    for (thread, activity), account in of.items():
        yield thread, record.activities[activity], account


def by(record: Record, of: Totals, key: Callable[[int, Activity], Key | None]) -> dict[Key, Sum]:
    """What has no key is left out."""
    found: dict[Key, Sum] = {}
    for thread, activity, account in each(record, of):
        name = key(thread, activity)
        if name is not None:
            found.setdefault(name, Sum()).add(thread, kind(activity.state), account)
    return found


def whole(record: Record, of: Totals) -> Sum:
    return by(record, of, lambda *_: 0).get(0) or Sum()


def by_thread(record: Record, of: Totals) -> dict[int, Sum]:
    return by(record, of, lambda thread, _: thread)


def by_state(record: Record, of: Totals) -> dict[str, Sum]:
    return by(record, of, lambda _, activity: activity.state)


def by_region(record: Record, of: Totals) -> dict[int, Sum]:
    """Of the innermost region: what happens in one inside is that one's."""
    return by(record, of, lambda _, activity: activity.region)


def by_stack(record: Record, of: Totals) -> dict[int, Sum]:
    """Without those moments that have none, such as an idle worker's."""
    return by(record, of, lambda _, activity: activity.stack)


@dataclass(frozen=True)
class Wait:
    """What is waited for, where."""

    state: str
    construct: int | None
    region: int | None


# Workers come to it from the runtime, the thread that began the region from its code.
REGION_ENDS = ("wait_barrier_implicit_parallel", "wait_barrier_teams")


def wait_of(activity: Activity) -> Wait | None:
    if not activity.state.startswith("wait_"):
        return None
    construct = activity.construct
    if activity.state in REGION_ENDS and activity.region is not None:
        construct = None
    return Wait(activity.state, construct, activity.region)


def by_wait(record: Record, of: Totals) -> dict[Wait, Sum]:
    return by(record, of, lambda _, activity: wait_of(activity))


def sorted_by_time(sums: Mapping[Key, Sum]) -> list[tuple[Key, Sum]]:
    """The largest first; of equals in the record's order."""
    return sorted(sums.items(), key=lambda one: -one[1].whole.ns)


def spread(accounts: Iterable[Account], members: int) -> tuple[int, float]:
    """The most that one of so many has, and how many times the mean that is."""
    found = [account.ns for account in accounts]
    most, all_of_them = max(found, default=0), sum(found)
    return most, most * members / all_of_them if all_of_them else 1.0
