# SPDX-License-Identifier: Apache-2.0
"""What is told of an OpenMP runtime: its names, and what of its inside shows from outside. Each is
a file with a RUNTIME; __init__.py lists them. What compilers call is in abi/: runtimes serve
several interfaces."""

from __future__ import annotations

from typing import Mapping

from ..light_classes import NamedTuple, dataclass, field


@dataclass(frozen=True)
class Runtime:
    kind: str  # as libompd tells it
    name: str
    # Under which names its library comes.
    files: tuple[str, ...]
    # Every release defines it.
    mark: str
    # How the names of its own functions begin, which no program uses: a regular expression.
    functions: str
    # The same of names that programs use as well. They are the runtime's where no line tells
    # otherwise: the names of its source files.
    loosely: str = "(?!)"
    sources: str = "(?!)"
    # And its headers, by their paths: all that is in one is the runtime's, whatever its name.
    headers: str = "(?!)"
    # How the names of variables of the environment begin that it reads, beside OpenMP's own.
    environment: tuple[str, ...] = ()
    # The one of them that sets the size of its threads' stacks, beside OpenMP's own.
    stack_size: str | None = None
    # What it calls the code of constructs through.
    invoke: str | None = None
    # Do entry points, and what its threads begin with, call that code themselves?
    calls_directly: bool = False
    # Does it execute at a taskwait the waiting task's own children and, but for those with a
    # priority, no others? It records no creators of tasks then.
    takes_children: bool = False
    # How it is made to record who holds which lock, if it can be.
    records_holders: str | None = None
    # Do its barriers only count who has come?
    counts_arrivals: bool = False
    # Does it go on counting on threads that have ended, or that a fork left behind?
    loses_threads: bool = False
    # The variable that an ICV of the process is read from.
    variables: Mapping[str, str] = field(default_factory=dict)
    # A text that is in every build, also in a program that it is linked into and that is stripped.
    text: bytes | None = None
    # Its function that returns where the current task keeps what its device is asked by.
    device_handle: str | None = None
    # The text that it prints before it ends the program: a regular expression, whose groups are
    # what is to be said of it.
    fatal: str | None = None
    exits: bool = False  # by exit (), and not by abort ()
    no_thread: str | None = None  # in that text: it could not make one
    no_memory: str | None = None  # in that text: it got none, of so many bytes
    refused: str | None = None  # why it is not served


class Offload(NamedTuple):
    """What is told of an offload runtime: the library that executes target constructs. What it is
    called for is in abi/."""

    name: str
    # Under which names its library comes, and what it calls to reach devices.
    files: tuple[str, ...]
    helpers: tuple[str, ...]
    # Functions of drivers that wait for a device, and that copy from or to one.
    waits: str
    transfers: str
    # How its plugins' files are called, the devices' name in them; and the first release that has
    # them inside.
    plugins: str
    plugins_inside: int
