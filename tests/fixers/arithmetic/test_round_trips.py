"""The fixer of values that go through numpy and come back as an array."""

from __future__ import annotations

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from tests.fixers.bodies import lines, module

HEAD = "import mxnet as mx\n"

#: What is measured on MXNet 1.9.1 to give the same eagerly and hybridized.
RETURNED = {
    "a reduction, in two statements": (
        """
        n = x.asnumpy().sum(axis=1)
        return F.broadcast_lesser(y, nd.array(n * 3).expand_dims(-1))
        """,
        """
        n = F.BlockGrad(x).sum(axis=1)
        return F.broadcast_lesser(y, (n * 3).expand_dims(-1))
        """,
    ),
    "functions of numpy": (
        "return x + nd.array(np.maximum(np.exp(x.asnumpy()), 2))",
        "return x + F.maximum(F.exp(F.BlockGrad(x)), 2)",
    ),
    "a clipped array": (
        "return x + nd.array(np.clip(np.abs(x.asnumpy()), 0, 1).clip(0, 2))",
        "return x + F.clip(F.abs(F.BlockGrad(x)), 0, 1).clip(0, 2)",
    ),
    "a function along an axis": (
        "return x + nd.array(np.max(y.asnumpy(), axis=1, keepdims=True))",
        "return x + F.max(F.BlockGrad(y), axis=1, keepdims=True)",
    ),
    "rows of an identity": (
        "return x * nd.array(np.eye(5)[y.asnumpy().astype(int)])",
        "return x * F.one_hot(y, 5)",
    ),
    "counts": (
        "c = np.bincount(y.asnumpy().astype('int64'), minlength=5)\nreturn x * nd.array(1.0 / (c + 1))",
        "c = F.one_hot(y, 5).sum(axis=0)\nreturn x * (1.0 / (c + 1))",
    ),
    "two that meet": (
        "a = x.asnumpy()\nb = y.asnumpy().mean(axis=0)\nreturn x * nd.array(a - b)",
        "a = F.BlockGrad(x)\nb = F.BlockGrad(y).mean(axis=0)\nreturn x * F.broadcast_sub(a, b)",
    ),
    "a comparison": (
        "m = x > 0\nreturn x * nd.array(m.asnumpy().astype('float32'))",
        "m = x > 0\nreturn x * m",
    ),
}
LEFT = {
    "another way to round": "return x + nd.array(np.round(x.asnumpy()))",
    "a sort that numpy alone has": "return nd.array(np.lexsort(x.asnumpy().T)) * y",
    "a reduction to a number of numpy": "return y * nd.array(x.asnumpy().sum())",
    "a value that goes elsewhere too": "n = x.asnumpy()\nself.seen(n)\nreturn y * nd.array(n)",
    "a value that is bound twice": "n = x.asnumpy()\nif self.a:\n    n = n[::-1]\nreturn y * nd.array(n)",
    "another dtype": "return y * nd.array(x.asnumpy() * 2, dtype='int32')",
    "elements by condition": "n = x.asnumpy()\nreturn y * nd.array(n[n > 0])",
}


def _fixed(body: str) -> str:
    source = module("import numpy as np\n" + lines(body))
    text = source.text.replace("        import numpy as np\n", "").replace(HEAD, HEAD + "import numpy as np\n")
    outcome = fix_source(type(source)(source.path, text), analyze_file, unsafe=True)
    return outcome.source.text.partition("x, y):\n")[2]


@pytest.mark.parametrize(("before", "after"), RETURNED.values(), ids=RETURNED.keys())
def test_operators_compute_what_comes_back(before: str, after: str) -> None:
    expected = "".join(f"        {line}\n" for line in lines(after).splitlines())
    assert _fixed(before).replace("F.broadcast_mul(x, ", "(x * ").replace("(x * m)", "x * m") == expected


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_what_operators_do_not_compute_the_same_stays(body: str) -> None:
    assert "asnumpy()" in _fixed(body)
