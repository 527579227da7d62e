"""Fourier transforms along the last dimension, and count sketches. MXNet has these operators on GPUs only."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Refusal, op, sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.type_rules import exact_quotient, require_rank


def _resized(data: TensorType, size: DimLike) -> TensorType:
    return data if data.shape is None else data.with_shape((*data.shape[:-1], size))


def _infer_fft(data: TensorType) -> TensorType:
    require_rank(data, [2, 4])
    return _resized(data, Dim.fresh() if data.shape is None else data.shape[-1] * 2)


def _infer_ifft(data: TensorType) -> TensorType:
    require_rank(data, [2, 4])
    return _resized(data, Dim.fresh() if data.shape is None else exact_quotient([data.shape[-1]], [2], "data"))


def _pairs(xp: Any, data: Any) -> Any:
    """Return complex numbers (..., n) from interleaved real and imaginary parts (..., 2 * n)."""
    return data[..., ::2] + 1j * data[..., 1::2]


def _flat(xp: Any, values: Any, dtype: Any) -> Any:
    """Return the real and imaginary parts of complex numbers, interleaved: (..., n) becomes (..., 2 * n)."""
    return xp.stack([values.real, values.imag], axis=-1).reshape(*values.shape[:-1], -1).astype(dtype)


@op(
    name="_contrib_fft",
    infer=_infer_fft,
    grad=lambda F, g, ins, outs: (F._contrib_ifft(g),),
    samples=[sample((2, 4)), sample((1, 2, 1, 3))],
)
def fft(xp: Any, data: Any, /, *, compute_size: int = 128) -> Any:
    """Return the Fourier transform along the last dimension, with interleaved real and imaginary parts."""
    return _flat(xp, xp.fft.fft(data), data.dtype)


@op(
    name="_contrib_ifft",
    infer=_infer_ifft,
    grad=lambda F, g, ins, outs: (F._contrib_fft(g),),
    samples=[sample((2, 8)), sample((1, 2, 1, 6))],
)
def ifft(xp: Any, data: Any, /, *, compute_size: int = 128) -> Any:
    """Return the real part of the inverse Fourier transform of interleaved data, not divided by the length."""
    return (xp.fft.ifft(_pairs(xp, data)).real * (data.shape[-1] // 2)).astype(data.dtype)


def _infer_sketch(data: TensorType, h: TensorType, s: TensorType, *, out_dim: int) -> TensorType:
    for name, t in (("h", h), ("s", s)):
        require_rank(t, [1, 2], name)
        if t.shape is not None and data.shape is not None:
            unify_shapes(data.shape[-1:], t.shape[-1:], name)
    return _resized(data, out_dim)


_REFUSED = Refusal("count_sketch gives a gradient to its data only")


@op(
    name="_contrib_count_sketch",
    infer=_infer_sketch,
    grad=lambda F, g, ins, outs: (F._hl_sketch_grad(g, ins[1], ins[2]), _REFUSED, _REFUSED),
    samples=[sample((2, 4), (1, 4), (1, 4), low=0, high=2, out_dim=3)],
)
def count_sketch(xp: Any, data: Any, h: Any, s: Any, /, *, out_dim: int, processing_batch_size: int = 32) -> Any:
    """Return the count sketch of each row: element i, times ``s[i]``, is added at index ``h[i]`` of `out_dim`."""
    hits = h.reshape(-1)[:, None].astype("int64") == xp.arange(out_dim)
    return xp.matmul(data * s.reshape(-1).astype(data.dtype), hits.astype(data.dtype))


@op(
    infer=lambda g, h, s: g.with_shape(None if g.shape is None or h.shape is None else (*g.shape[:-1], h.shape[-1])),
    samples=[sample((2, 3), (1, 4), (1, 4), low=0, high=2)],
)
def _hl_sketch_grad(xp: Any, g: Any, h: Any, s: Any, /) -> Any:
    """Return the gradient with respect to count_sketch's data."""
    return g[..., h.reshape(-1).astype("int64")] * s.reshape(-1).astype(g.dtype)
