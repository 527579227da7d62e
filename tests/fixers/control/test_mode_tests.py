"""Tests of the mode of autograd, as a graph asks them."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.control.mode_tests import asks_for_training, joint_test, mode_in_graph
from hybridlint.runtime import autograd, nd
from hybridlint.text.concrete import code
from tests.fixers.bodies import HEAD, fixed, fixed_text, framed, lines


@pytest.mark.parametrize(
    ("test", "asked"),
    [
        ("autograd.is_training()", True),
        ("not mx.autograd.is_training()", False),
        ("not not autograd.is_training()", True),
        ("autograd.is_recording()", None),
        ("autograd.is_training() and x", None),
        ("is_training()", None),
    ],
)
def test_what_a_test_asks_for(test: str, asked: bool | None) -> None:
    frame = framed(f"import mxnet as mx\nfrom mxnet import autograd\n{test}\n")
    assert asks_for_training(frame, ast.parse(test, mode="eval").body) is asked


@pytest.mark.parametrize("training", [True, False])
def test_the_test_in_a_graph_holds_in_its_mode(training: bool) -> None:
    written = code(mode_in_graph("nd", "x", training=training))
    x = nd.zeros((2, 3))
    for mode in (True, False):
        with autograd.train_mode() if mode else autograd.predict_mode():
            held = eval(written, {"nd": nd, "x": x})
        assert held.asnumpy().tolist() == [[float(mode is training)] * 3] * 2


JOINED = {
    "and a setting": (
        "if autograd.is_training() and 2 > 1:\n    x = F.relu(x)\nreturn F.tanh(x)",
        """
        x = F.where(
            F.broadcast_logical_and(F.Dropout(F.ones_like(x), p=0.5) != 1, F.ones_like(x) * int(2 > 1)), F.relu(x), x
        )
        return F.tanh(x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), JOINED.values(), ids=JOINED)
def test_the_mode_and_what_else_is_asked(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_the_mode_or_a_draw() -> None:
    head = f"import random\n{HEAD}class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
    test = "not autograd.is_training() or random.random() < 0.5"
    body = f"        if {test}:\n            x = F.relu(x)\n        return x * 2\n"
    written = fixed_text(head + body, unsafe=True)
    assert "F.Dropout(F.ones_like(x), p=0.5) == 1," in written
    assert "F.broadcast_mul(F.ones_like(x), F.random.uniform(shape=(1,)) < 0.5)," in written


def test_what_draws_otherwise_is_no_setting() -> None:
    frame = framed("import numpy as np\nfrom mxnet import autograd\n")
    test = ast.parse("autograd.is_training() and np.random.beta(1, 2) > 0.5", mode="eval").body
    assert joint_test(frame, "F", test, "x") is None


def test_the_mode_and_data_are_not_joint_test() -> None:
    test = ast.parse("autograd.is_training() and y.sum() > 0", mode="eval").body
    assert joint_test(framed("from mxnet import autograd\n"), "F", test, "x") is None
