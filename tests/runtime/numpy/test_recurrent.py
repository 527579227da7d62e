"""Recurrent layers in numpy mode give what they give in the legacy interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import nn, rnn
from tests.closeness import assert_same_numbers


@pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize("layer", [rnn.GRU, rnn.LSTM])
def test_fused_layers(layer: Any, hybridized: bool) -> None:
    data = np.arange(24, dtype="float32").reshape(2, 3, 4) / 24
    found = []
    for numpy_mode in (False, True):
        with mx.util.np_shape(numpy_mode), mx.util.np_array(numpy_mode):
            net = layer(3, num_layers=2, layout="NTC")
            net.initialize(mx.init.One())
            net.hybridize(hybridized)
            found.append(net(mx.np.array(data) if numpy_mode else mx.nd.array(data)))
            assert all(isinstance(state, type(found[-1])) for state in net.begin_state(2))
    assert isinstance(found[1], mx.np.ndarray)
    assert_same_numbers(found[1].asnumpy(), found[0].asnumpy())


def test_dropout_without_a_rate() -> None:
    with mx.util.np_shape(True), mx.util.np_array(True):
        assert isinstance(nn.Dropout(0.0)(mx.np.ones((2,))), mx.np.ndarray)


class _Inside(mx.gluon.HybridBlock):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = layer(5)

    def hybrid_forward(self, F: Any, x: Any, *states: Any) -> Any:
        return self.layer(x, *states)


@pytest.mark.parametrize("layer", [rnn.RNN, rnn.GRU, rnn.LSTM])
def test_a_traced_layer_that_is_part_of_a_block_does_not_fit_its_own_states(layer: Any) -> None:
    """Measured: it begins with states of no batch, which numpy mode takes at their word; given states fit."""
    with mx.util.np_shape(True), mx.util.np_array(True):
        net, data = _Inside(layer), mx.np.ones((3, 2, 4))
        net.initialize()
        assert net(data).shape == (3, 2, 5)
        net.hybridize()
        with pytest.raises(mx.MXNetError):
            net(data)
        again = _Inside(layer)
        again.initialize()
        again.hybridize()
        assert again(data, again.layer.begin_state(2))[0].shape == (3, 2, 5)
