"""Every layer and loss computes what the real MXNet computes: outputs, gradients, running statistics, and its repr."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx


def load_goldens() -> Any:
    path = Path(__file__).parents[2] / "goldens" / "layers.py"
    spec = importlib.util.spec_from_file_location("goldens_of_layers", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: What is left out of a comparison where the layer is hybridized, with the reason.
EXCEPTIONS = {
    # The goldens are of eager runs, which overwrite a fixed gamma with ones.
    "nn.BatchNorm(axis=-1, momentum=0.5, epsilon=1e-3, scale=False)": "gamma",
}

goldens = load_goldens()
answers = json.loads(goldens.ANSWERS.read_text())


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize("expression", goldens.CASES)
def test_layer_agrees_with_mxnet(expression: str, hybridize: bool) -> None:
    if hybridize and expression == "loss.SDMLLoss()":
        pytest.skip("SDMLLoss reads shapes: it cannot be hybridized, in MXNet neither")
    if hybridize and expression == "contrib.nn.Identity()":
        pytest.skip("the compiled output is the input itself: there is nothing to differentiate, in MXNet neither")
    ours = goldens.answer(mx, expression, hybridize)
    theirs = answers[expression]
    assert ours["repr"] == theirs["repr"]
    assert list(ours["params"]) == list(theirs["params"])
    for name, (shape, grad_req, _values) in theirs["params"].items():
        assert ours["params"][name][:2] == [shape, grad_req], name
    assert_close(ours, theirs, "", EXCEPTIONS.get(expression) if hybridize else None)


def assert_close(ours: Any, theirs: Any, where: str, left_out: str | None) -> None:
    if isinstance(theirs, dict) and "values" in theirs:
        assert ours["shape"] == theirs["shape"], where
        np.testing.assert_allclose(ours["values"], theirs["values"], rtol=1e-4, atol=2e-6, err_msg=where)
    elif isinstance(theirs, dict):
        for key in theirs.keys() - {left_out}:
            assert_close(ours[key], theirs[key], f"{where}.{key}", left_out)
    elif isinstance(theirs, list):
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_close(a, b, f"{where}[{k}]", left_out)
    else:
        assert ours == theirs, where


@pytest.mark.parametrize(
    ("hybridize", "train", "expected"),
    [(False, False, [1, 1]), (False, True, [1, 1]), (True, False, [2, 3]), (True, True, [1, 1])],
)
def test_fixed_gamma_is_overwritten_but_in_a_graph_that_is_not_recorded(
    hybridize: bool, train: bool, expected: list[int]
) -> None:
    layer = mx.gluon.nn.BatchNorm(scale=False, in_channels=2)
    layer.initialize()
    given = mx.nd.array([2, 3])
    layer.gamma.set_data(given)
    layer.hybridize(hybridize)
    with mx.autograd.record() if train else mx.autograd.pause():
        layer(mx.nd.ones((2, 2)))
    assert layer.gamma.data().asnumpy().tolist() == expected
    assert given.asnumpy().tolist() == [2, 3]


@pytest.mark.parametrize("hybridize", [False, True])
def test_fixed_gamma_is_overwritten_where_the_mean_is_asked_for(hybridize: bool) -> None:
    """Measured on MXNet 1.9.1."""

    class Normalized(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any, gamma: Any, vector: Any) -> Any:
            return F.BatchNorm(x, gamma, vector, vector, vector, output_mean_var=True)

    net, gamma = Normalized(), mx.nd.array([2, 3])
    net.hybridize(hybridize)
    net(mx.nd.ones((4, 2)), gamma, mx.nd.ones((2,)))
    assert gamma.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("hybridize", [False, True])
def test_dropout_between_layers_leaves_one_layer_alone(hybridize: bool) -> None:
    net = mx.gluon.rnn.LSTM(3, num_layers=1, dropout=0.5, input_size=2)
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    with mx.autograd.record():
        total = net(mx.nd.ones((2, 1, 2))).sum()
    total.backward()
    norms = [np.linalg.norm(parameter.grad().asnumpy()) for parameter in net.collect_params().values()]
    # What MXNet gives.
    assert total.asscalar() == pytest.approx(4.60723, rel=1e-5)
    assert norms[:3] == pytest.approx([0.2971, 0.0365, 0.2101], abs=1e-4)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("cell", ["RNNCell", "LSTMCell", "GRUCell"])
def test_states_of_an_unrolled_cell_are_float32(cell: str, hybridized: bool) -> None:
    """Measured: of a cell that was cast they do not suit its weights, eagerly and hybridized."""
    block = getattr(mx.gluon.rnn, cell)(4)
    block.initialize()
    block.cast("float64")
    if hybridized:
        block.hybridize()
    with pytest.raises((mx.MXNetError, ValueError)):
        block.unroll(3, mx.nd.ones((2, 3, 5), dtype="float64"), layout="NTC", merge_outputs=True)[0].asnumpy()
