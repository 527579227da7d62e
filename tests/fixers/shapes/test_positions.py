"""Positions along an axis whose size is read: arange and linspace."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.shapes.positions import PositionRow, row_of
from tests.fixers.bodies import fixed, lines

ROWS = {
    "x.shape[1]": PositionRow("x", 1),
    "0, x.shape[1]": PositionRow("x", 1),
    "0, x.shape[1], 1": PositionRow("x", 1),
    "1, x.shape[1] + 1": PositionRow("x", 1, start=1),
    "-2, len(x) - 2": PositionRow("x", 0, start=-2),
    "x.shape[1] - 1, -1, -1": PositionRow("x", 1, downwards=True),
    "x.shape[1], 0, -1": PositionRow("x", 1, start=1, downwards=True),
    "1, x.shape[1]": None,
    "0, x.shape[1], 2": None,
    "x.shape[1], -1, -1": None,
    "x.shape[1] * 2": None,
    "n": None,
}


@pytest.mark.parametrize(("arguments", "row"), ROWS.items(), ids=ROWS.keys())
def test_rows(arguments: str, row: PositionRow | None) -> None:
    call = ast.parse(f"f({arguments})", mode="eval").body
    assert isinstance(call, ast.Call)
    assert row_of(call.args) == row


SAFE = {
    "from one on": (
        "return x * F.arange(1, x.shape[1] + 1)",
        "return F.broadcast_mul(x, F.contrib.arange_like(x, axis=1, start=1))",
    ),
    "downwards": (
        "return x * F.arange(x.shape[1] - 1, -1, -1)",
        "return F.broadcast_mul(x, F.flip(F.contrib.arange_like(x, axis=1), axis=0))",
    ),
    "of a dtype that may be another": (
        "return x, F.arange(x.shape[1])",
        'return x, F.contrib.arange_like(x.astype("float32"), axis=1)',
    ),
    "that meet the tensor in a concat": (
        "z = F.arange(x.shape[1]).reshape((1, -1))\nreturn F.concat(x, z * 2, dim=0)",
        "z = F.contrib.arange_like(x, axis=1).reshape((1, -1))\nreturn F.concat(x, z * 2, dim=0)",
    ),
    "reshaped to a column": (
        "n = x.shape[1]\nreturn x * F.arange(n).reshape((1, n, 1))",
        "return F.broadcast_mul(x, F.contrib.arange_like(x, axis=1).reshape((1, -1, 1)))",
    ),
    "as many as two axes have together": (
        "b, h, w = x.shape\nz = x.reshape((b, h * w))\nreturn z * F.arange(h * w)",
        "z = x.reshape((0, -3))\nreturn F.broadcast_mul(z, F.contrib.arange_like(z, axis=1))",
    ),
    "up to a multiple of a size": (
        "n = x.shape[0]\nreturn F.concat(x, y, dim=0) * F.arange(2 * n).expand_dims(1)",
        """
        return F.broadcast_mul(
            F.concat(x, y, dim=0),
            F.contrib.arange_like(F.repeat(F.contrib.arange_like(x, axis=0), repeats=2), axis=0).expand_dims(1),
        )
        """,
    ),
    "from a size up to a multiple": (
        "n = x.shape[1]\nreturn x * F.arange(n, 2 * n)",
        """
        return F.broadcast_mul(
            x, F.broadcast_add(F.contrib.arange_like(x, axis=1, start=1), F.max(F.contrib.arange_like(x, axis=1)))
        )
        """,
    ),
    "from one size up to that of another axis": (
        "return x * F.arange(x.shape[1], y.shape[1])",
        "return x * F.arange(x.shape[1], y.shape[1])",
    ),
    "in an array": (
        "return x, nd.array(range(1, x.shape[1] + 1))",
        'return x, F.contrib.arange_like(x.astype("float32"), axis=1, start=1)',
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


SPACED = {
    "divided by the last one": (
        "n = x.shape[1]\nreturn x * (F.arange(n) / (n - 1))",
        """
        return F.broadcast_mul(
            x, F.broadcast_div(F.contrib.arange_like(x, axis=1), F.max(F.contrib.arange_like(x, axis=1)))
        )
        """,
    ),
    "in a name": (
        "z = F.linspace(-1, 1, x.shape[1])  # to the right\nreturn x * z",
        """
        z = F.contrib.arange_like(x, axis=1)
        z = F.broadcast_div(z, F.maximum(F.max(z), 1)) * 2 - 1  # to the right
        return x * z
        """,
    ),
    "from 0 to 1": (
        "z = F.linspace(0, 1, len(x))\nreturn x * z",
        """
        z = F.contrib.arange_like(x, axis=0)
        z = F.broadcast_div(z, F.maximum(F.max(z), 1))
        return x * z
        """,
    ),
    "between settings, in place": (
        "return F.relu(F.linspace(self.a, 0.5, num=y.shape[1]))",
        """
        return F.relu(
            F.broadcast_div(
                F.contrib.arange_like(y.astype("float32"), axis=1),
                F.maximum(F.max(F.contrib.arange_like(y.astype("float32"), axis=1)), 1),
            )
            * (0.5 - self.a)
            + self.a
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SPACED.values(), ids=SPACED.keys())
def test_spaced_out(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert "shape[" in fixed(before) or "len(" in fixed(before)


def test_in_numpy_mode() -> None:
    before = "z = F.np.linspace(-1, 1, x.shape[1])\nreturn x * z"
    after = "z = F.npx.arange_like(x, axis=1)\nz = z / F.np.maximum(F.np.max(z), 1) * 2 - 1\nreturn x * z"
    assert fixed(before, unsafe=True, numpy=True) == after
