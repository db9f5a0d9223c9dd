# SPDX-License-Identifier: Apache-2.0
"""`ompd tasks': the explicit tasks."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class Tasks(OmpdCommand):
    """Show the explicit tasks: what they do, and wait for.

    Usage: ompd tasks [IDS] [-tree] [-all] [-wide] [-json [FILE]]

    A task is executing (a thread's current one), suspended (begun; its thread
    executes another one meanwhile), ready (in a queue), blocked (by tasks that
    it depends on), detached (its code is done, its event is not fulfilled) or
    finished (kept because tasks that it made are not done). On is the thread
    that executes it, or on whose stack it is suspended, and below which other
    one; else its region. Children counts the tasks that it made and that are
    not complete. A deferred construct's task may wait for its device. Created
    at is the construct, or the task's code. Equal tasks share a line. IDS
    choose tasks: t3, t1-5, or the threads that execute them.

    -tree shows which task made which. -all gives each task its own line. -wide
    shortens nothing. -json prints a JSON document ("ompd/1"), or writes it to
    FILE. `--' ends the options."""

    name = "ompd tasks"
    flags = ("tree", "all", "wide")
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import tasks, threads

        from .. import session
        from . import documents, output, selecting

        wanted = selecting.parse(arguments.words)
        here = session.current()
        picture = here.picture()
        chosen = selecting.tasks(picture.tasks, wanted, here.inferior.num)
        found = picture.located_tasks()
        if arguments.json:
            from ompd_core.views import json_document

            section = json_document.tasks(chosen)
            output.document(arguments, documents.envelope(here, "tasks", tasks=section))
            return
        style = output.style(arguments)
        tree = "tree" in arguments.flags and not wanted
        shown = tasks.tree(found, style) if tree else tasks.lines(found, chosen, style)
        output.lines(shown + threads.remarks(found.process, here.notes(), style))
