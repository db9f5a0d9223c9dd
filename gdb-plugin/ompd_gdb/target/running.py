# SPDX-License-Identifier: Apache-2.0
"""How is a stopped program let run for a while? Only when the user asked for just that."""

from __future__ import annotations

import threading
import time

import gdb


def run_for(seconds: float) -> bool:
    """Whether it ran that long; False: it stopped by itself before, or ended."""
    begun = time.monotonic()
    timer = threading.Timer(seconds, lambda: gdb.post_event(_interrupt))
    timer.daemon = True
    timer.start()
    try:
        gdb.execute("continue", to_string=True)
    finally:
        timer.cancel()
    return time.monotonic() - begun >= seconds


def _interrupt() -> None:
    try:
        if any(thread.is_running() for thread in gdb.selected_inferior().threads()):
            gdb.execute("interrupt", to_string=True)
    except gdb.error:
        pass  # it has just ended
