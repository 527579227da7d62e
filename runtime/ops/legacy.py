"""Operators that MXNet keeps for old programs."""

from __future__ import annotations

from typing import Any, Literal

import hybridlint.runtime.ops.windows.convolution  # noqa: F401  (the operator that one here is derived from)
from hybridlint.runtime.facts.registry import Facts, derive, op, sample
from hybridlint.runtime.facts.types import Ints, TensorType
from hybridlint.runtime.ops.storage.structure import CAST
from hybridlint.runtime.ops.type_rules import require_equal, require_rank
from hybridlint.runtime.ops.windows.pooling import infer_pooling, pooling

derive(
    "Convolution_v1",
    "Convolution",
    samples=[sample((2, 2, 5, 4), (3, 2, 3, 2), (3,), kernel=(3, 2), num_filter=3, pad=(1, 0), stride=(2, 1))],
)


def _infer_pooling(data: TensorType, **params: Any) -> TensorType:
    require_rank(data, [4, 5])
    return infer_pooling(data, p_value=None, layout=None, **params)


@op(
    name="Pooling_v1",
    infer=_infer_pooling,
    grad=lambda F, g, ins, outs, **params: (F._hl_pool_grad(g, ins[0], outs[0], **params),),
    samples=[
        sample((1, 2, 5, 5), kernel=(2, 2), stride=(2, 2)),
        sample((2, 2, 5, 5), kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="sum"),
        sample((2, 2, 3, 4), kernel=(2, 2), global_pool=True, pool_type="avg"),
        sample((1, 2, 4, 4), kernel=(2, 2), pool_type="avg"),
    ],
)
def pooling_v1(
    xp: Any,
    data: Any,
    /,
    *,
    kernel: Ints = (),
    pool_type: Literal["avg", "max", "sum"] = "max",
    global_pool: bool = False,
    pooling_convention: Literal["full", "valid"] = "valid",
    stride: Ints = (),
    pad: Ints = (),
) -> Any:
    """Pool over windows of two or three dimensions."""
    windows: dict[str, Any] = {"kernel": kernel, "stride": stride, "pad": pad}
    return pooling(
        xp, data, pool_type=pool_type, global_pool=global_pool, pooling_convention=pooling_convention, **windows
    )


def _check_rows(matrix: TensorType, *columns: TensorType) -> None:
    require_rank(matrix, [2], "lhs")
    for column in columns:
        require_rank(column, [1], "rhs")
        if matrix.shape is not None and column.shape is not None:
            require_equal(matrix.shape[0], column.shape[0], "rhs", "number of rows")


def _infer_fill(lhs: TensorType, mhs: TensorType, rhs: TensorType) -> TensorType:
    _check_rows(lhs, mhs, rhs)
    return lhs


@op(
    infer=_infer_fill,
    samples=[sample((2, 3), (2,), (2,), low=0, high=2, dtypes=("float32", "float32", "float32"))],
    facts=Facts(eager_only=True),
)
def fill_element_0index(xp: Any, lhs: Any, mhs: Any, rhs: Any, /) -> Any:
    """Return a copy of the matrix `lhs` (N, M) with `mhs[i]` written to row i, column `rhs[i]`."""
    result = lhs.copy()
    result[xp.arange(len(lhs)), rhs.astype("int64")] = mhs
    return result


def _infer_one_hot(lhs: TensorType, rhs: TensorType) -> TensorType:
    _check_rows(rhs, lhs)
    return rhs


@op(
    infer=_infer_one_hot,
    samples=[sample((2,), (2, 3), low=0, high=2)],
    facts=Facts(eager_only=True),
)
def _onehot_encode(xp: Any, lhs: Any, rhs: Any, /) -> Any:
    """Return a matrix of the shape of `rhs` with 1 in row i, column `lhs[i]`, and 0 elsewhere."""
    return (lhs.astype("int64")[:, None] == xp.arange(rhs.shape[1])).astype(rhs.dtype)


@op(
    aliases=("_sparse_cast_storage",),
    infer=lambda data: data,
    grad=lambda F, g, ins, outs: (g,),
    samples=[sample((2, 3), stype="default")],
    storage=CAST,
    differentiable_twice=True,
)
def cast_storage(xp: Any, data: Any, /, *, stype: Literal["csr", "default", "row_sparse"]) -> Any:
    """Return the array in a storage type. In a compiled graph all arrays are dense."""
    return data.copy()
