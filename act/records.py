"""A class with annotated fields -> a record: what `dataclasses.dataclass` makes, but made when it is first needed.

`dataclasses` writes and compiles the text of six methods for every class, which is a third of the time that importing a compiler takes.
Here `__init__`, `__eq__` and `__hash__` are written when they are first called; the methods, and what `dataclasses.replace` and
`dataclasses.fields` find, are the same.  All records have slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar, dataclass_transform

__all__ = ["dataclass", "field", "fields_of", "replace"]

Class = TypeVar("Class", bound=type)
Record = TypeVar("Record")

MISSING: Any = object()


class Field:
    """`default` or `default_factory` of one field, and where it takes part."""

    __slots__ = ("compare", "default", "default_factory", "hash", "init", "name", "repr")

    def __init__(self, default: Any, default_factory: Any, init: bool, repr: bool, hash: bool | None, compare: bool) -> None:
        self.name, self.default, self.default_factory = "", default, default_factory
        self.init, self.repr, self.compare, self.hash = init, repr, compare, compare if hash is None else hash

    @property
    def optional(self) -> bool:
        return self.default is not MISSING or self.default_factory is not MISSING


def field(
    *, default: Any = MISSING, default_factory: Any = MISSING, init: bool = True, repr: bool = True, hash: bool | None = None, compare: bool = True
) -> Any:
    """As `dataclasses.field`."""
    return Field(default, default_factory, init, repr, hash, compare)


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, frozen: bool = False, slots: bool = True, eq: bool = True) -> Callable[[Class], Class]:
    """As `dataclasses.dataclass`; `slots` is always true, and said so that readers and checkers see it."""

    def make(cls: Class) -> Class:
        return _made(cls, frozen, eq)

    return make


def fields_of(cls: type) -> dict[str, Field]:
    """The fields of a record by name, in order."""
    return cls.__fields__  # type: ignore[attr-defined]


def replace(record: Record, /, **changes: Any) -> Record:
    """The record with some fields changed."""
    cls = record.__class__
    if "__fields__" not in cls.__dict__:  # a class that inherits from a record and is none itself may have more fields
        import dataclasses

        return dataclasses.replace(record, **changes)  # type: ignore[type-var]
    for name, each in fields_of(cls).items():
        if each.init and name not in changes:
            changes[name] = getattr(record, name)
    return cls(**changes)


def _made(cls: type, frozen: bool, eq: bool) -> Any:
    known = {name: each for base in reversed(cls.__mro__[1:]) for name, each in getattr(base, "__fields__", {}).items()}
    inherited = set(known)
    namespace = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
    for name in cls.__dict__.get("__annotations__", {}):  # noqa: RUF063 -- importing inspect takes longer than all of this
        known[name] = _field(name, namespace.pop(name, MISSING))
    _check_order(known)
    namespace["__slots__"] = tuple(name for name in known if name not in inherited)
    namespace["__match_args__"] = tuple(name for name, each in known.items() if each.init)
    namespace |= {"__fields__": known, "__dataclass_fields__": _Described(0), "__dataclass_params__": _Described(1), "_frozen": frozen, "_compared": eq}
    namespace |= {"__init__": _later(_init), "__getstate__": _state, "__setstate__": _set_state}
    namespace.setdefault("__repr__", _repr)
    if eq:
        namespace.setdefault("__eq__", _later(_equality))
        namespace["__hash__"] = namespace.get("__hash__") or (_later(_hash) if frozen else None)
    if frozen:
        namespace |= {"__setattr__": _refuse, "__delattr__": _refuse}
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _field(name: str, value: Any) -> Field:
    found = value if isinstance(value, Field) else Field(value, MISSING, True, True, None, True)
    if found.default.__class__.__hash__ is None:
        raise ValueError(f"mutable default {found.default!r} for field {name}: all records would share it; use default_factory")
    found.name = name
    return found


def _check_order(fields: dict[str, Field]) -> None:
    optional = False
    for name, each in fields.items():
        if each.init and optional and not each.optional:
            raise TypeError(f"non-default field {name!r} follows one that has a default")
        optional |= each.init and each.optional


def _later(make: Callable[[type], tuple[str, Callable[..., Any]]]) -> Callable[..., Any]:
    """A method that is made at its first call, for the class that it was inherited from."""

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        owner = next(cls for cls in self.__class__.__mro__ if any(value is method for value in cls.__dict__.values()))
        name, made = make(owner)
        setattr(owner, name, made)
        return made(self, *arguments, **named)

    return method


def _compiled(name: str, parameters: list[str], lines: list[str], values: dict[str, Any]) -> tuple[str, Callable[..., Any]]:
    text = f"def {name}({', '.join(parameters)}):\n" + "".join(f"  {line}\n" for line in lines or ["pass"])
    exec(text, values)
    return name, values[name]


def _init(cls: type) -> tuple[str, Callable[..., Any]]:
    fields = list(fields_of(cls).values())
    values: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], []
    for each in fields:
        name = each.name
        values |= {f"set_{name}": _slot(cls, name), f"default_{name}": each.default, f"make_{name}": each.default_factory}
        if each.init:
            parameters.append(f"{name}=default_{name}" if each.default is not MISSING else f"{name}=MISSING" if each.optional else name)
        fresh = f"make_{name}()" if each.default_factory is not MISSING else f"default_{name}"
        value = fresh if not each.init else name if each.default_factory is MISSING else f"{fresh} if {name} is MISSING else {name}"
        if each.init or each.optional:
            lines.append(f"set_{name}(self, {value})" if cls._frozen else f"self.{name} = {value}")  # type: ignore[attr-defined]
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    return _compiled("__init__", parameters, lines, values)


def _slot(cls: type, name: str) -> Callable[[Any, Any], None]:
    """Sets a field, of frozen records too."""
    return next(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__).__set__


def _tuple(owner: str, names: list[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


def _equality(cls: type) -> tuple[str, Callable[..., Any]]:
    names = [name for name, each in fields_of(cls).items() if each.compare]
    lines = ["if self is other: return True"]
    lines += [f"return {_tuple('self', names)} == {_tuple('other', names)} if other.__class__ is self.__class__ else NotImplemented"]
    return _compiled("__eq__", ["self", "other"], lines, {})


def _hash(cls: type) -> tuple[str, Callable[..., Any]]:
    names = [name for name, each in fields_of(cls).items() if each.hash]
    return _compiled("__hash__", ["self"], [f"return hash({_tuple('self', names)})"], {})


def _repr(self: Any) -> str:
    inside = ", ".join(f"{name}={getattr(self, name)!r}" for name, each in fields_of(self.__class__).items() if each.repr)
    return f"{self.__class__.__qualname__}({inside})"


def _refuse(self: Any, name: str, *_: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> Any:
    if "__fields__" not in self.__class__.__dict__:
        return object.__getstate__(self)
    return [getattr(self, name) for name in fields_of(self.__class__)]


def _set_state(self: Any, state: Any) -> None:
    if isinstance(state, tuple):
        for name, value in [pair for part in state for pair in (part or {}).items()]:
            object.__setattr__(self, name, value)
        return
    for name, value in zip(fields_of(self.__class__), state, strict=True):
        _slot(self.__class__, name)(self, value)


class _Described:
    """What `dataclasses` looks for in a class, made when it looks."""

    __slots__ = ("which",)

    def __init__(self, which: int) -> None:
        self.which = which

    def __get__(self, instance: object, cls: type) -> Any:
        return next(_parameters(cls)) if self.which else _fields(cls)


@cache
def _fields(cls: type) -> dict[str, Any]:
    """Of each class once: `dataclasses.replace` asks for them again and again."""
    import dataclasses

    found = {}
    for name, each in fields_of(cls).items():
        given = {"default": each.default} if each.default is not MISSING else {}
        given |= {"default_factory": each.default_factory} if each.default_factory is not MISSING else {}
        made = found[name] = dataclasses.field(kw_only=False, init=each.init, repr=each.repr, hash=each.hash, compare=each.compare, **given)
        made.name, made._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
    return found


def _parameters(cls: type) -> Iterator[Any]:
    import dataclasses

    @dataclasses.dataclass(frozen=cls._frozen, eq=cls._compared)  # type: ignore[attr-defined]
    class Like:
        pass

    yield Like.__dataclass_params__  # type: ignore[attr-defined]
