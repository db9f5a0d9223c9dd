# SPDX-License-Identifier: Apache-2.0
"""`set ompd thread-names', which is followed in thread_names.py from when it is on."""

from __future__ import annotations

import gdb


class ThreadNames(gdb.Parameter):
    """Whether `info threads' shows OpenMP ids: "R1.7 heat" instead of "heat". They
    are those of `ompd threads', told anew at each stop, for the process that
    stopped; when you open another core file, set it again. A thread outside of
    OpenMP's regions has its own name, and one that you have named (`thread
    name') keeps yours."""

    name = "ompd thread-names"
    set_doc = "Set whether `info threads' shows OpenMP ids."
    show_doc = "Show whether `info threads' shows OpenMP ids."

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_SUPPORT, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self) -> str:
        from . import thread_names

        thread_names.switch(self.value)
        return ""

    def get_show_string(self, value: str) -> str:
        return f"OpenMP ids in the names of threads: {value}."


_registered: list[ThreadNames] = []


def register() -> None:
    """Behind the other settings; once per GDB: a second time would lose what the user has set."""
    if not _registered:
        _registered.append(ThreadNames())
