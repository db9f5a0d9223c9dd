# SPDX-License-Identifier: Apache-2.0
"""How is a record written for other tools? A file for each of their formats."""
