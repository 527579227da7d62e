"""Averages over adaptive windows: each element counts in every window that it is in, of one size or of several."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd


def _windows(size: int, target: int) -> list[slice]:
    return [slice(k * size // target, -(-(k + 1) * size // target)) for k in range(target)]


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (3, 2), (6, 4), (2, 3), (4, 4), (12, 8)])
def test_each_result_is_the_mean_of_its_window(sizes: tuple[int, int]) -> None:
    rows, columns = (_windows(*pair) for pair in zip((6, 4), sizes, strict=True))
    numbers = np.random.default_rng(5).normal(size=(2, 3, 6, 4))
    heads = np.random.default_rng(6).normal(size=(2, 3, *sizes))
    means = np.array([[numbers[:, :, row, column].mean((2, 3)) for column in columns] for row in rows])
    gradient = np.zeros_like(numbers)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            window = gradient[:, :, row, column]
            window += heads[:, :, i, j, None, None] / (window.shape[2] * window.shape[3])
    x = nd.array(numbers, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.AdaptiveAvgPooling2D(x, output_size=sizes)
    y.backward(nd.array(heads, dtype="float64"))
    assert np.allclose(y.asnumpy(), means.transpose(2, 3, 0, 1))
    assert np.allclose(x.grad.asnumpy(), gradient)
