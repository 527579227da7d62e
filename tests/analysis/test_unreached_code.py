"""Hybrid code that no block of the file reaches: distributions, losses, helpers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.test_templates import rows

HEAD = "from mxnet import nd\n\n\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def rows(F, x):\n    return F.reshape(x, shape=(x.shape[0], -1))\n", [("HYB101", 5)]),
        ("def twice(F, x: nd.NDArray):\n    return x * len(x)\n", [("HYB206", 5)]),
        ("def table(F, size):\n    return F.ones((size[0], size.shape))\n", []),
        ("def head(F, sizes):\n    return F.array(sizes)\n", [("HYB501", 5)]),
        (
            "class Mixture(Distribution):\n    def log_prob(self, x):\n        F = self.F\n"
            "        return F.where(F.logical_or(x == 0, x == 1), x.zeros_like(), x)\n",
            [("HYB501", 7)],
        ),
        (
            "class Flow(Distribution):\n    def cdf(self, y):\n        F = getF(y)\n        p = 0.0\n"
            "        for t in self.transforms:\n            p -= F.sum(y)\n        return p\n",
            [("HYB302", 9)],
        ),
        (
            "class Cached(Distribution):\n    def mean(self):\n        F = self.F\n        self.kept = F.exp(self.mu)\n"
            "        return self.kept\n",
            [],
        ),
        ("class Made:\n    def of(*args):\n        F = getF(args[0])\n        return F.array([1])\n", [("HYB501", 7)]),
        ("def eager(x):\n    F = nd\n    return F.array(x) * x.shape[0]\n", []),
    ],
    ids=[
        "shown",
        "annotated",
        "unknown",
        "lacking",
        "kept",
        "asked for",
        "an object of one trace",
        "no self",
        "arrays",
    ],
)
def test_what_is_certain_is_told(tmp_path: Path, text: str, found: list[tuple[str, int]]) -> None:
    assert rows(tmp_path, HEAD + text) == found


def test_other_code_may_call_anything_f(tmp_path: Path) -> None:
    """Here it is the matrix of a filter."""
    text = "import numpy as np\ndef predict(F, x):\n    n = F.shape[0]\n    return F.array(x), F.dot(x) * n\n"
    assert rows(tmp_path, text) == []


def test_what_a_block_reaches_is_told_once(tmp_path: Path) -> None:
    text = (
        "from mxnet.gluon import HybridBlock\ndef rows(F, x):\n    return x.shape[0]\nclass Net(HybridBlock):\n"
        "    def hybrid_forward(self, F, x):\n        return x * rows(F, x)\n"
    )
    assert rows(tmp_path, text) == [("HYB101", 3)]


def test_results_of_unknown_children_that_layers_take_are_tensors(tmp_path: Path) -> None:
    text = (
        "from mxnet.gluon import HybridBlock, nn\nfrom .common import body\nclass Net(HybridBlock):\n"
        "    def __init__(self):\n        super().__init__()\n        self.body = body(3)\n"
        "        self.activ = nn.Activation('relu')\n"
        "    def hybrid_forward(self, F, x):\n        y = self.body(x)\n        y += x\n        return self.activ(y)\n"
    )
    assert rows(tmp_path, text) == [("HYB302", 10)]


def test_products_of_matrices_are_no_columns(tmp_path: Path) -> None:
    text = (
        "from mxnet.gluon import HybridBlock\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, a, b):\n"
        "        s = a.expand_dims(axis=-1)\n        square = F.linalg_gemm2(s, s, transpose_b=True)\n"
        "        return b - square, F.linalg_trmm(square, s) - s\n"
    )
    assert rows(tmp_path, text) == []


EAGER = """\
from mxnet.gluon import HybridBlock


def trim(F, x: nd.NDArray):
    return F.slice_axis(x, axis=0, begin=0, end=len(x))


class Net(HybridBlock):
    def hybridize(self, active=True, **kwargs):
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def hybrid_forward(self, F, x):
        return trim(F, x)
"""


def test_what_only_blocks_that_stay_eager_call_gets_arrays(tmp_path: Path) -> None:
    assert rows(tmp_path, HEAD + EAGER) == []
    assert rows(tmp_path, f"{HEAD}{EAGER}\n\ndef other(F, x):\n    return trim(F, x)\n") == [("HYB206", 8)]


FILLED = """from mxnet import nd


def table(F, n):
    rows = F.zeros((n, n))
    rows[0, 0] = 1
    return rows


class Rows:
    def __init__(self, n):
        self.rows = {call}
"""


@pytest.mark.parametrize("call", ["table(nd, n)", "table(F=nd, n=n)"])
def test_what_is_called_with_the_functions_of_arrays_gets_arrays(tmp_path: Path, call: str) -> None:
    assert rows(tmp_path, FILLED.format(call=call)) == []


@pytest.mark.parametrize("call", ["n", "table(self.F, n)", "map(table, n)"])
def test_what_others_may_call_gets_symbols(tmp_path: Path, call: str) -> None:
    assert [code for code, _ in rows(tmp_path, FILLED.format(call=call))] == ["HYB205"]


GUARDED = """\
def is_eager(F):
    return F.__name__ == "mxnet.ndarray"


class State:
    def __init__(self, F, features):
        self.F = F
        self.features = features

    def is_ndarray(self):
        "Whether the object holds arrays."
        return is_eager(self.F)

    @property
    def eager(self):
        return self.F is nd

    def update(self, row):
        F = self.F
        row = F.reshape(row, shape=(1, -1))
        if GUARD:
            assert row.shape[1] == 3
        return F.concat(self.features, row, dim=0)
"""


@pytest.mark.parametrize(
    "guard", ["self.is_ndarray()", "self.eager", "is_eager(self.F)", "is_eager(F)", "self.F is nd"]
)
def test_an_object_is_asked_which_operators_it_keeps(tmp_path: Path, guard: str) -> None:
    assert rows(tmp_path, HEAD + GUARDED.replace("GUARD", guard)) == []


def test_a_question_about_something_else_is_no_guard(tmp_path: Path) -> None:
    asked = GUARDED.replace("GUARD", "self.is_first()") + "\n    def is_first(self):\n        return self.first\n"
    assert rows(tmp_path, HEAD + asked) == [("HYB101", 25)]


def test_an_annotated_tensor_that_is_none_by_default_may_be_either(tmp_path: Path) -> None:
    text = (
        "def kernel(F, x: nd.NDArray, y: nd.NDArray = None):\n    if y is None:\n        return x.shape\n"
        "    return y.shape\n"
    )
    assert rows(tmp_path, HEAD + text) == [("HYB101", 6), ("HYB101", 7)]
