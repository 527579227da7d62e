"""A recurrent layer and the cells that it stands for: the same parameters, the same outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import rnn


@pytest.mark.parametrize(
    ("layer", "kinds"),
    [
        (rnn.LSTM(5, num_layers=2, bidirectional=True), ["BidirectionalCell", "BidirectionalCell"]),
        (rnn.GRU(5, num_layers=2, dropout=0.5), ["GRUCell", "DropoutCell", "GRUCell"]),
        (rnn.RNN(5, activation="tanh"), ["RNNCell"]),
    ],
)
def test_cells_have_the_parameters_of_the_layer(layer: Any, kinds: list[str]) -> None:
    layer.initialize(mx.init.Uniform(0.5))
    data = mx.nd.array(np.linspace(-1, 1, 24).reshape((3, 2, 4)))
    expected = layer(data).asnumpy()
    cells = layer._unfuse()
    assert [type(cell).__name__ for cell in cells._children.values()] == kinds
    assert dict(cells.collect_params().items()) == dict(layer.collect_params().items())
    outputs, _ = cells.unroll(3, data, layout="TNC", merge_outputs=True)
    np.testing.assert_allclose(outputs.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("arguments", [{"projection_size": 3}, {"state_clip_min": -1.0, "state_clip_max": 1.0}])
def test_what_cells_cannot_do_is_refused(arguments: Any) -> None:
    with pytest.raises(AssertionError, match="_unfuse does not support"):
        rnn.LSTM(5, **arguments)._unfuse()
