# SPDX-License-Identifier: Apache-2.0
"""The one file to source, or to auto-load: makes the ompd commands known to GDB, and no more. The
rest of the package, and libompd, are loaded when a command is used.

Works in the source tree (with build/ beside gdb-plugin/) and installed (PREFIX/share/ompd). Keeps
to the Python of every GDB that may read it, to be able to say that it is too old.
"""

import os
import sys

import gdb


def _ompd_start(path):
    home = os.path.dirname(os.path.realpath(path))
    if sys.version_info < (3, 9):
        gdb.write("ompd: GDB's Python is %d.%d, and 3.9 is needed.\n" % sys.version_info[:2])
        return
    loaded = sys.modules.get("ompd_gdb")
    if loaded is not None and os.path.dirname(os.path.dirname(loaded.__file__)) != home:
        gdb.write(
            "ompd: already loaded from %s; restart GDB to use %s.\n"
            % (os.path.dirname(os.path.dirname(loaded.__file__)), home)
        )
        return
    if home not in sys.path:
        sys.path.insert(0, home)
    from ompd_gdb import commands, functions, mi, settings, state_tracking, thread_names_setting
    from ompd_gdb.frames import filter
    from ompd_gdb.target import unwinder

    settings.register()
    thread_names_setting.register()
    commands.register()
    functions.register()
    state_tracking.register()
    filter.register()
    unwinder.register()
    mi.register()


# __file__ is another's where a Python script of the user's sources this one.
_ompd_start(_ompd_start.__code__.co_filename)
del _ompd_start  # GDB runs this in the namespace that its user types Python into
