"""Scales by the square root of a last size."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "divided by the root": ("return x / math.sqrt(x.shape[-1]) * y", "return F.contrib.div_sqrt_dim(x) * y"),
    "multiplied by a power": (
        "return F.exp(x) * x.shape[-1] ** -0.5 * y",
        "return F.contrib.div_sqrt_dim(F.exp(x)) * y",
    ),
    "multiplied by the inverse": ("return 1.0 / np.sqrt(x.shape[-1]) * x + y", "return F.contrib.div_sqrt_dim(x) + y"),
    "a product by its first factor": (
        """
        d = x.shape[-1]
        return F.batch_dot(x, y, transpose_b=True) / d ** 0.5
        """,
        "return F.batch_dot(F.contrib.div_sqrt_dim(x), y, transpose_b=True)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_the_operator_scales(before: str, after: str) -> None:
    assert fixed(lines(before)) == lines(after)


def test_a_named_size_is_one_of_a_tensor_as_long_as_a_reshape_shows_it() -> None:
    """An attention over the heads of one product, as vision transformers have it."""
    text = (
        "from mxnet.gluon import HybridBlock, nn\n\n\nclass Attention(HybridBlock):\n"
        "    def __init__(self, units, heads):\n        super().__init__()\n        self.heads = heads\n"
        "        self.qk = nn.Dense(2 * units, flatten=False)\n\n    def hybrid_forward(self, F, x):\n{body}"
    )
    before = """\
        b, t, c = x.shape
        d = c // self.heads
        z = self.qk(x).reshape((b, t, self.heads, d)).transpose((0, 2, 1, 3))
        return F.linalg.gemm2(z, z, transpose_b=True) * (d ** -0.5)
"""
    after = """\
        z = self.qk(x).reshape((0, 0, self.heads, -1)).transpose((0, 2, 1, 3))
        return F.linalg.gemm2(F.contrib.div_sqrt_dim(z), z, transpose_b=True)
"""
    assert fixed_text(text.format(body=before)) == text.format(body=after)


def test_a_product_is_guessed_to_be_one_of_batches_of_matrices() -> None:
    body = "return F.batch_dot(x, y, transpose_b=True) / math.sqrt(y.shape[2])"
    assert "div_sqrt_dim" not in fixed(body)
    after = "return F.batch_dot(x, F.contrib.div_sqrt_dim(y), transpose_b=True)"
    assert fixed(body, unsafe=True) == after


@pytest.mark.parametrize(
    "body",
    [
        "return x * math.sqrt(x.shape[-1]) * y",
        "return x / math.sqrt(x.shape[0]) * y",
        "return F.batch_dot(x, y) / math.sqrt(x.shape[1])",
        "return x / math.sqrt(y.shape[-1])",
    ],
)
def test_other_scales_are_left_to_sizes_that_the_graph_computes(body: str) -> None:
    assert "div_sqrt_dim" not in fixed(body, unsafe=True)
