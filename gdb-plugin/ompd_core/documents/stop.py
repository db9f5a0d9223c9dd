# SPDX-License-Identifier: Apache-2.0
"""The document of one stop: of one process, what a command tells of it."""

from __future__ import annotations

from typing import Annotated, Dict, List, Optional

from typing_extensions import NotRequired, TypedDict

from .icvs import Icv
from .offload import Offload
from .regions import Barrier, Region
from .stacks import Merged, Stack
from .tasks import ExplicitTask
from .threads import Thread
from .waits import Deadlock, Lock
from .words import (
    Address,
    Anything,
    AtLeast,
    BuildId,
    Certainty,
    Code,
    Count,
    GdbId,
    Loc,
    Moment,
    Number,
    OneOf,
    RegionId,
    Text,
)


class Diagnostic(TypedDict):
    code: Code
    subject: str
    text: Text


class Runtime(TypedDict):
    id: Count
    kind: Annotated[str, OneOf("llvm", "gomp")]
    version: Optional[str]
    build_id: Optional[BuildId]
    path: Optional[str]
    base: Address
    descriptors: Optional[Annotated[str, OneOf("symbols", "recovered", "record")]]
    initialized: NotRequired[Annotated[Optional[bool], "whether the program has started it"]]
    supported: NotRequired[bool]
    state_tracking: Optional[bool]
    diagnostics: List[Diagnostic]


class Inferior(TypedDict):
    num: Number
    pid: Optional[int]
    kind: Annotated[str, OneOf("live", "core", "remote")]
    program: Optional[str]
    core: NotRequired[Annotated[Optional[str], "the core file that it is"]]


class Value(TypedDict):
    """What an expression is in some threads."""

    text: Optional[str]
    error: Optional[str]
    parents: Annotated[Optional[RegionId], "Evaluated in the frame that began this region."]
    who: Text
    gdb: List[GdbId]
    in_construct: NotRequired[
        Annotated[
            bool,
            "Evaluated in the frame of the construct's code, which called the user's innermost"
            " function.",
        ]
    ]
    in_function: NotRequired[
        Annotated[
            Optional[str],
            "Evaluated in the frame of this function, which lies between the two.",
        ]
    ]
    file: NotRequired[
        Annotated[
            Optional[str],
            "The variable is this file's: nothing around the thread has one of that name.",
        ]
    ]
    first_of_loop: NotRequired[
        Annotated[bool, "It is the first value of a loop's variable: clang records no other of it."]
    ]


class Print(TypedDict):
    expression: Text
    values: List[Value]
    sharing: NotRequired[
        Annotated[
            Optional[
                Annotated[
                    str,
                    OneOf(
                        "shared",
                        "private",
                        "threadprivate",
                        "reduction",
                    ),
                ]
            ],
            "What the variable is for the threads. Addresses tell; of one thread alone, and of"
            " copies, what the compiler made of it.",
        ]
    ]


class Breakpoint(TypedDict):
    number: Annotated[Number, "GDB's own."]
    kind: Annotated[
        str, OneOf("parallel", "teams", "task", "barrier", "thread", "target", "data", "update")
    ]
    when: Annotated[str, OneOf("begin", "end", "entry", "all")]
    at: Optional[str]
    condition: Optional[str]
    temporary: bool
    enabled: bool
    hits: Count
    problem: Annotated[Optional[str], "Why it cannot be hit now; null: it can."]


class Finding(TypedDict):
    code: Code
    text: Text
    confirmed: NotRequired[
        Annotated[bool, "Of `ompd pid': did an earlier look show the same? Absent: there was none."]
    ]
    wrong: NotRequired[
        Annotated[
            bool, "Something is wrong with this program. The others say how sure the report is."
        ]
    ]


class Thrown(TypedDict):
    """An exception of C++ that nobody caught. left: what let none out, loc its place; null:
    nothing on the stack catches it."""

    type: str
    what: Annotated[
        Optional[str], "the text that what() returns, or the value of a number or a string"
    ]
    left: Optional[Annotated[str, OneOf("region", "task", "construct", "function")]]
    loc: Optional[Loc]


class Recursion(TypedDict):
    functions: Annotated[List[str], "that call each other, the one that is called most first"]
    depth: Annotated[Count, "how often the first of them is on the stack, as far as can be told"]
    bytes_each: Annotated[Count, "of the stack, for each of its calls"]


class StackOverflow(TypedDict):
    certainty: Certainty
    why: Annotated[Optional[str], "why it is not certain"]
    stack_bytes: Annotated[Optional[Count], "the stack's size; null: not known"]
    function: Annotated[Optional[str], "of the frame that did not fit"]
    frame_bytes: Annotated[Optional[Count], "that it takes; null: little"]
    recursion: Optional[Recursion]
    set_by: Annotated[
        Optional[str], "OMP_STACKSIZE and its kin, ulimit -s, pthread_attr_setstacksize"
    ]
    set_to: Annotated[Optional[str], "null: it is not set, or not known"]
    enough_bytes: Annotated[Optional[Count], "a size that would have done; null: not known"]


class Signal(TypedDict):
    name: Text
    number: Number
    crash: bool
    reason: Optional[str]
    address: Optional[Address]
    exception: NotRequired[Annotated[Optional[Thrown], "of C++, for which the program was ended"]]
    stack_overflow: NotRequired[Annotated[Optional[StackOverflow], "null: none was found"]]
    terminated: NotRequired[
        Annotated[
            Optional[
                Annotated[
                    str,
                    OneOf(
                        "pthread_cancel",
                        "pthread_exit",
                        "joinable_thread",
                        "pure_virtual",
                        "terminate",
                    ),
                ]
            ],
            "why the C++ library ended the program, without an exception; null: it did not",
        ]
    ]
    said: NotRequired[
        Annotated[Optional[str], "what was printed by whoever ended the program by abort ()"]
    ]
    said_by: NotRequired[
        Annotated[
            Optional[str], "the C library: of an assertion; or an OpenMP runtime, by its name"
        ]
    ]
    refused: NotRequired[
        Annotated[
            Optional[
                Annotated[
                    str,
                    OneOf(
                        "calls_nothing",
                        "division_by_zero",
                        "no_address",
                        "no_instruction",
                        "not_aligned",
                        "not_supported",
                        "privileged",
                        "result_too_large",
                        "returns_nowhere",
                        "trap",
                    ),
                ]
            ],
            "why the processor did not execute the instruction; null: for another reason, or it is"
            " not known",
        ]
    ]
    instruction: NotRequired[Annotated[Optional[str], "that one"]]
    file: NotRequired[
        Annotated[Optional[str], "SIGBUS: that is mapped where the address is, and is shorter"]
    ]
    handler_of: NotRequired[
        Annotated[Optional[str], "the signal in whose handler it was; null: in none, or not known"]
    ]
    sender: Optional[int]
    lwp: int
    gdb: Optional[str]
    id: Optional[str]
    where: Optional[Loc]


class Unavailable(TypedDict):
    """A section of a report that could not be had."""

    section: Code
    code: Code
    message: Text
    hint: Optional[str]


class Slowdown(TypedDict):
    """What explains that a program is slow in which nothing is wrong."""

    code: Code
    text: Text


class Summary(TypedDict):
    findings: List[Finding]
    classes: Dict[str, int]
    regions: int
    slowdowns: List[Slowdown]
    next: List[Text]


class Variable(TypedDict):
    """Of the program's environment."""

    name: Text
    value: str


class Rank(TypedDict):
    """Which process of an MPI job it is, as the launcher's environment tells it."""

    rank: NotRequired[Annotated[Optional[Count], "null: not known"]]
    rank_count: NotRequired[Annotated[Optional[Count], "how many ranks the job has"]]
    host: NotRequired[Annotated[Optional[str], "where the process runs or ran; null: not known"]]
    pid: NotRequired[Optional[Count]]


class Document(Rank):
    schema: Annotated[str, OneOf("ompd/1")]
    command: Text
    stop_id: Count
    gdb_version: Text
    notes: List[str]
    inferior: Optional[Inferior]
    runtimes: List[Runtime]
    threads: NotRequired[List[Thread]]
    parallel: NotRequired[Anything]
    regions: NotRequired[List[Region]]
    tasks: NotRequired[List[ExplicitTask]]
    barriers: NotRequired[List[Barrier]]
    print: NotRequired[Print]
    icvs: NotRequired[List[Icv]]
    environment: NotRequired[List[Variable]]
    locks: NotRequired[List[Lock]]
    offload: NotRequired[Annotated[Offload, "what the host knows of devices"]]
    deadlock: NotRequired[Deadlock]
    stacks: NotRequired[List[Stack]]
    merged: NotRequired[Merged]
    breakpoints: NotRequired[List[Breakpoint]]
    findings: NotRequired[List[Finding]]
    signal: NotRequired[Optional[Signal]]
    unavailable: NotRequired[List[Unavailable]]
    summary: NotRequired[Summary]
    stopped_seconds: NotRequired[
        Annotated[float, AtLeast(0), "How long `ompd pid' kept the process stopped."]
    ]
    made: NotRequired[Annotated[Moment, "when the report was made"]]
    locals: NotRequired[
        Annotated[List[Stack], "of odd threads, the innermost frames with their variables"]
    ]


class Refusal(TypedDict):
    code: Code
    message: Text
    hint: Optional[str]


class Error(Rank):
    schema: Annotated[str, OneOf("ompd/1")]
    command: Text
    error: Refusal


# That have no other fields.
CLOSED = (Variable, Thrown)

# What else than the envelope a command's document has at least: these, or those.
SECTIONS = {
    "threads": [["threads"]],
    "parallel": [["regions"]],
    "tasks": [["tasks"]],
    "barriers": [["barriers"]],
    "print": [["print"]],
    "icvs": [["icvs"]],
    "locks": [["locks"]],
    "target": [["offload"]],
    "deadlock": [["deadlock"]],
    "bt": [["stacks"], ["merged"]],
    "info break": [["breakpoints"]],
    "report": [["findings", "signal", "summary", "library", "unavailable", "threads"]],
    "ompd": [["summary"]],
}
