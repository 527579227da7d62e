"""Contexts that are handed to helpers: the parameter goes where the helper reads it no more."""

from __future__ import annotations

from tests.fixers.bodies import fixed_text

HEAD = "from mxnet import nd\nfrom mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n"


def fixed(helper: str, body: str) -> str:
    """Return what unsafe fixes make of a helper and a block that calls it."""
    text = f"{HEAD}    {helper}\n\n    def hybrid_forward(self, F, x):\n        {body}\n"
    return fixed_text(text, unsafe=True).partition("class Net(HybridBlock):\n")[2]


def test_what_is_made_like_a_tensor_needs_no_context() -> None:
    helper = "def _steps(self, n, ctx):\n        return nd.arange(n, ctx=ctx)"
    text = fixed(helper, "return F.broadcast_add(x, self._steps(x.shape[1], x.context))")
    assert "def _steps(self, F, like):" in text
    assert "self._steps(F, x))" in text
    assert "ctx" not in text
    assert "context" not in text


def test_a_context_by_its_name_goes_too() -> None:
    helper = "def _steps(self, n, ctx=None):\n        return nd.arange(n, ctx=ctx)"
    text = fixed(helper, "return F.broadcast_add(x, self._steps(x.shape[1], ctx=x.context))")
    assert "self._steps(F, x))" in text


def test_a_context_that_is_read_stays() -> None:
    helper = "def _moved(self, F, y, ctx):\n        return y.as_in_context(ctx)"
    assert "def _moved(self, F, y, ctx):" in fixed(helper, "return x + self._moved(F, x * 2, x.context)")
