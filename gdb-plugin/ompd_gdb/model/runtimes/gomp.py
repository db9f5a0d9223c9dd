# SPDX-License-Identifier: Apache-2.0
"""GNU's libgomp: recognised, and not served yet."""

from __future__ import annotations

NOT_SUPPORTED = "is not supported yet: this version serves programs on LLVM's libomp"
