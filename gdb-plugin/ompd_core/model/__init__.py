# SPDX-License-Identifier: Apache-2.0
"""What does the program's OpenMP state mean? Knows neither GDB nor a screen."""
