# SPDX-License-Identifier: Apache-2.0
"""What is special about each runtime, as data."""
