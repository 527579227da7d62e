"""Tensors that are cut into equal parts by their own sizes become the parts of F.split."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

CUT = {
    "two halves": (
        "half = x.shape[1] // 2\nreturn x[:, :half] * F.sigmoid(x[:, half:])",
        """
        x_parts = F.split(x, num_outputs=2, axis=1)
        return x_parts[0] * F.sigmoid(x_parts[1])
        """,
    ),
    "bounds in place": (
        "a, b = x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]  # both\nreturn a * b",
        "a, b = F.split(x, num_outputs=2, axis=1)  # both\nreturn a * b",
    ),
    "the last axis": (
        "d = x.shape[-1] // 2\na, b = x[..., :d], x[..., d:]\nreturn a * b",
        "a, b = F.split(x, num_outputs=2, axis=-1)\nreturn a * b",
    ),
    "thirds of unpacked sizes": (
        "n, c, t = x.shape\nk = c // 3\nq, k, v = x[:, :k], x[:, k : 2 * k], x[:, 2 * k :]\nreturn q * k + v",
        None,
    ),
    "thirds": (
        "n, c, t = x.shape\ns = c // 3\nq, k, v = x[:, :s], x[:, s : 2 * s], x[:, 2 * s :]\nreturn q * k + v",
        "q, k, v = F.split(x, num_outputs=3, axis=1)\nreturn q * k + v",
    ),
    "a list of parts": (
        "s = x.shape[1] // 4\na, b, c, d = [x[:, i * s : (i + 1) * s] for i in range(4)]\nreturn a * b + c * d",
        "a, b, c, d = list(F.split(x, num_outputs=4, axis=1))\nreturn a * b + c * d",
    ),
    "as many parts as a setting says": (
        "s = x.shape[1] // self.n\nreturn F.stack(*[x[:, s * i : s * i + s] for i in range(self.n)])",
        "return F.stack(*list(F.split(x, num_outputs=self.n, axis=1)))",
    ),
}


@pytest.mark.parametrize(("before", "after"), CUT.values(), ids=CUT.keys())
def test_parts_of_one_size(before: str, after: str | None) -> None:
    if after is None:
        # A name that is bound again is no size any more.
        assert "F.split" not in fixed(before, unsafe=True)
    else:
        assert fixed(before, unsafe=True) == lines(after)


def test_they_need_unsafe_fixes() -> None:
    body = "half = x.shape[1] // 2\nreturn x[:, :half] * x[:, half:]"
    assert "F.split" not in fixed(body)


UNLIKE = {
    "one half alone": "half = x.shape[1] // 2\nreturn x[:, :half]",
    "parts of other sizes": "k = x.shape[1] // 3\nreturn F.concat(x[:, k:], x[:, :k], dim=1)",
    "another axis": "half = x.shape[2] // 2\nreturn x[:, :half, 1:] * x[:, half:, 1:]",
    "another tensor's size": "half = y.shape[1] // 2\nreturn x[:, :half] * x[:, half:]",
    "a size that is no share": "half = x.shape[1] - 2\nreturn F.concat(x[:, half:], x[:, :half], dim=1)",
    "steps of another size": "s = x.shape[1] // 4\nreturn F.stack(*[x[:, i * s : (i + 1) * s] for i in range(3)])",
    "a size that two does not divide": (
        "z = F.ones((2, 5))\nhalf = z.shape[1] // 2\nreturn x * z[:, :half].sum() + z[:, half:].sum()"
    ),
    "no key at all": "half = x.shape[1] // 2\nreturn x[()] * half",
    "parts that overlap": "s = x.shape[1] // 4\nreturn F.stack(*[x[:, i * s : (i + 2) * s] for i in range(4)])",
}


@pytest.mark.parametrize("body", UNLIKE.values(), ids=UNLIKE.keys())
def test_what_is_no_division_into_equal_parts(body: str) -> None:
    assert "F.split" not in fixed(body, unsafe=True)


def test_numpy_mode_splits_all_parts_at_once() -> None:
    before = "half = x.shape[1] // 2\nreturn x[:, :half] * F.npx.sigmoid(x[:, half:])"
    after = "return F.np.split(x, 2, axis=1)[0] * F.npx.sigmoid(F.np.split(x, 2, axis=1)[1])"
    assert fixed(before, unsafe=True, numpy=True) == after
    assert "F.np.split" not in fixed(before, numpy=True)


def test_one_part_in_numpy_mode_is_none_of_its_business() -> None:
    assert "F.np.split" not in fixed("half = x.shape[1] // 2\nreturn x[:, :half]", unsafe=True, numpy=True)


LAYER = """
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units, heads):
        super().__init__()
        self.units = units
        self.qkv = nn.Dense({made}, flatten=False)

    def hybrid_forward(self, F, x):
        z = self.qkv(x)
        q, k, v = {parts}
        return q * k + v
"""
OF_UNITS = "z[:, :, : self.units], z[:, :, self.units : 2 * self.units], z[:, :, 2 * self.units :]"


def test_the_units_of_a_layer_are_divided_for_sure() -> None:
    assert "q, k, v = F.split(z, num_outputs=3, axis=2)" in fixed_text(LAYER.format(made="3 * units", parts=OF_UNITS))
    assert "F.split" not in fixed_text(LAYER.format(made="4 * units", parts=OF_UNITS), unsafe=True)
    assert "F.split" not in fixed_text(LAYER.format(made="units + heads", parts=OF_UNITS), unsafe=True)


def test_a_layer_as_wide_as_its_input_times_the_parts_is_taken_for_that() -> None:
    text = LAYER.replace("z =", "b, t, c = x.shape\n        z =").replace(
        "{parts}", "z[..., :c], z[..., c:2*c], z[..., 2*c:]"
    )
    other = text.format(made="heads")
    text = text.format(made="3 * units")
    assert "F.split" not in fixed_text(text)
    assert "q, k, v = F.split(z, num_outputs=3, axis=-1)" in fixed_text(text, unsafe=True)
    assert "F.split" not in fixed_text(other, unsafe=True)
