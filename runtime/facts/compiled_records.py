"""Dataclasses whose methods are compiled when they are called for the first time; `records` says why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from reprlib import recursive_repr
from typing import Any, TypeVar, cast

T = TypeVar("T")
Written = tuple[str, dict[str, Any]]

#: The classes whose constructors do nothing but to store the fields.
_RECORDS: set[type] = set()
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def record(
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,
    order: bool = False,
    kw_only: bool = False,
) -> Callable[[type[T]], type[T]]:
    """Return a decorator like ``dataclass``, without its check of assignments."""

    def made(cls: type[T]) -> type[T]:
        own = dict(cls.__dict__)
        # Python would spell out the signature of a class without one.
        cls.__doc__ = cls.__doc__ or cls.__name__
        new: Any = dataclass(cls, slots=slots, init=False, eq=False, repr=False, kw_only=kw_only)
        writers: dict[str, Callable[[type], Written]] = {"__init__": _init}
        if repr and "__repr__" not in own:
            new.__repr__ = _shown
        if eq:
            writers["__eq__"] = _eq
            if order:
                writers |= {name: _comparison(name) for name in _ORDER}
            if own.get("__hash__") is None:
                new.__hash__ = None
                writers |= {"__hash__": _hash} if frozen else {}
        for name, write in writers.items():
            if own.get(name) is None:
                setattr(new, name, _late(new, name, write))
        if own.get("__init__") is None:
            _RECORDS.add(new)
        return cast("type[T]", new)

    return made


def replace(obj: T, /, **changes: Any) -> T:
    """Return a copy of a dataclass with some fields changed."""
    kind: Any = obj.__class__
    copied: T = _copier(kind)(obj, changes)
    return copied


@cache
def _copier(cls: Any) -> Callable[[Any, dict[str, Any]], Any]:
    """Return the function that copies an object of a dataclass with changes.

    For plain records it is compiled, and takes half as long as a call of the constructor with all fields.
    """
    given = tuple(field.name for field in fields(cls) if field.init)
    if cls not in _RECORDS or hasattr(cls, "__post_init__") or len(given) < len(fields(cls)):

        def copied(obj: Any, changes: dict[str, Any]) -> Any:
            return cls(**{name: getattr(obj, name) for name in given if name not in changes}, **changes)

        return copied
    lines = [
        "def copied(obj, changes):",
        " if not changes.keys() <= names:",
        "  return cls(**changes)",
        " made = new(cls)",
        *(f" made.{name} = changes['{name}'] if '{name}' in changes else obj.{name}" for name in given),
        " return made",
    ]
    scope: dict[str, Any] = {"cls": cls, "new": cls.__new__, "names": frozenset(given)}
    exec("\n".join(lines), scope)
    return cast("Callable[[Any, dict[str, Any]], Any]", scope["copied"])


def _late(cls: type, name: str, write: Callable[[type], Written]) -> Callable[..., Any]:
    """Return a method that puts the written one in its place when it is called."""

    def late(self: Any, *args: Any, **named: Any) -> Any:
        # Another decorator may have made a class of its own from the one that was decorated.
        owner = next((kind for kind in type(self).__mro__ if kind.__dict__.get(name) is late), cls)
        text, scope = write(owner)
        made: dict[str, Any] = {}
        exec(text, scope, made)
        method = made[name]
        method.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, method)
        return method(self, *args, **named)

    return late


def _init(cls: type) -> Written:
    scope: dict[str, Any] = {"_made": MISSING}
    taken: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for field in fields(cls):
        value = name = field.name
        if field.default_factory is not MISSING:
            scope[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _made else {name}" if field.init else f"_make_{name}()"
        elif field.default is not MISSING:
            scope[f"_{name}"] = field.default
            value = name if field.init else f"_{name}"
        elif not field.init:
            continue
        lines.append(f"self.{name} = {value}")
        if field.init:
            (named if field.kw_only else taken).append(_parameter(field))
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *taken, *(["*", *named] if named else [])])
    return f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), scope


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}=_made"
    return field.name if field.default is MISSING else f"{field.name}=_{field.name}"


def _eq(cls: type) -> Written:
    values = [field.name for field in fields(cls) if field.compare]
    lines = (
        "def __eq__(self, other):",
        " if self is other:",
        "  return True",
        " if other.__class__ is not self.__class__:",
        "  return NotImplemented",
        f" return {_tuple('self', values)} == {_tuple('other', values)}",
    )
    return "\n".join(lines), {}


def _comparison(name: str) -> Callable[[type], Written]:
    def write(cls: type) -> Written:
        values = [field.name for field in fields(cls) if field.compare]
        compared = f"{_tuple('self', values)} {_ORDER[name]} {_tuple('other', values)}"
        kinds = "other.__class__ is self.__class__"
        return f"def {name}(self, other):\n return {compared} if {kinds} else NotImplemented", {}

    return write


def _hash(cls: type) -> Written:
    values = [each.name for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    return f"def __hash__(self):\n return hash({_tuple('self', values)})", {}


def _tuple(owner: str, names: Iterable[str]) -> str:
    return f"({''.join(f'{owner}.{name}, ' for name in names)})"


@recursive_repr()
def _shown(self: Any) -> str:
    values = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(values)})"
