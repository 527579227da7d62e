"""The fixers of functions of `mx.nd`: the same of F."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import HEAD, fixed, fixed_text, lines

SAFE = {
    "a function": ("return mx.nd.relu(x) * 2", "return F.relu(x) * 2"),
    "in one another": ("return nd.relu(nd.exp(x))", "return F.relu(F.exp(x))"),
    "with a comment": (
        """
        return nd.relu(  # ramp
            x)
        """,
        """
        return F.relu(  # ramp
            x)
        """,
    ),
    "handed to a function that calls it": ("return sum(map(nd.relu, [x, y]))", "return sum(map(F.relu, [x, y]))"),
    "under a name": ("act = nd.relu\nreturn act(x)", "act = nd.relu\nreturn F.relu(x)"),
    "a context": (
        "return nd.random.normal(0, 1, ctx=x.context, shape=(2, 3)) + x",
        "return F.broadcast_add(F.random.normal(0, 1, ctx=x.context if F is mx.nd else None, shape=(2, 3)), x)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "handed to a function that calls it with two tensors": (
        "from functools import reduce\nreturn reduce(nd.maximum, [x, y])",
        "from functools import reduce\nreturn reduce(F.broadcast_maximum, [x, y])",
    ),
    "a list in place of tensors, which raises in both modes": (
        "return nd.stack([F.relu(x), F.exp(x)], axis=-1)",
        "return F.stack(F.relu(x), F.exp(x), axis=-1)",
    ),
    "a list, and an axis by position": ("return nd.concat([x, F.exp(x)], 1)", "return F.concat(x, F.exp(x), dim=1)"),
    "a context that stays in eager runs": (
        "return nd.zeros((2, 3), ctx=mx.gpu(0)) + x",
        "return F.broadcast_add(F.zeros((2, 3), ctx=mx.gpu(0) if F is mx.nd else None), x)",
    ),
    "braces beside an operator": (
        "return x + nd.ones((max({3}), 1), ctx=mx.cpu())",
        "return F.broadcast_add(x, F.ones((max({3}), 1)))",
    ),
    "the default context": ("return nd.zeros((2, 3), ctx=mx.cpu()) + x", "return F.broadcast_add(F.zeros((2, 3)), x)"),
    "the default context with a comment": (
        """
        return nd.zeros(
            (2, 3),
            ctx=mx.cpu(),  # here
        ) + x
        """,
        """
        return F.broadcast_add(F.zeros(
            (2, 3),  # here
        ), x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


NUMPY = {
    "of mx.np": ("return mx.np.exp(x)", "return F.np.exp(x)"),
    "of mx.npx": ("return mx.npx.relu(x)", "return F.npx.relu(x)"),
    "of a list": ("return mx.np.concatenate([x, y * 2], axis=1)", "return F.np.concatenate([x, y * 2], axis=1)"),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)


UNTOUCHED = {
    "what F lacks": "return nd.add(x, y)",
    "what writes into an array": "return nd.relu(x, out=y)",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body


def test_a_layer_that_is_made_of_a_name_is_no_call() -> None:
    text = (
        f"{HEAD}class Net(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = [nn.Lambda('tanh')]\n\n"
        "    def hybrid_forward(self, F, x):\n        return self.layers[0](x)\n"
    ).replace("import HybridBlock", "import HybridBlock, nn")
    assert fixed_text(text, unsafe=True) == text
