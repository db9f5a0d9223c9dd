#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpack a seed: unpack.py SEED.xz SEED."""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

packed, unpacked = map(Path, sys.argv[1:])
unpacked.parent.mkdir(parents=True, exist_ok=True)
unpacked.write_bytes(lzma.decompress(packed.read_bytes()))
