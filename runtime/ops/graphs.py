"""Operators on graphs, which are matrices of the numbers of edges. MXNet has them for csr storage only."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.storage.graphs import ADJACENCY, EDGE_NUMBERS


def _infer_edges(data: TensorType, u: TensorType, v: TensorType, /) -> TensorType:
    if data.shape is not None and len(data.shape) != 2:
        raise InferError("data", f"expected a matrix, got {len(data.shape)} dimensions")
    for name, given in (("u", u), ("v", v)):
        if given.shape is not None and len(given.shape) != 1:
            raise InferError(name, f"expected one dimension, got {len(given.shape)}")
    return data.with_shape(unify_shapes(u.shape, v.shape, "v"))


@op(
    infer=_infer_edges,
    samples=[sample((3, 3), (4,), (4,), low=0.0, high=2.9, dtypes=("int64", "int64", "int64"))],
    storage=EDGE_NUMBERS,
)
def _contrib_edge_id(xp: Any, data: Any, u: Any, v: Any, /) -> Any:
    """Return the number of the edge from each vertex of `u` to its partner in `v`, else -1."""
    rows, columns = u.astype("int64"), v.astype("int64")
    known = (rows >= 0) & (rows < data.shape[0]) & (columns >= 0) & (columns < data.shape[1])
    found = data[xp.where(known, rows, 0), xp.where(known, columns, 0)]
    return xp.where(known & (found != 0), found, -1).astype(data.dtype)


def _infer_adjacency(data: TensorType, /) -> TensorType:
    if data.dtype not in {None, "int64"}:
        raise InferError("data", f"expected int64, got {data.dtype}")
    return TensorType(data.shape, "float32")


@op(
    infer=_infer_adjacency,
    samples=[sample((3, 3), low=0.0, high=2.9, dtypes=("int64",))],
    storage=ADJACENCY,
)
def _contrib_dgl_adjacency(xp: Any, data: Any, /) -> Any:
    """Return 1 where there is an edge, 0 elsewhere."""
    return (data != 0).astype("float32")
