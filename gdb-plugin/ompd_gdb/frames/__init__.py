# SPDX-License-Identifier: Apache-2.0
"""What GDB's own `bt', its MI and its DAP show of a stack."""
