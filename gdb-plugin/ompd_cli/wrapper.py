# SPDX-License-Identifier: Apache-2.0
"""What a program that is run gets from its user, and not from GDB: streams, environment, ignored
signals. GDB starts it by this.

Usage: wrapper.py FOLDER PROGRAM ARGUMENT...
"""

from __future__ import annotations

import json
import os
import signal
import sys

NOT_BEGUN = "not-begun"  # a file in the folder: why the program could not be executed


def main(folder: str, program: str, *arguments: str) -> None:
    with open(os.path.join(folder, "start.json"), encoding="ascii") as file:
        start = json.load(file)
    for number, copy in enumerate(start["streams"]):
        os.dup2(copy, number)
    for copy in start["streams"]:
        os.close(copy)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        ignored = number in start["ignored"]
        signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)
    with open(os.path.join(folder, "pid.new"), "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    os.rename(os.path.join(folder, "pid.new"), os.path.join(folder, "pid"))
    try:
        os.execve(program, [start["name"], *arguments], start["environment"])
    except OSError as error:
        with open(os.path.join(folder, NOT_BEGUN), "w", encoding="utf-8") as file:
            file.write(error.strerror or "it cannot be")
        sys.exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
