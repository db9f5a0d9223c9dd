# SPDX-License-Identifier: Apache-2.0
"""What may be typed: a module for each group of commands."""
