"""Types of results that do not depend on unknown counts: ``F.topk(x, k=self.k)`` keeps all other sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Unknown, Value
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

#: What an unknown count or size is tried to be: what is the same for each of them does not depend on it.
_TRIED = (1, 2, 3)
_COUNTS, _SIZES = {"int", "int | None"}, ("Ints", "Bounds")
#: The names of parameters that are positions, not sizes.
_POSITION = re.compile(r"ax[ei]s|dim")


def with_tried_sizes(
    operator: Operator, inputs: tuple[TensorType, ...], arguments: ArgumentsEvent, params: Mapping[str, Any]
) -> tuple[TensorType, ...] | None:
    """Return the types of a call's results if counts and sizes are unknown, by trying several; None if they differ."""
    given = _given(operator, arguments)
    opened = [name for name in operator.shaping if params[name] is UNSTATED]
    if any(map(_POSITION.search, opened)):
        return None
    made: list[tuple[TensorType, ...]] = []
    for size in _TRIED:
        filled = {name: _filled(operator.params[name].annotation, given.get(name), size) for name in opened}
        if None in filled.values():
            return None
        types = _types(operator, inputs, {**params, **filled})
        if types is None:
            return None
        made.append(types)
    shapes = [_common([types[i].shape for types in made]) for i in range(len(made[0]))]
    return tuple(known.with_shape(shape) for known, shape in zip(made[0], shapes, strict=True))


def _given(operator: Operator, arguments: ArgumentsEvent) -> dict[str, Value]:
    rest = () if operator.variadic else arguments.values[len(operator.inputs) :]
    return {**dict(zip(operator.params, rest, strict=False)), **arguments.keywords}


def _filled(annotation: str, value: Value | None, size: int) -> Any:
    """Return a value with each unknown count or size set to `size`; None if the value is of another kind."""
    if annotation in _COUNTS and isinstance(value, StaticValue | Unknown):
        return size
    if not annotation.startswith(_SIZES) or not isinstance(value, ContainerValue) or value.items is None:
        return None
    parts = [_part(part, size) for part in value.items]
    return None if value.kind not in {"list", "tuple"} or None in parts else tuple(parts)


def _part(value: Value, size: int) -> int | None:
    if isinstance(value, Unknown) or (isinstance(value, StaticValue) and value.value is STATIC_UNKNOWN):
        return size
    known = value.value if isinstance(value, StaticValue) else None
    return known if type(known) is int else None


def _types(
    operator: Operator, inputs: tuple[TensorType, ...], params: Mapping[str, Any]
) -> tuple[TensorType, ...] | None:
    try:
        return operator.infer_types(operator.complete_types(inputs, params), params)
    except (InferError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError):
        return None


def _common(shapes: list[Shape | None]) -> Shape | None:
    """Return the shape with a fresh size wherever the shapes differ; None if they differ in their number of sizes."""
    first, *others = shapes
    if first is None or any(other is None or len(other) != len(first) for other in others):
        return None
    columns = zip(*(shape or () for shape in shapes), strict=True)
    return tuple(column[0] if len(set(column)) == 1 else Dim.fresh() for column in columns)
