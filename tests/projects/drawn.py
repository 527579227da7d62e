"""Parameters and inputs that names and shapes decide, and outputs in few numbers.

Both interpreters run this file, so it stays within Python 3.8. It asks nothing of MXNet's own generators: each
parameter is drawn from its own name, so that neither order nor generator matters.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

mx: Any = importlib.import_module("mxnet")

#: Large arrays are gone through in parts of so many elements: the memory that is measured is the model's, not ours.
_AT_ONCE = 1 << 16


def draw(name: str, shape: Any, gain: float = 1.0) -> Any:
    """Return numbers of float32 that the name decides, of a size that keeps activations of deep networks near 1.

    The gain multiplies weights: networks of very many layers need a smaller one.
    """
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    middle, reach = 0.0, gain * np.sqrt(4.5 / max(fan, 1))
    if name.endswith(("gamma", "var")):
        middle, reach = 1.0, 0.2
    elif name.endswith(("beta", "bias", "_mean")):
        middle, reach = 0.0, 0.1
    drawn = np.empty(int(np.prod(shape)), np.float32)
    for begin in range(0, drawn.size, _AT_ONCE):
        part = drawn[begin : begin + _AT_ONCE]
        part[:] = (generator.random_sample(part.size) * 2 - 1) * reach + middle
    return drawn.reshape(shape)


def fill(net: Any, gain: float = 1.0) -> None:
    """Give all parameters their numbers. The counters in names are left out: they depend on what was built before."""
    for structural, parameter in sorted(net._collect_params_with_prefix().items()):
        if not isinstance(parameter, mx.gluon.Constant):
            parameter.set_data(array(draw(structural, parameter.shape, gain), dtype=parameter.dtype))


def leaves(value: Any) -> Iterator[Any]:
    """Yield the arrays of nested outputs."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from leaves(value[key])
    elif value is not None:
        yield value


def summary(value: Any) -> list[dict[str, Any]]:
    """Return shape, dtype and statistics of each output, and some of its elements."""
    return [_described(array) for array in leaves(value)]


def _described(array: Any) -> dict[str, Any]:
    flat = array.asnumpy().ravel()
    found: dict[str, Any] = {"shape": list(array.shape), "dtype": np.dtype(array.dtype).name}
    if not flat.size:
        return {**found, "mean": None, "norm": 0.0, "largest": None, "elements": []}
    parts = (flat[begin : begin + _AT_ONCE].astype(np.float64) for begin in range(0, flat.size, _AT_ONCE))
    sums, squares, peaks = zip(*((part.sum(), np.square(part).sum(), np.abs(part).max()) for part in parts))  # noqa: B905
    places = np.unique(np.linspace(0, flat.size - 1, 16).astype(int))
    return {
        **found,
        "mean": float(sum(sums) / flat.size),
        "norm": float(np.sqrt(sum(squares))),
        "largest": float(max(peaks)),
        "elements": [float(flat[place]) for place in places],
    }


def image(*shape: int) -> Any:
    """Return an input of numbers that its shape decides."""
    return array(draw(f"input {shape}", shape))


def array(values: Any, dtype: Any = "float32") -> Any:
    """Return an array of the kind that blocks compute with: MXNet's numpy once a project has switched to it."""
    return (mx.np if mx.util.is_np_array() else mx.nd).array(values, dtype=dtype)
