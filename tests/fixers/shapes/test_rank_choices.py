"""Branches on the number of axes of lengths, which one assignment replaces."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

LEGACY = {
    "repeated, or flat": (
        "if y.ndim == 1:\n    y = y.repeat(x.shape[1], axis=0)\nelse:\n    y = y.reshape((-1,))\nreturn y * 2",
        """
        y = F.broadcast_like(
            F.reshape(y, (0, -1, 1)), F.slice_axis(F.reshape(x, (0, 0, -1)), axis=2, begin=0, end=1)
        ).reshape((-1,))
        return y * 2
        """,
    ),
    "inside another branch": (
        "if y is not None:\n    if y.ndim == 1:\n        y = F.tile(y, 4)\n    else:\n        y = F.tile(y, (4, 1))",
        "if y is not None:\n    y = F.concat(*[y] * 4, dim=0)",
    ),
    "tiled": (
        "if y.ndim == 1:\n    y = F.tile(y, 4)\nelse:\n    y = F.tile(y, (4, 1))\nreturn y * 2",
        "y = F.concat(*[y] * 4, dim=0)\nreturn y * 2",
    ),
}


@pytest.mark.parametrize(("before", "after"), LEGACY.values(), ids=LEGACY.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == before


def test_numpy_mode() -> None:
    before = "if len(y.shape) == 1:\n    y = F.np.repeat(y, x.shape[1])\nelse:\n    y = y.reshape(-1)\nreturn y * 2"
    row = "F.np.zeros_like(F.npx.arange_like(x, axis=1))"
    assert fixed(before, unsafe=True, numpy=True) == (
        f"y = (F.npx.reshape(y, (-2, -1)) + {row}).reshape(-1)\nreturn y * 2"
    )


LEFT = {
    "another number of axes": "if y.ndim == 2:\n    y = y.repeat(x.shape[1])\nelse:\n    y = y.reshape((-1,))",
    "another name": "if y.ndim == 1:\n    y = y.repeat(x.shape[1])\nelse:\n    m = y.reshape((-1,))\nreturn y * 2",
    "a matrix that stays one": "if y.ndim == 1:\n    y = y.repeat(x.shape[1])\nelse:\n    y = y.reshape((0, -1))",
    "other numbers of tiles": "if y.ndim == 1:\n    y = F.tile(y, 4)\nelse:\n    y = F.tile(y, (3, 1))\nreturn y * 2",
    "columns tiled": "if y.ndim == 1:\n    y = F.tile(y, 4)\nelse:\n    y = F.tile(y, (4, 2))\nreturn y * 2",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_others_are_left(body: str) -> None:
    assert "y.ndim" in fixed(body, unsafe=True)
