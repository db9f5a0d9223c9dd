# SPDX-License-Identifier: Apache-2.0
"""`ompd target': devices, and what the host knows of them."""

from __future__ import annotations

from .arguments import Arguments
from .base import OmpdCommand

TYPE_CHECKING = False  # without typing, which takes its time
if TYPE_CHECKING:
    from collections.abc import Callable

    from ompd_core.model.devices import Devices


class Target(OmpdCommand):
    """Show constructs that devices execute, and what is mapped there.

    Usage: ompd target [-wide] [-json [FILE]]
           ompd target args [-wide] [-json [FILE]]
           ompd target map [DEVICE | ADDRESS | EXPR] [-wide] [-json [FILE]]

    For each construct of a device that a thread is in: its line, the function
    and line of its kernel, the device, and how far it is: the kernel runs on
    this thread (a device of LLVM's host plugin), it waits for the device, for a
    copy, or for the lock of the mapping table. A construct that runs on the
    host is told as that, with the reason, or the reasons of which it is one.
    What optimised code does not tell for certain is `?', with the reason. A
    deferred construct that no thread executes while its device works is told by
    its task, with the tasks that depend on it.

    args lists what these constructs pass to their devices: the variable that
    the map clause names, the host's address, its size, the device's address,
    and whether it is passed by value, as a private copy, or mapped there, as a
    whole, in part or not at all. Of a construct in which the offload runtime
    ended the program, all this is told at once.

    map lists what is mapped on each device, or on DEVICE: the variable and the
    line of the map clause, the host's address, its size, the device's address,
    and how many constructs count on it (for ever: declare target, or
    omp_target_associate_ptr). With an address of the host or of a device, or an
    expression: which variable that is, and where it is on the other side.

    All is read of LLVM's libomptarget in the host's memory; no device is asked.
    What GNU's libgomp keeps of devices is not read. -wide shortens nothing.
    -json prints a JSON document ("ompd/1"), or writes it to FILE. `--' ends the
    options."""

    name = "ompd target"
    flags = ("wide",)
    takes_ids = True

    def run(self, arguments: Arguments) -> None:
        from ompd_core.views import targets, threads

        from .. import session
        from . import documents, output

        words = arguments.words
        if words and words[0] not in ("args", "map"):
            self.refuse(words[0])
        if words[1:] and words[0] == "args":
            self.refuse(words[1])
        here = session.current()
        picture = here.picture()
        found = picture.devices
        if words[1:]:
            self._map_some(arguments, found, " ".join(words[1:]), picture.place_of)
            return
        if arguments.json:
            section = targets.document(found)
            output.document(arguments, documents.envelope(here, "target", offload=section))
            return
        style = output.style(arguments)
        if words == ["args"]:
            shown = targets.argument_lines(found.targets, style)
        elif words:
            shown = targets.map_lines(found, found.all, style)
            if not found.all:
                shown = targets.runtime_lines(found, style)
        else:
            shown = targets.lines(found, style)
        output.lines(shown + threads.remarks(picture.process, here.notes(), style))

    @staticmethod
    def _map_some(
        arguments: Arguments,
        found: "Devices",
        text: str,
        place_of: "Callable[[str], tuple[int, int]]",
    ) -> None:
        """Of one device, or of one address."""
        from ompd_core.errors import UserError
        from ompd_core.views import targets

        from .. import session
        from . import documents, output

        if found.offload is None or found.offload.layout == "refused":
            raise UserError(
                "no_devices",
                "The program has loaded no offload runtime whose tables can be read.",
                "`ompd target' tells what is known.",
            )
        style = output.style(arguments)
        device = found.device(int(text)) if text.isdecimal() and len(text) < 6 else None
        if device is not None:
            if arguments.json:
                section = targets.document(found)
                section["mappings"] = targets.mappings(found, [device])
                made = documents.envelope(session.current(), "target", offload=section)
                output.document(arguments, made)
            else:
                output.lines(targets.map_lines(found, [device], style))
            return
        address, size = place_of(text)
        places = found.places(address)
        if arguments.json:
            section = targets.document(found)
            section["places"] = [targets.place(found, one, address) for one in places]
            made = documents.envelope(session.current(), "target", offload=section)
            output.document(arguments, made)
        else:
            output.lines(targets.place_lines(found, address, size, text, style, places))
