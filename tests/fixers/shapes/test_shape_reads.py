"""Tensors made in the shape of others, with comments, nesting and precedence."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "zeros": ("return F.zeros(x.shape)", "return F.zeros_like(x)"),
    "zeros like a sum": ("return F.zeros((x + 1).shape)", "return F.zeros_like(x + 1)"),
    "with a context": ("return F.zeros(x.shape, ctx=x.context)", "return F.zeros_like(x)"),
    "full": ("return F.full(x.shape, 2)", "return F.ones_like(x) * 2"),
    "full before a power": ("return F.full(x.shape, -1) ** 2", "return (F.ones_like(x) * -1) ** 2"),
    "full of a choice": (
        "return F.full(x.shape, self.a if self.b else 2) * 2",
        "return F.ones_like(x) * (self.a if self.b else 2) * 2",
    ),
    "nested": (
        "return F.relu(F.full(x.shape, 3 + 4)).sum()",
        "return F.relu(F.ones_like(x) * (3 + 4)).sum()",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


SAFE = {
    "ones of the same dtype": ("return F.ones(x.shape, dtype=x.dtype) + y", "return F.ones_like(x) + y"),
    "broadcast_to": ("return F.broadcast_to(y + 1, x.shape)", "return F.broadcast_like(y + 1, x)"),
    "with a comment": (
        """
        return F.zeros(
            x.shape,  # as large
            dtype=x.dtype,
        )
        """,
        """
        return F.zeros_like(
            x,  # as large
        )
        """,
    ),
    "broadcast_to with comments": (
        """
        return F.broadcast_to(
            y,  # one row
            x.shape,  # all rows
        )
        """,
        """
        return F.broadcast_like(
            y,  # one row
            x,  # all rows
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


REFUSED = {
    "another dtype": "return F.zeros(x.shape, dtype='int32')",
    "a shape as a value": "return self.block(x, x.shape)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True) == body


def test_codes_that_rest_on_a_guess_go_before_a_tensor_that_is_made_for_its_shape() -> None:
    body = "z = self.up(x.mean(axis=(2, 3)))\nreturn z.reshape((x.shape[0], x.shape[1], 1, 1)) * y"
    assert "F.broadcast_mul(z.reshape((0, -1, 1, 1)), y)" in fixed(body, unsafe=True)
    safe = fixed(body)
    assert "F.reshape_like(" in safe
    assert ".shape" not in safe
