# SPDX-License-Identifier: Apache-2.0
"""Where does a release of CPython keep what?

3.9 to 3.12 do not tell: these offsets were compiled from each release's own headers, and are the
same on all 64-bit machines. Since 3.13 a table of offsets begins `_PyRuntime'; which of its words
is which differs by release.
"""

from __future__ import annotations

import struct

from ..errors import Unreadable
from ..light_classes import NamedTuple
from .memory import MOST_OFFSET, MOST_STATE, Memory

COOKIE = b"xdebugpy"


class Layout(NamedTuple):
    """Offsets of members, each in the structure that the comment above it names; None: there is no
    such member."""

    minor: int  # of 3.x
    free_threaded: bool
    # _PyRuntime
    interpreters: int
    gil: int | None  # embedded there
    # PyInterpreterState
    next_interpreter: int
    states: int
    gil_pointer: int | None
    # PyThreadState
    next_state: int
    interpreter: int
    thread_id: int
    frame: int | None  # the innermost one; where there are CFrames in 3.11 and 3.12, they have it
    cframe: int | None
    root_cframe: int | None
    # CFrame
    cframe_frame: int
    cframe_previous: int
    # a frame
    caller: int
    code: int
    instruction: int
    owner: int | None
    is_entry: int | None
    # PyCodeObject
    file: int
    name: int
    qualname: int | None
    first_line: int
    line_table: int
    bytecode: int | None
    # PyObject, PyTypeObject, PyBytesObject, PyUnicodeObject
    object_type: int
    type_name: int
    bytes_size: int
    bytes_data: int
    text_length: int
    text_state: int
    text_ascii: int  # data of an ASCII text
    text_compact: int  # of any other


# Of 3.9; of the others what is not the same.
_9 = Layout(
    minor=9,
    free_threaded=False,
    interpreters=32,
    gil=352,
    next_interpreter=0,
    states=8,
    gil_pointer=None,
    next_state=8,
    interpreter=16,
    thread_id=176,
    frame=24,
    cframe=None,
    root_cframe=None,
    cframe_frame=0,
    cframe_previous=0,
    caller=24,
    code=32,
    instruction=104,
    owner=None,
    is_entry=None,
    file=104,
    name=112,
    qualname=None,
    first_line=40,
    line_table=120,
    bytecode=None,
    object_type=8,
    type_name=24,
    bytes_size=16,
    bytes_data=32,
    text_length=16,
    text_state=32,
    text_ascii=48,
    text_compact=72,
)
_10 = _9._replace(minor=10, cframe=48, root_cframe=264, cframe_previous=8, instruction=96)
_11 = _9._replace(
    minor=11,
    interpreters=40,
    gil=360,
    states=16,
    thread_id=152,
    frame=None,
    cframe=56,
    root_cframe=336,
    cframe_frame=8,
    cframe_previous=16,
    caller=48,
    instruction=56,
    owner=69,
    is_entry=68,
    file=112,
    name=120,
    qualname=128,
    first_line=72,
    line_table=136,
    bytecode=184,
)
_12 = _11._replace(
    minor=12,
    gil=None,
    gil_pointer=384,
    states=72,
    thread_id=136,
    root_cframe=272,
    cframe_frame=0,
    cframe_previous=8,
    caller=8,
    code=0,
    owner=70,
    is_entry=None,
    first_line=68,
    bytecode=192,
    text_ascii=40,
    text_compact=56,
)
UNTOLD = {layout.minor: layout for layout in (_9, _10, _11, _12)}

# The members of an interpreter's state, which are far apart.
_OF_INTERPRETER = ("next_interpreter", "states", "gil_pointer")
# Members by their words in the table of offsets; the words of a release follow.
MEMBERS = (
    *("interpreters", *_OF_INTERPRETER),
    *("next_state", "interpreter", "frame", "thread_id"),
    *("caller", "code", "instruction", "owner"),
    *("file", "name", "qualname", "line_table", "first_line", "bytecode"),
    *("object_type", "type_name", "bytes_size", "bytes_data"),
    *("text_state", "text_length", "text_ascii"),
)
WORDS = {
    13: (
        *(5, 8, 9, 14, 21, 22, 23, 24, 29, 30, 31, 33, 35, 36, 37, 38, 39, 43),
        *(45, 47, 65, 66, 68, 69, 70),
    ),
    14: (
        *(5, 8, 9, 15, 24, 25, 26, 27, 32, 33, 34, 36, 40, 41, 42, 43, 44, 48),
        *(51, 53, 75, 76, 78, 79, 80),
    ),
}


class Unknown(Exception):
    """Of which CPython no layout is known: its text tells."""


def of_release(minor: int) -> Layout:
    """Of one that does not tell. Raises Unknown."""
    if minor not in UNTOLD:
        raise Unknown("its release is not known" if minor < 0 else f"it is CPython 3.{minor}")
    return UNTOLD[minor]


def told(memory: Memory, runtime: int) -> Layout | None:
    """By the table that begins `_PyRuntime'; None: there is none. Raises Unknown, Unreadable."""
    cookie, version, is_free = struct.unpack("<8sQQ", memory.bytes(runtime, 24))
    if cookie != COOKIE:
        return None
    major, minor = version >> 24 & 255, version >> 16 & 255
    places = WORDS.get(minor) if major == 3 else None
    if places is None:
        raise Unknown(f"it is CPython {major}.{minor}")
    if is_free and minor > 13:
        raise Unknown(f"it is a free-threaded build of CPython 3.{minor}")
    count = max(places) + 1
    words = struct.unpack(f"<{count}Q", memory.bytes(runtime, 8 * count))
    offsets: dict[str, int] = {name: words[at] for name, at in zip(MEMBERS, places)}
    small = max(offset for name, offset in offsets.items() if name not in _OF_INTERPRETER)
    if small > MOST_OFFSET or max(offsets.values()) > MOST_STATE:
        raise Unreadable("its table of offsets is damaged")
    return _12._replace(
        minor=minor,
        free_threaded=bool(is_free),
        gil=None,
        cframe=None,
        root_cframe=None,
        text_compact=offsets["text_ascii"] + 16,
        **offsets,
    )
