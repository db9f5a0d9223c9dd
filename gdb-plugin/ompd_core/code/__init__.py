# SPDX-License-Identifier: Apache-2.0
"""What code does, whatever machine it is for: instructions as plain records, and what is known of
values along its ways."""
