"""Sizes of tensors in numpy mode: what is written where a tensor is cut, filled, tiled or divided by them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

UNSAFE = {
    "a cut": (
        "return x + y[:, :x.shape[1], :]",
        "return x + F.np.take(y, F.npx.arange_like(x, axis=1), axis=1)",
    ),
    "a cut of the first axis": (
        "return x + y[: x.shape[1]]",
        "return x + F.np.take(y, F.npx.arange_like(x, axis=1), axis=0)",
    ),
    "a root of the last size": (
        "d = x.shape[-1]\nreturn F.npx.batch_dot(x, y, transpose_b=True) / math.sqrt(d)",
        """
        return F.npx.batch_dot(x, y, transpose_b=True) / F.np.sqrt(
            F.np.sum(F.np.ones_like(F.npx.arange_like(x, axis=-1)))
        )
        """,
    ),
    "a power": (
        "return F.np.dot(x, y) * x.shape[1] ** -0.5",
        "return F.np.dot(x, y) * F.np.sum(F.np.ones_like(F.npx.arange_like(x, axis=1))) ** -0.5",
    ),
    "a mask of what came before": (
        "n = x.shape[1]\nmask = np.tril(np.ones((n, n)))\nreturn F.np.where(mask, y, -1e9 * F.np.ones_like(y))",
        """
        mask = (F.np.expand_dims(F.npx.arange_like(x, axis=1), 1) >= F.npx.arange_like(x, axis=1)).astype("float32")
        return F.np.where(mask, y, -1e9 * F.np.ones_like(y))
        """,
    ),
    "a mask of what comes": (
        "return y * F.np.triu(F.np.ones((x.shape[1], x.shape[1])), k=1)",
        """
        return y * (F.np.expand_dims(F.npx.arange_like(x, axis=1), 1) < F.npx.arange_like(x, axis=1)).astype("float32")
        """,
    ),
    "positions of ones": (
        "return F.npx.one_hot(y, x.shape[1])",
        """
        return (F.np.expand_dims(y.astype("float32"), -1) == F.npx.arange_like(x, axis=1)).astype("float32")
        """,
    ),
    "a unit matrix": (
        "return F.np.multiply(y, F.np.eye(len(x)))",
        """
        return F.np.multiply(
            y, (F.np.expand_dims(F.npx.arange_like(x, axis=0), 1) == F.npx.arange_like(x, axis=0)).astype("float32")
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)


SAFE = {
    "zeros of its shape": ("return x * y + F.np.zeros(x.shape)", 'return x * y + F.np.zeros_like(x).astype("float32")'),
    "ones for its rows": (
        "return F.np.concatenate([x, y, F.np.ones((x.shape[0], 3))], axis=1)",
        """
        return F.np.concatenate(
            [x, y, F.np.ones_like(F.np.tile(F.npx.arange_like(x, axis=0).reshape(-1, 1), (1, 3))).astype("float32")],
            axis=1,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    """Zeros and ones are in single precision, whatever `x` is in."""
    assert fixed(before, numpy=True) == lines(after)


REFUSED = {
    "a cut that begins behind the first": "return x + y[:, 1:x.shape[1]]",
    "a cut beside another": "return x + y[2, :x.shape[1]]",
    "a tensor of unknown rows": "return F.np.concatenate([x, F.np.tile(y, (x.shape[0], 1, 1))], axis=1)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True, numpy=True) == body


BLOCK = """\
import mxnet as mx
from mxnet.gluon import nn

mx.npx.set_np()


class Token(nn.HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.token = self.params.get("token", shape=(1, 1, units))

    def hybrid_forward(self, F, x, token):
        return F.np.concatenate([x, F.np.tile(token, ({rows}, 1, 1))], axis=1)
"""


@pytest.mark.parametrize("rows", ["len(x)", "x.shape[0]"])
def test_a_row_is_tiled(rows: str) -> None:
    after = "F.np.take(token, F.np.zeros_like(F.npx.arange_like(x, axis=0)), axis=0)"
    assert after in fixed_text(BLOCK.format(rows=rows))
