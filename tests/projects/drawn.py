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


def draw(name: str, shape: Any) -> Any:
    """Return numbers of float32 that the name decides, of a size that keeps activations of deep networks near 1."""
    generator = np.random.RandomState(zlib.crc32(name.encode()))
    if name.endswith(("gamma", "_var")):
        return generator.uniform(0.8, 1.2, shape).astype(np.float32)
    if name.endswith(("beta", "bias", "_mean")):
        return generator.uniform(-0.1, 0.1, shape).astype(np.float32)
    fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    return (generator.standard_normal(shape) * np.sqrt(1.5 / max(fan, 1))).astype(np.float32)


def fill(net: Any) -> None:
    """Give all parameters their numbers. The counters in names are left out: they depend on what was built before."""
    for structural, parameter in sorted(net._collect_params_with_prefix().items()):
        if not isinstance(parameter, mx.gluon.Constant):
            parameter.set_data(mx.nd.array(draw(structural, parameter.shape), dtype=parameter.dtype))


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
    described: list[dict[str, Any]] = []
    for array in leaves(value):
        numbers = array.asnumpy().astype(np.float64)
        flat = numbers.ravel()
        places: Any = np.unique(np.linspace(0, max(flat.size - 1, 0), 16).astype(int)) if flat.size else []
        described.append(
            {
                "shape": list(numbers.shape),
                "dtype": np.dtype(array.dtype).name,
                "mean": float(flat.mean()) if flat.size else None,
                "largest": float(np.abs(flat).max()) if flat.size else None,
                "elements": [float(flat[k]) for k in places],
            }
        )
    return described


def image(*shape: int) -> Any:
    """Return an input of numbers that its shape decides."""
    return mx.nd.array(draw(f"input {shape}", shape))
