# SPDX-License-Identifier: Apache-2.0
"""Are names of functions and files styled where GDB styles its own, and nowhere else?"""

from __future__ import annotations

import re
from pathlib import Path

import machine
import pytest
from sessions import target
from test_running import Terminal

STYLE = re.compile("\x1b\\[[0-9;]*m")
COMMANDS = ["ompd", "ompd threads -all", "ompd bt"]


@pytest.mark.parametrize("gdb", ["gdb-18"])
def test_styles(gdb: str, folder: Path) -> None:
    executable, home = machine.compiled("deadlocks"), machine.cached("libomp-14")
    with target("core", executable, ("inversion2",), home, folder) as made:
        with Terminal(gdb, made, folder, term="xterm") as terminal:
            told(terminal, "ompd locks")  # GDB's warnings, and what it fetches, come once
            for command in COMMANDS:
                styled = told(terminal, command)
                assert STYLE.search(styled), repr(styled)
                assert not STYLE.search(told(terminal, f"pipe {command} | cat"))
                string = f'gdb.execute("{command}", from_tty=True, to_string=True)'
                told(terminal, f"python told = {string}")
                assert told(terminal, 'python print("\\033" in told)') == "False"
                terminal.type("set style enabled off")
                terminal.until_prompt()
                # No column is wider for it.
                assert told(terminal, command) == STYLE.sub("", styled)
                terminal.type("set style enabled on")
                terminal.until_prompt()
            assert "\x1b" not in told(terminal, "ompd threads -json")
            check_names(told(terminal, "bt"), told(terminal, "ompd bt"))
            assert styled_words(told(terminal, "ompd deadlock"))[0] == "DEADLOCK"
            assert "Odd" in styled_words(told(terminal, "ompd"))


def check_names(of_gdb: str, ours: str) -> None:
    """Function and file as GDB shows its own."""
    functions = [re.findall(r"(\x1b\[[0-9;]*m)[\w.]+\x1b\[m \(", text) for text in (of_gdb, ours)]
    assert functions[0] and functions[1] and functions[0][0] == functions[1][0], functions
    files = [re.findall(r"(\x1b\[[0-9;]*m)[^\x1b]+\x1b\[m:", text) for text in (of_gdb, ours)]
    assert files[0] and files[1] and files[0][0] == files[1][0], files


def styled_words(text: str) -> list[str]:
    return re.findall(r"\x1b\[[0-9;]+m([^\x1b]+)\x1b\[m", text)


def told(terminal: Terminal, command: str) -> str:
    """Without what is typed, the prompt, and what readline tells the terminal."""
    terminal.type(command)
    text = re.sub(r"\x1b\[\?2004[hl]\r?", "", terminal.until_prompt()).replace("\r", "")
    return text.partition("\n")[2].removesuffix(Terminal.PROMPT).rstrip("\n")
