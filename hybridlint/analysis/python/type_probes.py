"""Builtins that inspect a value: ``isinstance``, ``hasattr``, ``callable``, ``type``, ``issubclass``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import member
from hybridlint.analysis.flow.truth import is_callable
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import TRUE_OR_FALSE, ClassRef, SelfRef, StaticValue, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def probe(act: Activation, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate an inspection of a value; None for other builtins."""
    if name not in _PROBES or len(args.values) != _PROBES[name][0]:
        return None
    if name != "hasattr":
        return _PROBES[name][1](*args.values)
    if isinstance(args.values[0], SelfRef | ClassRef):
        _read(act, *args.values)
    return _has_named(act, *args.values)


def _read(act: Activation, subject: Value, key: Value) -> None:
    """Treat a test for an attribute of self as a read, since an earlier call may have created it."""
    if isinstance(key, StaticValue) and isinstance(key.value, str):
        with act.run.reporting.silently():
            member(act, subject, key.value)


def _has_named(act: Activation, subject: Value, key: Value) -> Value:
    if isinstance(key, StaticValue) and isinstance(key.value, str):
        return semantics.library.has_attribute(act, subject, key.value)
    return TRUE_OR_FALSE


def _is_instance(value: Value, classes: Value) -> Value:
    return semantics.library.is_instance(value, classes)


def _is_subclass(kind: Value, classes: Value) -> Value:
    return semantics.library.is_subclass(kind, classes)


def _type_of(value: Value) -> Value:
    return semantics.library.type_of(value)


#: Each builtin with its number of arguments and its evaluation.
_PROBES: dict[str, tuple[int, Callable[..., Value]]] = {
    "isinstance": (2, _is_instance),
    "hasattr": (2, _has_named),
    "callable": (1, is_callable),
    "type": (1, _type_of),
    "issubclass": (2, _is_subclass),
}
