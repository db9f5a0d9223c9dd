# SPDX-License-Identifier: Apache-2.0
"""What can the user set? `set ompd ...' and `show ompd ...'. Read at GDB's start: imports gdb
alone."""

from __future__ import annotations

import gdb

from . import texts

# Libraries without line information are passed over anyway; this is for machines that have it.
SKIPPED = "libstdc++.so* libm.so* libgcc_s.so* libgfortran.so* libquadmath.so* libFortranRuntime*"


class SetOmpd(gdb.Command):
    """Change how the ompd commands work."""

    name = "set ompd"

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_SUPPORT, prefix=True)


class ShowOmpd(gdb.Command):
    """Show how the ompd commands work."""

    name = "show ompd"

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_SUPPORT, prefix=True)


class _Kept(gdb.Parameter):
    """What changes nothing before it is asked for."""

    name: str
    kind = gdb.PARAM_STRING
    initial: str | bool = ""
    shown: str  # with {} for the value
    nothing = ""  # what an empty value stands for

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_SUPPORT, self.kind)
        self.value = self.initial

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        return self.shown.format(value or self.nothing)


class Library(_Kept):
    """The OMPD library (libompd.so) that the ompd commands load.
    Empty, which is the default: the library that came with these commands, else
    the first libompd.so in the directories of `set ompd library-path'. A
    library that the debugged program names is never loaded."""

    name = "ompd library"
    set_doc = "Set the OMPD library that the ompd commands load."
    show_doc = "Show the OMPD library that the ompd commands load."
    shown = "The OMPD library is {}."
    nothing = "the one that came with the ompd commands"
    kind = gdb.PARAM_OPTIONAL_FILENAME


class LibraryPath(_Kept):
    """Directories that you trust to hold a libompd.so, separated by colons. They
    are searched after the place of the library that came with the ompd
    commands."""

    name = "ompd library-path"
    set_doc = "Set the directories that are searched for libompd.so."
    show_doc = "Show the directories that are searched for libompd.so."
    shown = "Beside its own place, libompd.so is searched in: {}."
    nothing = "no other directory"


class SkipLibraries(_Kept):
    """Libraries in which the ompd commands do not look for the user's own code.
    Names separated by blanks, in which * stands for anything. The C library,
    the dynamic linker and the OpenMP runtimes are always passed over."""

    name = "ompd skip-libraries"
    set_doc = "Set the libraries whose frames are not the user's own."
    show_doc = "Show the libraries whose frames are not the user's own."
    shown = "Frames of these libraries are not the user's own: {}."
    nothing = "none"
    initial = SKIPPED


class FrameFilter(_Kept):
    """Whether GDB's own `bt', its MI and its DAP leave out the frames of OpenMP
    runtimes. Code of a construct then has the name of the function that you
    wrote it in, and where a thread is in the runtime one frame says so. Frames
    keep their numbers. `bt -no-filters' shows all once; `disable frame-filter
    global ompd' is the same as `off'. Nothing changes for a program without an
    OpenMP runtime. `ompd bt' has more: constructs, waits, and the stacks of
    parents."""

    name = "ompd frame-filter"
    set_doc = "Set whether `bt' leaves out the frames of OpenMP runtimes."
    show_doc = "Show whether `bt' leaves out the frames of OpenMP runtimes."
    shown = "`bt' leaves out the frames of OpenMP runtimes: {}."
    kind = gdb.PARAM_BOOLEAN
    initial = True


class PythonFrames(_Kept):
    """Whether stacks show the functions of a Python program, with their files and
    lines, in place of the interpreter's own, which `off' shows as GDB does.
    GDB's own `bt' has them, too, where the frame filter is on: functions that
    one frame executes have its number together.
    CPython 3.9 to 3.14 is understood."""

    name = "ompd python-frames"
    set_doc = "Set whether stacks show Python's functions for the interpreter's own."
    show_doc = "Show whether stacks show Python's functions for the interpreter's own."
    shown = "Stacks show Python's functions for the interpreter's own: {}."
    kind = gdb.PARAM_BOOLEAN
    initial = True


_registered: list[object] = []


def register() -> None:
    """Once per GDB: a second time would lose what the user has set."""
    if not _registered:
        _registered.extend([SetOmpd(), ShowOmpd(), Library(), LibraryPath(), SkipLibraries()])
        _registered.extend([FrameFilter(), PythonFrames()])


def library() -> str:
    return texts.parameter("ompd library")


def library_path() -> str:
    return texts.parameter("ompd library-path")


def skip_libraries() -> list[str]:
    return texts.parameter("ompd skip-libraries").split()


def frame_filter() -> bool:
    return bool(gdb.parameter("ompd frame-filter"))


def python_frames() -> bool:
    return bool(gdb.parameter("ompd python-frames"))


def set_frame_filter(wanted: bool) -> None:
    texts.silently(f"set ompd frame-filter {'on' if wanted else 'off'}")
