"""Operators of numpy mode that create arrays. A shape () is that of a scalar, and sizes of 0 are allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.dims import differ
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, Ints, TensorType
from hybridlint.runtime.ops.arrays import creation  # noqa: F401  (the operators that these are derived from)


def _infer_range(*, start: float, stop: float | None, step: float, dtype: Dtype) -> TensorType:
    first, last = (0.0, start) if stop is None else (start, stop)
    return TensorType((max(0, math.ceil((last - first) / step)) if step else 0,), dtype)


@op(
    infer=_infer_range,
    samples=[
        sample(start=5.0),
        sample(start=1.0, stop=5.0, step=1.5),
        sample(start=5.0, stop=1.0, step=-1.0, dtype="int32"),
    ],
    facts=Facts(numpy_names=("arange",), positions=True),
)
def _npi_arange(
    xp: Any,
    /,
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: str = "",
    dtype: Dtype = "float32",
) -> Any:
    """Return the numbers from `start` up to, but not including, `stop`: none where it does not come after.

    Without `stop` they run from 0 to `start`. For dtypes other than float32 and float64, the first number and the step
    are truncated to integers after the number of elements was computed.
    """
    count = (_infer_range(start=start, stop=stop, step=step, dtype=dtype).shape or (0,))[0]
    first = 0.0 if stop is None else start
    if dtype not in {"float32", "float64"}:
        first, step = float(int(first)), float(int(step))
    return (xp.arange(count, dtype="float64") * step + first).astype(dtype)


def _declared(*, shape: Ints, dtype: Dtype) -> TensorType:
    return TensorType(shape, dtype)


def _constant(name: str, doc: str) -> None:
    def kernel(xp: Any, /, *, shape: Ints = (), ctx: str = "", dtype: Dtype = "float32") -> Any:
        return getattr(xp, name)(shape, dtype=dtype)

    kernel.__name__, kernel.__doc__ = f"_npi_{name}", doc
    op(
        infer=_declared,
        samples=[sample(shape=(2, 3)), sample(shape=()), sample(shape=(0, 3)), sample(shape=(2,), dtype="bool")],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


_constant("zeros", "Return zeros.")
_constant("ones", "Return ones.")


@op(
    infer=_declared,
    samples=[sample(shape=(2, 3), value=1.5), sample(shape=(), value=2.0)],
    facts=Facts(numpy_names=("full",)),
)
def _npi_full(xp: Any, /, *, shape: Ints = (), ctx: str = "", dtype: Dtype = "float32", value: float) -> Any:
    """Return an array filled with one value."""
    return xp.full(shape, value, dtype="float64").astype(dtype)


@op(
    infer=lambda a, /, *, dtype: a.with_dtype(dtype or a.dtype),
    grad=zero_gradient,
    samples=[sample((2, 3), fill_value=2.0), sample((), fill_value=1.0, dtype="int32")],
    facts=Facts(numpy_names=("full_like",)),
)
def _npi_full_like(xp: Any, a: Any, /, *, fill_value: float, ctx: str = "", dtype: Dtype | None = None) -> Any:
    """Return an array of the shape of another, filled with one value."""
    return xp.full(a.shape, fill_value, dtype="float64").astype(dtype or a.dtype)


@op(
    infer=lambda *, N, M, dtype: TensorType((N, N if M is None else M), dtype),
    samples=[sample(N=3), sample(N=3, M=4, k=-1), sample(N=2, M=0)],
    facts=Facts(numpy_names=("eye",)),
)
def _npi_eye(xp: Any, /, *, N: int, M: int | None = None, k: int = 0, ctx: str = "", dtype: Dtype = "float32") -> Any:
    """Return a matrix with ones on the k-th diagonal."""
    return xp.eye(N, M, k, dtype=dtype)


@op(infer=_declared, samples=[sample(shape=(3, 3))], facts=Facts(numpy_names=("identity",)))
def _npi_identity(xp: Any, /, *, shape: Ints = (), ctx: str = "", dtype: Dtype = "float32") -> Any:
    """Return a square matrix with ones on the diagonal."""
    return xp.eye(shape[0], dtype=dtype)


@op(
    infer=lambda *, dimensions, dtype: TensorType((len(dimensions), *dimensions), dtype),
    samples=[sample(dimensions=(2, 3))],
    facts=Facts(numpy_names=("indices",)),
)
def _npi_indices(xp: Any, /, *, dimensions: Ints, dtype: Dtype = "int32", ctx: str = "") -> Any:
    """Return an array of indices along each dimension: (number of dimensions, *dimensions)."""
    return xp.indices(dimensions, dtype=dtype)


@op(
    infer=lambda *, num, dtype: TensorType((num,), dtype),
    samples=[sample(start=0.0, stop=2.0, num=3)],
    facts=Facts(numpy_names=("logspace",)),
)
def _npi_logspace(
    xp: Any,
    /,
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    base: float = 10.0,
    ctx: str = "",
    dtype: Dtype = "float32",
) -> Any:
    """Return powers of `base` whose exponents are evenly spaced."""
    return xp.logspace(start, stop, num, endpoint, base).astype(dtype)


def _window(name: str) -> Callable[..., Any]:
    def kernel(xp: Any, /, *, M: int, ctx: str = "", dtype: Dtype = "float32") -> Any:
        return getattr(xp, name)(M).astype(dtype)

    kernel.__name__ = f"_npi_{name}"
    kernel.__doc__ = f"Return the {name} window."
    return op(
        infer=lambda *, M, dtype: TensorType((max(M, 0),), dtype),
        samples=[sample(M=4)],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


for _name in ("hanning", "hamming", "blackman"):
    _window(_name)


def _infer_unravelled(data: TensorType, /) -> TensorType:
    if data.shape is None:
        return TensorType(None, "int64")
    if any(differ(size, data.shape[0]) for size in data.shape[1:]):
        raise InferError("data", "all sizes must be equal")
    normal_axis(0, len(data.shape))
    return TensorType((len(data.shape), data.shape[0]), "int64")


@op(
    infer=_infer_unravelled,
    grad=zero_gradient,
    samples=[sample((3, 3))],
    facts=Facts(numpy_names=("diag_indices_from",)),
)
def _npi_diag_indices_from(xp: Any, data: Any, /) -> Any:
    """Return the indices of the main diagonal."""
    return xp.stack(xp.diag_indices_from(data)).astype("int64")
