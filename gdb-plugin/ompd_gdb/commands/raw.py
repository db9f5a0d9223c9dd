# SPDX-License-Identifier: Apache-2.0
"""Commands that end in text of GDB's own: a command, or an expression. Options and ids stand before
it, and it is passed on as it was typed."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand


class RawCommand(OmpdCommand):
    """Takes [OPTIONS] [IDS] TEXT; an id that is needed says so."""

    takes_ids = True
    what = ""  # what TEXT is, for the error when it is missing
    text_optional = False
    gives_json = False

    def _parse(self, argument: str, arguments: Arguments) -> None:
        from ..errors import UserError
        from ..model import ids

        rest = self._without_json(argument.strip(), arguments)
        while rest:
            word, _, behind = rest.partition(" ")
            if word == "--":
                rest = behind.strip()
                break
            if word[:1] == "-" and word[1:] in self.flags:
                arguments.flags.add(word[1:])
            elif self.takes_ids and ids.is_id(word):
                arguments.words.append(word)
            else:
                break
            rest = behind.strip()
        arguments.text = rest
        if not rest and not self.text_optional:
            raise UserError(
                "bad_argument",
                f"`{self.name}' needs {self.what}.",
                f"See `help {self.name}'.",
            )

    def _parse_words(self, words: "list[str]", arguments: Arguments) -> None:
        self._parse(" ".join(words), arguments)

    def _without_json(self, text: str, arguments: Arguments) -> str:
        """-json [FILE] stands at the end, where no expression ends so."""
        if not self.gives_json:
            return text
        import re

        match = re.search(r"(?:^|\s)-json(?:\s+(\S+))?$", text)
        if match is None:
            return text
        arguments.json, arguments.json_file = True, match.group(1)
        return text[: match.start()].strip()
