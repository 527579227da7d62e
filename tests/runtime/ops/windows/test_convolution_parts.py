"""Convolution goes through its windows in parts: what it gives does not depend on how large these are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.ops.windows import convolution
from hybridlint.runtime.ops.windows.geometry import Geometry, geometry

PARTS = [1, 20, 100, 10**6]  # a line, some lines of a sample, some samples, everything at once
CASES = {
    "one axis": (geometry((3,), (2,), (1,), (1,)), (3, 4, 9), (6, 2, 3)),
    "two axes": (geometry((3, 2), (1, 2), (2, 1), (2, 0)), (3, 4, 5, 6), (4, 2, 3, 2)),
    "three axes": (geometry((1, 2, 2), (1, 1, 2), (1, 1, 1), (0, 1, 1)), (2, 4, 3, 3, 4), (2, 2, 1, 2, 2)),
    "one place": (geometry((1, 1)), (3, 4, 5, 6), (4, 2, 1, 1)),
}
GROUPS = 2


def drawn(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape)


def by_definition(data: Any, weight: Any, shape: Geometry) -> Any:
    source: Any = np.pad(data, [(0, 0), (0, 0), *((p, p) for p in shape.pad)])
    counts = shape.count_of(data.shape[2:])
    result: Any = np.zeros((data.shape[0], weight.shape[0], *counts))
    size, filters = weight.shape[1], weight.shape[0] // GROUPS
    for place in itertools.product(*map(range, counts)):
        rows = zip(place, shape.stride, shape.kernel, shape.dilate, strict=True)
        window = source[(..., *(slice(n * s, n * s + (k - 1) * d + 1, d) for n, s, k, d in rows))]
        for group in range(GROUPS):
            seen = window[:, group * size : (group + 1) * size].reshape(data.shape[0], -1)
            mine = slice(group * filters, (group + 1) * filters)
            result[(slice(None), mine, *place)] = seen @ weight[mine].reshape(filters, -1).T
    return result


@pytest.mark.parametrize("at_once", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_parts_make_the_whole(case: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_AT_ONCE", at_once)
    monkeypatch.setattr(convolution, "_COLUMNS", at_once)
    shape, sizes, filters = CASES[case]
    data, weight = drawn(*sizes), drawn(*filters)
    found = convolution.convolve(np, data, weight, shape, GROUPS)
    np.testing.assert_allclose(found, by_definition(data, weight, shape), rtol=1e-12, atol=1e-12)
    into = np.empty_like(found)
    assert convolution.convolve(np, data, weight, shape, GROUPS, into) is into
    np.testing.assert_array_equal(into, found)


@pytest.mark.parametrize("at_once", PARTS)
@pytest.mark.parametrize("case", CASES)
def test_the_gradient_is_the_transpose(case: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_AT_ONCE", at_once)
    monkeypatch.setattr(convolution, "_COLUMNS", at_once)
    shape, sizes, filters = CASES[case]
    data, weight = drawn(*sizes), drawn(*filters)
    result = by_definition(data, weight, shape)
    head = drawn(*result.shape)
    gradient = convolution.spread(np, head, weight, shape, GROUPS, sizes[2:])
    assert np.vdot(gradient, data) == pytest.approx(np.vdot(head, result))


@pytest.mark.parametrize("at_once", [50, 10**6])
@pytest.mark.parametrize(
    ("shape", "sizes"),
    [
        (geometry((3, 3), (), (), (1, 1)), (5, 4)),
        (geometry((2, 3), (2, 3), (), (0, 1)), (6, 7)),
        (geometry((3,), (2,), (2,), (3,)), (8,)),
        (geometry((1, 2, 3), (1, 3, 2), (1, 1, 2), (0, 0, 1)), (2, 5, 6)),
    ],
)
def test_filters_of_single_channels(shape: Geometry, sizes: Any, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "_AT_ONCE", at_once)
    monkeypatch.setattr(convolution, "_COLUMNS", at_once)
    data, weight = drawn(3, GROUPS, *sizes), drawn(GROUPS, 1, *shape.kernel)
    result = by_definition(data, weight, shape)
    np.testing.assert_allclose(convolution.convolve(np, data, weight, shape, GROUPS), result, rtol=1e-12, atol=1e-12)
    head = drawn(*result.shape)
    assert np.vdot(convolution.spread(np, head, weight, shape, GROUPS, sizes), data) == pytest.approx(
        np.vdot(head, result)
    )
    assert np.vdot(convolution.weigh(np, head, data, shape, GROUPS), weight) == pytest.approx(np.vdot(head, result))
