# SPDX-License-Identifier: Apache-2.0
"""Are states told apart by who does not see all colours? Each page's are compared in pairs, as
everybody sees them, and as with deuteranopia and protanopia, in both themes."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import pytest
from ompd_core.views.html import states, time_kinds

FOLDER = Path(states.__file__).parent
ENOUGH = 20  # CIE76: what is 2.3 apart can just be seen to differ side by side

Vector = tuple[float, float, float]

# Machado, Oliveira and Fernandes (2009), of the full deficiency, for linear RGB.
EYES: dict[str, tuple[Vector, Vector, Vector]] = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}
# sRGB to XYZ, by the white of D65.
TO_XYZ: tuple[Vector, Vector, Vector] = (
    (0.4124 / 0.95047, 0.3576 / 0.95047, 0.1805 / 0.95047),
    (0.2126, 0.7152, 0.0722),
    (0.0193 / 1.08883, 0.1192 / 1.08883, 0.9505 / 1.08883),
)


def times(matrix: tuple[Vector, Vector, Vector], vector: Vector) -> Vector:
    x, y, z = (sum(a * b for a, b in zip(row, vector)) for row in matrix)
    return x, y, z


def linear(colour: str) -> Vector:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return r, g, b


def lab(seen: Vector) -> Vector:
    inside = tuple(min(max(part, 0.0), 1.0) for part in seen)
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in times(TO_XYZ, (inside[0], inside[1], inside[2]))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def colours(theme: str) -> dict[str, str]:
    text = (FOLDER / f"{theme}.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([a-z]): (#[0-9a-f]{6});", text))


@pytest.mark.parametrize("theme", ["page", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_pairs(theme: str, eyes: str) -> None:
    shown = {
        style: lab(times(EYES[eyes], linear(colour))) for style, colour in colours(theme).items()
    }
    for kinds in (states.ALL, time_kinds.KINDS.values()):
        for one, other in itertools.combinations(kinds, 2):
            distance = math.dist(shown[one.style], shown[other.style])
            assert distance >= ENOUGH, f"{one.name}, {other.name}: {distance:.1f}"


@pytest.mark.parametrize("theme", ["page", "dark"])
def test_letters_can_be_read(theme: str) -> None:
    """On the colour of their square: 4.5 : 1, as accessibility counts."""
    css = (FOLDER / f"{theme}.css").read_text(encoding="utf-8")
    own = dict(re.findall(r"--on-([a-z]): (#[0-9a-f]{3,6});", css))
    page = (FOLDER / "page.css").read_text(encoding="utf-8")
    (dark,) = re.findall(r"^\.chip :is\(([^)]*)\), .*color: #16191c", page, re.MULTILINE)
    for style, colour in colours(theme).items():
        letter = own.get(style, "#16191c" if f".{style}" in dark.split(", ") else "#fff")
        letter = letter if len(letter) == 7 else "#" + "".join(2 * c for c in letter[1:])
        light, less = sorted((luminance(letter), luminance(colour)), reverse=True)
        assert (light + 0.05) / (less + 0.05) >= 4.5, (style, letter)


def luminance(colour: str) -> float:
    return times(TO_XYZ, linear(colour))[1]


def test_patterns() -> None:
    """Work and waiting differ without any colour: whoever waits has two."""
    page = (FOLDER / "page.css").read_text(encoding="utf-8")
    (rails,) = re.findall(r"^i:is\(([^)]*)\) \{", page, re.MULTILINE)
    waiting = [of.style for of in time_kinds.WAITING]
    assert rails.split(", ") == [f".{style}" for style in waiting]
    for style in waiting:
        assert f".lane .{style} {{ fill: url(#rails-{style}); }}" in page
        assert f".areas .{style} {{ fill: url(#bands-{style}); }}" in page
    assert not {"w", "e", "i"} & set(waiting)
