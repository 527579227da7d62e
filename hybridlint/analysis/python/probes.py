"""Builtins that inspect a value: ``isinstance``, ``hasattr``, ``callable``, ``type``, ``issubclass``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.truth import has_attribute, is_callable, is_instance, is_subclass, type_of
from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.values import TRUE_OR_FALSE, ClassRef, Static, This, Value
from hybridlint.analysis.syntax.attributes import member

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def probe(act: Activation, name: str, args: Arguments) -> Value | None:
    """Evaluate an inspection of a value; None for other builtins."""
    if name not in _PROBES or len(args.values) != _PROBES[name][0]:
        return None
    if name == "hasattr" and isinstance(args.values[0], This | ClassRef):
        _read(act, *args.values)
    return _PROBES[name][1](*args.values)


def _read(act: Activation, subject: Value, key: Value) -> None:
    """Count a test for an attribute of self as a read of it, since an earlier call may have created it."""
    if isinstance(key, Static) and isinstance(key.value, str):
        with act.run.reporting.silently():
            member(act, subject, key.value)


def _has_named(subject: Value, key: Value) -> Value:
    if isinstance(key, Static) and isinstance(key.value, str):
        return has_attribute(subject, key.value)
    return TRUE_OR_FALSE


#: Each builtin with its number of arguments and its evaluation.
_PROBES: dict[str, tuple[int, Callable[..., Value]]] = {
    "isinstance": (2, is_instance),
    "hasattr": (2, _has_named),
    "callable": (1, is_callable),
    "type": (1, type_of),
    "issubclass": (2, is_subclass),
}
