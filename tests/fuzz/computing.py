"""What must hold of the runtime: engines compute what an eager run does, gradients are slopes, shapes are foretold."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import hybridlint.runtime as mx
from hybridlint.runtime import autograd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed
from hybridlint.runtime.core.imperative import invoke, type_of
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ndarray.ndarray import NDArray

SIZE = 4
Function = Callable[..., Any]

#: Smooth functions of square matrices, so that differences tell slopes; each takes F first.
ONE: tuple[Function, ...] = (
    lambda F, x: F.tanh(x),
    lambda F, x: F.sigmoid(x * 2),
    lambda F, x: F.sin(x) + 0.25,
    lambda F, x: F.exp(x * 0.1),
    lambda F, x: F.softmax(x, axis=0),
    lambda F, x: F.log_softmax(x, axis=-1),
    lambda F, x: F.transpose(x),
    lambda F, x: F.reshape(F.reshape(x, shape=(-1,)), shape=(SIZE, SIZE)),
    lambda F, x: F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True)),
    lambda F, x: F.slice_axis(F.concat(x, x * 2, dim=1), axis=1, begin=1, end=1 + SIZE),
    lambda F, x: F.stack(*F.split(x, num_outputs=SIZE, axis=0, squeeze_axis=True), axis=1),
    lambda F, x: F.squeeze(F.expand_dims(x, axis=1), axis=1) - 0.5,
    lambda F, x: F.broadcast_mul(x, F.sum(F.square(x), axis=0, keepdims=True)) * 0.1,
    lambda F, x: F.reverse(x, axis=1),
    lambda F, x: F.swapaxes(x, dim1=0, dim2=1) / 3,
    lambda F, x: F.tile(F.slice_axis(x, axis=0, begin=0, end=1), reps=(SIZE, 1)),
)
TWO: tuple[Function, ...] = (
    lambda F, x, y: (x + y) * 0.5,
    lambda F, x, y: x * y,
    lambda F, x, y: F.dot(x, y) * 0.3,
    lambda F, x, y: F.dot(x, y, transpose_a=True) * 0.3,
    lambda F, x, y: x / (F.square(y) + 1),
    lambda F, x, y: F.broadcast_add(x, F.mean(y, axis=0, keepdims=True)),
    lambda F, x, y: F.where(F.ones_like(x), x, y),
    lambda F, x, y: F.concat(
        F.slice_axis(x, axis=0, begin=0, end=1), F.slice_axis(y, axis=0, begin=1, end=SIZE), dim=0
    ),
)


class _Net(mx.gluon.HybridBlock):  # type: ignore[misc]
    """Two inputs through functions that a seed chooses."""

    def __init__(self, seed: int, steps: int) -> None:
        super().__init__()
        self.seed, self.steps = seed, steps

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        draw, values = random.Random(self.seed), [x, y]
        for _ in range(self.steps):
            one, other = draw.choice(values), draw.choice(values)
            values.append(draw.choice(TWO)(F, one, other) if draw.random() < 0.4 else draw.choice(ONE)(F, one))
        return [F.broadcast_add(values[-1], x), F.tanh(draw.choice(values))]


def engines() -> list[str]:
    """Return the names of the engines that are there."""
    return ["numpy", *(["jit"] if is_installed() else [])]


def graphs_compute_the_same(seed: int, steps: int) -> None:
    """Check outputs and gradients of a random network on every engine against an eager run."""
    draw = np.random.default_rng(seed)
    given = [draw.standard_normal((SIZE, SIZE)).astype("float32") for _ in range(2)]
    wanted = _ran(_Net(seed, steps), given)
    for engine in engines():
        for static in (False, True):
            net = _Net(seed, steps)
            net.hybridize(backend=engine, static_alloc=static, static_shape=static)
            for _ in range(2):
                for k, (found, expected) in enumerate(zip(_ran(net, given), wanted, strict=True)):
                    within = 1e-4 * max(1.0, float(np.abs(expected).max()))
                    assert np.allclose(found, expected, rtol=0, atol=within), f"{engine}, static {static}, result {k}"


def gradients_are_slopes(seed: int, steps: int) -> None:
    """Check the gradient of a random network in float64 against differences, along a random direction."""
    draw = np.random.default_rng(seed)
    given = [draw.standard_normal((SIZE, SIZE)) for _ in range(2)]
    way = [draw.standard_normal((SIZE, SIZE)) for _ in range(2)]
    net = _Net(seed, steps)

    def total(step: float) -> float:
        moved = [mx.nd.array(x + step * d, dtype="float64") for x, d in zip(given, way, strict=True)]
        return sum(float(y.sum().asscalar()) for y in net(*moved))

    gradients = _ran(net, given)[2:]
    slope = sum(float((g * d).sum()) for g, d in zip(gradients, way, strict=True))
    width = 1e-5
    by_difference = (total(width) - total(-width)) / (2 * width)
    # The error of the difference itself, from a second one that is twice as wide.
    error = abs((total(2 * width) - total(-2 * width)) / (4 * width) - by_difference)
    scale = max(1.0, abs(slope), sum(float(np.abs(g).max()) for g in gradients), abs(total(0.0)))
    assert abs(slope - by_difference) < 1e-5 * scale + 10 * error, (slope, by_difference)


def _ran(net: Any, given: Sequence[Any]) -> list[Any]:
    inputs = [mx.nd.array(x, dtype=x.dtype) for x in given]
    for each in inputs:
        each.attach_grad()
    with autograd.record():
        outputs = net(*inputs)
    autograd.backward(list(outputs))
    return [each.asnumpy() for each in (*outputs, *(x.grad for x in inputs))]


def shapes_are_foretold(operator: str, seed: int) -> None:
    """Check that an operator on random shapes gives what its rule says, or raises MXNetError, eagerly and compiled."""
    draw = random.Random(seed)
    op = registry.get(operator)
    sample = draw.choice(op.samples)
    shapes = [_nudged(tuple(d for d in shape if isinstance(d, int)), draw) for shape in sample.shapes]
    dtypes = [*sample.dtypes, *["float32"] * (len(shapes) - len(sample.dtypes))]
    numbers = np.random.default_rng(seed)
    arrays: list[Any] = [
        NDArray(np.asarray(numbers.uniform(sample.low, sample.high, shape)).astype(dtype))
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    if not op.variadic:
        arrays += [None] * (len(op.inputs) - len(arrays))
    try:
        with mx.util.np_shape(operator.startswith("_np")):
            params = normalize(op, sample.params)
            found = invoke(op, arrays, params)
    except (MXNetError, NotImplementedError):
        return
    made = found if isinstance(found, list) else [found]
    said = op.infer_types([TensorType() if a is None else type_of(a._data) for a in arrays], params)
    for array, told in zip(made, said, strict=False):
        known = told.shape
        if known is None:
            continue
        fits = len(known) == array.ndim and all(
            not isinstance(size, int) or size == real for size, real in zip(known, array.shape, strict=True)
        )
        assert fits, f"{operator}{shapes}: the rule says {known}, the kernel gives {array.shape}"


def _nudged(shape: tuple[int, ...], draw: random.Random) -> tuple[int, ...]:
    sizes = list(shape)
    for _ in range(draw.randrange(3)):
        kind = draw.randrange(5)
        if kind == 0 and sizes:
            sizes[draw.randrange(len(sizes))] = draw.choice([1, 2, 3, 5])
        elif kind == 1:
            sizes.insert(draw.randrange(len(sizes) + 1), draw.choice([1, 2]))
        elif kind == 2 and len(sizes) > 1:
            del sizes[draw.randrange(len(sizes))]
        elif kind == 3:
            draw.shuffle(sizes)
    return tuple(sizes)


def operators() -> list[str]:
    """Return the operators whose samples have inputs and that nothing random is in."""
    registry.load()
    return sorted(
        op.name
        for op in registry.operators()
        if not op.internal and not op.random and not op.aux and any(s.shapes for s in op.samples)
    )


__all__ = ["engines", "gradients_are_slopes", "graphs_compute_the_same", "operators", "shapes_are_foretold"]
