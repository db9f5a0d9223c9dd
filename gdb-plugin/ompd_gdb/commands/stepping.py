# SPDX-License-Identifier: Apache-2.0
"""What `ompd step', `ompd next' and `ompd finish' have in common."""

from __future__ import annotations

import gdb
from ompd_core.errors import UserError

from .. import session
from ..target import inferior_calls


def count(command: str, text: str) -> int:
    """How often? Raises UserError."""
    try:
        return int(inferior_calls.evaluated(text)) if text else 1
    except gdb.error as error:
        raise UserError(
            "bad_argument", f"`{text}' is not a number: {error}", f"See `help {command}'."
        ) from None


def lines(command: str, times: int) -> None:
    """Raises UserError."""
    stepper = session.current().stepper()
    if stepper is None:
        gdb.execute(f"{command} {times}")
    else:
        _refuse_recording()
        stepper.lines(command, times)


def finish() -> None:
    """Raises UserError."""
    stepper = session.current().stepper()
    if stepper is None:
        gdb.execute("finish")
    else:
        _refuse_recording()
        stepper.finish()


def _refuse_recording() -> None:
    recording = gdb.current_recording()
    if recording is None:
        return
    if recording.method == "full" or recording.replay_position is not None:
        raise UserError(
            "recording",
            "GDB records the program, or replays it: other threads do not run then.",
            "Use GDB's own commands, or `record stop'.",
        )
