"""Guards on the number of axes that add one, at either end."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

LEGACY = {
    "the first axis": (
        "if x.ndim == 2:\n    x = x.expand_dims(0)\nreturn x * 2",
        "x = F.reshape(x, (-1, 0, 0), reverse=True)\nreturn x * 2",
    ),
    "the first axis, by a function, where fewer are asked for": (
        "if len(x.shape) < 4:  # one image\n    x = F.expand_dims(x, axis=0)\nreturn x * 2",
        "# one image\nx = F.reshape(x, (-1, 0, 0, 0), reverse=True)\nreturn x * 2",
    ),
    "the last axis": (
        "if y.ndim == 1:\n    y = y.expand_dims(axis=-1)\nreturn y * 2",
        "y = F.reshape(y, (0, -1))\nreturn y * 2",
    ),
    "the last axis by its number": (
        "if y.ndim != 3:\n    y = F.expand_dims(y, 2)\nreturn y * 2",
        "y = F.reshape(y, (0, 0, -1))\nreturn y * 2",
    ),
}


@pytest.mark.parametrize(("before", "after"), LEGACY.values(), ids=LEGACY.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after
    assert fixed(before) == before


def test_numpy_mode() -> None:
    before = "if x.ndim == 2:\n    x = F.np.expand_dims(x, 0)\nreturn x * 2"
    assert fixed(before, unsafe=True, numpy=True) == "x = F.npx.reshape(x, (-1, -2, -2), reverse=True)\nreturn x * 2"


LEFT = {
    "an axis between": "if x.ndim == 2:\n    x = x.expand_dims(1)\nreturn x * 2",
    "an else": "if x.ndim == 2:\n    x = x.expand_dims(0)\nelse:\n    x = x * 3\nreturn x * 2",
    "another tensor": "if y.ndim == 2:\n    x = x.expand_dims(0)\nreturn x * 2",
    "more axes": "if x.ndim > 2:\n    x = x.expand_dims(0)\nreturn x * 2",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str) -> None:
    assert "reverse" not in fixed(body, unsafe=True)
