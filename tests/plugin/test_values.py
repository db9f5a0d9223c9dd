# SPDX-License-Identifier: Apache-2.0
"""Does the line below the values of `ompd print' say what they are, in the words of the table?"""

from __future__ import annotations

import math

import pytest
from ompd_core.model.native import NativeThread
from ompd_core.model.process import Thread
from ompd_core.model.values import Number, Value
from ompd_core.views import values
from ompd_core.views.table import Style


def summary(*shown: tuple[str, Number | None]) -> str:
    threads = [Thread(NativeThread(n, 1, n, (9, n, 0))) for n in range(1, len(shown) + 1)]
    found = [(thread, Value(*value)) for thread, value in zip(threads, shown)]
    return values.lines(found, Style(), where=False)[-1]


LEAST, GREATEST = ("1.2821601174118471", 1.282160117411847), ("3.5", 3.5)
NAN = ("-nan(0x8000000000000)", math.nan)


@pytest.mark.parametrize("place", range(3))
def test_nan(place: int) -> None:
    """Wherever it stands: no number is less than it, and none is greater."""
    shown = [GREATEST, LEAST]
    shown.insert(place, NAN)
    assert summary(*shown) == "3 threads: 3 values, from 1.2821601174118471 to 3.5, 1 nan."


def test_few() -> None:
    assert summary(LEAST, LEAST) == "2 threads: all agree."
    assert summary(NAN, NAN) == "2 threads: all agree."
    assert summary(LEAST, NAN) == "2 threads: 2 values."
    assert summary(LEAST, GREATEST, ("{x = 1}", None)) == "3 threads: 3 values."


def test_as_shown() -> None:
    """In the format that was asked for."""
    assert summary(("0xff", 255), ("0x10", 16)) == "2 threads: 2 values, from 0x10 to 0xff."
