# SPDX-License-Identifier: Apache-2.0
"""From what size on is a slowdown worth a note, at a stop and in a record? A file of its own: `ompd
top' and `ompd show' load nothing else of the model for it."""

SMALLEST_TEAM = 3  # of which most wait for the others
