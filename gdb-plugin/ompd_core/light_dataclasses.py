# SPDX-License-Identifier: Apache-2.0
"""Classes that list their fields: what the standard library's dataclasses are, of which some fifty,
and the inspector that they import, take longer to load than 256 threads to be read.

The type checker takes them for dataclasses. At run time nothing guards a frozen one; it has a hash.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
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
        names = {"__fields": fields, "_NONE": _NONE}
        exec(_init(fields) + (_comparison(fields) if eq else ""), names)
        cls._fields = tuple(fields)
        cls.__init__, cls.__repr__ = names["__init__"], _shown
        if eq:
            cls.__eq__ = names["__eq__"]
            cls.__hash__ = names["__hash__"] if frozen else None
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
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{self.__class__.__qualname__}({values})"
