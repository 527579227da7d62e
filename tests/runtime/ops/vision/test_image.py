"""Images: what random changes do where they leave nothing to chance, as the real MXNet answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx

RAMP = np.arange(24).reshape(2, 4, 3) * 10

CHANGED: list[tuple[str, dict[str, float], str, list[list[float]]]] = [
    ("random_brightness", {"min_factor": 1.5, "max_factor": 1.5}, "float32", [[0, 15, 30], [45, 60, 75]]),
    (
        "random_contrast",
        {"min_factor": 0.5, "max_factor": 0.5},
        "float32",
        [[56.575, 61.575, 66.575], [71.575, 76.575, 81.575]],
    ),
    ("random_saturation", {"min_factor": 0.5, "max_factor": 0.5}, "float32", [[1.14, 6.14, 11.14]]),
    ("random_hue", {"min_factor": 0.3, "max_factor": 0.3}, "float32", [[20, 0, 14], [50, 30, 44]]),
    ("random_lighting", {"alpha_std": 0.0}, "float32", [[0, 10, 20]]),
]


@pytest.mark.parametrize(("name", "params", "dtype", "expected"), CHANGED)
def test_changes_without_chance(name: str, params: dict[str, float], dtype: str, expected: list[Any]) -> None:
    image = mx.nd.array(RAMP, dtype=dtype)
    found = getattr(mx.nd.image, name)(image, **params).asnumpy()
    np.testing.assert_allclose(found[0, : len(expected)], expected, rtol=1e-4)


def test_bytes_saturate() -> None:
    image = mx.nd.array(RAMP, dtype="uint8")
    assert mx.nd.image.random_brightness(image, 1.5, 1.5).asnumpy()[1, 2:, 0].tolist() == [255, 255]


def test_flips_come_up_both_ways() -> None:
    image = mx.nd.array(RAMP, dtype="uint8")
    firsts = {int(mx.nd.image.random_flip_left_right(image).asnumpy()[0, 0, 0]) for _ in range(40)}
    assert firsts == {0, 90}


def test_shapes_that_change_refuse_gradients() -> None:
    image = mx.nd.array(RAMP, dtype="float32")
    image.attach_grad()
    with mx.autograd.record():
        tensor = mx.nd.image.to_tensor(image)
    with pytest.raises(mx.MXNetError, match="shape is another"):
        tensor.backward()


def test_the_nearest_pixel_is_that_of_opencv() -> None:
    image = mx.nd.array(np.repeat(np.arange(9).reshape(1, 9, 1), 3, axis=2), dtype="uint8")
    found = mx.image.imresize(image, 51, 1, interp=0).asnumpy()[0, :, 0]
    assert found[[16, 17, 18, 34]].tolist() == [2, 2, 3, 5]


@pytest.mark.parametrize(
    ("change", "shape", "total"),
    [
        (lambda x, out: mx.image.imresize(x, 3, 2, out=out), (2, 3, 3), 18),
        (lambda x, out: mx.image.copyMakeBorder(x, 1, 1, 1, 1, out=out), (6, 8, 3), 72),
        (lambda x, out: mx.image.copyMakeBorder(x, 1, 1, 1, 1, type=1, out=out), (6, 8, 3), 144),
    ],
)
def test_changed_images_are_written_where_they_are_asked_for(
    change: Callable[[Any, Any], Any], shape: tuple[int, ...], total: int
) -> None:
    image, out = mx.nd.ones((4, 6, 3), dtype="uint8"), mx.nd.zeros(shape, dtype="uint8")
    assert change(image, out) is out
    assert int(out.asnumpy().sum()) == total
    for wrong in (mx.nd.zeros(shape), mx.nd.zeros((5, 3, 3), dtype="uint8")):
        with pytest.raises(mx.base.MXNetError):
            change(image, wrong)
