# SPDX-License-Identifier: Apache-2.0
"""Do light_classes and late_patterns do what the standard library's do, of what is used of them?"""

from __future__ import annotations

import dataclasses
import re
import typing
from typing import Any

import pytest
from ompd_core import late_patterns, light_classes

BOTH = (dataclasses, light_classes)


def made(module: Any, **options: bool) -> Any:
    """A class with a field of each kind."""
    field = module.field

    class Sample:
        first: int
        second: str = "two"
        third: list[int] = field(default_factory=list)
        fourth: int | None = field(default=None, compare=False)

        @property
        def double(self) -> int:
            return 2 * self.first

    return module.dataclass(**options)(Sample) if options else module.dataclass(Sample)


def told(sample: Any) -> tuple[Any, ...]:
    return (sample.first, sample.second, sample.third, sample.fourth, sample.double, repr(sample))


@pytest.mark.parametrize("arguments", [(1,), (1, "x"), (1, "x", [3]), (1, "x", [3], 4)])
def test_made(arguments: tuple[Any, ...]) -> None:
    theirs, ours = (made(module)(*arguments) for module in BOTH)
    assert told(theirs) == told(ours)
    names = ("first", "second", "third", "fourth")
    assert told(made(light_classes)(**dict(zip(names, arguments)))) == told(ours)


@pytest.mark.parametrize("arguments", [(), (1, "x", [], None, 5)])
def test_refused(arguments: tuple[Any, ...]) -> None:
    for module in BOTH:
        with pytest.raises(TypeError):
            made(module)(*arguments)
        with pytest.raises(TypeError):
            made(module)(1, unknown=2)


def test_nothing_is_shared() -> None:
    sample = made(light_classes)
    one, other = sample(1), sample(1)
    one.third.append(7)
    assert other.third == [] and one != other


def test_replaced() -> None:
    for module in BOTH:
        one = made(module)(1, "x", [3], 4)
        other = module.replace(one, second="y")
        assert (other.first, other.second, other.fourth) == (1, "y", 4)
        assert other.third is one.third and one.second == "x"


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("eq", [False, True])
def test_compared(frozen: bool, eq: bool) -> None:
    """And hashed. One field is not compared; another class is never the same."""
    for module in BOTH:
        sample = made(module, frozen=frozen, eq=eq)
        one, same, other = sample(1, "x", (), 4), sample(1, "x", (), 5), sample(2, "x", (), 4)
        assert (one == same, one == other) == (eq, False)
        assert one == one and one != made(module, eq=eq)(1, "x", (), 4) and one != (1, "x", ())
        if not eq:
            assert len({one, same}) == 2
        elif frozen:
            assert len({one, same, other}) == 2
        else:
            with pytest.raises(TypeError):
                hash(one)


def named(base: Any) -> Any:
    """A tuple with a field of each kind; the names are those that its making might use."""

    class Sample(base):  # type: ignore[misc]
        """Its docstring."""

        kind: int
        made: str = "two"
        values: tuple[int, ...] = ()

        @property
        def double(self) -> int:
            return 2 * self.kind

    return Sample


TUPLES = (typing.NamedTuple, light_classes.NamedTuple)


@pytest.mark.parametrize("values", [(1,), (1, "x"), (1, "x", (3,))])
def test_tuples(values: tuple[Any, ...]) -> None:
    theirs, ours = (named(base)(*values) for base in TUPLES)
    assert (
        theirs == ours == tuple(ours) and hash(theirs) == hash(ours) and repr(theirs) == repr(ours)
    )
    assert ours._fields == theirs._fields and ours._asdict() == theirs._asdict()
    assert (ours.kind, ours.made, ours.values, ours.double) == (*ours, 2)
    assert ours._replace(made="y") == theirs._replace(made="y")
    assert type(ours._replace(made="y")) is type(ours)
    by_name = named(light_classes.NamedTuple)(**dict(zip(ours._fields, values)))
    assert by_name == ours and by_name.__doc__ == theirs.__doc__


@pytest.mark.parametrize("base", TUPLES)
def test_tuples_refuse(base: Any) -> None:
    sample = named(base)
    for values, names in (((), {}), ((1, "x", (), 4), {}), ((1,), {"unknown": 2})):
        with pytest.raises(TypeError):
            sample(*values, **names)
    one = sample(1)
    with pytest.raises((ValueError, TypeError)):  # the latter from Python 3.13 on
        one._replace(unknown=1)
    with pytest.raises(AttributeError):
        one.kind = 2
    with pytest.raises(AttributeError):
        one.another = 2


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_patterns(flags: int) -> None:
    for pattern in (re.compile("a(b)?", flags), late_patterns.compile("a(b)?", flags)):
        assert pattern.pattern == "a(b)?"
        for _ in range(2):
            assert bool(pattern.fullmatch("AB")) == bool(flags) and pattern.match("abc")
            assert pattern.sub("x", "abcab") == "xcx"
    with pytest.raises(AttributeError):
        late_patterns.compile("a").unknown  # type: ignore[attr-defined]
