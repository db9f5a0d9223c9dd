# SPDX-License-Identifier: Apache-2.0
"""Which variables that OpenMP runtimes look at does the program's environment have?"""

from __future__ import annotations

from .. import runtimes
from ..debugger import Debugger
from ..errors import Unreadable, UserError
from ..formats.strings import string_at

MOST_VARIABLES = 1 << 14  # the kernel lets a program start with more of the shortest ones only


def settings(target: Debugger) -> dict[str, str]:
    """As getenv() finds them in this moment: the runtime read them when it started. Raises
    UserError."""
    variable = target.symbol("environ", None)
    if variable is None:
        raise _unknown("the C library's `environ' is not found")
    size = target.pointer_size
    found: dict[str, str] = {}
    try:
        entry = target.number(variable, size)
        for at in range(entry, entry + MOST_VARIABLES * size if entry else entry, size):
            text = target.number(at, size)
            if not text:
                break
            name, _, value = string_at(target.read, text).partition("=")
            if name.startswith(runtimes.ENVIRONMENT):
                found.setdefault(name, value)  # of two the first counts
    except Unreadable as error:
        raise _unknown(f"it cannot be read ({error})") from None
    return dict(sorted(found.items()))


def _unknown(why: str) -> UserError:
    return UserError(
        "environment_unknown",
        f"Which environment the program has is not known: {why}.",
        "`ompd icvs' shows what the runtime made of it.",
    )
