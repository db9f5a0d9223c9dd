# SPDX-License-Identifier: Apache-2.0
"""What have all commands in common? Their options, their output, and that a user never sees a
traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import gdb

from .. import texts
from .arguments import Arguments

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from ..picture import Picture


class OmpdCommand(gdb.Command):
    """A command of ours. Its docstring is its help and, by tools/gen-commands-doc, its
    documentation."""

    name = ""
    prefix = False
    flags = ()  # type: tuple[str, ...]
    hidden_flags = ()  # type: tuple[str, ...]
    valued = ()  # type: tuple[str, ...]  # options that take the word behind them
    takes_ids = False
    gives_json = True
    lets_run = False  # the program, which then calls what the user's breakpoints ask for

    def __init__(self) -> None:
        super().__init__(self.name, gdb.COMMAND_STATUS, prefix=self.prefix)

    def run(self, arguments: Arguments) -> None:
        raise NotImplementedError

    def invoke(self, argument: str, from_tty: bool) -> None:
        self.typed(gdb.string_to_argv(argument))

    def typed(self, words: "list[str]") -> None:
        """Of a name in the words any bytes come through, where GDB would make text of them. Raises
        gdb.GdbError."""
        from ompd_core.errors import UserError

        from . import output

        arguments = Arguments()
        with without_traceback(self.name):
            try:
                with in_users_terms(), self._calls():
                    self._parse_words(words, arguments)
                    self.run(arguments)
            except UserError as error:
                if arguments.json:
                    output.json_error(self.name, arguments, error)
                raise

    def _calls(self) -> "AbstractContextManager[None]":
        from ..target import inferior_calls

        return nullcontext() if self.lets_run else inferior_calls.refused()

    def document(self, words: "list[str]") -> "dict[str, object]":
        """What -json would write. Raises UserError."""
        from ompd_core.errors import UserError

        if not self.gives_json:
            raise UserError("bad_argument", f"`{self.name}' has no JSON document.")
        arguments = Arguments()
        with in_users_terms(), self._calls():
            self._parse_words(words, arguments)
            if arguments.json:
                raise UserError("bad_argument", "`-json' has no place here: leave it out.")
            arguments.json = arguments.hand_over = True
            self.run(arguments)
        assert arguments.document is not None
        return arguments.document

    def _parse(self, argument: str, arguments: Arguments) -> None:
        self._parse_words(gdb.string_to_argv(argument), arguments)

    def _parse_words(self, words: "list[str]", arguments: Arguments) -> None:
        from ompd_core.errors import UserError

        words = list(words)
        options = True
        while words:
            word = words.pop(0)
            if not options or not word.startswith("-") or word == "-":
                arguments.words.append(word)
            elif word == "--":
                options = False
            elif word == "-json" and self.gives_json:
                arguments.json = True
                # An id may follow: R1 is one, and R1.json is a file.
                if words and not words[0].startswith("-") and not self.is_id(words[0]):
                    arguments.json_file = words.pop(0)
            elif word[1:] in self.flags or word[1:] in self.hidden_flags:
                arguments.flags.add(word[1:])
            elif word[1:] in self.valued:
                arguments.values[word[1:]] = self._value(word, words)
            else:
                known = ", ".join(f"-{option}" for option in self._options())
                raise UserError(
                    "bad_argument",
                    f"`{self.name}' has no option `{word}'.",
                    f"Its options are {known}." if known else "",
                )
        if arguments.words and not self.takes_ids:
            self.refuse(arguments.words[0])

    def _value(self, option: str, words: "list[str]") -> str:
        from ompd_core.errors import UserError

        if not words:
            raise UserError(
                "bad_argument", f"`{option}' needs a word behind it.", f"See `help {self.name}'."
            )
        return words.pop(0)

    @staticmethod
    def is_id(word: str) -> bool:
        from ompd_core.model import ids

        return ids.is_id(word)

    def refuse(self, word: str) -> None:
        from ompd_core.errors import UserError

        raise UserError("bad_argument", f"`{self.name}' takes no argument `{word}'.")

    def _options(self) -> "list[str]":
        return [*self.flags, *self.valued, *(["json"] if self.gives_json else [])]

    def complete(self, text: str, word: str) -> "list[str]":
        typed = text.rsplit(None, 1)[-1] if text and not text[-1].isspace() else ""
        if typed.startswith("-"):
            found = [f"-{option}" for option in self._options()]
        elif self.takes_ids:
            picture = self._known_picture()
            found = self.known_ids(picture) if picture is not None else []
        else:
            found = []
        # GDB breaks words at `-' and `.': it wants what follows the break.
        before = len(typed) - len(word or "")
        return [one[before:] for one in found if one.startswith(typed)]

    @staticmethod
    def _known_picture() -> "Picture | None":
        """Only what is known anyway: a completion must not read the program's memory."""
        import sys

        module = sys.modules.get(f"{__package__.rsplit('.', 1)[0]}.session")
        return module.known_picture() if module is not None else None

    @staticmethod
    def known_ids(picture: "Picture") -> "list[str]":
        """To choose from in a completion."""
        process = picture.process
        regions = [region.id for region in process.regions]
        threads = [m.id for thread in process.threads for m in thread.openmp if m.id is not None]
        executing = {m.task.id: None for thread in process.threads for m in thread.openmp if m.task}
        return regions + threads + [task for task in executing if task is not None]


@contextmanager
def without_traceback(name: str) -> Iterator[None]:
    """What is raised becomes a sentence that GDB prints. name: of the command."""
    from ompd_core.errors import UserError

    try:
        yield
    except UserError as error:
        raise gdb.GdbError(texts.printable(error.sentence())) from None
    except gdb.GdbError:
        raise
    except Exception as error:
        raise gdb.GdbError(texts.printable(_defect(name, error))) from None


@contextmanager
def in_users_terms() -> Iterator[None]:
    """What others raise becomes a UserError."""
    from ompd_core.errors import UserError
    from ompd_core.library.library import OmpdError

    try:
        yield
    except OmpdError as error:
        raise UserError(
            "library_error", f"libompd failed: {error}.", "`ompd status' tells more."
        ) from None
    except gdb.error as error:
        raise UserError("gdb_error", f"GDB says: {error}") from None
    except OSError as error:
        raise UserError("file_error", f"{error.filename}: {error.strerror}.") from None


def _defect(name: str, error: Exception) -> str:
    """What only a mistake of ours can cause. One line, with what a report needs."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = ""
    if trace is not None:
        file = trace.tb_frame.f_code.co_filename.rsplit("/", 1)[-1]
        at = f" at {file}:{trace.tb_lineno}"
    return f"`{name}' failed by a defect of its own ({type(error).__name__}: {error}{at})."
