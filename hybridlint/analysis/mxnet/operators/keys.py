"""Subscript keys that Symbols of numpy mode refuse."""

from __future__ import annotations

from hybridlint.analysis.model.values import (
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    NumpyArray,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.analysis.syntax.keys import Key


def is_lone_last(key: Key) -> bool:
    """Return whether a key is -1, which a Symbol of numpy mode accepts but turns into an unusable graph."""
    return not key.several and isinstance(key.parts[0], StaticValue) and key.parts[0].value == -1


def refusal(key: Key) -> str | None:
    """Return the name of the exception that a Symbol of numpy mode raises for a key; None if accepted."""
    return next((raised for raised in map(_refusal, key.parts) if raised is not None), None)


def _refusal(part: Value) -> str | None:
    match part:
        case StaticValue(numpy=True):
            return None
        case StaticValue(value=slice() as cut):
            flags = any(isinstance(bound, bool) for bound in (cut.start, cut.stop, cut.step))
            return "MXNetError" if flags else None
        case StaticValue(value=bool()) | DataDependentValue(reason="index"):
            return "MXNetError"
        case StaticValue(value=None | list() | tuple() | range()):
            return "IndexError"
        case StaticValue(value=value):
            return "IndexError" if value is Ellipsis else None
        case Tensor() | CapturedArray() | NumpyArray() | ContainerValue():
            return "IndexError"
        case _:
            return None
