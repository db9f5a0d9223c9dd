# SPDX-License-Identifier: Apache-2.0
"""What is the same in every JSON document of a session?"""

from __future__ import annotations

from typing import Any

import gdb

from ..session import Session
from ..views import json_document


def envelope(session: Session, command: str, **sections: Any) -> dict[str, Any]:
    return json_document.envelope(
        command,
        session.stop_id,
        gdb.VERSION,
        session.notes(),
        session.program(),
        session.runtimes(),
        **sections,
    )
