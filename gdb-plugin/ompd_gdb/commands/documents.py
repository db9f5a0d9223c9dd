# SPDX-License-Identifier: Apache-2.0
"""What is the same in every JSON document of a session?"""

from __future__ import annotations

from typing import Any

import gdb
from ompd_core.errors import UserError

from ..session import Session, current, has_process


def envelope(session: Session, command: str, **sections: Any) -> dict[str, Any]:
    from ompd_core.views import json_document  # text does without it

    try:
        runtimes = session.runtimes()
    except UserError:
        runtimes = []  # a report says why
    return json_document.envelope(
        command,
        session.stop_id,
        gdb.VERSION,
        session.notes(),
        session.program(),
        runtimes,
        **sections,
    )


def anywhere(command: str, **sections: Any) -> dict[str, Any]:
    """Also where there is no process."""
    if has_process():
        return envelope(current(), command, **sections)
    from ompd_core.views import json_document

    return json_document.envelope(command, 0, gdb.VERSION, [], None, [], **sections)
