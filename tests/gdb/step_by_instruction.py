# SPDX-License-Identifier: Apache-2.0
"""Inside GDB: step a thread by instructions through a function, into what it calls of the runtime
and over what that calls of the C library. Writes down the stack at each, as `ompd bt' tells it, and
what `ompd' finds wrong."""

import json
import os

import gdb


def library():
    return gdb.current_progspace().solib_name(gdb.newest_frame().pc()) or ""


def is_in(function):
    """On the stack, whatever is on top of it."""
    frame = gdb.newest_frame()
    while frame is not None:
        if frame.name() == function:
            return True
        frame = frame.older()
    return False


def answer(command):
    gdb.execute(f"{command} -json answer.json", to_string=True)
    with open("answer.json", encoding="utf-8") as file:
        return json.load(file)


def look():
    found = answer("ompd bt")["stacks"][0]
    findings = answer("ompd")["summary"]["findings"]
    frames = [(one["kind"], (one["loc"] or {}).get("function")) for one in found["frames"]]
    return {
        "at": f"{gdb.newest_frame().name()} {gdb.newest_frame().pc():#x} {library()}",
        "frames": frames,
        "doubts": found.get("doubts", {}),
        "wrong": [one["text"] for one in findings if one["wrong"]],
    }


thread, function = gdb.selected_thread(), os.environ["OMPD_STEP_THROUGH"]
looks = []
while len(looks) < int(os.environ["OMPD_STEPS"]) and is_in(function):
    looks.append(look())
    over = "ld-linux" in library() or "libc." in library()
    gdb.execute("finish" if over else "stepi", to_string=True)
    thread.switch()
with open("looks.json", "w", encoding="utf-8") as file:
    json.dump(looks, file)
