"""Standardization to mean 0 and deviation 1 over some axes, and its gradient, shared by four layers."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.types import Ints


def wide(data: Any) -> Any:
    """Return half precision data converted to float32; any other data unchanged."""
    return data.astype("float32") if data.dtype.name == "float16" else data


def along(vector: Any, axis: int, rank: int) -> Any:
    """Reshape a vector so that it broadcasts along one axis of a tensor."""
    return vector.reshape((1,) * axis + (-1,) + (1,) * (rank - 1 - axis))


def all_but(axis: int, rank: int) -> Ints:
    """Return all axes except one."""
    return tuple(k for k in range(rank) if k != axis)


def standardize(xp: Any, data: Any, axes: Ints, eps: float) -> tuple[Any, Any, Any]:
    """Return the standardized data, the mean, and the deviation sqrt(variance + eps), with size 1 along the axes."""
    mean = data.mean(axis=axes, keepdims=True)
    centered = data - mean
    deviation = xp.sqrt(xp.square(centered).mean(axis=axes, keepdims=True) + eps)
    return xp.divide(centered, deviation, out=centered), mean, deviation


def standardize_grad(g: Any, normal: Any, deviation: Any, axes: Ints) -> Any:
    """Return the gradient with respect to the data, given the gradient `g` of the standardized data `normal`."""
    shared = g.mean(axis=axes, keepdims=True) + normal * (g * normal).mean(axis=axes, keepdims=True)
    return (g - shared) / deviation
