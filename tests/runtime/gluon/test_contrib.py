"""Layers of gluon.contrib beyond what the goldens of layers ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import contrib, nn, rnn
from hybridlint.runtime.gluon.contrib.rnn.rnn_cell import dynamic_unroll
from tests.closeness import assert_same_numbers


def values(*shape: int, seed: int = 0) -> Any:
    return mx.nd.array(np.random.default_rng(seed).uniform(-1, 1, shape).astype("float32"))


def initialized(block: Any) -> Any:
    block.initialize(mx.init.Uniform(0.5))
    return block


def test_states_of_convolutional_cells_keep_the_size_of_the_input() -> None:
    cell = contrib.rnn.Conv2DLSTMCell((3, 6, 5), 4, i2h_kernel=3, h2h_kernel=(3, 1), i2h_pad=1)
    assert [info["shape"] for info in cell.state_info(2)] == [(2, 4, 6, 5), (2, 4, 6, 5)]
    assert repr(cell) == "Conv2DLSTMCell(3 -> 16, tanh, NCHW)"


def test_states_of_channels_last() -> None:
    cell = contrib.rnn.Conv2DRNNCell((6, 5, 3), 4, 3, 3, conv_layout="NHWC")
    assert cell.state_info(1)[0]["shape"] == (1, 4, 3, 4)
    assert cell.i2h_weight.shape == (4, 3, 3, 3)


def test_even_kernels_of_states_are_refused() -> None:
    with pytest.raises(AssertionError, match="Only support odd number, get h2h_kernel= 2"):
        contrib.rnn.Conv1DGRUCell((3, 6), 4, 3, 2)


def test_operators_of_a_convolutional_cell_are_named_as_in_mxnet() -> None:
    cell = contrib.rnn.Conv1DGRUCell((3, 6), 4, 3, 3, prefix="gru_")
    output, _states = cell(mx.sym.var("x"), [mx.sym.var("s")])
    operators = [name for name in output.get_internals().list_outputs() if name.endswith("_output")]
    assert operators[-8:] == [
        "gru__plus0_output",
        "gru_t0_r_act_output",
        "gru__mul0_output",
        "gru__plus2_output",
        "gru_t0_h_act_output",
        "gru__mul1_output",
        "gru__mul2_output",
        "gru_t0_out_output",
    ]


@pytest.mark.parametrize("layout", ["NTC", "TNC"])
@pytest.mark.parametrize("cell", [rnn.LSTMCell(3), rnn.RNNCell(3), contrib.rnn.LSTMPCell(4, 2)], ids=repr)
def test_dynamic_unroll_gives_what_unroll_gives(cell: Any, layout: str) -> None:
    cell.initialize(mx.init.Uniform(0.5), force_reinit=True)
    x = values(2, 4, 3) if layout == "NTC" else values(4, 2, 3)
    states = cell.begin_state(2)
    for lengths in (None, mx.nd.array([2, 4])):
        expected, last = cell.unroll(4, x, states, layout, merge_outputs=True, valid_length=lengths)
        outputs, found = dynamic_unroll(cell, x, states, layout=layout, valid_length=lengths)
        assert_same_numbers(outputs.asnumpy(), expected.asnumpy())
        for ours, theirs in zip(found, last, strict=True):
            assert_same_numbers(ours.asnumpy(), theirs.asnumpy())


def test_dynamic_unroll_compiles_once_for_all_lengths() -> None:
    class Net(mx.gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.cell = rnn.GRUCell(3, input_size=2)

        def hybrid_forward(self, F: Any, x: Any, state: Any, length: Any) -> Any:
            return dynamic_unroll(self.cell, x, [state], valid_length=length)[0]

    net = initialized(Net())
    eager = [net(values(n, 2, 2), mx.nd.zeros((2, 3)), mx.nd.array([1, n])).asnumpy() for n in (3, 5)]
    net.hybridize()
    compiled = [net(values(n, 2, 2), mx.nd.zeros((2, 3)), mx.nd.array([1, n])).asnumpy() for n in (3, 5)]
    for ours, theirs in zip(compiled, eager, strict=True):
        assert_same_numbers(ours, theirs)


def test_dynamic_unroll_takes_tensors_only() -> None:
    cell = initialized(rnn.RNNCell(3))
    with pytest.raises(AssertionError, match="one tensor"):
        dynamic_unroll(cell, [values(2, 3)], cell.begin_state(2))


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
def test_a_deformable_layer_that_moves_nothing_is_a_convolution(hybridize: bool) -> None:
    layer = initialized(contrib.cnn.ModulatedDeformableConvolution(3, 3, padding=1, activation="relu"))
    plain = initialized(nn.Conv2D(3, 3, padding=1, activation="relu"))
    x = values(2, 4, 5, 5)
    layer(x), plain(x)
    plain.weight.set_data(layer.deformable_conv_weight.data())
    layer.hybridize(hybridize)
    np.testing.assert_allclose(layer(x).asnumpy(), plain(x).asnumpy(), rtol=1e-4, atol=1e-6)


def test_parameters_of_deformable_layers_stand_as_in_mxnet() -> None:
    layer = contrib.cnn.DeformableConvolution(4, 3, groups=2, num_deformable_group=2, in_channels=4)
    shapes = {name: param.shape for name, param in layer._collect_params_with_prefix().items()}
    assert shapes == {
        "offset_weight": (36, 2, 3, 3),
        "offset_bias": (36,),
        "deformable_conv_weight": (4, 0, 3, 3),
        "deformable_conv_bias": (4,),
    }
    assert repr(layer) == "DeformableConvolution(None -> 4, kernel_size=(3, 3), stride=(1, 1), groups=2)"
