"""Embedding: rows of a table."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Facts, Refusal, op, sample
from hybridlint.runtime.facts.types import Dtype, TensorType
from hybridlint.runtime.ops.storage.structure import LOOKUP, TAKEN_ROWS
from hybridlint.runtime.ops.type_rules import refined


def _complete(
    data: TensorType, weight: TensorType, *, input_dim: int, output_dim: int, dtype: str
) -> tuple[TensorType, TensorType]:
    return data, refined(weight, (input_dim, output_dim), weight.dtype or dtype, "weight")


def _infer(data: TensorType, weight: TensorType, *, input_dim: int, output_dim: int, dtype: str) -> TensorType:
    _, table = _complete(data, weight, input_dim=input_dim, output_dim=output_dim, dtype=dtype)
    return TensorType(None if data.shape is None else (*data.shape, output_dim), table.dtype)


def _grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, sparse_grad: bool) -> tuple[Any, ...]:
    refused = Refusal("an Embedding gives its indices no gradient")
    if sparse_grad:
        return refused, F._hl_taken_rows(g, ins[0], ins[1])
    return refused, F._hl_take_grad(g, ins[0], ins[1], axis=0, mode="clip")


@op(
    infer=lambda g, indices, table: table,
    grad=lambda F, gg, ins, outs: (F.take(gg, ins[1], axis=0, mode="clip"), None, None),
    samples=[sample((2, 3), (2,), (4, 3), low=0.0, high=4.0, dtypes=("float32", "int32", "float32"))],
    storage=TAKEN_ROWS,
)
def _hl_taken_rows(xp: Any, g: Any, indices: Any, table: Any, /) -> Any:
    """Return the gradient of a table of which rows were taken; outside of compiled graphs, as those rows alone."""
    result = xp.zeros_like(table)
    rows = xp.clip(indices.astype("int64"), 0, table.shape[0] - 1).reshape(-1)
    xp.add.at(result, rows, g.reshape(len(rows), *table.shape[1:]))
    return result


@op(
    name="Embedding",
    aliases=("_sparse_Embedding",),
    infer=_infer,
    complete=_complete,
    grad=_grad,
    samples=[
        sample((2, 3), (5, 4), input_dim=5, output_dim=4, low=0.0, high=5.0, dtypes=("int32", "float32")),
        sample((3,), (2, 2), input_dim=2, output_dim=2, low=-3.0, high=4.0),
    ],
    facts=Facts(indices=("data",)),
    storage=LOOKUP,
)
def embedding(
    xp: Any,
    data: Any,
    weight: Any,
    /,
    *,
    input_dim: int,
    output_dim: int,
    dtype: Dtype = "float32",
    sparse_grad: bool = False,
) -> Any:
    """Replace each index by its row of the weight (input_dim, output_dim); indices out of range are clipped."""
    return weight[xp.clip(data.astype("int64"), 0, input_dim - 1)]


def _rows_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return Refusal("a SparseEmbedding gives its indices no gradient"), F._hl_taken_rows(g, ins[0], ins[1])


@op(
    name="_contrib_SparseEmbedding",
    infer=_infer,
    complete=_complete,
    grad=_rows_grad,
    samples=[sample((2, 3), (5, 4), input_dim=5, output_dim=4, low=0.0, high=5.0, dtypes=("int32", "float32"))],
    facts=Facts(indices=("data",)),
    storage=LOOKUP,
)
def sparse_embedding(
    xp: Any,
    data: Any,
    weight: Any,
    /,
    *,
    input_dim: int,
    output_dim: int,
    dtype: Dtype = "float32",
    deterministic: bool = False,
) -> Any:
    """Replace each index by its row: the older operator for an Embedding with `sparse_grad`."""
    return weight[xp.clip(data.astype("int64"), 0, input_dim - 1)]
