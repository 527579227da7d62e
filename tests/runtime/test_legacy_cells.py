"""``mx.rnn``: symbolic cells, their names, shapes and weights; what MXNet 1.9.1 gave for the same calls."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd, rnn, sym


def unrolled(cell: Any, steps: int = 3) -> Any:
    inputs = [sym.Variable(f"t{k}_data") for k in range(steps)]
    return sym.Group(cell.unroll(steps, inputs)[0])


def shapes(outputs: Any, shape: tuple[int, ...], steps: int = 3) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = outputs.infer_shape(**{f"t{k}_data": shape for k in range(steps)})[1]
    return found


@pytest.mark.parametrize("kind", [rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell])
def test_dense_cells_name_parameters_and_steps(kind: Any) -> None:
    cell = kind(5, prefix="c_")
    outputs = unrolled(cell)
    assert sorted(cell.params._params) == ["c_h2h_bias", "c_h2h_weight", "c_i2h_bias", "c_i2h_weight"]
    assert outputs.list_outputs() == ["c_t0_out_output", "c_t1_out_output", "c_t2_out_output"]
    assert shapes(outputs, (2, 7)) == [(2, 5)] * 3


@pytest.mark.parametrize("kind", [rnn.ConvRNNCell, rnn.ConvLSTMCell, rnn.ConvGRUCell])
def test_convolutional_cells_keep_the_size_of_their_state(kind: Any) -> None:
    cell = kind(input_shape=(1, 3, 6, 4), num_hidden=2, prefix="c_")
    assert shapes(unrolled(cell), (1, 3, 6, 4)) == [(1, 2, 6, 4)] * 3


@pytest.mark.parametrize(
    ("kind", "connection"), [(rnn.GRUCell, "c_t0__i2h"), (partial(rnn.ConvGRUCell, (1, 3, 6, 4)), "c_t0_i2h")]
)
def test_names_of_nodes_in_gated_units(kind: Any, connection: str) -> None:
    internals = unrolled(kind(num_hidden=2, prefix="c_"), 1).get_internals().list_outputs()
    assert {f"{connection}_output", "c_t0__i2h_slice_output0", "c_t0__r_act_output"} <= set(internals)


def test_both_directions_are_joined() -> None:
    cell = rnn.BidirectionalCell(rnn.GRUCell(3, "l_"), rnn.GRUCell(3, "r_"), output_prefix="b_")
    outputs = unrolled(cell)
    assert outputs.list_outputs() == ["b_t0_output", "b_t1_output", "b_t2_output"]
    assert shapes(outputs, (2, 4)) == [(2, 6)] * 3


def test_residual_adds_the_input() -> None:
    cell = rnn.ResidualCell(rnn.GRUCell(2, prefix="c_"))
    outputs = unrolled(cell, 1)
    zeros = {n: nd.zeros((6, 2) if n.endswith("weight") else (6,)) for n in cell.params._params}
    assert outputs.eval(t0_data=nd.ones((1, 2)), **zeros)[0].asnumpy().tolist() == [[1, 1]]


def test_zoneout_and_dropout_keep_shapes() -> None:
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(4, prefix="z_"), 0.5, 0.5))
    stack.add(rnn.DropoutCell(0.5))
    assert shapes(unrolled(stack), (2, 3)) == [(2, 4)] * 3


def test_a_modified_cell_does_not_begin_itself() -> None:
    inner = rnn.RNNCell(4)
    rnn.ZoneoutCell(inner)
    with pytest.raises(AssertionError, match="modifier cell"):
        inner.begin_state()
    with pytest.raises(AssertionError, match="unfuse"):
        rnn.ZoneoutCell(rnn.FusedRNNCell(3))


def test_weights_are_taken_apart_and_joined() -> None:
    cell = rnn.LSTMCell(2, prefix="c_")
    weights = {
        "c_i2h_weight": nd.arange(24).reshape((8, 3)),
        "c_i2h_bias": nd.arange(8),
        "c_h2h_weight": nd.arange(16).reshape((8, 2)),
        "c_h2h_bias": nd.arange(8),
    }
    apart = cell.unpack_weights(weights)
    assert apart["c_i2h_f_bias"].asnumpy().tolist() == [2, 3]
    joined = cell.pack_weights(apart)
    assert all((joined[n].asnumpy() == a.asnumpy()).all() for n, a in weights.items())


@pytest.mark.parametrize("mode", ["rnn_tanh", "rnn_relu", "lstm", "gru"])
def test_fused_and_single_cells_agree(mode: str) -> None:
    fused = rnn.FusedRNNCell(3, num_layers=2, mode=mode, prefix="", bidirectional=True)
    gates = {"lstm": 4, "gru": 3}.get(mode, 1)
    count = gates * 3 * 2 * ((2 + 3 + 2) + (6 + 3 + 2))
    vector = nd.array(np.random.default_rng(1).normal(0, 0.3, count))
    single = fused.unfuse()
    weights = single.pack_weights(fused.unpack_weights({"parameters": vector}))
    data = nd.array(np.random.default_rng(2).normal(size=(2, 4, 2)))
    outputs: Any = fused.unroll(4, sym.var("data"), merge_outputs=True)[0]
    expected = outputs.eval(data=data, parameters=vector)[0]
    executor: Any = single.unroll(4, sym.var("data"), merge_outputs=True)[0].simple_bind(mx.cpu(), data=data.shape)
    executor.copy_params_from(weights)
    np.testing.assert_allclose(executor.forward(data=data)[0].asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-6)


def test_sentences_become_padded_batches() -> None:
    encoded, vocabulary = rnn.encode_sentences([["a", "b"], ["c"]])
    assert encoded == [[0, 1], [2]]
    assert vocabulary == {"\n": -1, "a": 0, "b": 1, "c": 2}
    batches = list(rnn.BucketSentenceIter([[1, 2], [3, 4], [5]] * 2, 2, buckets=[2], invalid_label=0))
    assert len(batches) == 3
    for batch in batches:
        assert batch.label is not None
        data, label = batch.data[0].asnumpy(), batch.label[0].asnumpy()
        assert batch.bucket_key == 2
        assert (label[:, 0] == data[:, 1]).all()
        assert (label[:, 1] == 0).all()


def test_a_class_that_inherits_writes_what_batches_are_cut_from() -> None:
    class Echo(rnn.BucketSentenceIter):
        def reset(self) -> None:
            self.curr_idx = 0
            self.nddata = [nd.array(rows) for rows in self.data]
            self.ndlabel = [nd.array(-rows) for rows in self.data]

    for layout, shape in (("NT", (2, 3)), ("TN", (3, 2))):
        (batch,) = Echo([[1, 2], [3, 4]], 2, buckets=[3], invalid_label=0, layout=layout)
        assert batch.label is not None
        assert batch.data[0].shape == shape
        assert (batch.label[0] + batch.data[0]).asnumpy().sum() == 0


def test_checkpoints_hold_weights_gate_by_gate(tmp_path: Path) -> None:
    cell = rnn.GRUCell(2, prefix="c_")
    outputs, _ = cell.unroll(1, sym.var("data"), merge_outputs=True)
    executor = outputs.simple_bind(mx.cpu(), data=(1, 1, 3))
    weights = {n: a for n, a in executor.arg_dict.items() if n.startswith("c_i2h") or n.startswith("c_h2h")}
    rnn.save_rnn_checkpoint(cell, str(tmp_path / "m"), 1, outputs, weights, {})
    assert "arg:c_i2h_z_weight" in nd.load(str(tmp_path / "m-0001.params"))
    assert set(rnn.load_rnn_checkpoint(cell, str(tmp_path / "m"), 1)[1]) == set(weights)
