# SPDX-License-Identifier: Apache-2.0
"""A program of Python's of which all threads come to rest: in a parallel region of calls_back.c,
below functions of Python's. What it then knows of their stacks it writes into a file.

    calls_back.py LIBRARY RECORD
"""
import ctypes
import json
import os
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[1])
library.calls_back.restype = ctypes.c_double
at_rest = threading.Event()
arrived = []


class Key:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        arrived.append((threading.get_ident(), threading.get_native_id()))
        at_rest.wait()  # for ever
        return 0


class Modèle:
    def rest(self):
        yield max([3, 1, 2], key=lambda value: {Key(value): 1})

    def recurse(self, depth):
        if depth:
            return self.recurse(depth - 1)
        return list(self.rest())

    def fit(self):
        back = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int)(lambda i: self.recurse(i))
        library.calls_back(
            back,
            3,
        )


def told(frame):
    """Innermost first."""
    found = []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        found.append([name, code.co_filename, frame.f_lineno])
        frame = frame.f_back
    return found


def record():
    while len(arrived) < 4:
        time.sleep(0.01)
    time.sleep(0.1)  # until the last one sleeps
    frames = sys._current_frames()
    with open(sys.argv[2] + ".part", "w") as file:
        json.dump({lwp: told(frames[ident]) for ident, lwp in arrived}, file)
    os.rename(sys.argv[2] + ".part", sys.argv[2])


threading.Thread(target=Modèle().recurse, args=(20,), daemon=True).start()
threading.Thread(target=record, daemon=True).start()
Modèle().fit()
