"""Lineages of products with weights, and of products whose last dimension comes from the second tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.analysis.model.shapes import features
from hybridlint.analysis.model.values import ShapeProvenance, Tensor, Value
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.runtime.facts.registry import Operator

#: Sizes that no weight has; the data is tried with two dimensions and with more.
_SIZES: Shape = tuple(map(Dim.named, ("A", "B", "C", "D")))
_RANKS = (2, 3, 4)


def product_lineage(
    act: Activation,
    operator: Operator | None,
    inputs: tuple[TensorType, ...] | None,
    params: Mapping[str, Any] | None,
    values: Sequence[Value],
) -> ShapeProvenance | None:
    """Return the lineage of a product of data of unknown shape with others of a known last size; else None."""
    if operator is None or inputs is None or params is None or operator.variadic or len(inputs) < 2:
        return None
    if inputs[0].shape is not None or any(params[name] is UNSTATED for name in operator.shaping):
        return None
    data = values[0] if values else None
    size = features(values[1]) if len(values) > 1 and inputs[1].shape is None else None
    if size:
        return _with_last_of_other(act, operator, size, params)
    if inputs[1].rank != 2 or not isinstance(data, Tensor) or data.lineage is None:
        return None
    lasts = {_last(operator, _SIZES[:rank], inputs, params) for rank in _RANKS}
    last = lasts.pop() if len(lasts) == 1 else None
    if last is None:
        return None
    if last == 1:
        return replace(data.lineage.then("narrowed"), axis=-1)
    return ShapeProvenance(act.run.token(), last=last if isinstance(last, int) else 0, least=2)


def _with_last_of_other(
    act: Activation, operator: Operator, size: int, params: Mapping[str, Any]
) -> ShapeProvenance | None:
    """Return the lineage of a product that has the last size of its second tensor, of whatever rank both are."""
    outputs = [properties.first_output(operator, _pair(rank, size), params) for rank in _RANKS]
    shapes = [output.shape for output in outputs if output is not None and output.shape]
    if not shapes or any(shape[-1] != size for shape in shapes):
        return None
    return ShapeProvenance(act.run.token(), last=size, least=min(map(len, shapes)))


def _pair(rank: int, last: int) -> tuple[TensorType, TensorType]:
    """Return the types of two tensors of some rank, the second with a last size that the first has not."""
    return TensorType((*unknown_shape(rank)[:-1], last + 1)), TensorType((*unknown_shape(rank)[:-1], last))


def _last(
    operator: Operator, shape: Shape, inputs: tuple[TensorType, ...], params: Mapping[str, Any]
) -> DimLike | None:
    """Return the last size of the result, if the operator keeps all other sizes of the shape; else None."""
    made = properties.first_output(operator, (inputs[0].with_shape(shape), *inputs[1:]), params)
    if made is None or made.shape is None or made.shape[:-1] != shape[:-1] or made.shape[-1] == shape[-1]:
        return None
    return made.shape[-1]
