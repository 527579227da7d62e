"""Steps towards other fixes: ways out of `try`, sizes read where they are used."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import fixed, lines

HEAD = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
SIZE = "F.sum(F.ones_like(F.contrib.arange_like(x, axis=1)))"


def of_one(body: str) -> str:
    """Return a body with one input after all fixes."""
    source = SourceFile(Path("net.py"), f"{HEAD}{textwrap.indent(body, ' ' * 8)}\n")
    text = fix_source(source, analyze_file, unsafe=True).source.text
    return lines(text.removeprefix(HEAD))


TRIED = {
    "a try": (
        "try:\n    n = x.shape[1]\nexcept AttributeError:\n    raise\nreturn x * n",
        f"return F.broadcast_mul(x, {SIZE})",
    ),
    "with a comment": (
        "try:  # eagerly\n    n = x.shape[1]  # size\nexcept AttributeError:\n    raise\nreturn x * n",
        f"# eagerly\n# size\nreturn F.broadcast_mul(x, {SIZE})",
    ),
}


@pytest.mark.parametrize(("before", "after"), TRIED.values(), ids=TRIED.keys())
def test_the_way_of_the_eager_run(before: str, after: str) -> None:
    assert of_one(before) == after


@pytest.mark.parametrize(
    "handler",
    [
        "except AttributeError:\n    # symbols\n    raise",
        "except AttributeError:\n    raise\nfinally:\n    pass",
    ],
)
def test_another_purpose(handler: str) -> None:
    before = f"try:\n    n = x.shape[1]\n{handler}\nreturn x * n"
    assert of_one(before) == before


SIZES = {
    "a name for a size": ("n = x.shape[1]\nreturn x * n", f"return F.broadcast_mul(x, {SIZE})"),
    "a comment": ("n = x.shape[1]  # size\nreturn x * n", f"# size\nreturn F.broadcast_mul(x, {SIZE})"),
    "arithmetic": ("n = x.shape[1] * x.shape[2]\nreturn x.reshape((0, n))", "return x.reshape((0, -3))"),
    "a size computed from one": (
        "n, c, h, w = x.shape\nhalf = c // 2\nx = x.reshape((n, 2, half, h, w))\nreturn x.swapaxes(1, 2)",
        "x = x.reshape((0, -4, 2, -1, 0, 0))\nreturn x.swapaxes(1, 2)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SIZES.values(), ids=SIZES.keys())
def test_sizes_are_read_where_they_are_used(before: str, after: str) -> None:
    assert of_one(before) == after


def test_what_is_rebound_keeps_a_name_for_its_sizes() -> None:
    after = fixed("c = x.shape[1]  # channels\nx = F.relu(x)\nreturn F.sum(x) / c", unsafe=True)
    assert after.startswith("x_like = x  # channels\nx = F.relu(x)\nreturn F.broadcast_div(F.sum(x), ")
    assert "F.shape_array(x_like)" in after


TWICE = {
    "sizes of two tensors": (
        """
        b, c, h, w = x.shape
        q = x.reshape((b, c, h * w))
        b, c, h, w = y.shape
        k = y.reshape((b, c, h * w))
        return F.batch_dot(q, k, transpose_a=True)
        """,
        """
        q = x.reshape((0, 0, -3))
        k = y.reshape((0, 0, -3))
        return F.batch_dot(q, k, transpose_a=True)
        """,
    ),
    "sizes of one tensor and of what is made of it": (
        """
        b, c, h, w = x.shape
        z = x.reshape((b, c * h, w)).transpose((2, 0, 1))
        t, b, h = z.shape
        return F.softmax(z.reshape((t * b, h)))
        """,
        """
        z = x.reshape((0, -3, 0)).transpose((2, 0, 1))
        return F.softmax(z.reshape((-3, 0)))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), TWICE.values(), ids=TWICE.keys())
def test_names_of_sizes_that_are_bound_again(before: str, after: str) -> None:
    assert fixed(lines(before), unsafe=True) == lines(after)


def test_a_name_that_a_branch_binds_again_is_left_alone() -> None:
    body = "b, c = x.shape\nif y is not None:\n    b, c = y.shape\nreturn x.reshape((b, c, 1))"
    assert "b, c = x.shape" in fixed(body, unsafe=True)


def test_each_of_two_that_are_rebound_keeps_a_name_for_its_sizes() -> None:
    body = """
        t, u = x.shape[1], y.shape[1]
        x = F.repeat(x.expand_dims(2), u, axis=2)
        y = F.repeat(y.expand_dims(1), t, axis=1)
        return F.concat(x, y, dim=-1)
        """
    after = """
        x_like = x
        x = F.broadcast_like(x.expand_dims(2), y, lhs_axes=(2,), rhs_axes=(1,))
        y = F.broadcast_like(y.expand_dims(1), x_like, lhs_axes=(1,), rhs_axes=(1,))
        return F.concat(x, y, dim=-1)
        """
    assert fixed(lines(body), unsafe=True) == lines(after)


def test_sizes_that_are_read_before_the_tensor_is_rebound_need_no_other_name() -> None:
    body = """
        b, c, h, w = x.shape
        z = F.Pooling(x, kernel=(h, w), stride=(h, w), pool_type="avg")
        x = x * F.sigmoid(z).broadcast_to(x.shape)
        return F.relu(x)
        """
    text = fixed(lines(body), unsafe=True)
    assert 'z = F.Pooling(x, global_pool=True, pool_type="avg")' in text
    assert ".broadcast_like(x)" in text
    assert "x_like" not in text
