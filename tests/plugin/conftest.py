# SPDX-License-Identifier: Apache-2.0
"""Where is the plugin? Its model and views run under plain Python."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gdb-plugin"))
