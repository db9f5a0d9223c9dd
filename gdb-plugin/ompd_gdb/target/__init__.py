# SPDX-License-Identifier: Apache-2.0
"""How does libompd's question become one to GDB? Memory, symbols, threads, frames."""
