# SPDX-License-Identifier: Apache-2.0
"""Classes that list their fields: what the standard library's dataclasses and named tuples are. To
make those takes longer than 256 threads to be read: some two hundred, and the inspector that
dataclasses import. Here the code that makes an object is written when the first one is made, which
for most of them is never in one run.

The type checker takes them for the library's. At run time nothing guards a frozen one; it has a
hash.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter

    _NONE = object()

    class field:
        """A field's default, or what makes one for each object."""

        def __init__(self, default=_NONE, default_factory=None, compare=True):
            self.default, self.make, self.compare = default, default_factory, compare

        def parameter(self, name):
            needed = self.default is _NONE and self.make is None
            return name if needed else f"{name}=__fields[{name!r}].default"

        def assignment(self, name):
            made = f"__fields[{name!r}].make() if {name} is _NONE else " if self.make else ""
            return f" self.{name} = {made}{name}"

    def dataclass(cls=None, *, frozen=False, eq=True):
        """Decorates a class. eq: two of it are the same if their fields are."""
        if cls is None:
            return lambda decorated: dataclass(decorated, frozen=frozen, eq=eq)
        given = {name: cls.__dict__.get(name, _NONE) for name in cls.__annotations__}
        fields = {n: one if isinstance(one, field) else field(one) for n, one in given.items()}

        def first(self, /, *values, **named):
            names = {"__fields": fields, "_NONE": _NONE}
            exec(_init(fields) + (_comparison(fields) if eq else ""), names)
            cls.__init__ = names["__init__"]
            if eq:
                cls.__eq__ = names["__eq__"]
                cls.__hash__ = names["__hash__"] if frozen else None
            cls.__init__(self, *values, **named)

        cls._fields = tuple(fields)
        cls.__init__, cls.__repr__ = first, _shown
        return cls

    def replace(one, **changed):
        """Another one, with other values of some fields."""
        return one.__class__(**{name: getattr(one, name) for name in one._fields} | changed)

    def _init(fields):
        parameters = ", ".join(one.parameter(name) for name, one in fields.items())
        body = "\n".join(one.assignment(name) for name, one in fields.items())
        return f"def __init__(self, {parameters}):\n{body}\n"

    def _comparison(fields):
        compared = [name for name, one in fields.items() if one.compare]
        own, others = ("".join(f"{who}.{name}, " for name in compared) for who in ("self", "other"))
        return f"""\
def __eq__(self, other):
 return ({own}) == ({others}) if other.__class__ is self.__class__ else NotImplemented
def __hash__(self):
 return hash(({own}))
"""

    def _shown(self):
        return f"{self.__class__.__qualname__}({_values(self)})"

    def _values(one):
        return ", ".join(f"{name}={getattr(one, name)!r}" for name in one._fields)

    class _Tuple(tuple):
        __slots__ = ()

        def __repr__(self):
            return f"{self.__class__.__name__}({_values(self)})"

        def _replace(self, **changed):
            values = {**dict(zip(self._fields, self)), **changed}
            if len(values) != len(self):
                raise ValueError(f"Got unexpected field names: {list(changed)!r}")
            return tuple.__new__(self.__class__, values.values())

        def _asdict(self):
            return dict(zip(self._fields, self))

    class _Named(type):
        """Makes the classes that are derived from NamedTuple: tuples, of this kind no more."""

        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace["__annotations__"])
            defaults = {one: namespace[one] for one in fields if one in namespace}
            namespace.update((one, _tuplegetter(at, "")) for at, one in enumerate(fields))
            namespace.update(__slots__=(), _fields=fields)

            def first(_kind, /, *values, **named):
                made.__new__ = staticmethod(_new(fields, defaults))
                return made.__new__(_kind, *values, **named)

            made = type(name, (_Tuple,), {**namespace, "__new__": first})
            return made

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})

    def _new(fields, defaults):
        """Its own names begin with what no field's may."""
        parameters = ", ".join(
            f"{name}=_defaults[{name!r}]" if name in defaults else name for name in fields
        )
        values = "".join(f"{name}, " for name in fields)
        names = {"_defaults": defaults, "_new": tuple.__new__}
        return eval(f"lambda _kind, {parameters}: _new(_kind, ({values}))", names)
