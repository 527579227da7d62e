"""Non-maximum suppression of more boxes than are compared at once, beside one box after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.ops.detection.boxes import overlap, suppressed


def _boxes(count: int) -> Any:
    drawn = np.random.default_rng(0).uniform(0, 30, size=(count, 2, 2))
    boxes = np.sort(drawn, axis=1).reshape(count, 4).astype(np.float32)
    boxes[::17, 2] = boxes[::17, 0]
    return boxes


def _one_by_one(boxes: Any, classes: Any, last: float) -> Any:
    gone = np.zeros(len(boxes), bool)
    for k in range(len(boxes)):
        hits = (overlap(np, boxes[k], boxes, last) > 0.3) & (classes == classes[k]) & (np.arange(len(boxes)) > k)
        gone |= hits & ~gone[k]
    return gone


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("count", [1, 2, 63, 200])
@pytest.mark.parametrize("kinds", [1, 3])
def test_suppressed(count: int, kinds: int, last: float) -> None:
    boxes, classes = _boxes(count), np.arange(count) % kinds
    expected = _one_by_one(boxes, classes, last)
    np.testing.assert_array_equal(suppressed(np, boxes, classes, 0.3, last), expected)
    if kinds == 1:
        np.testing.assert_array_equal(suppressed(np, boxes, None, 0.3, last), expected)
    for most in (1, 7, count):
        found = suppressed(np, boxes, classes, 0.3, last, most)
        np.testing.assert_array_equal(np.flatnonzero(~found)[:most], np.flatnonzero(~expected)[:most])


def test_overlap_of_boxes_that_are_none() -> None:
    boxes = np.array([[0, 0, 2, 2], [1, 1, 1, 1], [3, 3, 1, 1], [np.nan, 0, 1, 1]], np.float32)
    found = overlap(np, boxes[:, None], boxes)
    np.testing.assert_array_equal(found[0], [1, 0, 0, 0])
    assert not found[1:, [0, 1, 3]].any()
