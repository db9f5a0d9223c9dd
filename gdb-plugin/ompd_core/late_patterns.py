# SPDX-License-Identifier: Apache-2.0
"""Regular expressions that are compiled when they are first asked: one run asks half of them, and
to compile them all takes as long as to read a hundred threads."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as compile
else:
    import re

    class compile:
        def __init__(self, pattern, flags=0):
            self.pattern, self._flags = pattern, flags

        def __getattr__(self, name):
            """Of the compiled one; the next time it is found here."""
            found = getattr(re.compile(self.pattern, self._flags), name)
            setattr(self, name, found)
            return found
