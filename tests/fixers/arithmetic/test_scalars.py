"""The fixers of tensors that are read as Python numbers."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "asscalar": ("return x * x.sum().asscalar()", "return F.broadcast_mul(x, F.BlockGrad(x.sum()))"),
    "float": ("return x * float(x.sum())", "return F.broadcast_mul(x, F.BlockGrad(x.sum()))"),
    "int": ("return x * int(x.sum())", "return F.broadcast_mul(x, F.trunc(F.BlockGrad(x.sum())))"),
    "int with a comment": (
        """
        return x * int(
            x.sum()  # rounded
        )
        """,
        """
        return F.broadcast_mul(
            x,
            F.trunc(F.BlockGrad(x.sum())),  # rounded
        )
        """,
    ),
    "a power": ("return x ** x.sum().asscalar()", "return F.broadcast_power(x, F.BlockGrad(x.sum()))"),
    "in a sum": (
        "return 2 - (x + 1).sum().asscalar() * x",
        "return 2 - F.broadcast_mul(F.BlockGrad((x + 1).sum()), x)",
    ),
    "a number that fills": (
        "return F.full((2, 3), x.sum().asscalar())",
        'return F.broadcast_mul(F.ones((2, 3)), F.BlockGrad(x.sum()).astype("float32"))',
    ),
    "a count of at least one, at once": (
        "return x / max(x.sum().asscalar(), 1.0)",
        "return F.broadcast_div(x, F.maximum(F.BlockGrad(x.sum()), 1.0))",
    ),
    "a number of at most one": (
        "return x * min(1, x.sum().asscalar())",
        "return F.broadcast_mul(x, F.minimum(1, F.BlockGrad(x.sum())))",
    ),
    "a condition": (
        "y = x if bool(x.sum() > 0) else -x\nreturn y",
        "y = F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x, -x)\nreturn y",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "a count of at least one with a name": (
        "n = max(1.0, y.sum().asscalar())\nreturn x / n",
        "n = F.maximum(1.0, F.BlockGrad(y.sum()))\nreturn F.broadcast_div(x, n)",
    ),
    "a number with a name": (
        """
        n = x.sum().asscalar()
        return x * n
        """,
        """
        n = F.BlockGrad(x.sum())
        return F.broadcast_mul(x, n)
        """,
    ),
    "a count of at least one": (
        """
        n = (y > 0).sum().asscalar()
        return x / max(n, 1.0)
        """,
        """
        n = F.BlockGrad((y > 0).sum())
        return F.broadcast_div(x, F.maximum(n, 1.0))
        """,
    ),
    "beside a sign": ("return -x.mean().asscalar() * x", "return F.broadcast_mul(-F.BlockGrad(x.mean()), x)"),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


HELPER = """
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    @staticmethod
    def _count({head}mask):
        return {count}

    def hybrid_forward(self, F, x, y):
        return x.sum() / self._count({given}y) {rest}
"""


def test_a_helper_returns_what_all_its_callers_divide_by() -> None:
    before = HELPER.format(head="", count="max(mask.sum().asscalar(), 1.0)", given="", rest="+ 1").lstrip()
    after = HELPER.format(head="F, ", count="F.maximum(F.BlockGrad(mask.sum()), 1.0)", given="F, ", rest="+ 1").lstrip()
    assert fixed_text(before, unsafe=True) == after


def test_a_helper_whose_number_is_used_otherwise_keeps_it() -> None:
    text = HELPER.format(head="", count="max(mask.sum().asscalar(), 1.0)", given="", rest="+ int(self._count(x))")
    assert "asscalar" in fixed_text(text.lstrip(), unsafe=True)
