"""Automatic mixed precision: calls, trainers and graphs compute in the dtypes of the real MXNet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.contrib import amp
from hybridlint.runtime.contrib.amp.loss_scaler import LossScaler
from hybridlint.runtime.core import mixed_precision


@pytest.fixture
def _mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cast calls in this test alone."""
    for name in ("arrays", "symbols"):
        monkeypatch.setattr(mixed_precision, name, None)
    for name, value in (("_amp_initialized", False), ("_loss_scaler", None)):
        monkeypatch.setattr(amp.amp, name, value)
    amp.init()


@pytest.mark.usefixtures("_mixed")
def test_layers_compute_in_half_precision_and_sums_in_the_widest() -> None:
    layer = gluon.nn.Dense(1, in_units=3)
    layer.initialize(mx.init.One())
    assert layer(nd.ones((2, 3))).dtype == np.float16
    assert (nd.ones((2,), dtype="float16") + nd.ones((2,))).dtype == np.float32
    graph = sym.FullyConnected(sym.var("data"), num_hidden=2, name="q")
    assert graph.get_internals().list_outputs() == [
        *("data", "amp_cast0_output", "q_weight", "amp_cast1_output", "q_bias", "amp_cast2_output", "q_output")
    ]


@pytest.mark.usefixtures("_mixed")
@pytest.mark.parametrize("hybrid", [False, True])
def test_scaled_losses_give_the_gradients_of_plain_ones(hybrid: bool) -> None:
    layer = gluon.nn.Dense(1, in_units=2, use_bias=False)
    layer.initialize(mx.init.One())
    layer.hybridize(hybrid)
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    with autograd.record():
        loss = (layer(nd.array([[1.0, 2.0]])).astype("float32") ** 2).sum() / 1024
        with amp.scale_loss(loss, trainer) as scaled:
            scaled.backward()
    amp.unscale(trainer)
    np.testing.assert_allclose(layer.weight.grad().asnumpy(), [[6 / 1024, 12 / 1024]], rtol=1e-2)
    trainer.step(1)
    np.testing.assert_allclose(layer.weight.data().asnumpy(), [[1 - 3 / 1024, 1 - 6 / 1024]], rtol=1e-3)


@pytest.mark.usefixtures("_mixed")
def test_a_step_whose_gradients_overflow_is_skipped() -> None:
    layer = gluon.nn.Dense(1, in_units=2)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.5})
    amp.init_trainer(trainer)
    with autograd.record():
        loss = layer(nd.ones((1, 2))).sum()
    loss.backward()
    layer.weight.grad()[:] = np.inf
    trainer.step(1)
    assert layer.weight.data().asnumpy().tolist() == [[1, 1]]


def test_the_scale_is_halved_at_overflows_and_doubled_after_many_steps() -> None:
    scaler, param = LossScaler(), gluon.Parameter("p", shape=(2,))
    param.initialize()
    param.grad()[:] = np.inf
    assert scaler.has_overflow([param])
    param.grad()[:] = 1
    for _ in range(2000):
        assert not scaler.has_overflow([param])
    assert scaler.loss_scale == 2.0**15
    scaler.has_overflow([param])
    assert scaler.loss_scale == 2.0**16


def _graph() -> Any:
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="f")
    return sym.softmax(sym.exp(layer, name="e"), name="s")


def test_casts_stand_between_operators_of_different_precisions() -> None:
    found = amp.convert_symbol(_graph())
    assert found.get_internals().list_outputs() == [
        *("data", "data_amp_cast_float16_output", "f_weight", "f_weight_amp_cast_float16_output"),
        *("f_bias", "f_bias_amp_cast_float16_output", "f_output", "f_output_amp_cast_float32_output"),
        *("e_output", "s_output"),
    ]
    spared = amp.convert_symbol(_graph(), excluded_sym_names=["f"])
    assert spared.get_internals().list_outputs() == _graph().get_internals().list_outputs()
    assert sym.load_json(found.tojson()).get_internals().list_outputs() == _graph().get_internals().list_outputs()


def test_parameters_of_converted_models_are_narrow_where_asked_for() -> None:
    params = {"f_weight": nd.ones((3, 4)), "f_bias": nd.ones((3,))}
    for optional, dtype in ((False, np.float32), (True, np.float16)):
        graph, args, _ = amp.convert_model(_graph(), params, {}, cast_optional_params=optional)
        assert {array.dtype for array in args.values()} == {dtype}
        bound = graph.bind(mx.cpu(), {**args, "data": nd.ones((2, 4))})
        np.testing.assert_allclose(bound.forward()[0].asnumpy(), [[1 / 3] * 3] * 2, rtol=1e-3)


def test_a_converted_block_gives_nearly_the_same() -> None:
    layer = gluon.nn.HybridSequential()
    layer.add(gluon.nn.Dense(4, in_units=3, activation="relu"), gluon.nn.BatchNorm(in_channels=4), gluon.nn.Dense(2))
    layer.initialize(mx.init.Uniform(0.5))
    x = nd.array(np.random.RandomState(0).rand(5, 3))
    with pytest.raises(RuntimeError, match="hybridize"):
        amp.convert_hybrid_block(layer)
    layer.hybridize()
    expected = layer(x).asnumpy()
    np.testing.assert_allclose(amp.convert_hybrid_block(layer)(x).asnumpy(), expected, rtol=2e-2, atol=2e-3)


def test_what_is_not_supported_says_so() -> None:
    with pytest.raises(AssertionError, match="only float16 or bfloat16"):
        amp.convert_symbol(_graph(), target_dtype="int8")
    with pytest.raises(NotImplementedError, match="bfloat16"):
        amp.convert_symbol(_graph(), target_dtype="bfloat16")
    with pytest.raises(AssertionError, match=r"amp\.init"):
        amp.init_trainer(None)


def test_no_parameter_is_narrow_where_no_names_of_data_are_given() -> None:
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    counts = []
    for names in (None, ["data"]):
        read = amp.convert_symbol(graph, data_names=names, cast_optional_params=True).get_internals().list_outputs()
        counts.append(sum("amp_cast_float16" in name for name in read))
    assert counts == [3, 1]
    with pytest.raises(mx.MXNetError, match="zz"):
        amp.convert_symbol(graph, data_names=["zz"])


@pytest.mark.parametrize(
    "lists",
    [
        {"target_dtype_ops": ["Nope"]},
        {"target_dtype_ops": ("FullyConnected",)},
        {"target_dtype_ops": ["elemwise_add"]},
        {"fp32_ops": ["FullyConnected"]},
        {"conditional_fp32_ops": [("Activation", "act_type", "relu")]},
    ],
)
def test_lists_of_operators_are_checked(lists: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        amp.convert_symbol(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4), **lists)
