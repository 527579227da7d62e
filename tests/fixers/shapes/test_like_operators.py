"""Tensors made in a shape of sizes, like a tensor that has this shape."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "beside it in a choice": (
        "b, t = x.shape\nreturn F.where(x > 0, x, F.full((b, t), -1e9))",
        "return F.where(x > 0, x, F.ones_like(x) * -1e9)",
    ),
    "where sizes are read in place": (
        "return F.where(x > 0, x, F.zeros((x.shape[0], x.shape[1])))",
        "return F.where(x > 0, x, F.zeros_like(x))",
    ),
    "a mask spread to the scores": (
        """
        b, t, c = x.shape
        scores = F.batch_dot(x, x, transpose_b=True)
        at = F.contrib.arange_like(x, axis=1)
        mask = F.broadcast_lesser_equal(at.reshape((1, -1)), at.reshape((-1, 1)))
        return F.where(mask.reshape((1, t, t)).broadcast_to((b, t, t)), scores, F.full((b, t, t), -1e9))
        """,
        """
        scores = F.batch_dot(x, x, transpose_b=True)
        at = F.contrib.arange_like(x, axis=1)
        mask = F.broadcast_lesser_equal(at.reshape((1, -1)), at.reshape((-1, 1)))
        return F.where(mask.expand_dims(0).broadcast_like(scores), scores, F.ones_like(scores) * -1e9)
        """,
    ),
    "of a dtype that may be another": (
        "b, t = x.shape\nreturn x, F.zeros((b, t))",
        "return x, F.broadcast_like(F.zeros((1, 1)), x, lhs_axes=(0, 1), rhs_axes=(0, 1))",
    ),
    "of the dtype of the tensor": (
        "b, t = x.shape\nreturn F.zeros((b, t), dtype=x.dtype)",
        "return F.zeros_like(x)",
    ),
    "of its dtype by arithmetic": (
        "b, t = x.shape\nreturn x + F.ones((b, t))",
        "return x + F.ones_like(x)",
    ),
    "one size of it twice": (
        "b, t, c = x.shape\nreturn x, F.full((b, 2, c, c), 0.5)",
        "return x, F.broadcast_like(F.full((1, 2, 1, 1), 0.5), x, lhs_axes=(0, 2, 3), rhs_axes=(0, 2, 2))",
    ),
    "spread along an axis of size 1": (
        "b, t, c = x.shape\nreturn x, y.reshape((1, t, 1)).broadcast_to((b, t, c))",
        "return x, y.reshape((1, -1, 1)).broadcast_like(x)",
    ),
    "spread to a part": (
        "b, t, c = x.shape\nz = F.broadcast_to(y, (b, 1, c))\nreturn F.concat(z, x, dim=1)",
        "z = F.broadcast_like(y, F.slice_axis(x, axis=1, begin=0, end=1))\nreturn F.concat(z, x, dim=1)",
    ),
    "spread to sizes and a number": (
        "b, t = x.shape\nreturn x, y.reshape((1, t, 1)).broadcast_to((b, t, 4))",
        """
        return x, F.broadcast_like(
            F.broadcast_to(y.reshape((1, -1, 1)), shape=(0, 0, 4)), x, lhs_axes=(0,), rhs_axes=(0,)
        )
        """,
    ),
    "spread along numbers alone": (
        "n, h = x.shape\nz = x.reshape((n, h, 1)).broadcast_to((n, h, 2))\nreturn z.reshape((n, h * 2))",
        "z = F.broadcast_to(x.reshape((0, 0, 1)), shape=(0, 0, 2))\nreturn z.reshape((0, -3))",
    ),
    "after the tensor is bound again": (
        """
        b, t, c = x.shape
        x = x.transpose((0, 2, 1)).reshape((b, c, t, 1))
        return x, F.ones((b, c, t, 1), dtype='int32')
        """,
        """
        x = x.transpose((0, 2, 1)).reshape((0, 0, 0, 1))
        return x, F.broadcast_like(F.ones((1, 1, 1, 1), dtype='int32'), x, lhs_axes=(0, 1, 2), rhs_axes=(0, 1, 2))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_in_numpy_mode() -> None:
    before = "b, t, c = x.shape\nreturn x + F.np.zeros((b, t, c))"
    assert fixed(before, numpy=True, unsafe=True) == "return x + F.np.zeros_like(x)"


TOKENS = """
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.fc = nn.Dense(units, flatten=False)
        self.token = self.params.get("token", shape=(1, 1, units))

    def hybrid_forward(self, F, x, token):
        b, t, c = x.shape
        x = self.fc(x.reshape((b, t, c)))
        return F.concat(token.broadcast_to((b, 1, x.shape[2])), x, dim=1)
"""


def test_a_size_that_is_known_to_be_a_setting_is_asked_of_the_tensor_too() -> None:
    after = fixed_text(TOKENS, unsafe=True)
    assert "F.concat(token.broadcast_like(F.slice_axis(x, axis=1, begin=0, end=1)), x, dim=1)" in after


SQUARE = "return x, F.sum(F.square(x), axis=1, keepdims=True).broadcast_to((x.shape[0], x.shape[0]))"
#: The first size of the sum is that of `x`: one axis alone is spread.
ALONG_ONE = "return x, F.broadcast_like(F.sum(F.square(x), axis=1, keepdims=True), x, lhs_axes=(1,), rhs_axes=(0,))"


def test_what_is_spread_likely_has_as_many_axes_as_the_shape() -> None:
    assert fixed(SQUARE, unsafe=True) == ALONG_ONE
    # The method may add leading axes: then no fix is safe.
    assert fixed(SQUARE) == SQUARE


def test_the_safe_form_of_a_guess_takes_a_tensor_of_the_whole_shape() -> None:
    function = "n = x.shape[0]\nreturn x, F.broadcast_to(F.sum(x, axis=1, keepdims=True), (n, n))"
    assert "arange_like" in fixed(function)
    assert "arange_like" not in fixed(function, unsafe=True)
