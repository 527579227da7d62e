"""Tests of the mode of autograd, as a graph asks them."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.control.mode_tests import asks_for_training, mode_in_graph
from hybridlint.runtime import autograd, nd
from hybridlint.text.concrete import code
from tests.fixers.bodies import framed


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
