"""Looking for a value: ``in``, ``index``, keys of dicts, containers beside each other.

Python takes what is the same object for equal and asks no further. Everything else is compared by value, which needs
the truth of a comparison where a tensor is concerned.
"""

from __future__ import annotations

from typing import Any

from hybridlint.analysis.flow.truth import Truth, identity, truth
from hybridlint.analysis.model.lattice import element, in_world
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    Divergent,
    External,
    Items,
    Namespace,
    OperatorRef,
    Static,
    Tensor,
    Value,
)
from hybridlint.runtime.surface import World


def same(left: Value, right: Value, world: World) -> Truth:
    """Return whether two values are one object, or equal constants, in a run; None where that is not known."""
    a, b = in_world(left, world), in_world(right, world)
    match a, b:
        case Tensor(), Tensor():
            return True if a.identity is not None and a.identity == b.identity else None
        case (Namespace() | External() | OperatorRef(), Namespace() | External() | OperatorRef()):
            return truth(identity(a, b), world)
        case Static(), Static() if a.value is not STATIC_UNKNOWN and b.value is not STATIC_UNKNOWN:
            return bool(a.value == b.value)
        case _:
            return None


def depends_on_run(value: Value) -> bool:
    """Whether a value is another one in each run: ``type(x)``, F."""
    return isinstance(value, Divergent) or value == Namespace("F")


def position(wanted: Value, items: tuple[Value, ...], world: World) -> int | None:
    """Return where a value stands first among others, their number where it is not there, None where nobody knows."""
    for index, item in enumerate(items):
        found = same(wanted, item, world)
        if found is None:
            return None
        if found:
            return index
    return len(items)


def compared(wanted: Value, container: Items) -> Tensor | None:
    """Return the tensor that is compared by value where one is looked for; None where no tensor is."""
    if container.items is None:
        return _either_tensor(wanted, element(container))
    for item in container.items:
        if same(wanted, item, "traced"):
            return None
        found = _either_tensor(wanted, item)
        if found is not None:
            return found
    return None


def compared_in_order(left: Value, right: Value) -> Tensor | None:
    """Return the tensor that is compared by value where two containers are compared, element by element."""
    if not isinstance(left, Items) or not isinstance(right, Items) or left.items is None or right.items is None:
        return None
    if left.kind == "set" or left.kind != right.kind or left.keys != right.keys:
        return None
    for a, b in zip(left.items, right.items, strict=False):
        if isinstance(a, Items) and isinstance(b, Items):
            found = compared_in_order(a, b)
            if found is not None or a != b:
                return found
        elif not same(a, b, "traced"):
            return _either_tensor(a, b) if isinstance(a, Tensor | Static) and isinstance(b, Tensor | Static) else None
    return None


def kept_under(holder: Items, key: Value, world: World) -> Value | None:
    """Return what a dict holds under a key in a run; None where that is not known, or nothing is there."""
    if holder.keys is None or holder.items is None:
        return None
    at = position(key, tuple(map(key_value, holder.keys)), world)
    return holder.items[at] if at is not None and at < len(holder.items) else None


def lacks_key(holder: Items, key: Value, world: World) -> bool:
    """Whether a dict surely holds nothing under a key in a run."""
    return holder.keys is not None and position(key, tuple(map(key_value, holder.keys)), world) == len(holder.keys)


def key_value(key: Any) -> Value:
    """Return the value that a key of a dict is: a constant, or a namespace or class."""
    return key if isinstance(key, Namespace | External | OperatorRef) else Static(key)


def _either_tensor(left: Value, right: Value) -> Tensor | None:
    return next((v for v in (left, right) if isinstance(v, Tensor) and not v.optional), None)
