"""The fixers of iteration, length and builtins on a tensor."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "a sum of rows": ("return sum(x * 2)", "return F.sum(x * 2, axis=0)"),
    "a sum of rows with a comment": (
        """
        return sum(  # all
            x * 2
        )
        """,
        """
        return F.sum(  # all
            x * 2, axis=0
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "the larger one": ("return max(x, F.relu(x)) * 2", "return F.broadcast_maximum(x, F.relu(x)) * 2"),
    "rows with names": (
        """
        a, b = F.relu(x)
        return a + b
        """,
        """
        a, b = F.split(F.relu(x), num_outputs=2, axis=0, squeeze_axis=True)
        return a + b
        """,
    ),
    "rows with names and a comment": (
        """
        a, b = F.relu(  # rows
            x
        )
        return a + b
        """,
        """
        a, b = F.split(F.relu(  # rows
            x
        ), num_outputs=2, axis=0, squeeze_axis=True)
        return a + b
        """,
    ),
    "the first row": (
        """
        a, *rest = x  # the first
        return a
        """,
        """
        a = F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0)  # the first
        return a
        """,
    ),
    "the first rows, which make a long line": (
        """
        a, b, *rest = x  # the first
        return a + b
        """,
        """
        a, b = (
            F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0),
            F.squeeze(F.slice_axis(x, axis=0, begin=1, end=2), axis=0),
        )  # the first
        return a + b
        """,
    ),
    "the number of rows": (
        "return x * sum(1 for _ in x)",
        'return F.broadcast_mul(x, F.slice_axis(F.shape_array(x), axis=0, begin=0, end=1).astype("float32"))',
    ),
    "rows that are added up": (
        """
        total = 0
        for r in x:
            total = total + r * r  # squares
        return total
        """,
        """
        total = F.sum(x * x, axis=0)  # squares
        return total
        """,
    ),
    "rows that are added up under comments": (
        """
        total = 0
        # all rows
        for r in x:  # each
            total = total + r
        return total
        """,
        """
        # all rows
        # each
        total = F.sum(x, axis=0)
        return total
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


NUMPY = {
    "rows with names": (
        """
        a, b = x
        return a + b
        """,
        """
        a, b = x[0], x[1]
        return a + b
        """,
    ),
    "stacked rows": ("return F.np.stack([r * 2 + 1 for r in x]) * 2", "return (x * 2 + 1) * 2"),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)


HELPER = """\
from mxnet.gluon import HybridBlock


def total(values):
    return {body}


class Net(HybridBlock):
    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        return total(F.relu(x)){more}
"""


def test_a_helper_without_f_calls_the_method() -> None:
    text = HELPER.format(body="sum(values)", more="")
    assert fixed_text(text) == HELPER.format(body="values.sum(axis=0)", more="")


def test_a_helper_that_sums_lists_too_is_left() -> None:
    text = HELPER.format(body="sum(values)", more=" + total([x, x])")
    assert fixed_text(text, unsafe=True) == text
