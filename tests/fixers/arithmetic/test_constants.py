"""The fixers of arrays that are written out."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

UNSAFE = {
    "ones": ("return x * nd.array([1, 1, 1])", "return F.broadcast_mul(x, F.ones((3,)))"),
    "one number": ("return x * nd.array([[0.5, 0.5]])", "return F.broadcast_mul(x, F.full((1, 2), 0.5))"),
    "one number with a comment": (
        """
        return x * nd.array(
            [0.5, 0.5],  # halves
        )
        """,
        """
        return F.broadcast_mul(x, F.full(  # halves
            (2,), 0.5
        ))
        """,
    ),
    "equal steps": ("return x - nd.array([3, 2, 1])", "return F.broadcast_sub(x, F.arange(3, 0, -1))"),
    "equal steps over rows": (
        "return x * nd.array([[1, 2], [3, 4]])",
        "return F.broadcast_mul(x, F.arange(1, 5).reshape((2, 2)))",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


SETTINGS = {
    "of F": (
        "return F.broadcast_mul(x, F.array(self.levels))",
        "return F.broadcast_mul(x, F.concat(*[F.full((1,), number) for number in self.levels], dim=0))",
    ),
    "of a dtype that it has anyway": (
        'z = F.array(self.levels, dtype="float32")\nreturn F.broadcast_mul(x, z)',
        "z = F.concat(*[F.full((1,), number) for number in self.levels], dim=0)\nreturn F.broadcast_mul(x, z)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SETTINGS.values(), ids=SETTINGS.keys())
def test_a_setting_of_numbers(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


def test_a_setting_of_numbers_that_is_reshaped_on_a_device() -> None:
    before = "z = nd.array(self.levels, ctx=x.context).reshape((1, 3))\nreturn F.broadcast_mul(x, z)"
    row = "F.concat(*[F.full((1,), number, ctx=x.context if F is mx.nd else None) for number in self.levels], dim=0)"
    written = "".join(fixed(before, unsafe=True).split()).replace(",)", ")").replace("],dim=0)", "],dim=0)")
    assert f"z={row}.reshape((1,3))".replace(" ", "").replace(",)", ")") in written


KNOWN = ["(0.1, 0.5, 0.9)", "[i * 0.5 for i in range(3)]", "np.linspace(0, 1, 3)"]


@pytest.mark.parametrize("levels", KNOWN)
def test_a_row_of_numbers_that_the_constructor_makes(levels: str) -> None:
    text = (
        "import mxnet as mx\nimport numpy as np\nfrom mxnet.gluon import HybridBlock\n\n\n"
        "class Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.levels = {levels}\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.broadcast_mul(x, mx.nd.array(self.levels))\n"
    )
    assert "F.full((1,), number) for number in self.levels" in fixed_text(text)


TABLES = ["ANCHORS", "((1, 2), (3, 4))"]


@pytest.mark.parametrize("default", TABLES)
def test_a_table_that_an_argument_is_by_default_stays(default: str) -> None:
    text = (
        "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\nANCHORS = [(1, 2), (3, 4)]\n\n\n"
        f"class Net(HybridBlock):\n    def __init__(self, scale=1, *, anchors={default}):\n        super().__init__()\n"
        "        self.anchors = anchors\n\n    def hybrid_forward(self, F, x):\n"
        "        return F.broadcast_mul(x, mx.nd.array(self.anchors))\n"
    )
    assert "F.concat" not in fixed_text(text, unsafe=True)


@pytest.mark.parametrize("given", ["self.levels, dtype='int32'", "y, x"])
def test_other_arrays_stay(given: str) -> None:
    assert "F.concat" not in fixed(f"return F.broadcast_mul(x, F.array({given}))", unsafe=True)


def test_a_table_of_numbers_stays() -> None:
    body = "self.table = [[1, 2], [3, 4]]\nreturn F.broadcast_mul(x, F.array(self.table))"
    assert "F.concat" not in fixed(body, unsafe=True)
