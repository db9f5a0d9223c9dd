# SPDX-License-Identifier: Apache-2.0
"""What was typed behind a command's name."""

from __future__ import annotations


class Arguments:
    """What was typed behind a command's name."""

    def __init__(self) -> None:
        self.flags = set()  # type: set[str]
        self.values = {}  # type: dict[str, str]  # of options that take a word
        self.words = []  # type: list[str]
        self.json = False
        self.json_file = None  # type: str | None
        self.hand_over = False  # the document is not written
        self.document = None  # type: dict[str, object] | None  # but left here
        self.text = ""  # what is passed on to GDB
