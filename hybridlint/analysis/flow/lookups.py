"""Searches for a value: ``in``, ``index``, dict keys, and comparisons of containers.

Python regards identical objects as equal without comparing them. It compares all other objects by value; with a tensor
among them, that tests the truth of a tensor.
"""

from __future__ import annotations

from typing import Any

from hybridlint.analysis import semantics
from hybridlint.analysis.flow.truth import Truth, truth
from hybridlint.analysis.model.lattice import element, in_world, is_each_runs_own
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    EagerTracePair,
    External,
    Namespace,
    OperatorRef,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.runtime.facts.surface import World


def same(left: Value, right: Value, world: World) -> Truth:
    """Return whether two values are identical objects or equal constants in a run; None if unknown."""
    a, b = in_world(left, world), in_world(right, world)
    match a, b:
        case Tensor(), Tensor():
            return True if a.identity is not None and a.identity == b.identity else None
        case (Namespace() | External() | OperatorRef(), Namespace() | External() | OperatorRef()):
            return truth(semantics.library.identity(a, b), world)
        case StaticValue(), StaticValue() if a.value is not STATIC_UNKNOWN and b.value is not STATIC_UNKNOWN:
            return bool(a.value == b.value)
        case _:
            return None


def depends_on_run(value: Value) -> bool:
    """Return whether a value differs between the eager run and the trace: ``type(x)``, the namespace `F`."""
    return isinstance(value, EagerTracePair) or (
        isinstance(value, Namespace) and not value.path and is_each_runs_own(value)
    )


def position(searched: Value, items: tuple[Value, ...], world: World) -> int | None:
    """Return the index of the first item equal to a value, ``len(items)`` if no item is, None if unknown."""
    for index, item in enumerate(items):
        found = same(searched, item, world)
        if found is None:
            return None
        if found:
            return index
    return len(items)


def find_compared(searched: Value, container: ContainerValue) -> Tensor | None:
    """Return a tensor that a search for a value in a container compares by value; None if there is none."""
    if container.items is None:
        return _either_tensor(searched, element(container))
    for item in container.items:
        if same(searched, item, "traced"):
            return None
        found = _either_tensor(searched, item)
        if found is not None:
            return found
    return None


def compared_in_order(left: Value, right: Value) -> Tensor | None:
    """Return the tensor that an element-wise comparison of containers compares by value; None if there is none."""
    if (
        not isinstance(left, ContainerValue)
        or not isinstance(right, ContainerValue)
        or left.items is None
        or right.items is None
    ):
        return None
    if left.kind == "set" or left.kind != right.kind or left.keys != right.keys:
        return None
    for a, b in zip(left.items, right.items, strict=False):
        if isinstance(a, ContainerValue) and isinstance(b, ContainerValue):
            found = compared_in_order(a, b)
            if found is not None or a != b:
                return found
        elif not same(a, b, "traced"):
            return (
                _either_tensor(a, b)
                if isinstance(a, Tensor | StaticValue) and isinstance(b, Tensor | StaticValue)
                else None
            )
    return None


def kept_under(holder: ContainerValue, key: Value, world: World) -> Value | None:
    """Return a dict's value for a key in a run; None if it is unknown or absent."""
    if holder.keys is None or holder.items is None:
        return None
    at = position(key, tuple(map(key_value, holder.keys)), world)
    return holder.items[at] if at is not None and at < len(holder.items) else None


def lacks_key(holder: ContainerValue, key: Value, world: World) -> bool:
    """Return whether a dict is known not to have a key in a run."""
    return holder.keys is not None and position(key, tuple(map(key_value, holder.keys)), world) == len(holder.keys)


def key_value(key: Any) -> Value:
    """Return a dict key as a value: a constant, a namespace or a class."""
    return key if isinstance(key, Namespace | External | OperatorRef) else StaticValue(key)


def _either_tensor(left: Value, right: Value) -> Tensor | None:
    return next((v for v in (left, right) if isinstance(v, Tensor) and not v.optional), None)
