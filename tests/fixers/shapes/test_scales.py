"""Images that are resized to multiples of their own sizes."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

RESIZE = "return F.contrib.BilinearResize2D(x, height={}, width={})"
SCALED = "return F.contrib.BilinearResize2D(x, scale_height={}, scale_width={})"

#: The two sizes, and the two scales.
CASES = {
    "twice": ("x.shape[2] * 2", "2 * x.shape[3]", "2", "2"),
    "counted from the end": ("x.shape[-2] * 3", "x.shape[-1] * 2", "3", "2"),
    "by a setting": ("x.shape[2] * self.factor", "x.shape[3] * self.factor", "self.factor", "self.factor"),
    "halved": ("x.shape[2] // 2", "x.shape[3] // 4", "0.5", "0.25"),
}


@pytest.mark.parametrize(("height", "width", "down", "across"), CASES.values(), ids=CASES.keys())
def test_multiples_of_own_sizes_are_scales(height: str, width: str, down: str, across: str) -> None:
    assert fixed(RESIZE.format(height, width), unsafe=True) == SCALED.format(down, across)


def test_sizes_that_are_unpacked_before() -> None:
    body = "_, _, h, w = x.shape\n" + RESIZE.format("h * 2", "w * 2")
    assert fixed(body, unsafe=True) == SCALED.format(2, 2)


@pytest.mark.parametrize(
    ("height", "width"),
    [
        ("x.shape[3] * 2", "x.shape[2] * 2"),
        ("y.shape[2] * 2", "y.shape[3] * 2"),
        ("x.shape[2] // 3", "x.shape[3] // 3"),
        ("x.shape[2] * y.shape[1]", "x.shape[3] * y.shape[1]"),
    ],
)
def test_other_sizes_are_no_scales(height: str, width: str) -> None:
    assert "scale_" not in fixed(RESIZE.format(height, width), unsafe=True)
