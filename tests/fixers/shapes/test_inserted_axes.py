"""Reshapes to the tensor's own shape with an axis more: expand_dims where the axis is certain, else left alone."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "first": ("return x.reshape((1, *x.shape))", "return F.expand_dims(x, axis=0)"),
    "last": ("return x.reshape((*x.shape, 1))", "return F.expand_dims(x, axis=-1)"),
    "by a function": ("return F.reshape(x, shape=[*x.shape, 1])", "return F.expand_dims(x, axis=-1)"),
    "as arguments": ("return x.reshape(1, *x.shape)", "return F.expand_dims(x, axis=0)"),
    "shapes added": ("return x.reshape((1,) + x.shape) * 2", "return F.expand_dims(x, axis=0) * 2"),
    "of a sum": ("return (x + 1).reshape((1, *(x + 1).shape))", "return F.expand_dims(x + 1, axis=0)"),
    "behind the first axis": (
        "return x.reshape((x.shape[0], 1, *x.shape[1:]))",
        "return F.expand_dims(x, axis=1)",
    ),
    "before the last axis": ("return x.reshape((*x.shape[:-1], 1, x.shape[-1]))", "return F.expand_dims(x, axis=-2)"),
    "with a comment": (
        """
        return x.reshape(
            (1, *x.shape)  # one image
        )
        """,
        """
        return F.expand_dims(
            x,  # one image
            axis=0,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_unsafe_if_the_tensor_may_have_too_few_axes() -> None:
    body = "return x.reshape(x.shape[:2] + (1,) + x.shape[2:])"
    assert fixed(body) == body
    assert fixed(body, unsafe=True) == "return F.expand_dims(x, axis=2)"


def test_a_starred_setting_stays_beside_codes() -> None:
    assert fixed("return x.reshape((x.shape[0], *self.sizes))") == "return x.reshape((0, *self.sizes))"


REFUSED = {
    "a number that is not one": "return x.reshape((2, *x.shape[1:]))",
    "an axis left out": "return x.reshape((1, *x.shape[1:]))",
    "two axes inserted": "return x.reshape((1, *x.shape, 1))",
    "another tensor's shape": "return y.reshape((1, *x.shape))",
    "the rest as arguments": "return x.reshape(*x.shape[:2], -1)",
    "behind a starred setting": "return x.reshape((*self.lead, x.shape[1]))",
    "broadcast to a starred shape": "return F.broadcast_to(y, (4, *x.shape[1:]))",
    "zeros of a starred shape": "return x + F.zeros((1, *x.shape))",
    "sliced to a starred shape": "return F.slice(y, begin=(0, 0), end=(*x.shape[:2],))",
    "tiled by a starred shape": "return F.tile(y, reps=(*x.shape[:1], 1))",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True) == body
