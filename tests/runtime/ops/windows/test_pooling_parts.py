"""Pooling axis by axis and its gradient in parts, beside a loop over windows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.ops.windows import pooling


def _by_window(x: Any, heads: Any, pool_type: str, *, kernel: int, stride: int, pad: int) -> tuple[Any, Any]:
    """Return the result and the gradient of (N, C, H, W), of whole numbers."""
    start = -np.inf if pool_type == "max" else 0
    source = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=start)
    into, result = np.zeros_like(source), np.zeros_like(heads)
    for place in itertools.product(*map(range, heads.shape)):
        n, c, i, j = place
        part = source[n, c, i * stride : i * stride + kernel, j * stride : j * stride + kernel]
        share = into[n, c, i * stride : i * stride + kernel, j * stride : j * stride + kernel]
        result[place] = part.max() if pool_type == "max" else part.sum()
        if pool_type == "max":
            share[np.unravel_index(part.argmax(), part.shape)] += heads[place]
        else:
            share += heads[place]
    return result, into[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]]


@pytest.mark.parametrize(("at_once", "many"), [(1, 1), (1, 1 << 14), (1 << 18, 1), (1 << 18, 1 << 14)])
@pytest.mark.parametrize("pool_type", ["max", "sum"])
@pytest.mark.parametrize("window", [(3, 2, 1), (2, 2, 0), (3, 1, 1), (2, 3, 0), (4, 3, 2)])
def test_pooling(
    pool_type: str, window: tuple[int, int, int], at_once: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, stride, pad = window
    monkeypatch.setattr(pooling, "_AT_ONCE", at_once)
    monkeypatch.setattr(pooling, "_MANY", many)
    draw = np.random.default_rng(0)
    x = mx.nd.array(draw.integers(0, 5, size=(2, 3, 7, 8)))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Pooling(x, kernel=(kernel, kernel), stride=(stride, stride), pad=(pad, pad), pool_type=pool_type)
    heads = draw.integers(1, 9, size=y.shape).astype(np.float32)
    y.backward(mx.nd.array(heads))
    expected, into = _by_window(x.asnumpy(), heads, pool_type, kernel=kernel, stride=stride, pad=pad)
    np.testing.assert_array_equal(y.asnumpy(), expected)
    np.testing.assert_array_equal(x.grad.asnumpy(), into)
