"""Random shapes and arrays for tests, and numpy helpers that compute expected results."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.context import Context
from hybridlint.runtime.ndarray import NDArray, array
from hybridlint.runtime.test_utils.sparse_inputs import create_sparse_array
from hybridlint.runtime.test_utils.tolerance import default_dtype


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of two dimensions, sizes up to those given."""
    return _shape((dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of three dimensions, sizes up to those given."""
    return _shape((dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of `num_dim` dimensions, sizes up to `dim`."""
    return _shape((dim,) * num_dim, allow_zero_size)


def _shape(limits: Sequence[int], allow_zero_size: bool) -> tuple[int, ...]:
    low = 0 if allow_zero_size else 1
    return tuple(int(np.random.randint(low, limit + 1)) for limit in limits)


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[int, int]:
    """Return a random point of integers, upper bounds excluded."""
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def rand_ndarray(
    shape: Sequence[int],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Callable[[float], float] | None = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Context | None = None,
) -> NDArray:
    """Return an array of random numbers: uniform in [-1, 1) in dense storage, in [0, 1) in another one."""
    if stype != "default":
        return create_sparse_array(
            shape,
            stype,
            density=np.random.rand() if density is None else density,
            dtype=dtype,
            modifier_func=modifier_func,
            shuffle_csr_indices=shuffle_csr_indices,
        )
    return array(np.random.uniform(-1, 1, tuple(shape)), ctx, dtype or default_dtype())


def random_arrays(*shapes: Sequence[int]) -> Any:
    """Return numpy arrays (one, or a list) of normal numbers; a float for an empty shape."""
    made = [
        np.random.randn(*s).astype(default_dtype()) if len(s) else np.array(np.random.randn(), default_dtype())
        for s in shapes
    ]
    return made[0] if len(made) == 1 else made


def random_uniform_arrays(*shapes: Sequence[int], **kwargs: Any) -> list[Any]:
    """Return numpy arrays of uniform numbers between `low` and `high`, of `dtype`."""
    low, high, dtype = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0), kwargs.pop("dtype", default_dtype())
    if kwargs:
        raise TypeError(f"Got unexpected argument/s : {sorted(kwargs)}")
    return [np.random.uniform(low, high, size=s).astype(dtype) for s in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """Return `k` elements of a sequence in their order."""
    return [population[i] for i in sorted(random.sample(range(len(population)), k))]


def np_reduce(dat: Any, axis: Any, keepdims: int, numpy_reduce_func: Callable[..., Any]) -> Any:
    """Return numpy data reduced over several axes by a function that reduces one."""
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
    result = dat
    for one in sorted((a % dat.ndim for a in axes), reverse=True):
        result = numpy_reduce_func(result, axis=one)
    kept = [1 if k in {a % dat.ndim for a in axes} else size for k, size in enumerate(dat.shape)]
    return np.asarray(result).reshape(kept) if keepdims else result


def assign_each(the_input: Any, function: Callable[[Any], Any] | None) -> Any:
    """Return numpy data with a function applied to each element; a copy without one."""
    return np.array(the_input) if function is None else np.vectorize(function)(the_input)


def assign_each2(input1: Any, input2: Any, function: Callable[[Any, Any], Any] | None) -> Any:
    """Return numpy data with a function applied to each pair of elements; a copy of the first without one."""
    return np.array(input1) if function is None else np.vectorize(function)(input1, input2)


def create_2d_tensor(rows: int, columns: int, dtype: Any = np.int64) -> NDArray:
    """Return a matrix in which each row holds its own number."""
    return array(np.arange(rows).reshape(rows, 1) * np.ones((1, columns)), dtype=dtype)


def create_vector(size: int, dtype: Any = np.int64) -> NDArray:
    """Return 0, 1, 2, ... as an array."""
    return array(np.arange(size), dtype=dtype)
