# SPDX-License-Identifier: Apache-2.0
"""What is in a document "ompd/1"? Types alone, a file for each part of one: the views say by them
what they make, mypy sees whether they do, and tools/gen-schema writes the JSON Schema from them.
Nothing imports them while it runs."""
