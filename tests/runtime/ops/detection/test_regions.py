"""Regions of many sizes, some of them outside of the images: each bin is computed by itself here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.ops.detection import regions

_SIZE = (3, 4)


def _drawn() -> tuple[Any, Any]:
    draw = np.random.default_rng(0)
    # Whole numbers, of which several are the largest of a bin.
    data = draw.integers(0, 4, size=(2, 3, 9, 11)).astype(np.float32)
    data[0, 0, 0, 0] = np.nan
    rois = np.concatenate([draw.integers(-1, 3, size=(40, 1)), draw.uniform(-8, 30, size=(40, 4))], axis=1)
    return data, rois.astype(np.float32)


def _edges(first: float, last: float, bins: int, size: int) -> list[tuple[int, int]]:
    start, end = (int(math.copysign(math.floor(abs(edge / 2) + 0.5), edge)) for edge in (first, last))
    step = max(end - start + 1, 1) / bins
    limits = ((start + math.floor(k * step), start + math.ceil((k + 1) * step)) for k in range(bins))
    return [(min(max(a, 0), size), min(max(b, 0), size)) for a, b in limits]


@pytest.mark.parametrize("at_once", [1, 1 << 20])
def test_roi_pooling_takes_the_first_largest_of_each_bin(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "_AT_ONCE", at_once)
    data, rois = _drawn()
    expected, into = np.zeros((len(rois), 3, *_SIZE), np.float32), np.zeros_like(data)
    heads = np.random.default_rng(1).integers(1, 9, size=expected.shape).astype(np.float32)
    for k, (index, x1, y1, x2, y2) in enumerate(rois.tolist()):
        if not 0 <= index < len(data):
            continue
        for i, (top, bottom) in enumerate(_edges(y1, y2, _SIZE[0], data.shape[2])):
            for j, (left, right) in enumerate(_edges(x1, x2, _SIZE[1], data.shape[3])):
                for channel in range(data.shape[1]):
                    part = data[int(index), channel, top:bottom, left:right]
                    if part.size:
                        row, column = np.unravel_index(part.argmax(), part.shape)
                        expected[k, channel, i, j] = part[row, column]
                        into[int(index), channel, top + row, left + column] += heads[k, channel, i, j]
    x = mx.nd.array(data)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.ROIPooling(x, mx.nd.array(rois), pooled_size=_SIZE, spatial_scale=0.5)
    y.backward(mx.nd.array(heads))
    np.testing.assert_array_equal(y.asnumpy(), expected)
    np.testing.assert_array_equal(x.grad.asnumpy(), into)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("sample_ratio", [-1, 2])
def test_roi_align_of_many_is_that_of_each(aligned: bool, sample_ratio: int) -> None:
    data, rois = (mx.nd.array(np.nan_to_num(drawn)) for drawn in _drawn())
    settings: dict[str, Any] = {"pooled_size": _SIZE, "spatial_scale": 0.5, "sample_ratio": sample_ratio}
    every = mx.nd.contrib.ROIAlign(data, rois, aligned=aligned, **settings).asnumpy()
    for k, found in enumerate(every):
        alone = mx.nd.contrib.ROIAlign(data, rois[k : k + 1], aligned=aligned, **settings).asnumpy()
        np.testing.assert_array_equal(found, alone[0])


def test_a_region_outside_of_the_image_gives_nothing() -> None:
    rois = mx.nd.array([[0, 100, 100, 120, 120], [5, 0, 0, 3, 3]])
    found = mx.nd.contrib.ROIAlign(mx.nd.ones((1, 2, 5, 5)), rois, pooled_size=_SIZE, spatial_scale=1.0).asnumpy()
    assert not found.any()
