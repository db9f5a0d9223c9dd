# SPDX-License-Identifier: Apache-2.0
"""libompd and what it answers, as plain values."""
