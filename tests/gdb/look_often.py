# SPDX-License-Identifier: Apache-2.0
"""Inside GDB: look at a program that goes on for ever, again and again, each time at another
moment, and write down all that the commands tell there. OMPD_LOOKS says how, as JSON."""

import json
import os
import random
import signal
import threading
import time

import gdb

LONGEST = 0.03  # seconds between two stops

wishes = json.loads(os.environ["OMPD_LOOKS"])
generator = random.Random(wishes["seed"])


def look(number):
    documents, texts = {}, {}
    for command in wishes["commands"]:
        path = f"document.{number}.json"
        gdb.execute(f"{command} -json {path}", to_string=True)
        with open(path, encoding="utf-8") as file:
            documents[command] = json.load(file)
        os.unlink(path)
    for command in wishes["texts"]:
        texts[command] = gdb.execute(command, to_string=True)
    rest = {"stacks": gdb.execute("thread apply all bt -no-filters 8", to_string=True)}
    with open(f"look.{number}.json", "w", encoding="utf-8") as file:
        json.dump({"documents": documents, "texts": texts, **rest}, file)


def wait_for_beginning():
    """Until the program says that it is where it will be looked at."""
    while not os.path.exists(wishes["begun"]) or not open(wishes["begun"], "rb").read().strip(
        b"\0"
    ):
        time.sleep(0.002)


def interrupt(pid, delay):
    wait_for_beginning()
    time.sleep(delay)
    os.kill(pid, signal.SIGINT)


def live(number):
    if number == 0:
        gdb.execute("handle SIGINT stop nopass", to_string=True)
        gdb.execute("starti", to_string=True)
    delay = generator.uniform(0, LONGEST)
    pid = gdb.selected_inferior().pid
    timer = threading.Thread(target=interrupt, args=(pid, delay), daemon=True)
    timer.start()
    gdb.execute("continue", to_string=True)
    timer.join()
    look(number)


def attach(number):
    wait_for_beginning()
    time.sleep(generator.uniform(0, LONGEST))
    gdb.execute(f"attach {wishes['pid']}", to_string=True)
    if wishes["kind"] == "gcore":
        gdb.execute(f"generate-core-file core.{number}", to_string=True)
    else:
        look(number)
    gdb.execute("detach", to_string=True)


def core(number):
    gdb.execute(f"core-file core.{number}", to_string=True)
    look(number)
    os.unlink(f"core.{number}")


moments = {"live": live, "attach": attach, "gcore": attach, "core": core}
for moment in range(wishes["looks"]):
    moments[wishes["kind"]](moment)
