# SPDX-License-Identifier: Apache-2.0
"""Files and tables that are not OpenMP's: ELF, core files, unwind information, lists of images."""
