"""Lineages of tensors whose axes change places: where the dimension of size 1 goes that was just made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.analysis.model.values import ShapeProvenance, Tensor, Value
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType

#: Sizes that no parameter has; tensors are tried with so many dimensions.
_SIZES = (100003, 200003, 300007, 400009)
_RANKS = (2, 3, 4)
#: The steps that make a dimension of size 1 where there may have been a larger one.
_MAKING = {("added",), ("reduced",), ("narrowed",)}


def moved_lineage(
    operator: Operator | None, params: Mapping[str, Any] | None, data: Value | None
) -> ShapeProvenance | None:
    """Return the lineage of a tensor of unknown shape with its axes in another order; None for other calls."""
    lineage = data.lineage if isinstance(data, Tensor) else None
    if operator is None or params is None or lineage is None or lineage.axis is None or lineage.steps not in _MAKING:
        return None
    shaping = tuple((name, params[name]) for name in operator.shaping)
    if len(operator.inputs) != 1 or operator.variadic or any(value is UNSTATED for _, value in shaping):
        return None
    try:
        axis = _moved(operator, shaping, lineage.axis)
    except TypeError:
        # A parameter that cannot be hashed cannot be a key of the cache.
        return None
    return None if axis is None else replace(lineage, axis=axis)


@lru_cache(maxsize=1024)
def _moved(operator: Operator, shaping: tuple[tuple[str, Any], ...], axis: int) -> int | None:
    """Return the axis to which an operator moves an axis, counted from one end; None if it moves none."""
    params = {**operator.defaults(), **dict(shaping)}
    places: list[tuple[int, int]] = []
    reverses = True
    for rank in _RANKS:
        if not -rank <= axis < rank:
            continue
        given = list(_SIZES[:rank])
        given[axis] = 1
        made = properties.first_output(operator, (TensorType(tuple(given)),), params)
        if made is None:
            continue
        if made.shape is None or sorted(map(str, made.shape)) != sorted(map(str, given)) or made.shape == tuple(given):
            return None
        reverses &= made.shape == tuple(reversed(given))
        at = made.shape.index(1)
        places.append((at, at - rank))
    if reverses and len(places) > 1:
        # Whole orders are turned round of matrices alone.
        places = places[:1] if axis in {0, 1} else places
    first, last = ({place[end] for place in places} for end in (0, 1))
    # Of an operator that takes one number of dimensions, the axis stays counted from where it was.
    known = (last, first) if axis < 0 else (first, last)
    return next((found.pop() for found in known if len(found) == 1), None)
