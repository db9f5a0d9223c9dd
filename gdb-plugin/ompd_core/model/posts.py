# SPDX-License-Identifier: Apache-2.0
"""Who can post the iteration that a thread waits for in a doacross loop?

A thread says with depend(source) that an iteration is done, which posts it; depend(sink) waits for
that. Only those that are in the loop, or have yet to come to it, post anything, and whoever waits
posts nothing: if nobody is left, the iteration is never posted.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ..library.types import ViewDoacross
from ..light_classes import NamedTuple
from .process import Membership, Thread


class Post(NamedTuple):
    """That a thread waits for."""

    iteration: tuple[int, ...]  # one number for each of the nested loops
    loop: ViewDoacross

    @property
    def posted(self) -> bool:
        return bool(self.loop.posted)

    @property
    def words(self) -> str:
        return words_of(self.iteration)


# Of the threads that wait; without those of which it is not known what they wait for.
Posts = Mapping[Thread, Post]
# Who may post what a thread waits for; None: a thread that is not known.
Posters = Mapping[Thread, Sequence["Thread | None"]]


class Unposted(NamedTuple):
    """The first iteration of a loop that nobody will post."""

    waiter: Thread
    post: Post
    owner: Thread | None  # that executes it, if it is known
    owner_waits: Post | None  # for what the owner waits; None: it has left the loop
    others: Sequence[Thread]  # that wait in the same loop for ever


def words_of(iteration: Sequence[int]) -> str:
    numbers = ",".join(str(number) for number in iteration)
    return numbers if len(iteration) == 1 else f"({numbers})"


def posters(waiter: Thread, member: Membership, post: Post) -> list[Thread | None]:
    """Who may post it."""
    region = member.region
    assert region is not None
    found = []
    for number, thread in enumerate(region.members):
        if thread is waiter or (thread is not None and thread.ended):
            continue
        if post.loop.owner in (None, number) and not _has_left(thread, member, number, post):
            found.append(thread)
    return found


def _has_left(thread: Thread | None, member: Membership, number: int, post: Post) -> bool:
    where = post.loop.members[number] if number < len(post.loop.members) else "elsewhere"
    other = thread.member(member.runtime) if thread is not None else None
    if where != "inside" or other is None or other.wait is None:
        # In the runtime it may be about to begin the loop, which it has counted already.
        in_runtime = other is None or other.state in (None, "overhead")
        return where == "left" and not in_runtime
    # No barrier stands in a loop.
    return other.wait.kind == "barrier" and other.region is member.region


def never(found: Posters) -> set[Thread]:
    """Those that wait for what only others of them could post."""
    stuck = set(found)
    while True:
        free = {one for one in stuck if any(each not in stuck for each in found[one])}
        if not free:
            return stuck
        stuck -= free


def movers(waiter: Thread, found: Posters) -> list[Thread | None]:
    """Who has to go on before anything that leads to the waiter's iteration is posted."""
    if len(found[waiter]) == 1:
        return list(found[waiter])
    reached: dict[Thread | None, None] = {}
    seen = {waiter}
    pending = [waiter]
    while pending:
        for one in found[pending.pop()]:
            if one is None or one not in found:
                reached[one] = None
            elif one not in seen:
                seen.add(one)
                pending.append(one)
    return list(reached)


def first_unposted(waiter: Thread, stuck: set[Thread], posts: Posts) -> Unposted:
    """Of the loop that a thread waits in for ever."""
    together = [one for one in stuck if _is_one_loop(one, waiter, posts)]
    first = min(together, key=lambda one: posts[one].iteration)
    post, region = posts[first], _member(first).region
    assert region is not None
    number = post.loop.owner
    owner = region.members[number] if number is not None and number < len(region.members) else None
    others = [one for one in together if one is not first]
    return Unposted(first, post, owner, posts.get(owner) if owner is not None else None, others)


def _is_one_loop(one: Thread, other: Thread, posts: Posts) -> bool:
    mine, theirs = _member(one), _member(other)
    if mine.region is not theirs.region:
        return False
    return posts[one].loop.loop == posts[other].loop.loop


def waits_in_loop(thread: Thread) -> Membership | None:
    """As a member of whose team it waits in a doacross loop."""
    for member in thread.openmp:
        if member.wait is not None and member.wait.kind == "doacross" and member.region is not None:
            return member
    return None


def _member(thread: Thread) -> Membership:
    member = waits_in_loop(thread)
    assert member is not None
    return member
