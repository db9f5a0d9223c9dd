# SPDX-License-Identifier: Apache-2.0
"""CPython's own structures, read from the memory of a stopped process. None of its code is run,
and nothing that is read is believed: see memory.py for the bounds."""
