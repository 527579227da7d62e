"""Tensors that are tiled to the sizes of others; more of them are in test_sized_calls.py."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

SAFE = {
    "a row, and its columns": (
        "z = F.ones((1, 3))\nreturn F.concat(x, F.tile(z, reps=(x.shape[0], 2)))",
        "z = F.ones((1, 3))\n"
        "return F.concat(x, F.tile(F.broadcast_like(z, x, lhs_axes=(0,), rhs_axes=(0,)), reps=(1, 2)))",
    ),
    "a row": (
        "z = F.ones((1, 3))\nreturn F.broadcast_mul(x, F.tile(z, reps=(x.shape[0], 1)))",
        "z = F.ones((1, 3))\nreturn F.broadcast_mul(x, F.broadcast_like(z, x, lhs_axes=(0,), rhs_axes=(0,)))",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_tiled(before: str, after: str) -> None:
    assert fixed(before) == after


def test_an_axis_that_keeps_its_size_needs_no_broadcast() -> None:
    before = "z = F.ones((1, 1, 3))\nreturn F.concat(x, F.broadcast_to(z, shape=(x.shape[0], 0, 0)), dim=1)"
    after = "z = F.ones((1, 1, 3))\nreturn F.concat(x, F.broadcast_like(z, x, lhs_axes=(0,), rhs_axes=(0,)), dim=1)"
    assert fixed(before) == after


REPEATED = {
    "a row": (
        "z = F.ones((1, 3))\nreturn F.concat(x, F.repeat(z, repeats=x.shape[0], axis=0), dim=1)",
        "z = F.ones((1, 3))\nreturn F.concat(x, F.broadcast_like(z, x, lhs_axes=(0,), rhs_axes=(0,)), dim=1)",
    ),
    "a column of a reshape": (
        "z = y.reshape((-1, 8, 1))\nreturn F.concat(x, z.repeat(x.shape[2], axis=2), dim=1)",
        "z = y.reshape((-1, 8, 1))\nreturn F.concat(x, F.broadcast_like(z, x, lhs_axes=(2,), rhs_axes=(2,)), dim=1)",
    ),
    "an axis of another size": (
        "z = F.ones((2, 3))\nreturn F.concat(x, F.repeat(z, repeats=x.shape[0], axis=0), dim=1)",
        "z = F.ones((2, 3))\nreturn F.concat(x, F.reshape("
        "F.broadcast_like(F.expand_dims(z, axis=1), x, lhs_axes=(1,), rhs_axes=(0,)), (-3, -2)), dim=1)",
    ),
}


@pytest.mark.parametrize(("before", "after"), REPEATED.values(), ids=REPEATED.keys())
def test_repeated(before: str, after: str) -> None:
    assert "".join(fixed(before).split()) == "".join(after.split())


def test_a_dimension_that_a_reduction_kept() -> None:
    before = "z = F.max(y, axis=2, keepdims=True)\nreturn F.concat(x, F.tile(z, reps=(1, 1, x.shape[2])), dim=1)"
    after = (
        "z = F.max(y, axis=2, keepdims=True)\n"
        "return F.concat(x, F.broadcast_like(z, x, lhs_axes=(2,), rhs_axes=(2,)), dim=1)"
    )
    assert fixed(before, unsafe=True) == after
    assert fixed(before) == before


OTHERS = {
    "an array of numpy": (
        "import numpy as np\nz = np.eye(3).reshape((1, 9)).repeat(x.shape[0], axis=0)\n"
        "return F.relu(x) + mx.nd.array(z)"
    ),
    "two rows": "z = F.arange(6).reshape((2, 3))\nreturn x + F.tile(z, reps=(x.shape[0], 1))",
    "one more axis": "z = F.arange(3).reshape((1, 3))\nreturn x + F.tile(z, reps=(x.shape[0], 1, 1))",
    "another kept dimension": "z = F.max(y, axis=1, keepdims=True)\nreturn F.concat(x, F.tile(z, (1, 1, x.shape[2])))",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_left_alone(body: str) -> None:
    assert "broadcast_like" not in fixed(body, unsafe=True)


def test_a_vector_is_tiled_along_a_new_axis() -> None:
    before = "z = F.arange(6)\nreturn F.broadcast_add(y, F.tile(z, (x.shape[2],)))"
    after = """
    z = F.arange(6)
    return F.broadcast_add(
        y,
        F.reshape(
            F.broadcast_like(F.expand_dims(z, axis=0), x, lhs_axes=(0,), rhs_axes=(2,)), (-1,)
        ),
    )
    """
    assert "".join(fixed(before).split()) == "".join(after.split()).replace(",),)", ",))").replace("),)", "))")
