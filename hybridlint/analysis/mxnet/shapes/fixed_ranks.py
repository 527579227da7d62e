"""Ranks of results that do not depend on the input's rank: always 1 for ``F.sum(x, axis=0, exclude=True)``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape

#: Inputs of as many dimensions as they have, of sizes that no parameter has.
_PROBES: tuple[Shape, ...] = tuple((100003, 200003, 300007, 400009)[:rank] for rank in range(1, 5))


def with_fixed_rank(
    operator: Operator, types: tuple[TensorType, ...], inputs: tuple[TensorType, ...], params: Mapping[str, Any]
) -> tuple[TensorType, ...]:
    """Return the types of a call's results, the only one with as many dimensions as it has for every input."""
    if len(types) != 1 or types[0].shape is not None or len(inputs) != 1 or inputs[0].shape is not None:
        return types
    given = [{**params, "axis": axis} for axis in (0, -1)] if params.get("axis") is UNSTATED else [params]
    ranks = frozenset().union(*(_ranks_of(operator, one) for one in given))
    return (types[0].with_shape(unknown_shape(min(ranks))),) if len(ranks) == 1 else types


def is_of_several_axes(operator: Operator, params: Mapping[str, Any]) -> bool:
    """Return whether a call's result has two dimensions or more, however few its only input has."""
    return len(operator.inputs) == 1 and not operator.variadic and min(_ranks_of(operator, params), default=0) > 1


def _ranks_of(operator: Operator, params: Mapping[str, Any]) -> frozenset[int]:
    """Return the numbers of dimensions that a result may have; none if they are not known."""
    try:
        return _ranks(operator, tuple((name, params[name]) for name in operator.shaping))
    except TypeError:
        # A parameter that cannot be hashed cannot be a key of the cache.
        return frozenset()


@lru_cache(maxsize=1024)
def _ranks(operator: Operator, shaping: tuple[tuple[str, Any], ...]) -> frozenset[int]:
    params = {**operator.defaults(), **dict(shaping)}
    found = [properties.first_output(operator, (TensorType(probe, "float32"),), params) for probe in _PROBES]
    shapes = [None if one is None else one.shape for one in found]
    return frozenset() if None in shapes else frozenset(len(shape) for shape in shapes if shape is not None)
