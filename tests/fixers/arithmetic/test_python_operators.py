"""The fixers of operators: what they write, with comments, nesting and precedence."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "in place": ("y = x * 2\ny -= 1\nreturn y", "y = x * 2\ny = y - 1\nreturn y"),
    "in place by a sum": ("z = x * 1\nz -= 1 + 2\nreturn z", "z = x * 1\nz = z - (1 + 2)\nreturn z"),
    "in place by a product": ("z = x * 1\nz -= 3 * 2\nreturn z", "z = x * 1\nz = z - 3 * 2\nreturn z"),
    "in place by a negative number": ("z = x * 1\nz -= -2\nreturn z", "z = x * 1\nz = z - -2\nreturn z"),
    "in place by a choice": (
        "z = x * 1\nz *= 2 if self.flag else 3\nreturn z",
        "z = x * 1\nz = z * (2 if self.flag else 3)\nreturn z",
    ),
    "in place by a tensor": ("z = x * 1\nz *= y\nreturn z", "z = x * 1\nz = F.broadcast_mul(z, y)\nreturn z"),
    "in place of an alias": (
        "z = x * 1\nw = z\nz += 1\nreturn w",
        "z = x * 1\nw = z\nz = w = z + 1\nreturn w",
    ),
    "in place beside another statement": (
        "z = x * 1; z += 1  # one\nreturn z",
        "z = x * 1; z = z + 1  # one\nreturn z",
    ),
    "a comment in the value stays": (
        """
        z = x * 1
        z *= (
            2  # twice
            + 1  # and once
        )
        return z
        """,
        """
        z = x * 1
        z = z * (
            2  # twice
            + 1  # and once
        )
        return z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_out_of_place(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_arithmetic_on_an_argument_may_be_that_of_a_number() -> None:
    """``loss / (2 * batch)``: callers may give a count."""
    before = "return F.sum(F.relu(x)) / (2 * y)"
    assert fixed(before, unsafe=True) == before


BROADCAST = {
    "two tensors": ("a + b", "F.broadcast_add(a, b)"),
    "beside an operator that binds more tightly": ("(a + b) * 2", "F.broadcast_add(a, b) * 2"),
    "with a method": ("(a + b).sum()", "F.broadcast_add(a, b).sum()"),
    "nested": ("a * (a + b)", "a * F.broadcast_add(a, b)"),
    "with comments": (
        """
        (
            a  # the left one
            + b  # the right one
        )
        """,
        """
        (
            F.broadcast_add(
                a,  # the left one
                b,
            )  # the right one
        )
        """,
    ),
    "with a comment before both": (
        """
        (a +  # why
         b)
        """,
        """
        F.broadcast_add(
            a,  # why
            b,
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), BROADCAST.values(), ids=BROADCAST.keys())
def test_broadcast(before: str, after: str) -> None:
    head = "a = F.broadcast_mul(F.ones((2, 3)), x.sum())\nb = F.ones((2, 1))\nreturn "
    assert fixed(head + lines(before)) == head + lines(after)


def test_sizes_taken_from_another_tensor_are_its_sizes() -> None:
    """``F.broadcast_like(z, x)`` has the shape of `x`, whatever that of `z` is."""
    before = """
    z = F.broadcast_like(x.max(keepdims=True), x)
    low = F.where(1 - y, z, x).min(axis=self.axis, keepdims=True)
    high = F.where(1 - y, z, x).max(axis=self.axis, keepdims=True)
    return (x - low) / (high - low)
    """
    after = lines(before).replace("(x - low) / (high - low)", "F.broadcast_div(F.broadcast_sub(x, low), high - low)")
    assert fixed(lines(before)) == after


INHERITED = """\
from mxnet.gluon import HybridBlock


class Centered(HybridBlock):
    def __init__(self, axis=1):
        super().__init__()
        self.axis = axis

    def hybrid_forward(self, F, x):
        return {centered}


class Twice(Centered):
    def hybrid_forward(self, F, x, y):
        return super().hybrid_forward(F, x) + super(Twice, self).hybrid_forward(F, y)
"""


def test_a_method_that_a_subclass_calls_is_fixed_though_it_reads_its_object() -> None:
    before = INHERITED.format(centered="x - x.mean(axis=self.axis, keepdims=True)")
    after = INHERITED.format(centered="F.broadcast_sub(x, x.mean(axis=self.axis, keepdims=True))")
    assert fixed_text(before) == after


HELPED = """\
from mxnet import nd, npx
from mxnet.gluon import HybridBlock

npx.set_np()


def pinball(err, q{taken}):
    return 0.5 * {absolute} + (q - 0.5) * err


class Quantiles(HybridBlock):
    def hybrid_forward(self, F, x, y):
        return pinball(y - x, 0.9{passed})
"""


def test_helpers_get_the_operators_that_they_lack() -> None:
    before = HELPED.format(taken="", absolute="abs(err)", passed="")
    assert fixed_text(before, unsafe=True) == HELPED.format(taken=", F=nd", absolute="F.np.abs(err)", passed=", F=F")
