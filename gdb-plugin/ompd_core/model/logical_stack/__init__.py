# SPDX-License-Identifier: Apache-2.0
"""Stacks as the program was written: parts of native stacks, laid beside the regions and tasks."""
