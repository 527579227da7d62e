"""Nested inputs and outputs of blocks: flattening to a list plus a format, and the reverse.

A format is 0 for one tensor, -1 for None, n for a symbol with n outputs, or a list of formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol.symbol import Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

Format: TypeAlias = Union[int, "list[Format]"]


def flatten(value: Any, what: str) -> tuple[list[Any], Format]:
    """Flatten a nested list to its tensors (including None) and its format; `what` is ``input`` or ``output``.

    Raises ValueError for anything but tensors, lists and tuples.
    """
    if isinstance(value, NDArray):
        return [value], 0
    if isinstance(value, Symbol):
        return [value], len(value._entries) if len(value._entries) > 1 else 0
    if value is None:
        return [None], -1
    if not isinstance(value, (list, tuple)):
        raise ValueError(
            f"When hybridized, the {what} of HybridBlock must be (nested) list of Symbol or NDArray, "
            f"but got {value} of type {type(value)}"
        )
    flat: list[Any] = []
    formats: list[Format] = []
    for item in value:
        tensors, form = flatten(item, what)
        flat += tensors
        formats.append(form)
    return flat, formats


def regroup(flat: Sequence[Any], form: Format) -> tuple[Any, Sequence[Any]]:
    """Nest the first items of `flat` as the format says; return the result and the rest. Tuples become lists."""
    if isinstance(form, int):
        if form == 0:
            return flat[0], flat[1:]
        if form == -1:
            return None, flat[1:]
        return list(flat[:form]), flat[form:]
    nested = []
    for part in form:
        value, flat = regroup(flat, part)
        nested.append(value)
    return nested, flat


def compatible(stored: Format, given: Format) -> bool:
    """Whether inputs of format `given` fit a graph traced with `stored`; trailing None may be omitted."""
    if isinstance(stored, int) or isinstance(given, int):
        return stored == given
    shorter, longer = sorted((stored, given), key=len)
    return longer[: len(shorter)] == shorter and all(part == -1 for part in longer[len(shorter) :])


def holds(value: Any, kind: type) -> bool:
    """Whether nested lists contain a tensor of the class."""
    if isinstance(value, (list, tuple)):
        return any(holds(item, kind) for item in value)
    return isinstance(value, kind)


def first_array(value: Any) -> NDArray | None:
    """Return the first array in nested lists."""
    if isinstance(value, NDArray):
        return value
    if isinstance(value, (list, tuple)):
        for item in value:
            found = first_array(item)
            if found is not None:
                return found
    return None
