"""Options of ImageRecordIter are augmenters. The numbers are those of MXNet's iterator on the same image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import nd
from hybridlint.runtime.io.image_options import chosen_augmenters

SHAPE = (3, 32, 32)
SLOPE = np.clip(np.add.outer(np.arange(40) * 4, np.arange(50) * 2)[:, :, None] + np.array([0, 20, 40]), 0, 255)


def image(**options: Any) -> Any:
    result = nd.array(SLOPE, dtype="uint8")
    for augmenter in chosen_augmenters(SHAPE, options):
        result = augmenter(result)
    assert result.shape == (32, 32, 3)
    return result.asnumpy()


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({}, [34, 36, 38]),
        ({"mirror": True}, [96, 94, 92]),
        ({"pad": 4, "fill_value": 127}, [34, 36, 38]),
        ({"scale": 0.5, "mean_r": 10.0, "std_r": 2.0}, [6, 6.5, 7]),
        ({"resize": 64, "inter_method": 2}, [69, 70, 71]),
        (
            {"max_random_scale": 1, "min_random_scale": 1, "random_h": 0, "max_rotate_angle": 0, "mean_img": ""},
            [34, 36, 38],
        ),
    ],
)
def test_an_image_is_cut_from_the_middle_and_its_colours_are_changed(options: Any, first: list[float]) -> None:
    np.testing.assert_allclose(image(**options)[0, :3, 0], first, atol=0.51)


def test_padding_is_cut_from_where_the_image_is_too_small() -> None:
    padded = image(pad=50, fill_value=7, max_crop_size=130, min_crop_size=130)
    assert padded[0, 0].tolist() == [7, 7, 7]


def test_parts_are_drawn_by_their_area_and_light_by_its_bounds() -> None:
    part = image(random_resized_crop=True, min_random_area=0.1, max_random_area=0.5, max_aspect_ratio=0.25)
    assert 0 <= part.min() <= part.max() <= 255
    drawn = image(max_random_contrast=0.1, max_random_illumination=2.0)
    assert abs(drawn - image()).max() <= 0.1 * 255 + 2


def test_what_is_not_here_says_so_where_it_would_change_something() -> None:
    with pytest.raises(NotImplementedError, match="max_rotate_angle, random_h"):
        chosen_augmenters(SHAPE, {"max_rotate_angle": 10, "random_h": 36, "pad": 4})
    with pytest.raises(NotImplementedError, match="aspect ratio"):
        chosen_augmenters(SHAPE, {"max_aspect_ratio": 0.25})
