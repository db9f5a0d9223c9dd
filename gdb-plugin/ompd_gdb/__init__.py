# SPDX-License-Identifier: Apache-2.0
"""OpenMP in GDB: teams, nested regions and their threads. ompd-gdb.py is the file to source."""
