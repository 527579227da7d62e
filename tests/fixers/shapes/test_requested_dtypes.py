"""The dtype that a call names, and tensors that are made in it."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.shapes.requested_dtypes import tensor_of_dtype
from tests.fixers.bodies import fixed

MADE = {
    "of a tensor": (
        "return F.ones((x.shape[0], y.shape[1]), dtype=y.dtype)",
        "return F.ones_like(\n"
        "    F.broadcast_like(F.reshape(F.contrib.arange_like(y, axis=1), (1, -1)), x, lhs_axes=(0,), rhs_axes=(0,))\n"
        ")",
    ),
    "by its name": (
        "return F.arange(x.shape[0], dtype='int32')",
        'return F.contrib.arange_like(x.astype("int32"), axis=0)',
    ),
    "the one that is known": (
        "z = F.cast(x, 'float32')\nreturn F.arange(z.shape[1]), z",
        "z = F.cast(x, 'float32')\nreturn F.contrib.arange_like(z, axis=1), z",
    ),
}


@pytest.mark.parametrize(("before", "after"), MADE.values(), ids=MADE.keys())
def test_made_in_it(before: str, after: str) -> None:
    assert fixed(before) == after


def test_the_tensor_whose_dtype_it_is() -> None:
    def of(text: str) -> str | None:
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        return tensor_of_dtype(call)

    assert of("F.zeros(n, dtype=x.dtype)") == "x"
    assert of("F.zeros(n, dtype='float16')") is None
    assert of("F.zeros(n)") is None
