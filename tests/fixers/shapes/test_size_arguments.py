"""Helpers that are given sizes of tensors."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

HEAD = """from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units, heads, **kwargs):
        super().__init__(**kwargs)
        self._heads = heads
        self._dim = units // heads
        self.query = nn.Dense(units, flatten=False)

"""
FORWARD = "    def hybrid_forward(self, F, x, y):\n"


def fixed(helper: str, body: str, *, unsafe: bool = False) -> str:
    text = f"{HEAD}    {helper}\n\n{FORWARD}        {body}\n"
    return fixed_text(text, unsafe=unsafe).partition("flatten=False)\n\n")[2]


SPLIT = "def {name}(self, x, batch):\n        return x.reshape((batch, -1, self._heads, self._dim))"


def test_a_size_of_the_helpers_own_tensor_is_read_there() -> None:
    text = fixed(SPLIT.format(name="_split"), "b, t, c = x.shape\n        return self._split(self.query(x), b)")
    assert "def _split(self, x):\n        return x.reshape((0, -1, self._heads, self._dim))\n" in text
    assert text.endswith(f"{FORWARD}        return self._split(self.query(x))\n")


def test_callers_elsewhere_may_give_a_public_helper_the_size() -> None:
    body = "b, t, c = x.shape\n        return self.split(self.query(x), b)"
    assert "def split(self, x, batch):" in fixed(SPLIT.format(name="split"), body)
    assert "def split(self, x):" in fixed(SPLIT.format(name="split"), body, unsafe=True)


def test_every_call_must_give_that_size() -> None:
    body = "return self._split(self.query(x), x.shape[0]) + self._split(y, x.shape[1])"
    assert "def _split(self, x, batch):" in fixed(SPLIT.format(name="_split"), body, unsafe=True)


def test_heads_beside_the_batch_divide_it() -> None:
    helper = (
        "def _merged(self, x, batch):\n"
        "        x = x.reshape((batch, self._heads, -1, self._dim))\n"
        "        return x.transpose((0, 2, 1, 3)).reshape((batch, -1, self._heads * self._dim))"
    )
    body = (
        "b, t, c = x.shape\n"
        "        x = x.reshape((b, t, self._heads, -1)).transpose((0, 2, 1, 3))\n"
        "        return self._merged(x.reshape((b * self._heads, t, -1)), b)"
    )
    text = fixed(helper, body)
    assert (
        "def _merged(self, x):\n        x = x.reshape((0, -3)).reshape((-4, -1, self._heads, -4, -1, self._dim))"
        in text
    )


KINDS = {
    "an axis": (
        "def _steps(self, F, n):\n        return F.arange(n)",
        "return F.broadcast_add(x, self._steps(F, x.shape[1]))",
        "def _steps(self, F, like):\n        return F.contrib.arange_like(like",
        "self._steps(F, x)",
    ),
    "by its name": (
        "def _steps(self, F, n):\n        return F.arange(n)",
        "return F.broadcast_add(x, self._steps(F, n=x.shape[1]))",
        "def _steps(self, F, like):\n        return F.contrib.arange_like(like",
        "self._steps(F, like=x)",
    ),
    "the whole shape": (
        "def _noise(self, F, shape):\n        return F.zeros(shape)",
        "return x + self._noise(F, x.shape)",
        "def _noise(self, F, like):\n        return F.zeros_like(like)",
        "self._noise(F, x)",
    ),
    "several axes": (
        "def _resize(self, F, y, size):\n        return F.contrib.BilinearResize2D(y, height=size[0], width=size[1])",
        "return self._resize(F, y, x.shape[2:])",
        'def _resize(self, F, y, like):\n        return F.contrib.BilinearResize2D(y, F.BlockGrad(like), mode="like")',
        "self._resize(F, y, x)",
    ),
    "several axes, unpacked": (
        "def _resize(self, F, y, size):\n"
        "        h, w = size\n"
        "        return F.contrib.BilinearResize2D(y, height=h, width=w)",
        "return self._resize(F, y, x.shape[2:])",
        'def _resize(self, F, y, like):\n        return F.contrib.BilinearResize2D(y, F.BlockGrad(like), mode="like")',
        "self._resize(F, y, x)",
    ),
}


@pytest.mark.parametrize(("helper", "body", "head", "call"), KINDS.values(), ids=KINDS.keys())
def test_the_tensor_is_given_in_the_place_of_its_size(helper: str, body: str, head: str, call: str) -> None:
    text = fixed(helper, body, unsafe=True)
    assert head in text
    assert call in text


def test_a_helper_of_other_kinds_of_sizes_stays_as_it_is() -> None:
    helper = "def _steps(self, F, n):\n        return F.arange(n)"
    body = "return F.broadcast_add(x, self._steps(F, x.shape[1])) + F.sum(self._steps(F, 3))"
    assert "def _steps(self, F, n):" in fixed(helper, body, unsafe=True)
