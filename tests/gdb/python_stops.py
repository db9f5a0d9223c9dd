# SPDX-License-Identifier: Apache-2.0
"""Inside GDB: stop a process of python_work.py again and again, and write down which frames of
Python's `ompd bt' shows, and which ones faulthandler then tells of the same moment."""

import json
import os
import random
import signal
import threading

import gdb

LONGEST = 0.02  # seconds between two stops
MOST_TRIES = 5


def stop(delay):
    """The first thread has left the signal's handler."""
    pid = gdb.selected_inferior().pid
    is_telling = True
    while is_telling:
        threading.Timer(delay, os.kill, (pid, signal.SIGINT)).start()
        gdb.execute("continue", to_string=True)
        is_telling = any(frame.name() in ("told", "tell") for frame in frames_of(first_thread()))


def first_thread():
    return min(gdb.selected_inferior().threads(), key=lambda thread: thread.num)


def frames_of(thread):
    thread.switch()
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = frame.older()


def pthread_id(thread):
    try:
        return int.from_bytes(thread.handle(), "little")
    except RuntimeError:  # this machine's libthread_db does not fit the program's C library
        thread.switch()
        return int(gdb.parse_and_eval("$fs_base"))


def look():
    """By pthread_t: the frames, and whether there is no doubt of them."""
    gdb.execute("ompd bt * -json stacks.json", to_string=True)
    with open("stacks.json", encoding="utf-8") as file:
        stacks = json.load(file)["stacks"]
    os.unlink("stacks.json")
    threads = gdb.selected_inferior().threads()
    handles = {f"{one.inferior.num}.{one.num}": pthread_id(one) for one in threads}
    found = {}
    for stack in stacks:
        own = [one for one in stack["frames"] if one["thread"] == stack["gdb"]]
        places = [one["loc"] for one in own if one.get("language") == "python"]
        frames = [[place["function"], place["file"], place["line"]] for place in places]
        whole = "frames" not in stack.get("doubts", {})
        found[handles[stack["gdb"]]] = {"frames": frames, "whole": whole}
    return found


def tell(file):
    """What the signal has faulthandler write. None: that was not of this moment, but of a later,
    since the thread did not take signals."""
    first_thread().switch()
    stopped_at = gdb.newest_frame().pc()
    gdb.execute("set scheduler-locking on")
    command, tries = "signal SIGUSR1", 0
    while gdb.newest_frame().name() != "told":
        if tries == MOST_TRIES:  # it may wait for another thread
            gdb.execute("set scheduler-locking off")
        waker = threading.Timer(1, os.kill, (gdb.selected_inferior().pid, signal.SIGINT))
        waker.start()
        gdb.execute(command, to_string=True)
        waker.cancel()
        command, tries = "continue", tries + 1
    gdb.execute("set scheduler-locking off")
    frames = list(frames_of(gdb.selected_thread()))
    handler = next(i for i, frame in enumerate(frames) if frame.type() == gdb.SIGTRAMP_FRAME)
    # A system call is begun again.
    is_of_moment = tries == 1 and abs(frames[handler + 1].pc() - stopped_at) <= 2
    truth = file.read()
    return truth if is_of_moment else None


def main():
    record = os.environ["OMPD_STOPS_RECORD"]
    generator = random.Random(int(os.environ["OMPD_STOPS_SEED"]))
    for command in (
        "handle SIGUSR1 nostop noprint pass",
        "handle SIGINT stop nopass",
        "break told",
    ):
        gdb.execute(command, to_string=True)
    with open(record, encoding="utf-8") as told, open("stops.jsonl", "w") as file:
        for number in range(int(os.environ["OMPD_STOPS"])):
            stop(generator.uniform(0, LONGEST))
            json.dump({"shown": look(), "truth": tell(told)}, file)
            file.write("\n")


main()
