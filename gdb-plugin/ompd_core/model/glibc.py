# SPDX-License-Identifier: Apache-2.0
"""What does a thread wait for that GNU's C and C++ libraries keep, and who has to let it go?

The kernel's registers of the wait tell the word that it is about; the word lies in the object.
The layouts are part of the library's binary interface for 64-bit machines, and as old as NPTL where
no release is named: bits/struct_mutex.h, bits/struct_rwlock.h, bits/thread-shared-types.h,
nptl/internaltypes.h. What differs between machines is told by theirs (Libc of arch/base.py).
"""

from __future__ import annotations

from typing import Callable, Mapping, Union

from .. import late_patterns
from ..code.futex import FutexWait
from ..light_classes import NamedTuple, dataclass, field

STATIC = "static"  # what a function initialises when it is called first
# What the functions wait for. Also the hidden ones, which its debug information names.
_KINDS = {
    "pthread_mutex_lock": "mutex",
    "mtx_lock": "mutex",
    "pthread_mutex_cond_lock": "mutex",
    "pthread_rwlock_rdlock": "rwlock",
    "pthread_rwlock_wrlock": "rwlock",
    "pthread_join": "join",
    "pthread_clockjoin_ex": "join",
    "pthread_timedjoin_np": "join",
    "pthread_clockjoin_np": "join",
    "pthread_spin_lock": "spin",
    "pthread_cond_wait": "condition",
    "cnd_wait": "condition",
    "sem_wait": "semaphore",
    "pthread_barrier_wait": "pthread_barrier",
    "pthread_once": "once",
    "call_once": "once",
    "cxa_guard_acquire": STATIC,
}
# What waits in code that the C++ library's headers put into the program, which their names tell.
_IN_HEADERS = {
    "latch": r"latch::",
    "std_barrier": r"(__tree_barrier|barrier)<",
    "counting_semaphore": r"(__atomic_semaphore::|counting_semaphore<)",
    "future": r"(__future_base::|__atomic_futex_unsigned|__basic_future<)",
}
_OF_HEADERS = late_patterns.compile(
    r"\bstd::(__\w+::)?(?:%s)"
    % "|".join(f"(?P<{kind}>{name})" for kind, name in _IN_HEADERS.items())
)
_POOL = "__waiter_pool"  # of words for what is no word itself
_HIDDEN = late_patterns.compile(r"(?:new_)?(\w+?)(?:_slow)?(?:64)?$")  # new_sem_wait_slow64
_TIMED = late_patterns.compile(
    r"(pthread_(?:mutex|cond|rwlock)_|sem_|mtx_|cnd_)(?:timed|clock)(\w+)$"
)
_PART = late_patterns.compile(r"[.+\[(%]")
_WORDS = {
    "mutex": "mutex",
    "rwlock": "read-write lock",
    "join": "the end of a thread",
    "spin": "spin lock",
    "condition": "condition variable",
    "semaphore": "semaphore",
    "pthread_barrier": "pthread barrier",
    "futex": "word",
    "once": "once flag",
    STATIC: "static variable",
    "latch": "std::latch",
    "std_barrier": "std::barrier",
    "counting_semaphore": "std::counting_semaphore",
    "future": "future",
}
_WHO = {
    "latch": "count down",
    "std_barrier": "arrive at",
    "counting_semaphore": "release",
    "future": "give a value to",
}
# What allocates memory, and what locks all of it.
_ALLOCATES = late_patterns.compile(
    r"(malloc|calloc|reallocarray|realloc|free|cfree|(posix_)?memalign|aligned_alloc|p?valloc"
    r"|malloc_(trim|stats|info)|mallinfo2?|mallopt|fork)$"
)
# Ended by the thread that executes it; and what else only a stack tells of.
INITIALISED = ("once", STATIC)
ON_STACKS = (*INITIALISED, "malloc", "rwlock")
# A change of their words need not wake every sleeper: the C++ library has semaphores that wake one
# thread, and nobody if the count was not 0.
_MAY_WAKE_ANOTHER = ("futex", "counting_semaphore")
# libstdc++'s guard of a static variable (cxxabi_tweaks.h): somebody waits for its initialisation.
_GUARD_PENDING_AND_WAITING = 0x10100
_GUARD = "guard variable for "

# pthread_mutex_t
_OWNER, _USERS, _KIND = 8, 12, 16
_KNOWN_KINDS = 0x3FF  # all bits of __kind that a release has used
_ROBUST, _INHERITS, _PROTECTS, _SHARED, _ELIDED = 0x10, 0x20, 0x40, 0x80, 0x100
_CEILING = 0xFFF80000  # in __lock, of one that protects by priority
_TID = 0x3FFFFFFF  # in __lock, of one that is robust or inherits priority (linux/futex.h)
_CONTENDED = 2  # __lock: held, and there may be who waits
# pthread_rwlock_t
_WRITE_PHASE, _WRITERS, _CURRENT_WRITER = 8, 12, 24
_WRITERS_HAVE_IT, _READERS = 1, 3  # in the first word: a bit, and from which one on their number
_USED, _USED_AND_SET = 2, 3  # what those who wait expect in the words of the phase and the writers
# pthread_cond_t: __g_signals, two words, and __g_refs, which newer releases do not have
_OLDER_SIGNALS, _NEWER_SIGNALS = (40, 44), (32, 36)
_REFERENCES_OF_WAITERS = 3  # in the word before the signals: from which bit on
_REFERENCES, _FIRST_GROUP, _ALIGNMENT = 16, 8, 8
_HOLDERS_WORDS = {"mutex": (0, 16), "unit": (0, 16), "rwlock": (_CURRENT_WRITER, 4)}
# pthread_barrier_t: how many have come in all, how many of them to earlier rounds, how many it
# takes
_ROUND, _TAKES = 4, 8
_SEMAPHORES_WAITERS = 4  # sem_t
_JOIN_STATES = 4  # struct pthread's joinstate is less, and a thread's id is not
_MOST_OF_DESCRIPTOR = 4096  # bytes of a struct pthread, and less than between two of them
# linux/futex.h
_WAIT = 0
_LOCK_INHERITING = (6, 13)
_MARKS = 0x180  # private to the process, and which clock

# How threads are made: the routine, and which argument is the function that they execute.
CREATES_THREAD = ("pthread_create", 2)
# Where a new thread begins, by the names of its own symbols.
THREAD_STARTS = ("clone3", "__clone3", "clone", "__clone", "start_thread")


class Kept(NamedTuple):
    """What a thread waits for."""

    kind: str
    address: int | None = None  # of the object; None: not known
    name: str | None = None  # of the program's variable
    owner: int | None = None  # GDB's number of the thread that has to let it go
    goes_on: bool = False  # it has been let go
    timed: bool = False  # it waits for so long only; it may do so again and again
    also: tuple[int, ...] = ()  # and all of these
    by_code: bool = False  # nothing else tells that they have it
    counted: str | None = None  # what the object counts
    readers: int = 0  # of a read-write lock that a writer waits for
    unknown: str | None = None  # why it is not known whom it waits for
    nobody: str | None = None  # why there is nobody who will let it go
    changed: bool = False  # its word has, and yet it sleeps: a stop has the kernel look again

    @property
    def sleeps_again(self) -> bool:
        """Should the kernel look at its word again, which changes on the way to what it awaits."""
        return self.kind == "latch" and not (self.goes_on or self.changed)

    @property
    def is_loaders(self) -> bool:
        """A lock of the dynamic linker's: `_rtld_global' is exported, and has them all."""
        return self.kind == "mutex" and (self.name or "").startswith("_rtld_global")

    def label(self, named: bool = True) -> str:
        """For a table: mutex `m1'. named: with the variable."""
        if self.kind == "join":
            return "end of a thread"
        if self.kind in INITIALISED:
            name = f" `{_plain(self.name)}'" if named and self.name is not None else ""
            return f"{_WORDS[self.kind]}{name}"
        plain = self._replace(address=None, name=self.name if named or self.is_loaders else None)
        words = plain.words
        for article in ("a ", "the "):
            words = words[len(article) :] if words.startswith(article) else words
        return words

    @property
    def words(self) -> str:
        """For a sentence: mutex `m1'."""
        if self.kind == "gil":
            return "Python's GIL"
        if self.kind == "malloc":
            return "malloc's lock"
        if self.is_loaders:
            return "the dynamic linker's lock"
        if self.kind == "future":
            return "a future"  # what it waits for is in memory that the program does not name
        if self.kind == "stream":
            return f"the lock of the stream {self.name}"
        if self.kind == "unit":
            return f"the lock of unit {_plain(self.name or '')}"
        kind, of = _WORDS[self.kind], "the initialiser of " * (self.kind in INITIALISED)
        if self.name is not None:
            return f"{of}{kind} `{_plain(self.name)}'"
        return f"{of}{kind} {self.address:#x}" if self.address is not None else f"{of}a {kind}"


@dataclass(frozen=True)
class Threads:
    """Who is known by which number?"""

    by_id: Mapping[int, int] = field(default_factory=dict)  # GDB's by the C library's
    by_id_word: Mapping[int, int] = field(default_factory=dict)  # and by where that is kept
    complete: bool = False  # whoever is not among them is gone


class Internal(NamedTuple):
    """A lock that a library takes for itself."""

    kind: str
    name: str | None = None
    owner: int | None = None  # GDB's number; 0: nobody; None: not known
    gone: bool = False  # its owner has ended


# The four bytes at an address, None if they cannot be read.
Word = Callable[[int], Union[int, None]]
NameOf = Callable[[int], Union[str, None]]


def kind_of(function: str) -> str | None:
    """What a function of the library's waits for, by its name without the marks of hidden ones."""
    hidden = _HIDDEN.match(function)
    name = hidden.group(1) if hidden else function
    timed = _TIMED.match(name)
    return _KINDS.get(timed.group(1) + timed.group(2) if timed else name)


def waits_in_headers(function: str | None) -> str | None:
    """The kind, by the name of a function that the C++ library's headers define."""
    found = _OF_HEADERS.search(function) if function is not None else None
    return found.lastgroup if found is not None else None


def allocates(function: str | None) -> bool:
    return function is not None and _ALLOCATES.match(function) is not None


def is_internal_lock(call: FutexWait) -> bool:
    """Is it one that the library takes for itself (lowlevellock.h)?"""
    return call.kind == _WAIT and call.is_private and call.expected == _CONTENDED


def kept(
    function: str | None,
    call: FutexWait | None,
    spinning_on: int | None,
    word: Word,
    name_of: NameOf,
    threads: Threads,
    free_spin_lock: int = 1,
    overslept: bool | None = False,
    internal: Internal | None = None,
) -> Kept | None:
    """function: that the program called, if it has a name; call: the system call that the thread
    is in; spinning_on: the argument of pthread_spin_lock; free_spin_lock: what is in a free one;
    overslept: the thread's own; internal: what the call waits for. None: it waits for nothing of
    these."""
    kind = kind_of(function) if function is not None else None
    if internal is not None:
        kind = internal.kind
    if call is not None and call.address in threads.by_id_word:
        kind = "join"  # nobody else waits for that word
    elif kind is None and call is not None:
        kind = "futex"
    if kind is None:
        return None
    if kind == "spin":
        return _Reading(word, name_of, threads).spin_lock(spinning_on, free_spin_lock)
    if call is None or not call.asleep:
        return Kept(kind, goes_on=True)  # it is being executed
    found = _Reading(word, name_of, threads).of(kind, function or "", call, internal)
    if call.timed:
        return found._replace(timed=True)
    # The C library wakes whom it lets go, unless it was seen not to. Of others nothing is known.
    changed = found.goes_on or kind in ("condition", "semaphore")  # which may let another one go
    if changed and (overslept or (overslept is None and kind in _MAY_WAKE_ANOTHER)):
        return _slept_on(found)
    return found


def holders_words(kept: Kept) -> tuple[int, int] | None:
    """Where it is kept who has what a thread waits for, and nothing that changes because one waits:
    address and size."""
    if kept.address is None or kept.kind not in _HOLDERS_WORDS:
        return None
    offset, size = _HOLDERS_WORDS[kept.kind]
    return kept.address + offset, size


class _Reading:
    def __init__(self, word: Word, name_of: NameOf, threads: Threads) -> None:
        self._word, self._name_of, self._threads = word, name_of, threads

    def of(
        self, kind: str, function: str, call: FutexWait, internal: Internal | None = None
    ) -> Kept:
        if kind == "condition" and _is_for_lock(call):
            kind = "mutex"  # signalled, it has to get its mutex back
        if kind == "mutex":
            return self._mutex(self._named(kind, call.address), call)
        if kind == "unit" and internal is not None:
            return self._mutex(Kept(kind, call.address, internal.name), call)
        if kind == "condition":
            return self._condition(call)
        if self._lets_go(kind, call):
            return self._named(kind, call.address)._replace(goes_on=True)
        if kind == "join":
            return self._thread(call)
        if kind == "rwlock":
            return self._rwlock(call, "wrlock" in function)
        if kind in INITIALISED:
            return self._initialised(kind, call)
        if kind == "semaphore":
            found = self._named(kind, call.address)
            count, waiting = self._word(call.address), self._waiting(call)
            return found._replace(
                unknown=f"it is not known who will post {found.words}",
                counted=f"its count is {count}, {_waiters(waiting)}" if waiting else None,
            )
        if kind in _IN_HEADERS:
            return self._of_headers(kind, call)
        if internal is not None:
            return self._internal(internal, call.address)
        if kind == "futex":
            found = self._named(kind, call.address)
            why = f"it is not known who will wake a thread that waits for {found.words}"
            return found._replace(unknown=why)
        return self._barrier(call)

    def _lets_go(self, kind: str, call: FutexWait) -> bool:
        """Does the change of its word, if it has changed?"""
        word = self._word(call.address)
        if word is None or word == call.expected:
            return False
        if kind == "latch":
            # On its way to 0 nobody is woken. A word of the pool goes up, and wakes all.
            return not 0 < word < call.expected
        if kind == "join":
            # Whom the debugger knows has not ended: gcore may write zeros for what it has not read.
            return self._joined(call) is None
        if kind == "semaphore":
            return word >= self._waiting(call)  # it lets go as many as it counts
        return True

    def _waiting(self, call: FutexWait) -> int:
        """At a semaphore."""
        return self._word(call.address + _SEMAPHORES_WAITERS) or 0

    def spin_lock(self, address: int | None, free: int) -> Kept:
        if address is None:
            return Kept("spin", unknown="which spin lock a thread waits for is not known")
        found, value = self._named("spin", address), self._word(address)
        if value is None:
            return found._replace(unknown=f"{found.words} cannot be read")
        if value == free:
            return found._replace(goes_on=True)
        return found._replace(
            unknown=f"it is not known who holds {found.words}: the C library does not record it"
        )

    def _mutex(self, found: Kept, call: FutexWait) -> Kept:
        lock, owner, users, kind = (
            self._word(call.address + offset) for offset in (0, _OWNER, _USERS, _KIND)
        )
        if lock is None or owner is None or kind is None or kind & ~_KNOWN_KINDS:
            return found._replace(unknown=f"{found.words} cannot be read, or is damaged")
        if kind & (_ROBUST | _INHERITS):
            owner = lock & _TID
            waited_for = owner != 0
        else:
            waited_for = (lock & ~_CEILING if kind & _PROTECTS else lock) == _CONTENDED
        if not waited_for:
            return found._replace(goes_on=True)
        if owner and not users:
            return found._replace(unknown=f"{found.words} is damaged")
        why = "the C library does not record it for one of its kind"
        return self._owned(found, owner, why if kind & _ELIDED else "", bool(kind & _SHARED))

    def _owned(self, found: Kept, owner: int, why: str = "", is_shared: bool = False) -> Kept:
        if owner == 0:
            why = why or "it is being passed on at this moment"
            return found._replace(unknown=f"it is not known who holds {found.words}: {why}")
        known = self._threads.by_id.get(owner)
        if known is not None and not is_shared:
            return found._replace(owner=known)
        if self._threads.complete and not is_shared:
            why = f"{found.words} is held, and its owner, thread {owner} of the system's, is gone"
            return found._replace(nobody=why)
        why = f"{found.words} is held by thread {owner} of the system's, which GDB does not know"
        return found._replace(unknown=why)

    def _rwlock(self, call: FutexWait, writes: bool) -> Kept:
        base = call.address - _lock_word(call, writes)
        found = self._named("rwlock", base)
        writer, state = self._word(base + _CURRENT_WRITER), self._word(base)
        if writer is None or state is None:
            return found._replace(unknown=f"{found.words} cannot be read")
        if writer or state & _WRITERS_HAVE_IT:
            return self._owned(found, writer)
        readers = state >> _READERS
        held_by = f"{readers} reader{'s' * (readers != 1)}"
        why = f"{found.words} is held by {held_by}, and the C library does not record which"
        found = found._replace(unknown=why, counted=f"held by {held_by}")
        return found._replace(readers=readers) if writes else found

    def _initialised(self, kind: str, call: FutexWait) -> Kept:
        found = self._named(kind, call.address)
        if kind == STATIC and call.expected != _GUARD_PENDING_AND_WAITING:
            found = Kept(kind)  # not of this C++ library's
        elif found.name is not None and found.name.startswith(_GUARD):
            found = found._replace(name=found.name[len(_GUARD) :])
        return found._replace(unknown=f"it is not known who executes {found.words}")

    def _of_headers(self, kind: str, call: FutexWait) -> Kept:
        found = self._named(kind, call.address)
        if kind == "std_barrier" or (found.name is not None and _POOL in found.name):
            found = Kept(kind)
        elif kind == "latch":
            left = self._word(call.address)
            counted = f"{left} more to arrive" if left is not None else None
            found = found._replace(counted=counted)
        elif kind == "counting_semaphore":
            found = found._replace(counted=f"its count is {call.expected}")
        return found._replace(unknown=f"it is not known who will {_WHO[kind]} {found.words}")

    def _barrier(self, call: FutexWait) -> Kept:
        base = call.address - _ROUND
        found = self._named("pthread_barrier", base)
        come, takes = self._word(base), self._word(base + _TAKES)
        count = None
        if come is not None and takes is not None:
            here = (come - call.expected) % (1 << 32)
            if 0 < here < takes:
                count = f"{here} of {takes} {'has' if here == 1 else 'have'} come"
                living = len(self._threads.by_id)
                if self._threads.complete and call.is_private and living < takes:
                    count += (
                        f", and the process has {living} {'thread' if living == 1 else 'threads'}"
                    )
        why = f"the C library does not record who is missing at {found.words}"
        return found._replace(unknown=f"{why}: {count}" if count else why, counted=count)

    @staticmethod
    def _internal(lock: Internal, address: int) -> Kept:
        found = Kept(lock.kind, address, lock.name)
        if lock.owner:
            return found._replace(owner=lock.owner)
        if lock.gone:
            return found._replace(nobody=f"{found.words} is held, and its owner is gone")
        why = ": it is being passed on at this moment" if lock.owner == 0 else ""
        return found._replace(unknown=f"it is not known who holds {found.words}{why}")

    def _thread(self, call: FutexWait) -> Kept:
        known = self._joined(call)
        if known is None and call.expected >= _JOIN_STATES:
            known = self._threads.by_id.get(call.expected)
        if known is None:
            return Kept("join", unknown="which thread's end a thread waits for is not known")
        return Kept("join", owner=known)

    def _joined(self, call: FutexWait) -> int | None:
        """By the word, which lies in what the library keeps of that thread: its id, or as of 2.43
        how far it has ended."""
        words = self._threads.by_id_word
        word = min(words, key=lambda one: abs(one - call.address), default=None)
        if word is None or abs(word - call.address) >= _MOST_OF_DESCRIPTOR:
            return None
        return words[word]

    def _condition(self, call: FutexWait) -> Kept:
        inside, found = self._name_of(call.address), []
        for offset in _OLDER_SIGNALS + _NEWER_SIGNALS:
            base = call.address - offset
            if base % _ALIGNMENT or not self._has_waiter(base, offset):
                continue
            name = self._name_of(base)
            if name is None or "+" in name:
                continue
            if inside is None or _variable(inside) == _variable(name):
                found.append(Kept("condition", base, name))
        one = found[0] if len(found) == 1 else Kept("condition")
        if one.address is not None:
            one = one._replace(counted=self._waiters_of(one.address, call.address))
        return one._replace(unknown=f"it is not known who will signal {one.words}")

    def _waiters_of(self, base: int, signals: int) -> str | None:
        older = signals - base in _OLDER_SIGNALS
        number = self._word(base + (_OLDER_SIGNALS if older else _NEWER_SIGNALS)[0] - 4)
        return _waiters(number >> _REFERENCES_OF_WAITERS) if number is not None else None

    def _has_waiter(self, base: int, offset: int) -> bool:
        """May it be a condition variable, with one that sleeps on its word at the offset?"""
        if offset in _OLDER_SIGNALS:
            references = self._word(base + _REFERENCES + offset - _OLDER_SIGNALS[0])
            return references is None or references > 1
        numbers = [self._word(base + at) for at in (0, 4, _FIRST_GROUP, _FIRST_GROUP + 4)]
        if None in numbers:
            return True
        # How many have come to wait, and how many before the oldest group; each with a bit below.
        low, high, first_low, first_high = (number or 0 for number in numbers)
        return (high << 32 | low) >> 1 > (first_high << 32 | first_low) >> 1

    def _named(self, kind: str, address: int) -> Kept:
        return Kept(kind, address, self._name_of(address))


def _variable(name: str) -> str:
    """The one that it is a part of: `pool' of `pool.changed', `pool[2]' and `pool+72'."""
    return _PART.split(name, maxsplit=1)[0]


def _waiters(number: int) -> str:
    return f"{number} thread waits" if number == 1 else f"{number} threads wait"


def _slept_on(found: Kept) -> Kept:
    why = f"{found.words} has changed under a thread that sleeps, and it is not known who wakes it"
    return found._replace(goes_on=False, unknown=why, changed=True)


def _is_for_lock(call: FutexWait) -> bool:
    """Of a mutex; who waits for a signal expects none, or, since 2.34, waits by the other call."""
    operation = call.operation & ~_MARKS
    return operation in _LOCK_INHERITING or (operation == _WAIT and call.expected >= _CONTENDED)


def _lock_word(call: FutexWait, writes: bool) -> int:
    """Which word of a read-write lock is it? Writers wait for the one before them, and then for the
    phase to change; readers for the phase, or, where writers go first, for the first word."""
    if writes:
        return _WRITE_PHASE if call.expected == _USED else _WRITERS
    return _WRITE_PHASE if call.expected == _USED_AND_SET else 0


def _plain(name: str) -> str:
    """Names come from the target, and a terminal obeys some characters."""
    return "".join(c if c.isprintable() else "?" for c in name)
