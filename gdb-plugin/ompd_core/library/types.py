# SPDX-License-Identifier: Apache-2.0
"""What does libompd answer, as plain Python values? None: none, or not known."""

from __future__ import annotations

from typing import Sequence

from ..light_classes import NamedTuple, dataclass, field


class Image(NamedTuple):
    """An ELF image in the target's memory."""

    load_bias: int
    dynamic: int
    path: str | None


class FoundRuntime(NamedTuple):
    kind: str  # "llvm", "gomp"
    version: int | None
    image: Image


class Diagnostic(NamedTuple):
    code: str
    subject: str
    text: str


class RuntimeInfo(NamedTuple):
    kind: str
    version: int | None
    version_text: str
    build_id: str | None
    descriptors: str | None  # "symbols", "recovered", "record"; None: not found yet
    record: str | None
    initialized: bool | None  # None: it cannot be told
    state_tracking: bool | None
    start: int
    end: int


class NativeIds(NamedTuple):
    """How the tool tells the library which native thread it means."""

    pthread_id: int | None = None
    thread_pointer: int | None = None
    lwp: int | None = None


@dataclass(frozen=True)
class ViewThread:
    native: int | None  # index into the tool's list
    kind: str  # "none", "initial", "worker", "root", "helper"
    levels: tuple[
        tuple[int, int], ...
    ] = ()  # (index of the region, thread number), innermost first
    problem: str | None = None  # "unreadable", "inconsistent", "limit"
    runtime_id: int | None = None
    address: int = 0
    pthread_id: int = 0
    task: int = 0
    task_kind: str | None = None  # "initial", "implicit", "explicit"
    task_final: bool | None = None
    tracked_state: int | None = None
    tracked_wait_id: int = 0
    ident_flags: int | None = None  # of the construct for which it called the runtime last
    ident_source: str | None = None
    has_team: bool = False  # be its region over, or yet to begin
    index: int | None = None  # in View.threads: how the snapshot's other parts tell the thread


class ViewRegion(NamedTuple):
    address: int
    parent: int | None  # index of the region
    generator: str  # "program", "parallel", "teams", "target"
    level: int | None
    active_level: int | None
    team_size: int | None
    members: tuple[int | None, ...] = ()  # by thread number, the index of the thread
    serialized: bool | None = False
    serial_depth: int = 0
    league_size: int | None = None
    team_num: int | None = None
    problem: str | None = None
    function: int = 0
    source: str | None = None  # ";file;function;line;column;;" as the compiler wrote it
    helpers: bool = False  # the team of the runtime's hidden helper threads
    # Whose cancellation has been requested: "parallel", "for", "sections", "worksharing".
    cancelled: str | None = None
    barrier_round: int = 0  # what each barrier adds to the word that threads sleep on


@dataclass(frozen=True)
class View:
    threads: list[ViewThread] = field(default_factory=list)
    regions: list[ViewRegion] = field(default_factory=list)
    problem: str | None = None  # why there may be more regions


class IcvValue(NamedTuple):
    number: int | None  # of a list its first item; None: it has none, or it is not known
    text: str | None  # None: not known


class Icvs(NamedTuple):
    """By name, in the library's order."""

    scopes: dict[str, str]  # "process", "region", "thread", "task"
    process: dict[str, IcvValue]
    initial: dict[str, IcvValue]  # of the task outside of all regions of the program's first thread
    # By index into the tool's list of threads; None: it is in no region.
    threads: list[dict[str, IcvValue] | None]


class ViewTask(NamedTuple):
    address: int
    kind: str  # "initial", "implicit", "explicit"
    state: str | None  # "executing", "suspended", "ready", "blocked", "detached", "finished"
    team: int  # ViewRegion.address
    parent: int | None = None  # index of the task that generated it
    thread: int | None = None  # ViewThread.index: who executes it, or whose queue it is in
    creator: int | None = None  # the same: who created it
    children: int | None = None  # not complete
    priority: int | None = None
    predecessors: int | None = None  # how many of them are not complete
    tied: bool = True
    final: bool = False
    undeferred: bool = False
    taskwait: bool = False
    taskgroup: int = 0
    taskgroup_count: int | None = None
    taskgroup_cancelled: bool = False  # or not known
    function: int = 0
    source: str | None = None
    taskwait_source: str | None = None


@dataclass(frozen=True)
class ViewTasks:
    tasks: list[ViewTask] = field(default_factory=list)
    dependences: list[tuple[int, int]] = field(default_factory=list)  # (task, predecessor)
    problem: str | None = None  # why there may be more


class LockVariable(NamedTuple):
    """A variable of the program's that a lock, or a critical construct's, is known by."""

    address: int
    critical: bool


class ViewLock(NamedTuple):
    address: int
    kind: str | None  # "tas", "futex", "ticket", "queuing", "drdpa"
    nested: bool = False
    held: bool | None = None
    owner: int | None = None  # ViewThread.index; None: not recorded, or it is gone
    owner_id: int | None = None  # the runtime's own number of it; None: not recorded
    depth: int | None = None  # how often the owner has set it
    waiting: int | None = None  # how many wait
    waiters: tuple[int, ...] = ()  # ViewThread.index, the next to get it first
    problem: str | None = None  # why there may be more waiters
    word: int = 0  # to compare with another stop's: it changes with whatever is done to the lock

    @property
    def tells_owner(self) -> bool:
        """libgomp has no numbers of threads."""
        return self.owner is not None or self.owner_id is not None


@dataclass(frozen=True)
class ViewLocks:
    locks: list[ViewLock] = field(default_factory=list)
    # For each variable that was asked about, the index of its lock; None: it holds none.
    variables: list[int | None] = field(default_factory=list)
    problem: str | None = None  # why there may be more locks


# Kinds of barriers, of which a team has one each.
BARRIER_PLAIN, BARRIER_REGION, BARRIER_REDUCTION = 1, 2, 4


class Arrival(NamedTuple):
    """What the barriers' words tell of a thread: bits BARRIER_..."""

    arrived: int = 0  # and not all others have
    released: int = 0  # and has not gone on yet
    complete: int = 0  # it sleeps there, and all have come
    # How many barriers of each kind it and its team have come to: to compare with another stop's.
    steps: tuple[int, ...] = ()
    team_steps: tuple[int, ...] = ()


class TeamArrivals(NamedTuple):
    """How many have come to a team's barriers, of a runtime that only counts them."""

    awaits: int  # how many have to come
    arrived: int | None  # at a barrier inside of the region; None: not known
    arrived_at_end: int | None
    waits_for_tasks: bool  # all have come, and tasks are not complete
    steps: int  # how many barriers the team has been through
    regions: int = 0  # how many regions its threads have begun


class ViewLoop(NamedTuple):
    """One thread in one loop that the runtime schedules. Iterations are counted from 0."""

    team: int  # ViewRegion.address
    thread: int | None  # ViewThread.index
    thread_num: int
    loop: int  # the same for threads in the same
    schedule: str | None = None  # "static", "dynamic", "guided", "trapezoidal", "static_steal"
    problem: str | None = None
    ordered: bool = False
    may_have_left: bool = False  # it was cancelled, perhaps
    sections: bool = False
    iterations: int | None = None
    chunk: int | None = None
    handed_out: int | None = None
    first: int | None = None  # the chunk that the thread got last
    last: int | None = None
    left: int | None = None  # set aside for the thread
    ordered_turn: int | None = None
    remaining: int | None = None  # how many iterations no thread has got yet
    # That the thread is in it: "recorded", or its code has to say so: "or_other", if it is in a
    # worksharing construct; "or_none", of the loop with which its region began.
    evidence: str = "recorded"
    ordered_holder: int | None = None  # a thread_num, if the loop is ordered
    completed: int | None = None  # how many threads have left it without waiting at its end


class ViewDoacross(NamedTuple):
    """Of a doacross loop that a thread is in."""

    dimensions: int  # how many numbers an iteration has; 0: the loop never waits
    posted: bool | None  # the iteration that was asked for
    owner: int | None  # the number of the thread that executes it
    loop: int  # tells it from other doacross loops of the team
    # "inside", "left" or "elsewhere", by the threads' numbers. With libgomp "inside" until the next
    # worksharing construct.
    members: tuple[str, ...]


class Mapping(NamedTuple):
    """What of the host's memory is mapped on a device."""

    device: int  # its number
    address: int  # of the runtime's structure
    base: int  # of the variable that `begin' is a part of
    begin: int
    end: int
    device_begin: int
    device_allocation: int | None
    dynamic_count: int
    hold_count: int
    infinite: bool  # it stays: declare target, omp_target_associate_ptr
    source_address: int
    source: str | None  # ";variable;file;line;column;;" as the compiler wrote it


class Device(NamedTuple):
    number: int
    plugin_number: int
    kind: str | None  # "host", "cuda", "hsa", "other"
    machine: int | None  # e_machine of its image
    machine_flags: int
    used: bool | None  # the program's code has been loaded onto it
    address: int
    plugin: int
    mutex: int  # of its table: a pthread_mutex_t
    locked: bool | None
    owner: int | None  # the LWP that holds it
    mapped: int  # how many mappings the table says to have
    mappings: tuple[Mapping, ...] = ()  # by host address
    problem: str | None = None  # why these are fewer


class OffloadEntry(NamedTuple):
    """What a program or library registered for offloading."""

    address: int  # of a variable; of a kernel what stands for it in calls
    kind: str  # "kernel", "variable", "other"
    flags: int
    bytes: int
    library: int  # the same of all that one program or library registered
    name: str | None


@dataclass(frozen=True)
class Offload:
    """The offload runtime, and what the host knows of its devices."""

    image: Image
    start: int
    end: int
    version: int | None
    version_text: str
    build_id: str | None
    record: str | None
    layout: str  # of devices and entries: "proven", "likely", "refused"
    mapping_layout: str
    reason: Diagnostic | None  # why one of them is not proven
    manager: int
    target_offload: str | None  # "disabled", "default", "mandatory", where it keeps it
    devices: list[Device] = field(default_factory=list)
    entries: list[OffloadEntry] = field(default_factory=list)
    problem: str | None = None  # why there may be more


# Whose code a frame is in.
UNKNOWN, PROGRAM, LIBRARY, SYSTEM, RUNTIME = "unknown", "program", "library", "system", "runtime"


class StackFrame(NamedTuple):
    """As much of a frame as tells what its thread does."""

    code: str
    kind: str = ""  # of a runtime's
    runtime: int = 0
    name: str | None = None  # of its function
    called: str | None = None  # what is called there, if the code was looked at
    direct: bool | None = None  # it calls a fixed address there
    entry: int = 0  # where its function begins; 0: not known


class Sleep(NamedTuple):
    """A word on which a thread sleeps in the kernel, until it is woken because another one has
    changed it."""

    address: int
    expected: int
    now: int | None  # None: it cannot be read


# How much of a stack there is.
PART, CUT, WHOLE = range(3)


class Facts(NamedTuple):
    """What a runtime knows of a thread."""

    runtime: int
    kind: str
    thread: str  # its kind
    has_team: bool
    ident_flags: int | None
    ident_source: str | None
    chain: Sequence[tuple[ViewRegion, int]]  # with its number in each, innermost first
    arrivals: TeamArrivals | None = None  # at the innermost region's barriers


# ompdx_classification_t.told and asks.
LET_GO, ROUND, SLEEPS, STARTS, LAUNCHED, UNNAMED, ENTRY_CALLED, BEGINS_REGION = (
    1 << bit for bit in range(8)
)
ASKS_CALLED, ASKS_DIRECT, ASKS_REST, ASKS_SLEEP = (1 << bit for bit in range(4))


class Classification(NamedTuple):
    """What a thread does, by its stack. Frames are told by their index."""

    state: int | None = None
    wait: str | None = None
    construct: str | None = None
    place: str = "none"
    doubt: str | None = None
    told: int = 0
    asks: int = 0
    runtime: int | None = None  # whose code is on top, below the C library
    entry: int | None = None  # that tells what the program called
    caller: int | None = None  # of the program, that called the runtime or that is on top
    outermost: int | None = None  # of the runtime, that the program called
    object: int = 0  # the lock's variable, if the thread sleeps on it
    round: int | None = None
    construct_doubt: str | None = None  # why it is not known of which one a barrier is
