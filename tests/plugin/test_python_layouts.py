# SPDX-License-Identifier: Apache-2.0
"""The sampler's table of CPython's releases is made of the plugin's."""

from __future__ import annotations

from generated import fresh


def test_layouts() -> None:
    fresh("sampler/python/layouts.inc", "tools/gen-python-layouts")
