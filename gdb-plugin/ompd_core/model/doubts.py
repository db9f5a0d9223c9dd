# SPDX-License-Identifier: Apache-2.0
"""What is not certain, why, and how to know it next time. A field without a doubt is certain."""

from __future__ import annotations

from ..light_classes import NamedTuple


class Stop:
    """The one that is shown. Sessions set it with each command: advice depends on it."""

    is_last = False  # of a core file: there is no other to look at


_AGAIN = "look again at another stop"


class Doubt(NamedTuple):
    certainty: str  # "likely", "unknown"
    why: str
    how: str = ""

    @property
    def advice(self) -> str:
        return "" if Stop.is_last and self.how.startswith(_AGAIN) else self.how

    @property
    def sentence(self) -> str:
        return f"{self.why}; {self.advice}" if self.advice else self.why


STATE_NOT_DERIVED = Doubt(
    "unknown", "the thread's stack was not looked at, and the runtime records no states"
)
STATE_NOT_TOLD = Doubt(
    "unknown",
    "the library that is loaded does not tell what threads do, and the one that came with these"
    " commands cannot be loaded",
    "build it, or name it with `set ompd library'",
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
UNMARKED_BARRIER = Doubt(
    "unknown",
    "gcc calls the same function at an explicit barrier, at the end of a `single', of a loop with a"
    " static schedule and of a reduction, and where the variables of a region are copied",
    "look at the line: it is that of an explicit barrier, or of the code before the end of a"
    " construct",
)
LINE_NEAR = Doubt(
    "likely",
    "gcc records no line for the barrier at the end of a construct: it is that of the code before",
)
LIKELY_FRAME = Doubt(
    "likely",
    "nothing tells how code further in is unwound; on its stack this is the address to return to"
    " from which unwind information leads to where the thread began",
)
NO_MARK = Doubt(
    "unknown",
    "whether the barrier is an explicit one or a construct's is told by a mark of the compiler's,"
    " which is missing, or this build of the runtime keeps it where it is not known",
)
MAYBE_ONE_BARRIER = Doubt(
    "likely",
    "others wait at what may be the same barrier: gcc gives no line to such a call, and in"
    " optimised code one barrier can have several",
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
    "it has finished its region or has not started it; the runtime's data cannot"
    " distinguish these",
    _AGAIN,
)
END_OR_FORK = Doubt(
    "likely",
    "it has come to the end of its region, or begins another one inside of it: the code that called"
    " the runtime has no symbols by which to tell",
)
CODE_HIDDEN = Doubt(
    "unknown",
    "its region's code has made way for what it called last, as optimised code does, and what that"
    " was is not known",
    "compile the program with -fno-optimize-sibling-calls",
)
SLEEPS_ELSEWHERE = Doubt(
    "unknown",
    "it sleeps on a word of which neither its stack nor its team tells what it is",
    "`bt' in the thread shows what GDB finds",
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
ENDED = Doubt(
    "unknown",
    "the thread has ended, and the runtime still counts on it",
    "look for a pthread_exit in the code of a construct",
)
FIRST_ENDED = Doubt(
    "unknown",
    "the thread has ended, and the program goes on without it, as by pthread_exit in main",
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
    "the address is not a constant in the code: it was taken from the register, or the place on the"
    " stack, where the code should have it",
)
HOLDERS_ELSEWHERE = Doubt(
    "unknown",
    "the list of threads tells what each waits for, and not who has it, or is missing there",
    "`ompd locks' and `ompd barriers' do",
)
WAIT_UNKNOWN = Doubt("unknown", "what the thread waits for could not be told")
WAIT_PLACE = Doubt(
    "unknown",
    "no source position of it was recorded, and the code that called the runtime has no lines",
    "`bt' in the thread shows the way there",
)
HOLDER_BY_CODE = Doubt(
    "likely",
    "the runtime does not record who holds a lock of this kind; this thread's code is at a place"
    " that only a holder can reach",
)
RWLOCK_BY_CODE = Doubt(
    "likely",
    "the C library records how many readers hold a read-write lock, and not which; as many threads'"
    " code is at a place that only a holder can reach",
)
HOLDER_NOT_RECORDED = Doubt(
    "unknown",
    "the runtime does not record who holds a lock of this kind, and no thread's code tells",
)
HOLDER_MAY_RUN = Doubt(
    "unknown",
    "the runtime does not record who holds a lock of this kind, and some threads run: their code"
    " cannot tell",
    "stop them with `interrupt -a'",
)
MISSING_MAY_RUN = Doubt(
    "likely",
    "some of the missing threads run: they may be at the barrier all the same",
    "stop them with `interrupt -a'",
)
JUST_TAKEN = Doubt(
    "likely",
    "that thread is in the call that takes the lock, and not among those that wait there: it has"
    " just got it, or is about to ask for it",
)
HELD_TWICE = Doubt(
    "likely",
    "that the thread held the lock before is told by its code: the runtime records only that it is"
    " the thread's now",
)
POLLED = Doubt(
    "likely",
    "a thread polls with a limit of time, and got nowhere between two looks, since the thread that"
    " holds what it polls waits itself; it may still give up",
)
BARRIER_NOT_PROVEN = Doubt(
    "likely",
    "the barrier's own words do not tell whether a thread there still waits, or has been let go and"
    " has not woken up",
    f"{_AGAIN}: whoever has been let go is elsewhere then",
)
BETWEEN_TASKS = Doubt(
    "likely",
    "the runtime begins or ends a task on a thread at a barrier, if the task's code has not called"
    " the barrier, which it must not",
    f"{_AGAIN}: whoever ends a task is elsewhere then",
)
OWNER_UNKNOWN = Doubt(
    "unknown",
    "the runtime recorded a holder that is not among its threads",
    "look for an error" " in the program: a thread that ended with the lock held",
)
QUEUE_CHANGING = Doubt(
    "unknown",
    "the queue is being changed, or is damaged: more may wait",
    _AGAIN,
)
SUSPENDED_WHERE = Doubt(
    "unknown",
    "the runtime does not record on whose stack a suspended task is, and neither the tasks that it"
    " generated nor the stacks tell",
    "`ompd bt' shows the stacks",
)
SUSPENDED_WHY = Doubt(
    "unknown",
    "the runtime does not record what a task waits for whose thread executes another one"
    " meanwhile, and no stack tells",
    "`ompd bt' shows the stacks",
)
UNTIED_WHERE = Doubt(
    "likely",
    "the runtime does not record on whose stack a suspended task is, and an untied one may have"
    " changed threads: the stack there is as it would be",
)
TASK_REGION = Doubt(
    "unknown",
    "the runtime keeps serialized regions that are nested in each other in one structure, "
    "and not which of them the task belongs to",
)
TASK_IN_TRANSITION = Doubt("unknown", "the runtime was moving the task between its lists", _AGAIN)
TASKWAIT_PLACE = Doubt(
    "unknown",
    "the compiler recorded no source position of the taskwait",
    "`ompd bt' shows it, if the program was compiled with -g",
)
TASK_PLACE = Doubt(
    "unknown", "the compiler recorded no source position", "compile the program with -g"
)
TASK_CODE = Doubt(
    "unknown",
    "the runtime does not record the code of a task that is executed at once",
    "`ompd bt' in its thread shows it",
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
TASK_MAY_HAVE_ENDED = Doubt(
    "likely",
    "the task may have just ended, and the innermost frames be those of what waits for it: the"
    " stack does not tell",
)
STACK_UNCLEAR = Doubt(
    "unknown",
    "frames of the runtime cannot be told from those of the program, so that it is not known which "
    "of them began the regions that the thread is in",
    "keep the symbols of a runtime that is linked into the program",
)
CALL_NOT_SEEN = Doubt(
    "unknown",
    "the thread is in regions that no call on its stack is seen to have begun: the code of one may "
    "call the runtime by a pointer, have made way for what it called last, or have been left by"
    " longjmp",
    "`bt -no-filters' shows all frames",
)
NO_CODE = Doubt(
    "likely",
    "no file of the program's has code at this address: the stack is damaged here, or the code was "
    "made while the program ran",
)
FRAMES_ENOUGH = Doubt(
    "unknown", "a report shows the variables of the innermost frames only", "`ompd bt -full'"
)
FRAMES_ASKED = Doubt("unknown", "no more frames were asked for", "`ompd bt' shows all")
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
BARRIER_ELSEWHERE = Doubt(
    "unknown", "the regions are listed without their barriers", "`ompd barriers' lists those"
)
TASK_SITE_ELSEWHERE = Doubt(
    "unknown",
    "the list of threads does not tell where explicit tasks were created",
    "`ompd tasks' does",
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


BETWEEN_CHUNKS = Doubt("unknown", "the thread is asking the runtime for iterations", _AGAIN)
SHARED_CODE = Doubt(
    "unknown",
    "the compiler has the loop share the code that a thread is in with what is outside of it: the"
    " thread may not be in the loop",
)
LOOPS_NOT_READ = Doubt(
    "unknown",
    "a thread may be in a loop that the runtime hands out, and where this build of it, or this"
    " library, keeps such loops is not known",
)
CHUNK_NOT_KEPT = Doubt(
    "unknown",
    "the runtime does not record which iterations it has given a thread under this schedule, and"
    " the thread's frame does not tell",
    "compile the program with clang -O0 -g",
)
SECTION_NOT_KEPT = Doubt(
    "unknown",
    "the runtime does not record which sections it has given a thread",
    "`ompd threads' shows the line that each is at",
)
BOUNDS_NOT_KEPT = Doubt(
    "unknown",
    "the compiler's variables of the loop are not told, or were optimized away",
    "compile the program with clang -O0 -g",
)
LOOP_CANCELLED = Doubt(
    "likely",
    "the program may cancel loops, and the runtime does not record who has left one that way",
)

# That the runtime's structures cannot be followed.
OF_STRUCTURES = frozenset(of_problem(problem) for problem in _PROBLEMS)


RUNTIMES_UNREAD = Doubt(
    "unknown",
    "which runtimes the program has loaded cannot be read",
    "have the files of its libraries at hand",
)
RUNTIME_WITHOUT_NAMES = Doubt(
    "unknown",
    "a runtime that is linked into a program without symbols cannot be read",
    "do not strip the program, or link the runtime as a shared library",
)


def unseen(runtime: str, supported: bool) -> Doubt:
    """It could be a thread of a runtime whose threads are not in the picture."""
    if supported:
        return Doubt(
            "unknown",
            f"the threads of {runtime} could not be read",
            "`ompd status' lists what was tried for it",
        )
    return Doubt("unknown", f"{runtime} is loaded, and its threads cannot be told yet")


def inside(entry: str) -> Doubt:
    """Most entry points do not wait."""
    return Doubt("likely", f"it is inside the runtime's {entry}, which as a rule does not wait")


KERNELS_UNREAD = Doubt("unknown", "what the offload runtime has registered cannot be read")
DEVICES_UNREAD = Doubt("unknown", "the offload runtime's devices cannot be read")
KERNEL_NOT_CERTAIN = Doubt(
    "unknown",
    "which construct's code it is cannot be told: the program's code and the offload runtime's"
    " frames do not both tell the same",
    "compile with -g, or with less optimisation",
)
DEVICE_NOT_CERTAIN = Doubt(
    "unknown",
    "which device it is cannot be told: the offload runtime's frames do not name just one",
)
ARGUMENTS_NOT_CERTAIN = Doubt(
    "unknown",
    "what is passed to the device cannot be told: the program's code does not tell where it keeps"
    " that, or it cannot be read",
)
ARGUMENTS_AT_LEAST = Doubt(
    "likely", "there may be more arguments: the program's code does not tell their number"
)
TARGET_NO_LINE = Doubt(
    "unknown", "the compiler recorded no line for the construct", "compile with -g"
)
TARGET_NOT_CERTAIN = Doubt(
    "unknown",
    "optimised code can call the offload runtime at one place for several constructs, and which one"
    " this is cannot be told",
    "compile with less optimisation",
)

PYTHON_UNREAD = Doubt(
    "unknown", "Python's frames are not shown: what the interpreter keeps of threads is damaged"
)
PYTHON_DAMAGED = Doubt(
    "unknown",
    "there are more of Python's frames than are shown: what the interpreter keeps of them further"
    " out is damaged",
)
PYTHON_NOT_LAID = Doubt(
    "unknown",
    "not all of Python's frames are shown: which of the interpreter's own execute the others cannot"
    " be told",
    f"{_AGAIN}: it may have been about to begin or to end one",
)


def python_unknown(why: str) -> Doubt:
    return Doubt(
        "unknown",
        f"Python's frames are not shown: {why}, and how that keeps them is not known here",
    )


# That no library tells states.
NOT_TOLD = "not_told"

# libompd's, by their codes (ompdx_doubt_t).
_CODES = {
    "no_stack": NO_STACK,
    "unknown_code": UNKNOWN_CODE,
    "code_hidden": CODE_HIDDEN,
    "sleeps_elsewhere": SLEEPS_ELSEWHERE,
    "helper": HELPERS_STATE,
    "in_reduction": IN_REDUCTION,
    "in_atomic": IN_ATOMIC,
    "maybe_cancelled": MAYBE_CANCELLED,
    "end_or_beginning": END_OR_BEGINNING,
    "end_or_fork": END_OR_FORK,
}
# The same of why it is not known of which construct a barrier is.
_BARRIERS = {
    "code_hidden": CODE_HIDDEN,
    "unmarked": UNMARKED_BARRIER,
}


def told(code: str | None, entry: str) -> Doubt | None:
    """entry: the entry point that the thread is in."""
    if code is None:
        return None
    return inside(entry) if code == "inside" else _CODES.get(code, STATE_NOT_TOLD)


def of_construct(code: str | None) -> Doubt | None:
    """Why the construct of a barrier is not known."""
    return None if code is None else _BARRIERS.get(code, NO_MARK)
