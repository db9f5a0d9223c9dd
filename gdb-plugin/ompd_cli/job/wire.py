# SPDX-License-Identifier: Apache-2.0
"""How does a collector's document come back by the launcher's own way, its standard output? In
lines of text, short enough that nothing is put between their halves: who, what, which of how many,
and a piece of the packed document. All other lines are somebody else's, a login script's."""

from __future__ import annotations

import base64
import json
import zlib
from typing import IO, Any

from ompd_core import late_patterns
from ompd_core.light_classes import dataclass, field

PIECE = 600  # characters of a line
LARGEST = 256 << 20  # bytes of a document, unpacked
MOST_PIECES = 1 << 18
LONGEST_LINE = 4096
_LINE = late_patterns.compile(
    r"^(?:([A-Za-z0-9._-]{1,255}): )?ompd1 ([A-Za-z0-9._-]{1,64}) (step|part|error) ([0-9]{1,7})"
    r"/([0-9]{1,7}) ([A-Za-z0-9+/=]+)\s*$"
)
UNKNOWN = "-"  # a collector that does not know what its launcher calls it: the label in front says


def send(stream: IO[str], sender: str, kind: str, document: Any) -> None:
    packed = zlib.compress(json.dumps(document, separators=(",", ":")).encode("ascii"), 6)
    text = base64.b64encode(packed).decode("ascii")
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    for i, piece in enumerate(pieces):
        stream.write(f"ompd1 {sender} {kind} {i + 1}/{len(pieces)} {piece}\n")
    stream.flush()


@dataclass
class Receiver:
    """Of lines in any order, but for the pieces of one document."""

    others: list[str] = field(default_factory=list)  # the last lines that are not ours
    _pieces: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def take(self, line: str) -> tuple[str, str, Any] | None:
        """Who, what and the document that this line completes."""
        found = _LINE.match(line)
        if found is None:
            if line.strip():
                self.others = [*self.others[-4:], line.strip()[:200]]
            return None
        sender, kind = found[2], found[3]
        if sender == UNKNOWN and found[1] is not None:
            sender = found[1]
        number, total = int(found[4]), int(found[5])
        pieces = self._pieces.setdefault((sender, kind), [])
        if number != len(pieces) + 1 or not number <= total <= MOST_PIECES:
            del self._pieces[sender, kind]  # a piece is missing: there is no document
            return None
        pieces.append(found[6])
        if number < total:
            return None
        del self._pieces[sender, kind]
        document = unpacked("".join(pieces))
        return None if document is None else (sender, kind, document)


def unpacked(text: str) -> Any:
    """None: it is damaged."""
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(base64.b64decode(text, validate=True), LARGEST)
        if unpacker.unconsumed_tail or not unpacker.eof:
            return None
        return json.loads(found)
    except (ValueError, zlib.error, RecursionError):
        return None
