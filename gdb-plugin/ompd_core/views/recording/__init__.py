# SPDX-License-Identifier: Apache-2.0
"""How is a record shown: as tables, live, as a document?"""
