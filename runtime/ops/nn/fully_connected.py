"""The dense layer: a matrix product and a bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.recipes import count_of, sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.storage import DENSE, Fallback, Storage
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.panels import panels
from hybridlint.runtime.ops.type_rules import refined

#: With fewer rows a product takes as long as reading the weight does.
_LEAST_ROWS = 6


def complete(
    data: TensorType, weight: TensorType, *bias: TensorType, num_hidden: int, flatten: bool
) -> tuple[TensorType, ...]:
    """Complete weight and bias by the data."""
    matrix = refined(weight, (num_hidden, _units_in(data, flatten)), data.dtype, "weight")
    return (data, matrix, *(refined(b, _bias_shape(b, num_hidden), data.dtype, "bias") for b in bias))


def _bias_shape(bias: TensorType, num_hidden: int) -> tuple[int, ...]:
    """Return the shape of a bias, which may be a column, as it is beside weights in sparse storage."""
    column = bias.shape is not None and len(bias.shape) == 2
    return (num_hidden, 1) if column else (num_hidden,)


def _units_in(data: TensorType, flatten: bool) -> DimLike:
    if data.shape is None:
        return Dim.fresh()
    if not data.shape:
        raise InferError("data", "expected at least one dimension")
    return product(data.shape[1:]) if flatten else data.shape[-1]


def infer(data: TensorType, weight: TensorType, *bias: TensorType, num_hidden: int, flatten: bool) -> TensorType:
    """Return the type of a dense layer's result."""
    _, matrix, *_ = complete(data, weight, *bias, num_hidden=num_hidden, flatten=flatten)
    if flatten:
        rows = Dim.fresh() if data.shape is None else data.shape[0]
        return TensorType((rows, num_hidden), matrix.dtype)
    return TensorType(None if data.shape is None else (*data.shape[:-1], num_hidden), matrix.dtype)


def _grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, num_hidden: int, flatten: bool
) -> tuple[Any, ...]:
    data, weight, *bias = ins
    heads = F.Reshape(g, shape=(-1, num_hidden))
    rows = F.Flatten(data) if flatten else F.Reshape(data, shape=(-1, 0), reverse=True)
    into_data = F.reshape_like(F.dot(heads, weight), data)
    into_weight = F.dot(heads, rows, transpose_a=True)
    return (into_data, into_weight, *(F.sum(heads, axis=0) for _ in bias))


def _infer_storage(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    return DENSE if stypes[1] == "row_sparse" and {*stypes[:1], *stypes[2:]} == {"default"} else Fallback()


def _planned(
    ins: tuple[TensorType | None, ...], outs: tuple[TensorType, ...], /, *, lasting: bool, no_bias: bool
) -> BufferRecipe | None:
    """Keep the weight in panels."""
    weight, (result,) = ins[1], outs
    assert weight is not None
    columns, inner = sizes_of(weight)
    rows = count_of(result) // columns
    if not lasting or result.dtype not in {"float32", "float64"} or rows < _LEAST_ROWS:
        return None
    cut = panels(rows, inner, columns)

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        (data, _, *bias), target = ins, outs[0].reshape(rows, columns)
        cut.multiply(xp, data.reshape(rows, inner), kept, target, scratch)
        if bias and bias[0] is not None and not no_bias:
            xp.add(target, bias[0], out=target)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        cut.fill(xp, steady[0], kept)

    return BufferRecipe(run, cut.room(result.dtype), cut.types(result.dtype), steady=(1,), prepare=prepare)


@op(
    name="FullyConnected",
    planned=_planned,
    aliases=("_sparse_FullyConnected",),
    storage=Storage(_infer_storage),
    infer=infer,
    complete=complete,
    grad=_grad,
    active_inputs=lambda *, no_bias: ("data", "weight") if no_bias else ("data", "weight", "bias"),
    samples=[
        sample((2, 3), (4, 3), (4,), num_hidden=4),
        sample((2, 3, 2), (4, 6), num_hidden=4, no_bias=True),
        sample((2, 3, 2), (4, 2), (4,), num_hidden=4, flatten=False),
        sample((3,), (2, 1), (2,), num_hidden=2),
    ],
    facts=Facts(sums_products=True),
    differentiable_twice=True,
)
def fully_connected(
    xp: Any,
    data: Any,
    weight: Any,
    bias: Any = None,
    /,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
    out: Any = None,
) -> Any:
    """Multiply the data by the transposed weight and add the bias.

    Data (N, ...) are flattened to (N, K); with ``flatten=False``, data (..., K) keep their shape. The weight is
    (num_hidden, K).
    """
    rows = data.reshape(-1, weight.shape[1])
    shape = (data.shape[0], num_hidden) if flatten else (*data.shape[:-1], num_hidden)
    target = None if out is None else out.reshape(rows.shape[0], num_hidden)
    result = xp.matmul(rows, weight.T, out=target)
    if bias is not None and not no_bias:
        xp.add(result, bias.reshape(-1), out=result)
    return result.reshape(shape)
