"""Records: objects with named values, made by namedtuples, dataclasses and simple namespaces."""

from __future__ import annotations

import ast
from typing import Literal

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import (
    ContainerValue,
    External,
    ProjectClass,
    RecordType,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.text.literals import literal_value

_MAKERS = frozenset({"collections.namedtuple", "typing.NamedTuple"})


def record_type(function: str, args: ArgumentsEvent) -> Value:
    """Return the class that a call of ``namedtuple`` or ``NamedTuple`` creates; Unknown for other functions."""
    if function not in _MAKERS or len(args.values) < 2:
        return Unknown()
    names = _names(args.values[1])
    return Unknown() if names is None else RecordType(names)


def class_record(info: ProjectClass) -> RecordType | None:
    """Return the record type of a dataclass or namedtuple without its own constructor, None for others.

    None for a dataclass with methods too: it is an object that may change itself.
    """
    if not {"__init__", "__new__"}.isdisjoint(info.methods):
        return None
    names = _names_of_base(info)
    if names is not None:
        return RecordType(names, info=info)
    named = "typing.NamedTuple" in info.foreign_bases
    if not (named or (is_dataclass(info) and not info.methods)):
        return None
    return _fields(info, "tuple" if named else "record")


def fields_given(info: ProjectClass, args: ArgumentsEvent) -> dict[str, Value]:
    """Return the values of the fields of a dataclass that a call makes, by name."""
    made = make_record(_fields(info, "record"), args)
    known = made.items if isinstance(made, ContainerValue) else None
    return dict(zip(_fields(info, "record").fields, known or (), strict=False))


def _fields(info: ProjectClass, kind: Literal["tuple", "record"]) -> RecordType:
    fields = [n for n in info.node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
    names = tuple(n.target.id for n in fields if isinstance(n.target, ast.Name))
    defaults = {
        n.target.id: info.module.expression(n.value) for n in fields if isinstance(n.target, ast.Name) and n.value
    }
    return RecordType(names, defaults, kind, info if kind == "tuple" else None)


def _names_of_base(info: ProjectClass) -> tuple[str, ...] | None:
    """Return the fields of ``class Box(namedtuple("Box", "low high"))``; None for other classes."""
    match info.node.bases:
        case [ast.Call(func=function, args=[_, fields], keywords=[])]:
            made = info.module.expression(function)
        case _:
            return None
    if not isinstance(made, External) or made.name not in _MAKERS:
        return None
    try:
        written = literal_value(fields)
    except ValueError:
        return None
    if isinstance(written, str):
        return tuple(written.replace(",", " ").split())
    named = isinstance(written, list | tuple) and all(isinstance(name, str) for name in written)
    return tuple(written) if named else None


def make_record(made: RecordType, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a record's class."""
    if any(isinstance(node, ast.Starred) for node in args.nodes):
        return Unknown()
    given = dict(zip(made.fields, args.values, strict=False)) | dict(args.keywords)
    values = tuple(given.get(name, made.defaults.get(name, Unknown())) for name in made.fields)
    return ContainerValue(made.kind, values, keys=made.fields, info=made.info)


def field(record: ContainerValue, name: str) -> Value | None:
    """Return the value of a record's field; None if there is no such field."""
    if record.kind not in {"tuple", "record"} or record.keys is None or record.items is None:
        return None
    return record.items[record.keys.index(name)] if name in record.keys else None


def with_field(record: ContainerValue, name: str, value: Value) -> ContainerValue:
    """Return a copy of a record with one field replaced."""
    assert record.items is not None
    assert record.keys is not None
    pairs = dict(zip(record.keys, record.items, strict=True)) | {name: value}
    return ContainerValue(record.kind, tuple(pairs.values()), keys=tuple(pairs), info=record.info)


def _names(value: Value) -> tuple[str, ...] | None:
    if isinstance(value, StaticValue):
        names = value.value.replace(",", " ").split() if isinstance(value.value, str) else value.value
        known = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        return tuple(names) if known else None
    if not isinstance(value, ContainerValue) or value.items is None:
        return None
    first = [item.items[0] if isinstance(item, ContainerValue) and item.items else item for item in value.items]
    texts = [item.value for item in first if isinstance(item, StaticValue) and isinstance(item.value, str)]
    return tuple(texts) if len(texts) == len(first) else None


def is_dataclass(info: ProjectClass) -> bool:
    """Return whether a class is declared as a dataclass."""
    for decorator in info.node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if info.module.expression(target) in {External("dataclasses.dataclass"), External("dataclass")}:
            return True
    return False
