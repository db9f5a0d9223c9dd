# SPDX-License-Identifier: Apache-2.0
"""`ompd' for the shell: reports of core files, of processes and of programs that it runs, each made
by the GDB plugin in a GDB of its own."""
