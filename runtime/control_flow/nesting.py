"""Nested lists and tuples of tensors: flattening and regrouping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

#: The nesting: None for a tensor, a list for a list or tuple.
Format: TypeAlias = Any


def flatten(value: Any, tensor: type, label: str) -> tuple[list[Any], Format]:
    """Return the tensors in a nested list, and their nesting. Raises AssertionError for anything else in it."""
    if isinstance(value, tensor):
        return [value], None
    if not isinstance(value, (list, tuple)):
        kind = "NDArray" if tensor.__name__ == "NDArray" else "Symbol"
        raise AssertionError(f"{label} must be (nested) list of {kind}, but got {value} of type {type(value)}")
    flat: list[Any] = []
    formats: list[Format] = []
    for item in value:
        tensors, form = flatten(item, tensor, label)
        flat += tensors
        formats.append(form)
    return flat, formats


def regroup(flat: Sequence[Any], form: Format) -> Any:
    """Restore the nesting of flattened tensors."""
    return _take(iter(flat), form)


def _take(rest: Iterator[Any], form: Format) -> Any:
    return next(rest) if form is None else [_take(rest, f) for f in form]
