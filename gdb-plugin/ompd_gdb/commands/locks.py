# SPDX-License-Identifier: Apache-2.0
"""`ompd locks': who holds, who waits."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from ..picture import Picture


class Locks(OmpdCommand):
    """Show who holds locks and critical constructs, and who waits.

    Usage: ompd locks [IDS] [-all] [-wide] [-json [FILE]]

    For each: its name (the variable's, the critical construct's, else an
    address), what it is and how the runtime makes it (KMP_LOCK_KIND), who holds
    it and where it was acquired, and who waits, in the order of the queue where
    the runtime keeps one.

    Both runtimes record the holder of nestable locks, libomp of all locks with
    KMP_CONSISTENCY_CHECK=all. Of others the holder is told by the code, and
    called likely: a thread that is between the construct's begin and its end,
    whichever way it came. Where the code does not tell: `?'.

    A lock that is held and waited for, while no thread is at a place between
    set and unset, is told as that, if no function of the program unsets what it
    has not set: an unset was probably forgotten. Where it may be left set is
    told too.

    With IDS, such as L1 or L1-3,5: all about these, also where the holder is
    now, and each of those that wait.

    Of more than eight locks that are alike all but the names share a line; -all
    gives each its own. -wide shortens nothing. -json prints a JSON document
    ("ompd/1"), or writes it to FILE; a word that could be an id is not taken
    for FILE. `--' ends the options."""

    name = "ompd locks"
    flags = ("all", "wide")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import locks, threads

        from .. import session
        from . import documents, output, selecting

        wanted = selecting.parse_locks(arguments.words)
        here = session.current()
        found = here.picture().locks
        chosen = selecting.locks(found, wanted)
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.locks(chosen if wanted else found.all)
            output.document(arguments, documents.envelope(here, "locks", locks=section))
            return
        style = output.style(arguments)
        shown = locks.details(chosen, style) if wanted else locks.lines(found, style)
        output.lines(shown + threads.remarks(found.process, here.notes(), style))

    @staticmethod
    def is_id(word: str) -> bool:
        from ompd_core.model import ids

        return ids.is_lock_id(word)

    @staticmethod
    def known_ids(picture: "Picture") -> "list[str]":
        found = picture.known_locks()
        return [lock.id for lock in found.all] if found is not None else []
