# SPDX-License-Identifier: Apache-2.0
"""One stop of a process: what all parts of it were found to be at that moment."""
