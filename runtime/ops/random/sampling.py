"""Random numbers by distributions whose parameters are arrays, random indices and random order."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from hybridlint.runtime.facts.infer import complete_same_shape, same_shape
from hybridlint.runtime.facts.registry import Facts, Kernel, Sample, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.arrays.creation import checked_shape, declared_shape
from hybridlint.runtime.ops.blocks import is_numpy
from hybridlint.runtime.ops.elementwise.selection import same_type
from hybridlint.runtime.ops.random import distributions as draw
from hybridlint.runtime.ops.random.draws import cast, infer_numbers

#: From so many comparisons a row on, drawn numbers are searched for among the limits.
_SEARCHED = 2048


def _infer_elements(*ins: TensorType, shape: Ints, dtype: Dtype | None) -> TensorType:
    each = infer_numbers(shape=shape, dtype=dtype)
    known = same_shape(*ins).shape
    return each.with_shape(None if known is None else known + (each.shape or ()))


def elements(kernel: Kernel, *, host: str | None = None) -> Kernel:
    """Register a draw with parameter arrays: each of their elements gives a block of samples."""
    arrays = kernel.__code__.co_posonlyargcount - 1
    samples = [
        sample(*((2,),) * arrays, low=0.2, high=0.9),
        sample(*((2, 3),) * arrays, low=0.2, high=0.9, shape=(4,), dtype="float64"),
    ]
    return op(
        infer=_infer_elements,
        complete=lambda *ins, **params: complete_same_shape(*ins),
        grad=zero_gradient,
        samples=samples,
        aliases=(kernel.__name__.removeprefix("_"),),
        host=host,
    )(kernel)


def each(distribution: Any, rng: Any, shape: Ints, *parameters: Any) -> Any:
    """Return a block of samples of shape `shape` for each element of the parameters: (*parameter shape, *shape)."""
    if 0 in shape:
        checked_shape(shape)
    wide = [p.astype("float64").reshape(p.shape + (1,) * len(shape)) for p in parameters]
    return distribution(rng, parameters[0].shape + shape, *wide)


@elements
def _sample_uniform(xp: Any, low: Any, high: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any) -> Any:
    """Draw uniformly from low up to high: an array of `shape` per element."""
    return cast(xp, each(draw.uniform, rng, shape, low, high), dtype)


@elements
def _sample_normal(xp: Any, mu: Any, sigma: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any) -> Any:
    """Draw from the normal distribution: an array of `shape` per element."""
    return cast(xp, each(draw.normal, rng, shape, mu, sigma), dtype)


@elements
def _sample_gamma(xp: Any, alpha: Any, beta: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any) -> Any:
    """Draw from the gamma distribution of shape alpha and scale beta: an array of `shape` per element."""
    return cast(xp, each(draw.gamma, rng, shape, alpha, beta), dtype)


@elements
def _sample_exponential(xp: Any, lam: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any) -> Any:
    """Draw from the exponential distribution of rate lam: an array of `shape` per element."""
    return cast(xp, each(draw.exponential, rng, shape, lam), dtype)


@elements
def _sample_poisson(xp: Any, lam: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any) -> Any:
    """Draw from the Poisson distribution of rate lam: an array of `shape` per element."""
    return cast(xp, each(draw.poisson, rng, shape, lam), dtype)


@partial(elements, host=draw.NOT_IN_CUPY)
def _sample_negative_binomial(
    xp: Any, k: Any, p: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any
) -> Any:
    """Draw the number of failures before k successes of probability p: an array of `shape` per element."""
    return cast(xp, each(draw.negative_binomial, rng, shape, k, p), dtype)


@elements
def _sample_generalized_negative_binomial(
    xp: Any, mu: Any, alpha: Any, /, *, shape: Ints = (), dtype: Dtype | None = None, rng: Any
) -> Any:
    """Draw from the negative binomial distribution of mean mu and dispersion alpha: an array of `shape` per element."""
    return cast(xp, each(draw.generalized_negative_binomial, rng, shape, mu, alpha), dtype)


def _infer_multinomial(
    data: TensorType, /, *, shape: Ints, get_prob: bool, dtype: Dtype
) -> TensorType | tuple[TensorType, TensorType]:
    result: Shape | None = None
    if data.shape is not None:
        if not data.shape:
            raise InferError("data", "expected at least one dimension")
        result = data.shape[:-1] + (declared_shape(shape) or ()) or (1,)
    indices = TensorType(result, dtype)
    return (indices, data.with_shape(result)) if get_prob else indices


def _multinomial_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, get_prob: bool
) -> tuple[Any, ...]:
    return (F._hl_multinomial_grad(g[1], ins[0], outs[0]) if get_prob else None,)


@op(
    infer=_infer_multinomial,
    grad=_multinomial_grad,
    outputs=lambda *, get_prob: 2 if get_prob else 1,
    samples=[
        sample((4,), low=0.1, high=0.2),
        sample((2, 4), low=0.1, high=0.2, shape=(3,)),
        sample((2, 4), low=0.1, high=0.2, get_prob=True, dtype="float32"),
    ],
    aliases=("sample_multinomial",),
)
def _sample_multinomial(
    xp: Any, data: Any, /, *, shape: Ints = (), get_prob: bool = False, dtype: Dtype = "int32", rng: Any
) -> Any:
    """Draw indices with the probabilities in the last dimension of the data.

    `get_prob` adds the logarithms of the probabilities of the drawn indices as a second output.
    """
    choices = data.shape[-1]
    rows = data.reshape(-1, choices)
    drawn = xp.asarray(rng.random((rows.shape[0], _count(shape))))
    limits = xp.cumsum(rows.astype("float64"), axis=1)
    if choices * drawn.shape[1] > _SEARCHED:
        places = xp.empty(drawn.shape, "int64")
        for row, numbers, found in zip(limits, drawn, places, strict=True):
            # The method takes a third of the time of the function that checks for it.
            found[...] = row.searchsorted(numbers, "right") if is_numpy(xp) else xp.searchsorted(row, numbers, "right")
    else:
        places = (drawn[:, :, None] >= limits[:, None, :]).sum(axis=2)
    indices = xp.minimum(places, choices - 1)
    result_shape = data.shape[:-1] + shape or (1,)
    result = indices.reshape(result_shape).astype(dtype)
    if not get_prob:
        return result
    return result, xp.log(xp.take_along_axis(rows, indices, axis=1)).reshape(result_shape)


def _count(shape: Ints) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


@op(
    infer=lambda g, data, indices, /: data,
    samples=[sample((2,), (2, 4), (2,), low=0.5, high=1.0, dtypes=("float32", "float32", "int32"))],
)
def _hl_multinomial_grad(xp: Any, g: Any, data: Any, indices: Any, /) -> Any:
    """Return the gradient with respect to the probabilities, given that of the drawn indices' log probabilities."""
    choices = data.shape[-1]
    rows = data.reshape(-1, choices)
    chosen = indices.astype("int64").reshape(rows.shape[0], -1)
    shares = g.reshape(rows.shape[0], -1) / xp.take_along_axis(rows, chosen, axis=1)
    hits = chosen[:, :, None] == xp.arange(choices)
    return (hits * shares[:, :, None]).sum(axis=1).astype(data.dtype).reshape(data.shape)


@op(
    infer=same_type,
    samples=[sample((4, 2)), sample((3,), dtypes=("int32",))],
    facts=Facts(numpy_names=("random.permutation",)),
    aliases=("shuffle",),
    host="CuPy's generator draws no permutations",
)
def _shuffle(xp: Any, data: Any, /, *, rng: Any) -> Any:
    """Return the rows in random order."""
    return data[xp.asarray(rng.permutation(data.shape[0]))]


def _infer_zipfian(*, range_max: int, shape: Ints | None) -> tuple[TensorType, TensorType]:
    if shape is None or len(shape) != 2:
        raise InferError("shape", f"expected batch size and number of draws, got {shape}")
    if shape[1] > range_max:
        raise InferError("range_max", f"{range_max} numbers are not {shape[1]} different ones")
    return TensorType(shape, "int64"), TensorType(shape[:1], "int64")


@op(
    infer=_infer_zipfian,
    outputs=2,
    samples=[Sample((), {"range_max": 20, "shape": (2, 4)})],
    host="it draws number by number, until those of a row differ",
)
def _sample_unique_zipfian(xp: Any, /, *, range_max: int, shape: Ints | None = None, rng: Any) -> tuple[Any, Any]:
    """Draw distinct integers below `range_max`, small ones more often; also return how many draws that took."""
    rows, tries = [], []
    for _ in range(shape[0] if shape else 0):
        row: dict[int, None] = {}
        count = 0
        while shape and len(row) < shape[1]:
            row[int(math.exp(rng.random() * math.log(range_max + 1))) - 1] = None
            count += 1
        rows.append(list(row))
        tries.append(count)
    return xp.asarray(rows, "int64"), xp.asarray(tries, "int64")
