# SPDX-License-Identifier: Apache-2.0
"""What is not certain, why, and how to know it next time. A field without a doubt is certain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Doubt:
    certainty: str  # "likely", "unknown"
    why: str
    how: str = ""

    @property
    def sentence(self) -> str:
        return f"{self.why}; {self.how}" if self.how else self.why


STATE_NOT_DERIVED = Doubt(
    "unknown", "the thread's stack was not looked at, and the runtime records no states"
)
HELPERS_STATE = Doubt("unknown", "what hidden helper threads wait for is the runtime's own affair")
STATE_UNDEFINED = Doubt("unknown", "the runtime recorded the state as undefined")
IN_REDUCTION = Doubt(
    "likely", "it is in a reduction, where it waits for the others or for its turn to add"
)
MAYBE_CANCELLED = Doubt(
    "likely",
    "its region can be cancelled: who has given it up waits under the same mark",
)
IN_ATOMIC = Doubt(
    "likely", "it is in an atomic construct, which waits only while another thread is in it"
)
NO_STACK = Doubt(
    "unknown",
    "the thread's stack cannot be unwound to where it entered the runtime",
    "`bt' in the thread shows what GDB finds",
)
UNKNOWN_CODE = Doubt(
    "unknown",
    "GDB knows neither a library nor a symbol where the thread is",
    "`info sharedlibrary' lists the libraries that it knows",
)
END_OR_BEGINNING = Doubt(
    "likely",
    "it has come to the end of its region, or has not begun it yet: the barrier's words do not"
    " tell which",
    "look again at another stop",
)
END_NOT_READ = Doubt(
    "likely",
    "it has come to the end of its region, or has not begun it yet: where this build of the"
    " runtime keeps its barriers' words is not known",
)
RUNNING = Doubt("unknown", "the thread is running", "stop it, for example with `interrupt'")
RUNNING_LIKELY = Doubt(
    "likely", "the thread ran on while its runtime's memory was read", "stop it with `interrupt'"
)
NO_FRAME = Doubt(
    "unknown",
    "GDB cannot unwind this thread's stack to a frame outside the runtime and the C library",
    "`bt' in the thread shows all that it finds",
)
NATIVE_UNKNOWN = Doubt(
    "unknown",
    "GDB knows no thread with the pthread id that the runtime recorded",
    "if GDB could not load libthread_db, see `info auto-load libthread-db'",
)
NO_SOURCE = Doubt(
    "unknown",
    "the compiler recorded no source position, and no stack shows where the construct is",
    "compile the program with -g",
)
NOT_RECORDED = Doubt(
    "unknown",
    "the compiler recorded no source position for the runtime, and no stack shows where the "
    "construct is",
    "`bt' in the thread shows the way there",
)
NO_LINE = Doubt(
    "unknown", "the program has no line information here", "compile the program with -g"
)
SHARED_STRUCTURE = Doubt(
    "unknown",
    "the runtime keeps serialized regions that are nested in each other in one structure, "
    "and not where each of them is",
    "`bt' in the thread shows the way there",
)
NO_RECORD = Doubt(
    "unknown",
    "where this build of the runtime keeps source positions is not known: "
    "no shipped record fits it",
    "`bt' in the thread shows the way there",
)
STANDARD_ONLY = Doubt(
    "unknown",
    "OMPD's own routines do not tell where a construct is",
    "use the library that came with these commands: `set ompd library'",
)
CALL_SITE = Doubt(
    "likely",
    "the construct's own source position is not kept; this is the line of the call that began it",
)
OBJECT_NOT_CONSTANT = Doubt(
    "unknown",
    "the code does not pass a constant address in this call, that address has no symbol, or the "
    "instructions of this architecture are not read yet",
    "`frame function' and `info locals' in the thread may tell",
)
OBJECT_NOT_EXACT = Doubt(
    "likely",
    "the address is no constant in the code: it was taken from the register, or the place on the"
    " stack, where the code should have it",
)
WAIT_NOT_DERIVED = Doubt(
    "unknown", "this version does not derive the object that a thread waits for, nor who holds it"
)
HOLDER_BY_CODE = Doubt(
    "likely",
    "the runtime does not record who holds a lock of this kind; this thread's code is at a place"
    " that only a holder can reach",
    "run the program with KMP_CONSISTENCY_CHECK=all, and the runtime records it",
)
HOLDER_NOT_RECORDED = Doubt(
    "unknown",
    "the runtime does not record who holds a lock of this kind, and no thread's code tells",
    "run the program with KMP_CONSISTENCY_CHECK=all, and the runtime records it",
)
HELD_TWICE = Doubt(
    "likely",
    "that the thread held the lock before is told by its code: the runtime records only that it is"
    " the thread's now",
)
BARRIER_NOT_PROVEN = Doubt(
    "likely",
    "the barrier's own words do not tell whether a thread there still waits, or has been let go and"
    " has not woken up",
    "look again at another stop: whoever has been let go is elsewhere then",
)
OWNER_UNKNOWN = Doubt(
    "unknown",
    "the runtime recorded a holder that is not among its threads",
    "look for an error" " in the program: a thread that ended with the lock held",
)
QUEUE_CHANGING = Doubt(
    "unknown",
    "the queue is being changed, or is damaged: more may wait",
    "look again at another stop",
)
SUSPENDED_WHERE = Doubt(
    "unknown",
    "the runtime does not record on whose stack a suspended task is, and it has no children that"
    " tell who executed it",
    "`ompd bt R1' shows the stacks",
)
TASK_REGION = Doubt(
    "unknown",
    "the runtime keeps serialized regions that are nested in each other in one structure, "
    "and not which of them the task belongs to",
)
TASK_IN_TRANSITION = Doubt(
    "unknown", "the runtime was moving the task between its lists", "look again at another stop"
)
TASKWAIT_PLACE = Doubt(
    "unknown",
    "the compiler recorded no source position of the taskwait",
    "compile the program with -g",
)
TASK_PLACE = Doubt(
    "unknown", "the compiler recorded no source position", "compile the program with -g"
)
CONSTRUCT_POSITION = Doubt(
    "likely",
    "no call on the stack shows where it began, as the optimiser may leave it: which of the frames "
    "are inside of it is not certain",
    "compile the program with -O0",
)
CONSTRUCT_REGION = Doubt(
    "likely",
    "regions of one thread that are nested here cannot be told apart on the stack",
    "compile the program with -O0 -g",
)
TASK_UNKNOWN = Doubt(
    "unknown",
    "which task this is cannot be told: the runtime's tasks could not be read, or do not fit the "
    "stack",
    "`ompd tasks' shows those that are known",
)
STACK_UNCLEAR = Doubt(
    "unknown",
    "frames of the runtime cannot be told from those of the program, so that it is not known which "
    "of them began the regions that the thread is in",
    "keep the symbols of a runtime that is linked into the program",
)
NO_CODE = Doubt(
    "likely",
    "no file of the program's has code at this address: the stack is damaged here, or the code was "
    "made while the program ran",
)
FRAMES_ENOUGH = Doubt(
    "unknown", "a report shows the variables of the innermost frames only", "`ompd bt -full'"
)
STACK_LIMIT = Doubt(
    "unknown", "the stack is deeper than was looked at", "`ompd bt -depth N' looks at N frames"
)
BEGINNER_UNKNOWN = Doubt("unknown", "which thread began the region is not known")
BEGINNER_RUNNING = Doubt(
    "unknown",
    "the thread that began the region is running",
    "stop it, for example with `interrupt'",
)
DEEPER_ELSEWHERE = Doubt(
    "unknown",
    "it goes on on another thread's stack, deeper than that was looked at",
    "`ompd bt -depth N' looks at N frames of each stack",
)
BEGINNER_NOT_FOUND = Doubt(
    "unknown",
    "the stack of the thread that began the region does not show where",
    "`bt' in that thread shows what GDB finds",
)
GENERATOR_GONE = Doubt("unknown", "what generated the task is on no stack any more")
REQUEST_NOT_KEPT = Doubt("unknown", "the runtime does not keep how many threads were asked for")
BARRIER_NOT_READ = Doubt("unknown", "this version does not read who has arrived at a barrier")
TASK_SITE_NOT_READ = Doubt(
    "unknown", "this version does not read where explicit tasks were created"
)

_PROBLEMS = {
    "unreadable": "memory of the runtime's that describes it could not be read",
    "inconsistent": "the runtime's structures contradict each other: "
    "they are being changed, or damaged",
    "limit": "a walk through the runtime's structures was cut at its limit",
}


def of_problem(problem: str) -> Doubt:
    why = _PROBLEMS.get(problem, "the library could not tell")
    return Doubt("unknown", why, "`ompd status' lists what the library noted")


RUNTIMES_UNREAD = Doubt(
    "unknown",
    "which runtimes the program has loaded cannot be read",
    "have the files of its libraries at hand",
)


def unseen(runtime: str, supported: bool) -> Doubt:
    """It could be a thread of a runtime whose threads are not in the picture."""
    if supported:
        return Doubt(
            "unknown",
            f"the threads of {runtime} could not be read",
            "`ompd status' lists what was tried for it",
        )
    return Doubt("unknown", f"{runtime} is loaded too, and its threads cannot be told yet")


def inside(entry: str) -> Doubt:
    """Most entry points do not wait."""
    return Doubt("likely", f"it is inside the runtime's {entry}, which as a rule does not wait")
