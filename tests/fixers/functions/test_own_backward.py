"""Functions whose backward hands on a multiple of the gradient, as terms of which F.BlockGrad keeps one."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = "from mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
NET = "\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n        "

REVERSE = """
class Own(autograd.Function):
    def __init__(self, scale=1.0):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x.copy()

    def backward(self, dy):
        return -self.scale * dy
"""
PLAIN = """
class Own(autograd.Function):
    def forward(self, x):
        return {value}

    def backward(self, dy):
        return {gradient}
"""


def plain(value: str, gradient: str) -> str:
    """Return a function without settings by its value and its gradient."""
    return PLAIN.format(value=value, gradient=gradient)


CASES = {
    "a gradient turned round, by a setting": (
        REVERSE,
        "return Own(self.lam)(x)",
        "return F.BlockGrad(x) - self.lam * (x - F.BlockGrad(x))",
    ),
    "by the default of its constructor": (
        REVERSE,
        "return Own()(x)",
        "return F.BlockGrad(x) - 1.0 * (x - F.BlockGrad(x))",
    ),
    "of an instance with a name": (
        REVERSE,
        "own = Own(scale=0.5)\nreturn own(x) * 2",
        "own = Own(scale=0.5)\nreturn (F.BlockGrad(x) - 0.5 * (x - F.BlockGrad(x))) * 2",
    ),
    "of what is computed": (
        REVERSE,
        "return Own(0.5)(F.relu(x))",
        "given = F.relu(x)\nreturn F.BlockGrad(given) - 0.5 * (given - F.BlockGrad(given))",
    ),
    "the gradient alone is turned round": (
        plain("x", "-dy"),
        "return Own()(x)",
        "return F.BlockGrad(x) - (x - F.BlockGrad(x))",
    ),
    "a smaller gradient": (
        plain("nd.identity(x)", "dy * 0.1"),
        "return Own()(x)",
        "return F.BlockGrad(x) + 0.1 * (x - F.BlockGrad(x))",
    ),
    "straight through": (
        plain("nd.sign(x)", "dy"),
        "return Own()(x)",
        "return F.BlockGrad(F.sign(x)) + (x - F.BlockGrad(x))",
    ),
    "straight through, by a method and numbers": (
        plain("(x * 4).round() / 4", "dy"),
        "return Own()(x)",
        "return F.BlockGrad((x * 4).round() / 4) + (x - F.BlockGrad(x))",
    ),
    "of another value, turned round": (
        plain("nd.round(x)", "-2 * dy"),
        "return Own()(x)",
        "return F.BlockGrad(F.round(x)) - 2 * (x - F.BlockGrad(x))",
    ),
    "no gradient": (plain("nd.sign(x)", "nd.zeros_like(dy)"), "return Own()(x)", "return F.BlockGrad(F.sign(x))"),
}


@pytest.mark.parametrize(("function", "before", "after"), CASES.values(), ids=CASES.keys())
def test_the_value_and_the_gradient_are_two_terms(function: str, before: str, after: str) -> None:
    net = HEAD + lines(function) + NET
    inside = [body.replace("\n", "\n        ") for body in (before, after)]
    assert fixed_text(f"{net}{inside[0]}\n", unsafe=True) == f"{net}{inside[1]}\n"
    assert fixed_text(f"{net}{inside[0]}\n") == f"{net}{inside[0]}\n"


KEPT = {
    "a gradient that depends on what is kept": (
        "class Own(autograd.Function):\n    def forward(self, x):\n        self.save_for_backward(x)\n"
        "        return nd.sign(x)\n\n    def backward(self, dy):\n        x, = self.saved_tensors\n"
        "        return dy * (x.abs() < 1)\n"
    ),
    "a gradient that is no multiple": plain("nd.sign(x)", "dy.clip(-1, 1)"),
    "a gradient that is squared": plain("x", "dy * dy"),
    "a value of numpy": plain("nd.array(np.sign(x.asnumpy()))", "dy"),
    "a setting that nobody knows": plain("x", "dy * self.scale"),
    "a function from elsewhere": "from functions import Own\n",
}


@pytest.mark.parametrize("function", KEPT.values(), ids=KEPT.keys())
def test_any_other_backward_stays(function: str) -> None:
    text = f"{HEAD}{lines(function)}{NET}return Own()(x)\n"
    assert fixed_text(text, unsafe=True) == text
