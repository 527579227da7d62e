"""Lineages of products with weights, which give the last dimension another size and keep all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.lineages import UNSTATED
from hybridlint.analysis.model.values import Lineage, Tensor, Value
from hybridlint.runtime.facts import properties
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import Shape, TensorType

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
    data: Value | None,
) -> Lineage | None:
    """Return the lineage of a product of data of unknown shape with weights of known shape; None for other calls."""
    if operator is None or inputs is None or params is None or operator.variadic or len(inputs) < 2:
        return None
    if inputs[0].shape is not None or inputs[1].rank != 2 or not isinstance(data, Tensor) or data.lineage is None:
        return None
    if any(params[name] is UNSTATED for name in operator.shaping):
        return None
    lasts = {_last(operator, _SIZES[:rank], inputs, params) for rank in _RANKS}
    last = lasts.pop() if len(lasts) == 1 else None
    if last is None:
        return None
    if last == 1:
        return replace(data.lineage.then("narrowed"), axis=-1)
    return Lineage(act.run.token(), last=last if isinstance(last, int) else 0, least=2)


def _last(
    operator: Operator, shape: Shape, inputs: tuple[TensorType, ...], params: Mapping[str, Any]
) -> DimLike | None:
    """Return the last size of the result for data of a shape, all of whose other sizes are kept; None for others."""
    made = properties.first_output(operator, (inputs[0].with_shape(shape), *inputs[1:]), params)
    if made is None or made.shape is None or made.shape[:-1] != shape[:-1] or made.shape[-1] == shape[-1]:
        return None
    return made.shape[-1]
