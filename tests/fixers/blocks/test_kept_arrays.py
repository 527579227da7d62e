"""Arrays of a block that a function reads behind names, on the device of an input, or in functions of its own."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

INIT = """
from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.window = {}

    def hybrid_forward({}):
        {}
"""
MADE = "nd.array([[1, 2], [3, 4]])"
REGISTERED = 'self.params.get_constant("window", nd.array([[1, 2], [3, 4]]))'

CASES = {
    "moved to the device of an input": (
        "return F.dot(x, self.window.as_in_context(x.context))",
        "return F.dot(x, window)",
    ),
    "moved behind a name": (
        "w = self.window.as_in_context(x.context)\nreturn F.dot(x, w) + F.dot(w, x)",
        "w = window\nreturn F.dot(x, w) + F.dot(w, x)",
    ),
    "moved under another name, once more bound to it": (
        "w = self.window\nw = w.as_in_context(x.context)\nreturn F.dot(x, w)",
        "w = window\nreturn F.dot(x, w)",
    ),
    "moved under its own name": (
        "window = self.window\nwindow = window.as_in_context(x.context)\nreturn F.dot(x, window)",
        "return F.dot(x, window)",
    ),
    "in a function of the method": (
        "def filtered(z):\n    return F.dot(z, self.window)\nreturn filtered(x) + filtered(x * 2)",
        "def filtered(z):\n    return F.dot(z, window)\nreturn filtered(x) + filtered(x * 2)",
    ),
    "in a lambda, behind a name": (
        "w = self.window\nf = lambda z: F.dot(z, w)\nreturn f(x)",
        "w = window\nf = lambda z: F.dot(z, w)\nreturn f(x)",
    ),
}


def block(made: str, arguments: str, body: str) -> str:
    """Return a block with an array, and the body of its `hybrid_forward`."""
    return INIT.format(made, arguments, body.replace("\n", "\n        ")).lstrip()


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_the_argument_is_read_in_its_place(before: str, after: str) -> None:
    text = block(MADE, "self, F, x", lines(before))
    assert fixed_text(text, unsafe=True) == block(REGISTERED, "self, F, x, window", lines(after))
    assert fixed_text(text) == text


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("window = x * 2\nreturn F.dot(window, self.window)", id="the name holds a tensor"),
        pytest.param("f = lambda window: F.dot(window, self.window)\nreturn f(x)", id="it is that of an argument"),
        pytest.param("for window in [self.window]:\n    x = F.dot(x, window)\nreturn x", id="a loop binds it"),
    ],
)
def test_a_name_with_another_use_keeps_the_array_where_it_is(body: str) -> None:
    assert "get_constant" not in fixed_text(block(MADE, "self, F, x", body), unsafe=True)
