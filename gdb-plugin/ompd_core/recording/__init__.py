# SPDX-License-Identifier: Apache-2.0
"""What does a record of ompd-sampler tell (docs/record-format.md)? Without a debugger."""
