"""Lineages: how a result's shape derives from an argument's, even if neither shape is known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import ShapeProvenance, StaticValue, Tensor, Value
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import Shape, TensorType


class Unstated:
    """The unknown value of an operator's parameter, given to a shape rule.

    The rule may pass it on. Any test or arithmetic on it raises TypeError, because the result is unknown.
    """

    def _decide(self, *_: object) -> NoReturn:
        raise TypeError("the value of the parameter is not known")

    __bool__ = __len__ = __iter__ = __index__ = __int__ = __float__ = __getitem__ = _decide
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _decide
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __floordiv__ = __neg__ = _decide
    __hash__ = object.__hash__


UNSTATED = Unstated()
#: Sizes that no parameter has, without common factors; one probe shape for each rank.
_SIZES = (100003, 200003, 300007, 400009, 500009)
_PROBES: tuple[Shape, ...] = tuple(_SIZES[:rank] for rank in range(2, 6))


#: The change in the number of dimensions that each step makes.
_RANKS = {"added": 1, "stacked": 1, "dropped": -1, "squeezed": -1}
#: Steps whose axis is kept.
_ON_ONE_AXIS = {("added",), ("reduced",), ("dropped",)}
#: Steps after which a tensor broadcasts with what it was before.
_SHRINKING = {"reduced", "narrowed", "single", "scalar"}


def reduced_lineage(
    name: str, operator: Operator | None, arguments: ArgumentsEvent, params: Mapping[str, Any] | None
) -> ShapeProvenance | None:
    """Return the lineage of a call's output, derived from its first input; `params` may hold `UNSTATED`."""
    data = arguments.values[0] if arguments.values else arguments.keywords.get("data")
    other = arguments.values[1] if len(arguments.values) > 1 else None
    strict = _takes_one_shape(name, operator)
    if strict and isinstance(data, StaticValue):
        data, other = other, data
    if name == "where":
        return _chosen(data, other)
    if isinstance(other, Tensor) and not strict and _follows(operator, params):
        return other.lineage
    if not isinstance(data, Tensor) or data.lineage is None:
        return None
    if isinstance(other, Tensor) and strict:
        return merged_lineage(data, other) if data.mode == "np" else equal_lineage(data, other)
    added = isinstance(other, Tensor) and other.lineage is not None and other.lineage.steps[-1:] == ("added",)
    if isinstance(other, Tensor) and operator is not None and properties.broadcasts(operator):
        # A product sums over a new axis, or has the other's.
        return None if added and properties.multiplies_matrices(operator) else merged_lineage(data, other)
    if strict and isinstance(other, StaticValue):
        return data.lineage
    if added:
        # The result may have the other's new axis.
        return None
    step = None if operator is None or params is None else _step(operator, params, len(arguments.values))
    if step is None or params is None:
        return None
    # An element-wise operator leaves an added dimension in its place.
    lineage = data.lineage.then(*step) if step else data.lineage
    axis = params.get("axis")
    return replace(lineage, axis=axis if type(axis) is int else None) if step in _ON_ONE_AXIS else lineage


def _takes_one_shape(name: str, operator: Operator | None) -> bool:
    """Return whether a function of two tensors requires equal shapes at the trace; one may be a number instead."""
    twin = operator or lookup.of_numbers(name)
    return twin is not None and twin.facts.broadcast_twin is not None


def _follows(operator: Operator | None, params: Mapping[str, Any] | None) -> bool:
    """Return whether a call gives its second input's shape, such as ``broadcast_like(x, y)`` without axes."""
    if operator is None or params is None or any(params[name] is UNSTATED for name in operator.shaping):
        return False
    return properties.follows_second(operator, params)


def _chosen(condition: Value | None, data: Value | None) -> ShapeProvenance | None:
    """Return the lineage of the result of ``where(condition, data, ...)``; None if unknown.

    It is the data's, except that a condition with a newly added dimension gives its own lineage to unchanged, unrelated
    data. Other conditions may be vectors that select rows, and say nothing about the result.
    """
    if not isinstance(data, Tensor):
        return None
    known = condition.lineage if isinstance(condition, Tensor) else None
    if known is None or known.steps[-1:] != ("added",):
        return data.lineage
    changed = data.lineage is not None and (data.lineage.steps != () or data.lineage.related(known))
    return data.lineage if changed else known


def equal_lineage(left: Tensor, right: Tensor) -> ShapeProvenance | None:
    """Return the lineage of the result of an operator that requires equal shapes at the trace."""
    if left.lineage is None or right.lineage is None:
        return left.lineage or right.lineage
    merged = merged_lineage(left, right)
    if merged is not None or left.lineage.related(right.lineage) or crossing(left.lineage, right.lineage):
        return merged
    first, second = sorted((left.lineage, right.lineage), key=_standing_order)
    return first.like(second)


def _standing_order(lineage: ShapeProvenance) -> tuple[bool, int]:
    """Return the sort key that chooses between lineages of equal shape: cut pieces first, then the fewest steps."""
    return lineage.steps[:1] != ("cut",), len(lineage.steps)


def crossing(left: ShapeProvenance, right: ShapeProvenance) -> bool:
    """Return whether two shapes each have a new size of 1 on an axis where the other has another size.

    The two axes are known to differ, whatever the rank: both are counted from the same end.
    """
    made = all(lineage.steps[-1:] in {("added",), ("reduced",), ("narrowed",)} for lineage in (left, right))
    if not made or left.axis is None or right.axis is None or left.steps[-1] != right.steps[-1]:
        return False
    # Nobody reduces a vector to a number and keeps its only axis.
    ends = {left.axis, right.axis} == {0, -1}
    return ends or (left.axis != right.axis and (left.axis < 0) == (right.axis < 0))


def merged_lineage(left: Tensor, right: Tensor) -> ShapeProvenance | None:
    """Return the lineage of two tensors broadcast together if one is a reduction of the other; else None."""
    if left.lineage is None or right.lineage is None or not left.lineage.related(right.lineage):
        return None
    axes = left.lineage.axis, right.lineage.axis
    if left.lineage.steps == right.lineage.steps and None not in axes and axes[0] != axes[1]:
        return _spread(left.lineage, right.lineage)
    shorter, longer = sorted((left.lineage, right.lineage), key=lambda lineage: len(lineage.steps))
    extra = longer.steps[len(shorter.steps) :]
    kept = longer.steps[: len(shorter.steps)] == shorter.steps and set(extra) <= _SHRINKING
    return shorter.like(longer) if kept else None


def _spread(left: ShapeProvenance, right: ShapeProvenance) -> ShapeProvenance | None:
    """Return the lineage of two tensors broadcast together whose sizes of 1 are on different axes; None if unknown.

    Neither size of 1 is left: a pairwise matrix has a dimension more than the vector that it is made from.
    """
    if not crossing(left, right):
        return None
    steps = left.steps[:-1] if left.steps[-1] == "reduced" else (*left.steps[:-1], "stacked")
    return replace(left, steps=steps, axis=None)


def rank_change(step: str) -> int:
    """Return the number of dimensions that a step of a lineage adds; negative if it removes some."""
    return _RANKS.get(step, 0)


def argument_value(arguments: ArgumentsEvent, name: str, position: int) -> Value | None:
    """Return an argument by keyword or position; None if it is not given."""
    if name in arguments.keywords:
        return arguments.keywords[name]
    return arguments.values[position] if position < len(arguments.values) else None


def _step(operator: Operator, params: Mapping[str, Any], count: int) -> tuple[str, ...] | None:
    """Return the steps that an operator adds to its first input's lineage; None if they depend on the rank."""
    inputs = max(count, 2) if operator.variadic else len(operator.inputs)
    shaping = {name: params[name] for name in operator.shaping}
    try:
        return _cached_step(operator, tuple(shaping.items()), inputs)
    except TypeError:
        # The parameter is not hashable, so it cannot be a key of the cache.
        return None


@lru_cache(maxsize=4096)
def _cached_step(operator: Operator, params: tuple[tuple[str, Any], ...], inputs: int) -> tuple[str, ...] | None:
    """Return the lineage steps of a call; if its axis is unknown, those that are the same for every axis."""
    shaping = {name: _standing(operator, name, value) for name, value in params}
    if shaping.get("axis") is not UNSTATED:
        return _known_step(operator, shaping, inputs)
    steps = {_known_step(operator, {**shaping, "axis": axis}, inputs) for axis in (0, -1)}
    step = steps.pop() if len(steps) == 1 else None
    # An unknown axis may be all axes; with keepdims each of them becomes 1.
    return step if not step or shaping.get("keepdims") is True else None


def _standing(operator: Operator, name: str, value: Any) -> Any:
    """Return a parameter's value for a shape rule: "float32" for an unknown dtype, since no shape depends on dtypes."""
    return "float32" if value is UNSTATED and operator.params[name].annotation.startswith("Dtype") else value


def _known_step(operator: Operator, given: Mapping[str, Any], inputs: int) -> tuple[str, ...] | None:
    """Return the steps that the shape rule makes for every probe shape that it accepts; None if they differ."""
    shaped = inputs if operator.variadic else 1
    outputs = [(probe, _output(operator, probe, given, inputs, shaped)) for probe in _PROBES]
    taken = [(probe, out) for probe, out in outputs if not isinstance(out, bool)]
    step = _common([None if out is None else _difference(probe, out, operator) for probe, out in taken])
    if taken and (step is None or step == ("scalar",)):
        return step
    if not taken:
        removed = {_rank_lost(operator, (1,) * len(probe), given, inputs, shaped) for probe in _PROBES} - {None}
        return ("squeezed",) * (removed.pop() or 0) or None if len(removed) == 1 else None
    # An operator that drops axes of size 1 leaves the larger probe sizes alone, so it needs probes with a 1.
    lost = {_rank_lost(operator, (1, *probe[1:]), given, inputs, shaped) for probe in _PROBES[1:]} - {None}
    return step if lost <= {-sum(map(rank_change, step or ()))} else None


def _common(steps: list[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """Return the one list of steps if it is the same for tensors of every rank; None otherwise."""
    found = set(steps)
    if len(found) > 1 and all(step and set(step) == {"reduced"} for step in found):
        # The number of reduced axes depends on the rank: global pooling.
        return ("reduced",)
    if len(found) == 2 and steps[0] == ("scalar",) and steps[-1] == ("dropped", "dropped"):
        # For a tensor of rank 2, two dropped axes are all of them.
        return steps[-1]
    return found.pop() if len(found) == 1 else None


def _rank_lost(operator: Operator, shape: Shape, params: Mapping[str, Any], inputs: int, shaped: int) -> int | None:
    """Return the number of dimensions that an operator removes from a shape; None if its shape rule rejects it."""
    out = _output(operator, shape, params, inputs, shaped)
    return len(shape) - len(out) if isinstance(out, tuple) else None


def _output(
    operator: Operator, shape: Shape, params: Mapping[str, Any], inputs: int, shaped: int
) -> Shape | bool | None:
    """Return the first output's shape if the first `shaped` inputs have this shape; None if unknown.

    False if the shape rule rejects that shape.
    """
    ins = (TensorType(shape, "float32"),) * shaped + (TensorType(),) * (inputs - shaped)
    found = properties.first_output(operator, ins, params)
    return False if found is None else found.shape


def _difference(before: Shape, after: Shape | bool, operator: Operator) -> tuple[str, ...] | None:
    """Return the lineage steps that turn one shape into another; None if no known steps do."""
    assert not isinstance(after, bool)
    if after in {(), (1,)}:
        return ("scalar",)
    if len(after) == len(before):
        changed = [new for old, new in zip(before, after, strict=True) if new != old]
        return ("reduced",) * len(changed) if all(size == 1 for size in changed) else None
    if len(after) < len(before):
        return ("dropped",) * (len(before) - len(after)) if after == _kept(before, after) else None
    if len(after) == len(before) + 1 and _kept(after, before) == before:
        new = next(size for size in after if size not in before)
        return ("added",) if new == 1 and not operator.variadic else ("stacked",)
    return None


def _kept(shape: Shape, sizes: Shape) -> Shape:
    return tuple(size for size in shape if size in sizes)
