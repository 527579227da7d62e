"""The axes of what a helper returns, in sizes of its caller."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import fixed_text
from tests.fixers.evidence.sizes.nets import caller

HELPERS = {
    "axes of its argument, moved": ("x.transpose((1, 0, 2))", [("x[1]",), ("x[0]",), ("x[2]",)]),
    "merged with a setting": (
        "x.reshape((x.shape[0] * self.heads, x.shape[1], -1))",
        [("self.heads", "x[0]"), ("x[1]",), ("x[2]",)],
    ),
    "a size that it is given": ("x.reshape((n, 4, -1))", [("x[0]",), ("2", "2"), ("x[1]", "x[2]")]),
}


@pytest.mark.parametrize(("returned", "sizes"), HELPERS.values(), ids=HELPERS.keys())
def test_axes_of_what_a_helper_returns(returned: str, sizes: list[tuple[str, ...]]) -> None:
    frame, call = caller(f"        return {returned}\n")
    axes = SizeInference(frame).axes(call)
    assert axes is not None
    assert [size.factors for size in axes.sizes] == sizes


def test_local_sizes_of_two_calls_differ() -> None:
    frame, call = caller("        y = other(x)\n        return y.reshape((0, 0, -1))\n")
    axes = SizeInference(frame).axes(call)
    assert axes is not None
    assert axes.sizes[0].factors[0].startswith(f"{call.lineno}:{call.col_offset}/")


def test_heads_that_a_helper_splits_are_merged_by_codes() -> None:
    """An attention whose sizes are read in a helper and in the block itself becomes reshapes with codes."""
    head = (
        "from mxnet.gluon import HybridBlock, nn\n\n\nclass Attention(HybridBlock):\n"
        "    def __init__(self, units, heads):\n        super().__init__()\n"
        "        self.heads, self.depth = heads, units // heads\n"
        "        self.q = nn.Dense(units, flatten=False)\n\n"
    )
    before = head + (
        "    def split(self, x):\n        b, t, _ = x.shape\n"
        "        y = x.reshape((b, t, self.heads, self.depth)).transpose((0, 2, 1, 3))\n"
        "        return y.reshape((b * self.heads, t, self.depth))\n\n"
        "    def hybrid_forward(self, F, x):\n        q = self.split(self.q(x))\n"
        "        y = F.batch_dot(F.softmax(F.batch_dot(q, q, transpose_b=True)), q)\n"
        "        y = y.reshape((-1, self.heads, x.shape[1], self.depth)).transpose((0, 2, 1, 3))\n"
        "        return y.reshape((0, 0, -3))\n"
    )
    after = head + (
        "    def split(self, x):\n"
        "        y = x.reshape((0, 0, self.heads, self.depth)).transpose((0, 2, 1, 3))\n"
        "        return y.reshape((-3, 0, self.depth))\n\n"
        "    def hybrid_forward(self, F, x):\n        q = self.split(self.q(x))\n"
        "        y = F.batch_dot(F.softmax(F.batch_dot(q, q, transpose_b=True)), q)\n"
        "        y = y.reshape((-4, -1, self.heads, 0, self.depth)).transpose((0, 2, 1, 3))\n"
        "        return y.reshape((0, 0, -3))\n"
    )
    assert fixed_text(before) == after
