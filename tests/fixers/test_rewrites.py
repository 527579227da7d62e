"""Fixers on single bodies: what is written, and whether it is safe."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock\n\n\n"

SAFE = {
    "reshape codes": ("return x.reshape((x.shape[0], -1))", "return x.reshape((0, -1))"),
    "merged dimensions": ("return x.reshape((x.shape[0] * x.shape[1], -1))", "return x.reshape((-3, -1))"),
    "a size without a code": ("return x.reshape((x.shape[0], x.shape[2] * 2))", "return x.reshape((0, -1))"),
    "reshape to another's shape": ("return x.reshape(y.shape)", "return x.reshape_like(y)"),
    "several integers": ("return x.reshape(0, -1)  # kept", "return x.reshape((0, -1))  # kept"),
    "positions": (
        "return F.arange(x.shape[1]) + x.sum()",
        "return F.broadcast_add(F.contrib.arange_like(x, axis=1), x.sum())",
    ),
    "broadcast to a shape": ("return F.broadcast_to(y, x.shape)", "return F.broadcast_like(y, x)"),
    "transpose": ("return (x + 1).T", "return (x + 1).transpose()"),
    "detach": ("return x.detach() * 2", "return F.BlockGrad(x) * 2"),
    "column": ("return x[:, 0]", "return F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)"),
    "column with a comment": (
        "return x[  # why\n    :, 0]",
        "return F.squeeze(\n    F.slice_axis(x, axis=1, begin=0, end=1),  # why\n    axis=1,\n)",
    ),
    "last": ("return x[..., -1]", "return F.squeeze(F.slice_axis(x, axis=-1, begin=-1, end=None), axis=-1)"),
    "new axis": ("return x[:, None]", "return F.expand_dims(x, axis=1)"),
    "range of a column": ("return x[:, 1:3]", "return F.slice(x, begin=(None, 1), end=(None, 3))"),
    "in place": ("y = x * 2\ny -= 1\nreturn y", "y = x * 2\ny = y - 1\nreturn y"),
    "in place of an alias": (
        "z = x * 1\nw = z\nz += 1\nreturn w",
        "z = x * 1\nw = z\nz = w = z + 1\nreturn w",
    ),
    "in place by a tensor": ("z = x * 1\nz *= y\nreturn z", "z = x * 1\nz = F.broadcast_mul(z, y)\nreturn z"),
    "out": ("z = F.zeros_like(x)\nF.relu(x, out=z)\nreturn z", "z = F.zeros_like(x)\nz = F.relu(x)\nreturn z"),
    "nd": ("return mx.nd.relu(x)", "return F.relu(x)"),
    "choice": (
        "return x * 2 if x.sum() > 0 else x * 3",
        "return F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x * 3)",
    ),
    "sum of rows": ("return sum(F.relu(x))", "return F.sum(F.relu(x), axis=0)"),
    "paused": (
        "with autograd.pause():\n    a = x * 2  # one\n    b = a + 1\nreturn b * x",
        "with autograd.pause():\n    a = x * 2  # one\n    b = F.BlockGrad(a + 1)\nreturn b * x",
    ),
    "number of rows": (
        "return x / len(x)",
        "return F.broadcast_div(x, F.sum(F.ones_like(F.contrib.arange_like(x, axis=0))))",
    ),
}
UNSAFE = {
    "sum of what may be a list": ("return sum(x)", "return F.sum(x, axis=0)"),
    "row of what may be a list": (
        "return x[1]",
        "return F.squeeze(F.slice_axis(x, axis=0, begin=1, end=2), axis=0)",
    ),
    "operators around a row": (
        "return x[1] * y",
        "return F.broadcast_mul(F.squeeze(F.slice_axis(x, axis=0, begin=1, end=2), axis=0), y)",
    ),
    "accumulation": (
        "total = 0\nfor row in x:\n    total = total + row * row\nreturn total",
        "total = F.sum(x * x, axis=0)\nreturn total",
    ),
}

UNTOUCHED = {
    "static subscript": "sizes = [1, 2]\nreturn x * sizes[0]",
    "counter": "n = 1\nn += 1\nreturn x * n",
    "outputs of an operator": "return F.split(x, num_outputs=2)[0]",
}


def module(body: str) -> SourceFile:
    head = f"{HEAD}class Net(HybridBlock):\n    def hybrid_forward(self, F, x, y):\n"
    return SourceFile(Path("net.py"), f"{head}{textwrap.indent(body, ' ' * 8)}\n")


def fixed(body: str, *, unsafe: bool) -> str:
    outcome = fix_source(module(body), analyze_file, unsafe=unsafe)
    assert fix_source(outcome.source, analyze_file, unsafe=unsafe).source.text == outcome.source.text
    return textwrap.dedent(outcome.source.text.partition("):\n")[2].partition("):\n")[2]).rstrip("\n")


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before, unsafe=False) == after


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after
    assert fixed(before, unsafe=False) == before


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body


ALIASED = {
    "a row that is changed in place": "z = x * 1\nrow = z[0]\nrow += 1\nreturn z",
    "a part written into": "z = x * 1\npart = z.reshape((-1,))\npart[:] = 2\nreturn z * y",
    "an alias in one branch": "z = x * 1\nw = y * 1\nif self.flag:\n    w = z\nw += 1\nreturn z + w",
    "rows of one array twice": "y = x\nreturn F.stack(*[a * b for a, b in zip(x, y)])",
    "what a loop adds from outside": "return F.stack(*[row + y for row in x])",
    "an element of a list": "a = x * 1\nparts = [a, y]\ntotal = parts[0]\ntotal += y\nreturn [total, a]",
    "each of a list": "a = x * 1\nfor t in [a, y * 2]:\n    t += 1\nreturn a",
    "a detached array that is changed": "z = x * 1\ny = z.detach()\ny += 1\nreturn z",
    "a constant that is changed": "w = nd.array([[1, 5, 2]])\nv = w\nv += 1\nreturn x * w",
    "as many steps as a number": "for _ in range(int(x.max().asscalar()) + 1):\n    x = x * 2\nreturn x",
    "sizes of what may be broadcast": "z = F.broadcast_add(x, y)\nreturn z.reshape((x.shape[0], -1))",
    "a size under a name that means something else": "n = x.shape[1]\nreturn sum([x * n for x in (y, y + 1)])",
    "a dtype that is chosen": "return x.astype('float32') * float(y.sum().asscalar())",
    "a number that is a position": "k = int(x.sum().asscalar())\nreturn x.slice_axis(axis=1, begin=k, end=k + 1)",
}


CHANGED = {
    "by a method": (
        "    def bump(self, F, t):\n        t *= 2\n        return t\n\n"
        "    def hybrid_forward(self, F, x):\n        z = F.relu(x)\n        return z + self.bump(F, z)\n"
    ),
    "by a child": (
        "    def hybrid_forward(self, F, t):\n        t += 1\n        return t\n\n\n"
        "class Outer(HybridBlock):\n    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n"
        "        self.child = Net()\n\n"
        "    def hybrid_forward(self, F, x):\n        z = x * 1\n        return z + self.child(z)\n"
    ),
}


@pytest.mark.parametrize("body", CHANGED.values(), ids=CHANGED.keys())
def test_what_a_caller_sees_changed_stays(body: str) -> None:
    text = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n" + body
    assert fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=True).source.text == text


@pytest.mark.parametrize("body", ALIASED.values(), ids=ALIASED.keys())
def test_left_alone(body: str) -> None:
    """What no rewrite gives in both modes, with gradients, is left to a person."""
    assert fixed(body, unsafe=True) == body


NUMPY_MODE = {
    "an array beside its own row, which is a view": "z = x * 1\nz += z[0]\nreturn z",
    "rows that are chosen by booleans": "return F.np.exp(x)[[True, False]]",
    "an item among several targets": "z = x * 1\nz[0], k = 0, 2\nreturn z * k",
    "integers beside a float": "return (x > 0) * 0.5",
    "a negative mask": "return -(x > 0)",
}


@pytest.mark.parametrize("body", NUMPY_MODE.values(), ids=NUMPY_MODE.keys())
def test_left_alone_in_numpy_mode(body: str) -> None:
    text = (
        "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\nmx.npx.set_np()\n\n\n"
        "class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n" + textwrap.indent(body, " " * 8) + "\n"
    )
    source = SourceFile(Path("net.py"), text)
    assert analyze_file(source)
    assert fix_source(source, analyze_file, unsafe=False).source.text == text
