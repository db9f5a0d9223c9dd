# SPDX-License-Identifier: Apache-2.0
"""Inside GDB: stop a running program again and again, each time at another moment, and write down
what it says of itself, what is on top of the stacks, and what `ompd threads' tells. A program of
OMPD_STOPS_PID is attached to each time, and let go."""

import json
import os
import random
import signal
import threading
import time

import gdb

LONGEST = 0.03  # seconds between two stops


def top_of(thread):
    """Whose code the thread executes: "own", the name of a library, or "between"."""
    thread.switch()
    frame = gdb.newest_frame()
    library = gdb.current_progspace().solib_name(frame.pc())
    return library or ("own" if frame.find_sal().symtab else "between")


def stop(number, delay):
    pid = gdb.selected_inferior().pid
    threading.Timer(delay, os.kill, (pid, signal.SIGINT)).start()
    gdb.execute("continue", to_string=True)
    look(number)


def attach(pid, number, delay):
    time.sleep(delay)
    gdb.execute(f"attach {pid}", to_string=True)
    look(number)
    gdb.execute("detach", to_string=True)


def look(number):
    gdb.execute(f"ompd threads -json threads.{number}.json", to_string=True)
    selected = gdb.selected_thread()
    tops = {thread.ptid[1]: top_of(thread) for thread in gdb.selected_inferior().threads()}
    selected.switch()
    words = gdb.parse_and_eval("published")
    published = [(int(one["tid"]), int(one["what"])) for one in map(words.__getitem__, range(4))]
    with open(f"published.{number}.json", "w", encoding="utf-8") as file:
        json.dump({"published": published, "tops": tops}, file)


generator = random.Random(int(os.environ["OMPD_STOPS_SEED"]))
for number in range(int(os.environ["OMPD_STOPS"])):
    delay = generator.uniform(0, LONGEST)
    if "OMPD_STOPS_PID" in os.environ:
        attach(os.environ["OMPD_STOPS_PID"], number, delay)
    else:
        stop(number, delay)
