# SPDX-License-Identifier: Apache-2.0
"""How do ompd.h and ompd-ext.h look from Python?

The only file that knows ctypes. It mirrors the two headers name by name (tests/abi compares sizes,
offsets and values) and lends library.py the few operations on raw memory that it needs.
"""

from __future__ import annotations

import ctypes
import enum
import struct
import sys
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Callable, Iterator, Sequence, Type, TypeVar

# ---- ompd.h: basic types -------------------------------------------------------------------------

ompd_size_t = c_uint64
ompd_wait_id_t = c_uint64
ompd_addr_t = c_uint64
ompd_word_t = c_int64
ompd_seg_t = c_uint64
ompd_device_t = c_uint64
ompd_thread_id_t = c_uint64
ompd_icv_id_t = c_uint64
ompd_rc_t = c_int
ompd_scope_t = c_int

# Handles belong to the library, contexts to us: both are only passed on, never looked into.
Handle = c_void_p
Context = c_void_p

OMPD_SEGMENT_UNSPECIFIED = 0
OMPD_ICV_UNDEFINED = 0
OMPD_THREAD_ID_PTHREAD = 0
OMPD_THREAD_ID_LWP = 1


class ompd_address_t(Structure):
    _fields_ = [("segment", ompd_seg_t), ("address", ompd_addr_t)]


class ompd_frame_info_t(Structure):
    _fields_ = [("frame_address", ompd_address_t), ("frame_flag", ompd_word_t)]


class ompd_device_type_sizes_t(Structure):
    _fields_ = [
        ("sizeof_char", c_uint8),
        ("sizeof_short", c_uint8),
        ("sizeof_int", c_uint8),
        ("sizeof_long", c_uint8),
        ("sizeof_long_long", c_uint8),
        ("sizeof_pointer", c_uint8),
    ]


class Rc(enum.IntEnum):
    """ompd_rc_t."""

    OK = 0
    UNAVAILABLE = 1
    STALE_HANDLE = 2
    BAD_INPUT = 3
    ERROR = 4
    UNSUPPORTED = 5
    NEEDS_STATE_TRACKING = 6
    INCOMPATIBLE = 7
    DEVICE_READ_ERROR = 8
    DEVICE_WRITE_ERROR = 9
    NOMEM = 10
    INCOMPLETE = 11
    CALLBACK_ERROR = 12
    INCOMPATIBLE_HANDLE = 13


class Scope(enum.IntEnum):
    """ompd_scope_t."""

    GLOBAL = 1
    ADDRESS_SPACE = 2
    THREAD = 3
    PARALLEL = 4
    IMPLICIT_TASK = 5
    TASK = 6
    TEAMS = 7
    TARGET = 8


class TeamGenerator(enum.IntEnum):
    """ompd_team_generator_t."""

    PROGRAM = 0
    PARALLEL = 1
    TEAMS = 2
    TARGET = 3


# ---- ompd.h: callbacks ---------------------------------------------------------------------------

alloc_memory_fn = CFUNCTYPE(ompd_rc_t, ompd_size_t, POINTER(c_void_p))
free_memory_fn = CFUNCTYPE(ompd_rc_t, c_void_p)
print_string_fn = CFUNCTYPE(ompd_rc_t, c_char_p, c_int)
sizeof_type_fn = CFUNCTYPE(ompd_rc_t, Context, POINTER(ompd_device_type_sizes_t))
symbol_addr_fn = CFUNCTYPE(ompd_rc_t, Context, Context, c_char_p, POINTER(ompd_address_t), c_char_p)
memory_read_fn = CFUNCTYPE(
    ompd_rc_t, Context, Context, POINTER(ompd_address_t), ompd_size_t, c_void_p
)
memory_write_fn = memory_read_fn
device_host_fn = CFUNCTYPE(ompd_rc_t, Context, c_void_p, ompd_size_t, ompd_size_t, c_void_p)
thread_context_fn = CFUNCTYPE(
    ompd_rc_t, Context, ompd_thread_id_t, ompd_size_t, c_void_p, POINTER(Context)
)


class ompd_callbacks_t(Structure):
    _fields_ = [
        ("alloc_memory", alloc_memory_fn),
        ("free_memory", free_memory_fn),
        ("print_string", print_string_fn),
        ("sizeof_type", sizeof_type_fn),
        ("symbol_addr_lookup", symbol_addr_fn),
        ("read_memory", memory_read_fn),
        ("write_memory", memory_write_fn),
        ("read_string", memory_read_fn),
        ("device_to_host", device_host_fn),
        ("host_to_device", device_host_fn),
        ("get_thread_context_for_thread_id", thread_context_fn),
    ]


# ---- ompd-ext.h ----------------------------------------------------------------------------------

OMPDX_VERSION = 12
NO_INDEX = 0xFFFFFFFF

OMPDX_NATIVE_PTHREAD = 1
OMPDX_NATIVE_THREAD_POINTER = 2
OMPDX_NATIVE_LWP = 4

OMPDX_IMAGE_PROGRAM = 1
OMPDX_IMAGE_STATIC = 2
OMPDX_IMAGE_VDSO = 4
OMPDX_IMAGE_NAMELESS = 8


class RuntimeKind(enum.IntEnum):
    """ompdx_runtime_kind_t."""

    LLVM = 1
    GOMP = 2


class Descriptors(enum.IntEnum):
    """ompdx_descriptors_t."""

    NONE = 0
    SYMBOLS = 1
    RECOVERED = 2
    RECORD = 3


class ThreadKind(enum.IntEnum):
    """ompdx_thread_kind_t."""

    NONE = 0
    INITIAL = 1
    WORKER = 2
    ROOT = 3
    HELPER = 4


class TaskKind(enum.IntEnum):
    """ompdx_task_kind_t."""

    NONE = 0
    INITIAL = 1
    IMPLICIT = 2
    EXPLICIT = 3


class TaskState(enum.IntEnum):
    """ompdx_task_state_t."""

    UNKNOWN = 0
    EXECUTING = 1
    SUSPENDED = 2
    READY = 3
    BLOCKED = 4
    DETACHED = 5
    FINISHED = 6


class LockKind(enum.IntEnum):
    """ompdx_lock_kind_t."""

    UNKNOWN = 0
    TAS = 1
    FUTEX = 2
    TICKET = 3
    QUEUING = 4
    DRDPA = 5


class Schedule(enum.IntEnum):
    """ompdx_schedule_t."""

    UNKNOWN = 0
    STATIC = 1
    DYNAMIC = 2
    GUIDED = 3
    TRAPEZOIDAL = 4
    STATIC_STEAL = 5


class LoopEvidence(enum.IntEnum):
    """ompdx_loop_evidence_t."""

    RECORDED = 0
    OR_OTHER = 1
    OR_NONE = 2


class DoacrossMember(enum.IntEnum):
    """ompdx_doacross_member_t."""

    ELSEWHERE = 0
    INSIDE = 1
    LEFT = 2


class Problem(enum.IntEnum):
    """ompdx_problem_t."""

    NONE = 0
    UNREADABLE = 1
    INCONSISTENT = 2
    LIMIT = 3


class ompdx_image_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("load_bias", ompd_addr_t),
        ("dynamic", ompd_addr_t),
        ("path", c_char_p),
    ]


class ompdx_runtime_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("kind", c_int),
        ("version", c_int32),
        ("image", ompdx_image_t),
    ]


class ompdx_runtimes_t(Structure):
    _fields_ = [("size", ompd_size_t), ("count", ompd_size_t), ("runtimes", c_void_p)]


class ompdx_auxv_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("headers", ompd_addr_t),
        ("header_count", c_uint64),
        ("vdso", ompd_addr_t),
    ]


class ompdx_loaded_image_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("load_bias", ompd_addr_t),
        ("dynamic", ompd_addr_t),
        ("path", c_char_p),
        ("start", ompd_addr_t),
        ("end", ompd_addr_t),
        ("flags", c_uint32),
        ("link_namespace", c_uint32),
        ("build_id_length", c_uint32),
        ("build_id", c_uint8 * 32),
    ]


class ompdx_images_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("count", ompd_size_t),
        ("images", c_void_p),
        ("debug", ompd_addr_t),
        ("problem", c_int),
        ("reserved", c_uint32),
    ]


class ompdx_runtime_info_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("kind", c_int),
        ("descriptors", c_int),
        ("version", c_int32),
        ("initialized", c_int32),
        ("state_tracking", c_int32),
        ("build_id_length", c_uint32),
        ("build_id", c_uint8 * 32),
        ("version_text", c_char * 64),
        ("record", c_char * 32),
        ("start", ompd_addr_t),
        ("end", ompd_addr_t),
    ]


class ompdx_diagnostic_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("code", c_char_p),
        ("subject", c_char_p),
        ("text", c_char_p),
    ]


class ompdx_diagnostics_t(Structure):
    _fields_ = [("size", ompd_size_t), ("count", ompd_size_t), ("diagnostics", c_void_p)]


class ompdx_native_thread_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("known", c_uint32),
        ("reserved", c_uint32),
        ("pthread_id", c_uint64),
        ("thread_pointer", c_uint64),
        ("lwp", c_uint64),
    ]


class ompdx_view_level_t(Structure):
    _fields_ = [("region", c_uint32), ("thread_num", c_int32)]


class ompdx_view_thread_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("native", c_uint32),
        ("kind", c_int),
        ("problem", c_int),
        ("runtime_id", c_int32),
        ("address", ompd_addr_t),
        ("pthread_id", c_uint64),
        ("level_first", c_uint32),
        ("level_count", c_uint32),
        ("task", ompd_addr_t),
        ("task_kind", c_int),
        ("task_final", c_int32),
        ("tracked_state", c_int32),
        ("reserved", c_uint32),
        ("tracked_wait_id", c_uint64),
        ("ident_flags", c_int32),
        ("has_team", c_uint32),
        ("ident_source", c_char_p),
    ]


class ompdx_view_region_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("serial_depth", c_uint32),
        ("parent", c_uint32),
        ("generator", c_uint32),
        ("serialized", c_int32),
        ("level", c_int32),
        ("active_level", c_int32),
        ("team_size", c_int32),
        ("league_size", c_int32),
        ("team_num", c_int32),
        ("problem", c_int),
        ("function", ompd_addr_t),
        ("source", c_char_p),
        ("member_first", c_uint32),
        ("member_count", c_uint32),
        ("helpers", c_int32),
        ("cancelled", c_int),
        ("barrier_round", c_uint32),
    ]


class ompdx_view_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("thread_count", c_uint32),
        ("region_count", c_uint32),
        ("level_count", c_uint32),
        ("member_count", c_uint32),
        ("threads", c_void_p),
        ("regions", c_void_p),
        ("levels", c_void_p),
        ("members", c_void_p),
        ("level_size", c_uint32),
        ("member_size", c_uint32),
        ("problem", c_int),
        ("reserved", c_uint32),
    ]


class ompdx_task_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("kind", c_int),
        ("state", c_int),
        ("thread", c_uint32),
        ("creator", c_uint32),
        ("team", ompd_addr_t),
        ("parent", c_uint32),
        ("children", c_int32),
        ("priority", c_int32),
        ("predecessors", c_int32),
        ("tied", c_int32),
        ("final", c_int32),
        ("undeferred", c_int32),
        ("taskwait", c_int32),
        ("taskgroup", ompd_addr_t),
        ("taskgroup_count", c_int32),
        ("taskgroup_cancelled", c_uint32),
        ("function", ompd_addr_t),
        ("source", c_char_p),
        ("taskwait_source", c_char_p),
    ]


class ompdx_dependence_t(Structure):
    _fields_ = [("task", c_uint32), ("predecessor", c_uint32)]


class ompdx_tasks_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("task_count", c_uint32),
        ("dependence_count", c_uint32),
        ("tasks", c_void_p),
        ("dependences", c_void_p),
        ("dependence_size", c_uint32),
        ("problem", c_int),
    ]


class ompdx_lock_variable_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("critical", c_int32),
        ("reserved", c_uint32),
    ]


class ompdx_lock_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("kind", c_int),
        ("nested", c_int32),
        ("held", c_int32),
        ("owner", c_uint32),
        ("owner_id", c_int32),
        ("depth", c_int32),
        ("waiting", c_int32),
        ("waiter_first", c_uint32),
        ("waiter_count", c_uint32),
        ("problem", c_int),
        ("word", c_uint64),
    ]


class ompdx_locks_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("lock_count", c_uint32),
        ("waiter_count", c_uint32),
        ("variable_count", c_uint32),
        ("problem", c_int),
        ("locks", c_void_p),
        ("waiters", c_void_p),
        ("variables", c_void_p),
        ("waiter_size", c_uint32),
        ("variable_size", c_uint32),
    ]


class ompdx_arrival_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("thread", c_uint32),
        ("arrived", c_uint32),
        ("released", c_uint32),
        ("complete", c_uint32),
        ("steps", c_uint64 * 3),
        ("team_steps", c_uint64 * 3),
    ]


class ompdx_team_arrivals_t(Structure):
    _fields_ = [
        ("size", c_uint64),
        ("team", c_uint64),
        ("awaits", c_int32),
        ("arrived", c_int32),
        ("arrived_at_end", c_int32),
        ("waits_for_tasks", c_int32),
        ("steps", c_uint64),
        ("regions", c_uint64),
    ]


class ompdx_arrivals_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("count", c_uint32),
        ("problem", c_int),
        ("arrivals", c_void_p),
        ("team_count", c_uint32),
        ("reserved", c_uint32),
        ("teams", c_void_p),
    ]


class ompdx_loop_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("team", ompd_addr_t),
        ("thread", c_uint32),
        ("thread_num", c_int32),
        ("loop", c_uint32),
        ("schedule", c_int),
        ("problem", c_int),
        ("ordered", c_int32),
        ("may_have_left", c_int32),
        ("sections", c_int32),
        ("iterations", c_int64),
        ("chunk", c_int64),
        ("handed_out", c_int64),
        ("first", c_int64),
        ("last", c_int64),
        ("left", c_int64),
        ("ordered_turn", c_int64),
        ("remaining", c_int64),
        ("evidence", c_int),
        ("ordered_holder", c_int32),
        ("completed", c_int32),
        ("reserved", c_int32),
    ]


class ompdx_loops_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("count", c_uint32),
        ("problem", c_int),
        ("loops", c_void_p),
    ]


class ompdx_doacross_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("dimensions", c_uint32),
        ("posted", c_int32),
        ("owner", c_int32),
        ("member_count", c_uint32),
        ("loop", ompd_addr_t),
        ("members", c_void_p),
        ("member_size", c_uint32),
        ("reserved", c_uint32),
    ]


class ompdx_icv_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("id", ompd_icv_id_t),
        ("name", c_char_p),
        ("scope", ompd_scope_t),
        ("reserved", c_uint32),
    ]


OMPDX_ICV_NUMBER = 1
OMPDX_ICV_TEXT = 2


class ompdx_icv_value_t(Structure):
    _fields_ = [
        ("text", c_void_p),
        ("number", ompd_word_t),
        ("known", c_uint32),
        ("reserved", c_uint32),
    ]


class ompdx_icvs_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("icv_count", c_uint32),
        ("row_count", c_uint32),
        ("icvs", c_void_p),
        ("values", c_void_p),
        ("value_size", c_uint32),
        ("problem", c_int),
    ]


OMPDX_STATE_WAIT_BARRIER = 0x010
OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL = 0x011
OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE = 0x012
OMPDX_STATE_WAIT_BARRIER_EXPLICIT = 0x014
OMPDX_STATE_WAIT_BARRIER_IMPLEMENTATION = 0x015
OMPDX_STATE_WAIT_BARRIER_TEAMS = 0x016
OMPDX_STATE_WAIT_TASKWAIT = 0x020
OMPDX_STATE_WAIT_TASKGROUP = 0x021
OMPDX_STATE_WAIT_LOCK = 0x041
OMPDX_STATE_WAIT_CRITICAL = 0x042
OMPDX_STATE_WAIT_ATOMIC = 0x043
OMPDX_STATE_WAIT_ORDERED = 0x044
OMPDX_STATE_WAIT_TARGET = 0x080
OMPDX_STATE_WAIT_TARGET_MAP = 0x081
OMPDX_STATE_WAIT_TARGET_UPDATE = 0x082

OMPDX_ROLE_FORKS = 0x1
OMPDX_ROLE_FORKS_BY_ANOTHER = 0x2
OMPDX_ROLE_LEAGUE = 0x4
OMPDX_ROLE_SERIALIZES = 0x8
OMPDX_ROLE_BEFORE_REGION = 0x10
OMPDX_ROLE_EXECUTES_AT_ONCE = 0x20
OMPDX_ROLE_EXECUTES_TASKS = 0x40
OMPDX_ROLE_ENDS_REDUCTION = 0x80
OMPDX_ROLE_CANCEL_BARRIER = 0x100
OMPDX_ROLE_UNNAMED_CRITICAL = 0x200
OMPDX_ROLE_CONTENDED = 0x400
OMPDX_ROLE_WORKS = 0x800
OMPDX_ROLE_NESTED = 0x1000
OMPDX_ROLE_INVOKES = 0x10000
OMPDX_ROLE_BEGINS_REGION = 0x20000
OMPDX_ROLE_ACQUIRES = 0x40000
OMPDX_ROLE_CREATES_THREAD = 0x100000
OMPDX_ROLE_STARTS_THREAD = 0x200000
OMPDX_ROLE_SLEEPS = 0x400000
OMPDX_ROLE_OF_CLANG = 0x1000000


class FunctionClass(enum.IntEnum):
    """ompdx_function_class_t."""

    OTHER = 0
    ENTRY = 1
    INTERNAL = 2
    AMBIGUOUS = 3
    OUTLINED = 4
    SYSTEM = 5


class WaitFor(enum.IntEnum):
    """ompdx_wait_t."""

    NONE = 0
    BARRIER = 1
    WORKSHARE = 2
    REDUCTION = 3
    REGION = 4
    CRITICAL = 5
    LOCK = 6
    NEST_LOCK = 7
    ATOMIC = 8
    ORDERED = 9
    DOACROSS = 10
    TASKWAIT = 11
    DEPEND = 12
    TASKGROUP = 13
    TARGET = 14
    TARGET_MAP = 15
    TARGET_UPDATE = 16


class ompdx_function_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("function_class", c_int),
        ("wait", c_int),
        ("roles", c_uint32),
        ("state", c_uint32),
        ("code_argument", c_int32),
        ("object_argument", c_int32),
        ("entry", c_char_p),
        ("construct", c_int),
        ("reserved", c_uint32),
    ]


class ompdx_entry_point_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("code_size", c_uint64),
        ("name", c_char_p),
        ("function_class", c_int),
        ("reserved", c_uint32),
    ]


class ompdx_entry_points_t(Structure):
    _fields_ = [("size", ompd_size_t), ("count", ompd_size_t), ("entry_points", c_void_p)]


class Code(enum.IntEnum):
    """ompdx_code_t."""

    UNKNOWN = 0
    PROGRAM = 1
    LIBRARY = 2
    SYSTEM = 3
    RUNTIME = 4


class ompdx_frame_t(Structure):
    _fields_ = [
        ("code", c_int),
        ("runtime_kind", c_int),
        ("runtime", c_uint32),
        ("direct_call", c_int32),
        ("function", c_void_p),
        ("called", c_void_p),
        ("entry", ompd_addr_t),
    ]


class ompdx_sleep_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("expected", c_uint32),
        ("now", c_uint32),
        ("now_known", c_uint32),
        ("reserved", c_uint32),
    ]


class Extent(enum.IntEnum):
    """ompdx_extent_t."""

    PART = 0
    CUT = 1
    WHOLE = 2


class ompdx_stack_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("frames", c_void_p),
        ("frame_count", c_uint32),
        ("frame_size", c_uint32),
        ("extent", c_int),
        ("reserved", c_uint32),
        ("sleep", c_void_p),
    ]


OMPDX_FACT_THREAD = 1
OMPDX_FACT_REGIONS = 2


class ompdx_facts_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("known", c_uint32),
        ("runtime", c_uint32),
        ("runtime_kind", c_int),
        ("thread_kind", c_int),
        ("has_team", c_uint32),
        ("ident_flags", c_int32),
        ("ident_source", c_char_p),
        ("levels", c_void_p),
        ("regions", c_void_p),
        ("level_count", c_uint32),
        ("level_size", c_uint32),
        ("region_count", c_uint32),
        ("region_size", c_uint32),
        ("arrivals", c_void_p),
    ]


class Construct(enum.IntEnum):
    """ompdx_construct_t."""

    NONE = 0
    PARALLEL = 1
    TEAMS = 2
    REDUCTION = 3
    BARRIER = 4
    FOR = 5
    SECTIONS = 6
    SINGLE = 7
    WORKSHARE = 8
    WORKSHARING = 9


class Place(enum.IntEnum):
    """ompdx_place_t."""

    NONE = 0
    CALL = 1
    RECORDED = 2
    REGION = 3


class DoubtCode(enum.IntEnum):
    """ompdx_doubt_t."""

    NONE = 0
    NO_STACK = 1
    UNKNOWN_CODE = 2
    CODE_HIDDEN = 3
    SLEEPS_ELSEWHERE = 4
    HELPER = 5
    NO_THREAD = 6
    IDLE_OR_END = 7
    INSIDE = 8
    IN_REDUCTION = 9
    IN_ATOMIC = 10
    MAYBE_CANCELLED = 11
    END_OR_BEGINNING = 12
    END_OR_FORK = 13
    NO_FACTS = 14
    UNMARKED = 15
    NO_MARK = 16


OMPDX_TOLD_LET_GO = 0x1
OMPDX_TOLD_ROUND = 0x2
OMPDX_TOLD_STARTS = 0x8
OMPDX_TOLD_LAUNCHED = 0x10
OMPDX_TOLD_UNNAMED = 0x20
OMPDX_ASKS_CALLED = 0x1
OMPDX_ASKS_DIRECT = 0x2
OMPDX_ASKS_SLEEP = 0x8
OMPDX_ASKS_ARRIVALS = 0x10


class ompdx_classification_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("state", c_uint32),
        ("wait", c_int),
        ("construct", c_int),
        ("place", c_int),
        ("doubt", c_int),
        ("told", c_uint32),
        ("asks", c_uint32),
        ("runtime", c_uint32),
        ("entry_frame", c_uint32),
        ("caller_frame", c_uint32),
        ("outermost_frame", c_uint32),
        ("object_argument", c_int32),
        ("construct_doubt", c_int),
        ("object", ompd_addr_t),
        ("round", c_uint64),
    ]


class Layout(enum.IntEnum):
    """ompdx_layout_t."""

    REFUSED = 0
    LIKELY = 1
    PROVEN = 2


class DeviceKind(enum.IntEnum):
    """ompdx_device_kind_t."""

    UNKNOWN = 0
    HOST = 1
    CUDA = 2
    HSA = 3
    OTHER = 4


class OffloadEntryKind(enum.IntEnum):
    """ompdx_offload_entry_kind_t."""

    OTHER = 0
    KERNEL = 1
    VARIABLE = 2


OMPDX_COUNT_INFINITE = (1 << 64) - 1


class ompdx_device_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("number", c_int32),
        ("plugin_number", c_int32),
        ("kind", c_int),
        ("machine", c_uint32),
        ("machine_flags", c_uint32),
        ("used", c_int32),
        ("address", ompd_addr_t),
        ("plugin", ompd_addr_t),
        ("mutex", ompd_addr_t),
        ("locked", c_int32),
        ("reserved", c_uint32),
        ("owner", c_uint64),
        ("mapped", c_uint64),
        ("mapping_first", c_uint32),
        ("mapping_count", c_uint32),
        ("problem", c_int),
        ("reserved2", c_uint32),
    ]


class ompdx_mapping_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("device", c_uint32),
        ("problem", c_int),
        ("address", ompd_addr_t),
        ("host_base", ompd_addr_t),
        ("host_begin", ompd_addr_t),
        ("host_end", ompd_addr_t),
        ("device_begin", ompd_addr_t),
        ("device_allocation", ompd_addr_t),
        ("dynamic_count", c_uint64),
        ("hold_count", c_uint64),
        ("source_address", ompd_addr_t),
        ("source", c_char_p),
    ]


class ompdx_offload_entry_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("address", ompd_addr_t),
        ("kind", c_int),
        ("flags", c_uint32),
        ("bytes", c_uint64),
        ("library", ompd_addr_t),
        ("name_address", ompd_addr_t),
        ("name", c_char_p),
    ]


class ompdx_offload_t(Structure):
    _fields_ = [
        ("size", ompd_size_t),
        ("load_bias", ompd_addr_t),
        ("dynamic", ompd_addr_t),
        ("path", c_char_p),
        ("start", ompd_addr_t),
        ("end", ompd_addr_t),
        ("version", c_int32),
        ("build_id_length", c_uint32),
        ("build_id", c_uint8 * 32),
        ("version_text", c_char * 64),
        ("record", c_char * 32),
        ("layout", c_int),
        ("mapping_layout", c_int),
        ("reason", c_char_p),
        ("reason_text", c_char_p),
        ("manager", ompd_addr_t),
        ("target_offload", c_int32),
        ("device_count", c_uint32),
        ("entry_count", c_uint32),
        ("mapping_count", c_uint32),
        ("problem", c_int),
        ("reserved", c_uint32),
        ("devices", c_void_p),
        ("entries", c_void_p),
        ("mappings", c_void_p),
    ]


# ---- Routines ------------------------------------------------------------------------------------

_out_handle = POINTER(Handle)
_out_int = POINTER(c_int)
_out_word = POINTER(ompd_word_t)
_out_string = POINTER(c_void_p)

OMPD_ROUTINES: dict[str, list[Any]] = {
    "ompd_initialize": [ompd_word_t, POINTER(ompd_callbacks_t)],
    "ompd_get_api_version": [_out_word],
    "ompd_get_version_string": [_out_string],
    "ompd_finalize": [],
    "ompd_process_initialize": [Context, _out_handle],
    "ompd_device_initialize": [
        Handle,
        Context,
        ompd_device_t,
        ompd_size_t,
        c_void_p,
        _out_handle,
    ],
    "ompd_rel_address_space_handle": [Handle],
    "ompd_get_device_thread_id_kinds": [
        Handle,
        POINTER(c_void_p),
        POINTER(c_void_p),
        _out_int,
    ],
    "ompd_get_omp_version": [Handle, _out_word],
    "ompd_get_omp_version_string": [Handle, _out_string],
    "ompd_get_thread_in_parallel": [Handle, c_int, _out_handle],
    "ompd_get_thread_handle": [Handle, ompd_thread_id_t, ompd_size_t, c_void_p, _out_handle],
    "ompd_rel_thread_handle": [Handle],
    "ompd_thread_handle_compare": [Handle, Handle, _out_int],
    "ompd_get_thread_id": [Handle, ompd_thread_id_t, ompd_size_t, c_void_p],
    "ompd_get_device_from_thread": [Handle, _out_handle],
    "ompd_get_curr_parallel_handle": [Handle, _out_handle],
    "ompd_get_enclosing_parallel_handle": [Handle, _out_handle],
    "ompd_get_task_parallel_handle": [Handle, _out_handle],
    "ompd_rel_parallel_handle": [Handle],
    "ompd_parallel_handle_compare": [Handle, Handle, _out_int],
    "ompd_get_curr_task_handle": [Handle, _out_handle],
    "ompd_get_generating_task_handle": [Handle, _out_handle],
    "ompd_get_scheduling_task_handle": [Handle, _out_handle],
    "ompd_get_task_in_parallel": [Handle, c_int, _out_handle],
    "ompd_rel_task_handle": [Handle],
    "ompd_task_handle_compare": [Handle, Handle, _out_int],
    "ompd_get_task_function": [Handle, POINTER(ompd_address_t)],
    "ompd_get_task_frame": [Handle, POINTER(ompd_frame_info_t), POINTER(ompd_frame_info_t)],
    "ompd_enumerate_states": [Handle, ompd_word_t, _out_word, _out_string, _out_word],
    "ompd_get_state": [Handle, _out_word, POINTER(ompd_wait_id_t)],
    "ompd_get_display_control_vars": [Handle, POINTER(c_void_p)],
    "ompd_rel_display_control_vars": [POINTER(c_void_p)],
    "ompd_enumerate_icvs": [
        Handle,
        ompd_icv_id_t,
        POINTER(ompd_icv_id_t),
        _out_string,
        POINTER(ompd_scope_t),
        _out_int,
    ],
    "ompd_get_icv_from_scope": [Handle, ompd_scope_t, ompd_icv_id_t, _out_word],
    "ompd_get_icv_string_from_scope": [Handle, ompd_scope_t, ompd_icv_id_t, _out_string],
    "ompd_get_tool_data": [Handle, ompd_scope_t, _out_word, POINTER(ompd_address_t)],
}

OMPDX_ROUTINES: dict[str, list[Any]] = {
    "ompdx_get_version": [_out_word],
    "ompdx_find_runtimes": [
        Context,
        POINTER(ompdx_image_t),
        ompd_size_t,
        POINTER(POINTER(ompdx_runtimes_t)),
    ],
    "ompdx_process_initialize": [Context, POINTER(ompdx_image_t), _out_handle],
    "ompdx_images": [Context, POINTER(ompdx_auxv_t), POINTER(POINTER(ompdx_images_t))],
    "ompdx_get_runtime_info": [Handle, POINTER(ompdx_runtime_info_t)],
    "ompdx_get_diagnostics": [Handle, POINTER(POINTER(ompdx_diagnostics_t))],
    "ompdx_freeze": [Handle],
    "ompdx_thaw": [Handle],
    "ompdx_snapshot_create": [
        Handle,
        POINTER(ompdx_native_thread_t),
        ompd_size_t,
        _out_handle,
    ],
    "ompdx_snapshot_destroy": [Handle],
    "ompdx_snapshot_view": [Handle, POINTER(POINTER(ompdx_view_t))],
    "ompdx_snapshot_diagnostics": [Handle, POINTER(POINTER(ompdx_diagnostics_t))],
    "ompdx_snapshot_tasks": [Handle, POINTER(POINTER(ompdx_tasks_t))],
    "ompdx_snapshot_locks": [
        Handle,
        POINTER(ompdx_lock_variable_t),
        ompd_size_t,
        POINTER(POINTER(ompdx_locks_t)),
    ],
    "ompdx_snapshot_arrivals": [Handle, POINTER(POINTER(ompdx_arrivals_t))],
    "ompdx_snapshot_loops": [Handle, POINTER(POINTER(ompdx_loops_t))],
    "ompdx_snapshot_doacross": [
        Handle,
        ompd_addr_t,
        c_int32,
        POINTER(c_int64),
        ompd_size_t,
        POINTER(POINTER(ompdx_doacross_t)),
    ],
    "ompdx_snapshot_icvs": [Handle, POINTER(POINTER(ompdx_icvs_t))],
    "ompdx_describe_function": [c_char_p, POINTER(ompdx_function_t)],
    "ompdx_entry_points": [Handle, POINTER(POINTER(ompdx_entry_points_t))],
    "ompdx_get_offload": [
        Handle,
        POINTER(ompdx_image_t),
        ompd_size_t,
        POINTER(POINTER(ompdx_offload_t)),
    ],
    "ompdx_decode_sleep": [c_uint32, c_uint64, POINTER(c_uint64), POINTER(ompdx_sleep_t)],
    "ompdx_get_facts": [POINTER(ompdx_view_t), c_uint32, c_int, POINTER(ompdx_facts_t)],
    "ompdx_classify": [
        POINTER(ompdx_stack_t),
        POINTER(ompdx_facts_t),
        POINTER(ompdx_classification_t),
    ],
}


def load(path: str) -> tuple[Any, set[str]]:
    """Open a library. Returns it, and the names of our routines that it lacks. OSError: it
    cannot."""
    dll = ctypes.CDLL(path)
    missing = set()
    for name, arguments in {**OMPD_ROUTINES, **OMPDX_ROUTINES}.items():
        routine = getattr(dll, name, None)
        if routine is None:
            missing.add(name)
            continue
        routine.argtypes = arguments
        routine.restype = ompd_rc_t
    return dll, missing


# ---- Raw memory ----------------------------------------------------------------------------------

byref: Callable[..., Any] = ctypes.byref
pointer: Callable[..., Any] = ctypes.pointer
pointer_to: Callable[..., Any] = POINTER
fill: Callable[..., Any] = ctypes.memmove
bytes_at: Callable[[int, int], bytes] = ctypes.string_at

_libc = ctypes.CDLL(None)
_libc.malloc.argtypes = [c_size_t]
_libc.malloc.restype = c_void_p
_libc.free.argtypes = [c_void_p]
_libc.free.restype = None

HOST_BYTE_ORDER = sys.byteorder

T = TypeVar("T", bound=Structure)


def allocate(nbytes: int) -> int:
    """Memory aligned for any type; 0 if there is none."""
    return int(_libc.malloc(nbytes) or 0)


def release(address: int) -> None:
    _libc.free(address)


def address_of(thing: Any) -> int:
    """Where a pointer points; 0 for NULL."""
    return ctypes.cast(thing, c_void_p).value or 0


def string_at(address: int) -> bytes:
    return ctypes.string_at(address) if address else b""


def array_at(address: int, count: int, element: Type[T]) -> list[T]:
    """The elements of an array whose elements begin with their own size."""
    return _elements(address, count, element, c_uint64.from_address(address).value if count else 0)


def _elements(address: int, count: int, element: Type[T], stride: int) -> list[T]:
    if count and stride < ctypes.sizeof(element):
        raise ValueError(f"{element.__name__} is shorter than this plugin expects")
    return [element.from_address(address + i * stride) for i in range(count)]


def teams_of(arrivals: ompdx_arrivals_t) -> list[ompdx_team_arrivals_t]:
    """Of a library that has them."""
    if arrivals.size < ctypes.sizeof(ompdx_arrivals_t):
        return []
    return array_at(arrivals.teams or 0, arrivals.team_count, ompdx_team_arrivals_t)


def words_at(address: int, count: int, stride: int) -> list[int]:
    if stride == ctypes.sizeof(c_uint32):
        return list((c_uint32 * count).from_address(address)) if count else []
    return [c_uint32.from_address(address + i * stride).value for i in range(count)]


def levels_at(address: int, count: int, stride: int) -> list[tuple[int, int]]:
    """The pairs (region, thread_num)."""
    found = _elements(address, count, ompdx_view_level_t, stride)
    return [(level.region, level.thread_num) for level in found]


def icv_values_at(address: int, count: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """The triples (where the text is, number, known): there are thousands."""
    further = stride - ctypes.sizeof(ompdx_icv_value_t)
    if further < 0:
        raise ValueError("ompdx_icv_value_t is shorter than this plugin expects")
    # As the struct is laid out, and what a newer library has behind it.
    layout = struct.Struct(f"@PqI{4 + further}x")
    found: Iterator[Any] = layout.iter_unpack(ctypes.string_at(address, count * stride))
    return found


def dependences_at(address: int, count: int, stride: int) -> list[tuple[int, int]]:
    """The pairs (task, predecessor)."""
    found = _elements(address, count, ompdx_dependence_t, stride)
    return [(dependence.task, dependence.predecessor) for dependence in found]


def native_array(threads: list[tuple[int, int, int, int]]) -> Any:
    """ompdx_native_thread_t of (known, pthread id, thread pointer, LWP) per thread."""
    size = ctypes.sizeof(ompdx_native_thread_t)
    return (ompdx_native_thread_t * len(threads))(
        *[ompdx_native_thread_t(size, known, 0, *ids) for known, *ids in threads]
    )


def numbers(values: Sequence[int]) -> Any:
    """An array of int64_t."""
    return (c_int64 * len(values))(*values)


def lock_variables(variables: list[tuple[int, bool]]) -> Any:
    """ompdx_lock_variable_t of (address, whether it is a critical construct's) each."""
    size = ctypes.sizeof(ompdx_lock_variable_t)
    return (ompdx_lock_variable_t * len(variables))(
        *[ompdx_lock_variable_t(size, address, critical, 0) for address, critical in variables]
    )


def described(routine: Any, name: str) -> ompdx_function_t:
    """What ompdx_describe_function says."""
    found = ompdx_function_t(size=ctypes.sizeof(ompdx_function_t))
    routine(name.encode("utf-8", "replace"), byref(found))
    return found


def frames(members: list[tuple[int, int, int, int, int, int, int]]) -> Any:
    """An array of ompdx_frame_t."""
    return (ompdx_frame_t * len(members))(*[ompdx_frame_t(*one) for one in members])


def stack(array: Any, extent: int, word: tuple[int, int, int, bool] | None) -> ompdx_stack_t:
    """array: made by `frames'; word: address, expected, now, whether that is known."""
    made = ompdx_stack_t(
        size=ctypes.sizeof(ompdx_stack_t),
        frame_count=len(array),
        frame_size=ctypes.sizeof(ompdx_frame_t),
        extent=extent,
    )
    # What it points to lives as long as it does.
    made.kept = array
    made.frames = ctypes.addressof(array)
    if word is not None:
        made.word = ompdx_sleep_t(ctypes.sizeof(ompdx_sleep_t), *word)
        made.sleep = ctypes.addressof(made.word)
    return made


def facts(
    known: dict[str, Any],
    levels: list[tuple[int, int]],
    regions: list[dict[str, Any]],
    arrivals: tuple[int, int, int] | None,
) -> ompdx_facts_t:
    """known, regions: members of ompdx_facts_t and ompdx_view_region_t."""
    made = ompdx_facts_t(
        size=ctypes.sizeof(ompdx_facts_t),
        level_count=len(levels),
        level_size=ctypes.sizeof(ompdx_view_level_t),
        region_count=len(regions),
        region_size=ctypes.sizeof(ompdx_view_region_t),
        **known,
    )
    # What it points to lives as long as it does.
    made.chain = (ompdx_view_level_t * len(levels))(*[ompdx_view_level_t(*one) for one in levels])
    made.around = (ompdx_view_region_t * len(regions))(
        *[ompdx_view_region_t(**one) for one in regions]
    )
    made.levels, made.regions = ctypes.addressof(made.chain), ctypes.addressof(made.around)
    if arrivals is not None:
        awaits, arrived, at_end = arrivals
        made.team = ompdx_team_arrivals_t(
            size=ctypes.sizeof(ompdx_team_arrivals_t),
            awaits=awaits,
            arrived=arrived,
            arrived_at_end=at_end,
        )
        made.arrivals = ctypes.addressof(made.team)
    return made


def classification() -> ompdx_classification_t:
    return ompdx_classification_t(size=ctypes.sizeof(ompdx_classification_t))


def runtime_info() -> ompdx_runtime_info_t:
    return ompdx_runtime_info_t(size=ctypes.sizeof(ompdx_runtime_info_t))


def image(load_bias: int, dynamic: int, path: bytes | None) -> ompdx_image_t:
    return ompdx_image_t(ctypes.sizeof(ompdx_image_t), load_bias, dynamic, path)


def auxv(headers: int, header_count: int, vdso: int) -> ompdx_auxv_t:
    return ompdx_auxv_t(ctypes.sizeof(ompdx_auxv_t), headers, header_count, vdso)
