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
    completes = None  # type: str | None  # GDB's command that TEXT completes as; "": TEXT is one
    gives_json = False

    def _parse(self, argument: str, arguments: Arguments) -> None:
        from ompd_core.errors import UserError

        rest = self._without_options(self._without_json(argument.strip(), arguments), arguments)
        arguments.text = rest
        if not rest and not self.text_optional:
            raise UserError(
                "bad_argument",
                f"`{self.name}' needs {self.what}.",
                f"See `help {self.name}'.",
            )

    def _without_options(self, rest: str, arguments: Arguments) -> str:
        """And without ids."""
        from ompd_core.model import ids

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
        return rest

    def complete(self, text: str, word: str) -> "list[str]":
        """The word after options and ids is GDB's to complete."""
        from . import completion

        rest = self._without_options(text.strip(), Arguments())
        behind_blank = text[-1:].isspace()
        of_ours = super().complete(text, word) if " " not in rest else []
        if self.completes is None or rest.startswith("-") or not (rest or behind_blank):
            return of_ours
        return of_ours + completion.of_gdb(
            self.completes, f"{rest} " if behind_blank else rest, word
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
