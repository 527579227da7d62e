"""Results of optimizers, losses, callbacks and modules, to the digit or the letter as the real MXNet gave them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, lr_scheduler, misc, nd
from hybridlint.runtime.base import MXNetError

#: Optimizer and arguments -> the weights after four steps from (1, -2, 0.3).
STEPS: dict[str, tuple[str, dict[str, float], list[str]]] = {
    "adam": ("adam", {}, ["0.611638188", "-1.59999812", "-0.099123925"]),
    "betas": ("adam", {"beta1": 0.8, "beta2": 0.99}, ["0.601729333", "-1.60000002", "-0.0997210592"]),
    "decay": ("adam", {"wd": 0.1, "clip_gradient": 0.2}, ["0.599997759", "-1.59999776", "-0.0624621361"]),
    "adamax": ("adamax", {}, ["0.688898325", "-1.5999999", "-0.0999999791"]),
    "nadam": ("nadam", {}, ["0.60303098", "-1.66965961", "-0.0303074494"]),
}


@pytest.mark.parametrize("case", STEPS)
def test_steps_are_rounded_as_by_mxnet(case: str) -> None:
    name, arguments, expected = STEPS[case]
    optimizer = mx.optimizer.create(name, learning_rate=0.1, **arguments)
    weight = nd.array([1.0, -2, 0.3])
    state = optimizer.create_state(0, weight)
    for step in range(4):
        optimizer.update(0, weight, nd.array([0.3 * (step + 1), -0.1, 1e-4]), state)
    assert [f"{value:.9g}" for value in weight.asnumpy()] == expected


def test_a_trainer_lets_lars_scale_biases_too() -> None:
    net = gluon.nn.Dense(2, in_units=3, prefix="dense_", weight_initializer=mx.init.Constant(0.5))
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "lars", {"learning_rate": 0.1, "momentum": 0.9})
    biases = []
    for _ in range(3):
        with autograd.record():
            loss = (net(nd.array([[0.1, 0.4, 0.2], [0.7, 0.3, 0.9]])) ** 2).sum()
        loss.backward()
        trainer.step(2)
        biases.append(f"{net.collect_params()['dense_bias'].data().asnumpy()[0]:.6g}")
    assert biases == ["-0.13", "-0.247013", "-0.352349"]


def test_poisson_loss_of_no_count_is_nan_and_its_term_is_added_in_place() -> None:
    loss = gluon.loss.PoissonNLLLoss(compute_full=True)
    assert loss(nd.array([[1.0, 2.0]]), nd.array([[5.0, 0.5]])).asnumpy().tolist() == [pytest.approx(4.43909, abs=1e-5)]
    assert str(loss(nd.array([[1.0, 2.0]]), nd.array([[0.0, 3.0]])).asnumpy()) == "[nan]"
    rate = nd.array([[1.0]])
    rate.attach_grad()
    with autograd.record(), pytest.raises(MXNetError):
        loss(rate, nd.array([[2.0]]) * rate)


@pytest.mark.parametrize(
    ("values", "arguments", "expected"),
    [
        ([1, 2, 3], {"bins": 2}, (tuple, [1, 2], [1, 2, 3], "float32")),
        ([0, 0], {"bins": 2}, (tuple, [0, 2], [-0.5, 0, 0.5], "float32")),
        ([1, 5, 2.5, 2.5], {"bins": 3, "range": (0, 4)}, (list, [1, 2, 0], [0, 4 / 3, 8 / 3, 4], "int64")),
    ],
)
def test_histogram(values: Any, arguments: Any, expected: Any) -> None:
    kind, counts, edges, dtype = expected
    result = nd.histogram(nd.array(values), **arguments)
    assert type(result) is kind
    assert result[0].asnumpy().tolist() == counts
    assert result[1].asnumpy().tolist() == pytest.approx(edges)
    assert result[0].dtype.__name__ == dtype


def test_schedulers_take_the_warm_up_by_position() -> None:
    assert [
        round(lr_scheduler.CosineScheduler(20, 0.1, 0.01, 5, 0.02, "constant")(3), 6),
        round(lr_scheduler.PolyScheduler(20, 0.1, 2, 0.01, 5, 0.02)(3), 6),
        round(lr_scheduler.FactorScheduler(5, 0.5, 0.01, 0.1, 4, 0.02)(3), 6),
        round(lr_scheduler.MultiFactorScheduler([6, 9], 0.5, 0.1, 4, 0.02, "linear")(3), 6),
    ] == [0.02, 0.068, 0.08, 0.08]


def test_schedules_of_misc_count_iterations() -> None:
    schedule = misc.FactorScheduler(2, 0.5)
    assert [schedule(k) for k in range(6)] == [0.01, 0.01, 0.005, 0.005, 0.0025, 0.0025]
    with pytest.raises(ValueError, match="Factor must be less than 1"):
        misc.FactorScheduler(2, 1.0)


#: Arguments of a Speedometer, and the lines for five batches of which the first alone is measured.
LINES = {
    "reset": ((4, 2), True, ["Epoch[0] Batch [0-2]\tS\taccuracy=1.000000", "Epoch[0] Batch [2-4]\tS\taccuracy=nan"]),
    "kept": (
        (4, 2, False),
        True,
        ["Epoch[0] Batch [0-2]\tS\taccuracy=1.000000", "Epoch[0] Batch [0-4]\tS\taccuracy=1.000000"],
    ),
    "unmeasured": ((4, 2), False, ["Iter[0] Batch [2]\tS", "Iter[0] Batch [4]\tS"]),
}


@pytest.mark.parametrize("case", LINES)
def test_lines_of_a_speedometer(case: str, caplog: pytest.LogCaptureFixture) -> None:
    arguments, measured, expected = LINES[case]
    metric = mx.metric.Accuracy() if measured else None
    if metric is not None:
        metric.update([nd.array([0])], [nd.array([[0.9, 0.1]])])
    meter = mx.callback.Speedometer(*arguments)
    with caplog.at_level(logging.INFO):
        for batch in range(5):
            meter(SimpleNamespace(epoch=0, nbatch=batch, eval_metric=metric))
    assert [re.sub(r"Speed: \S+ samples/sec", "S", message) for message in caplog.messages] == expected


def test_a_module_refuses_data_that_its_parameters_do_not_fit() -> None:
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f"), name="softmax")
    module = mx.mod.Module(net)
    module.bind([("data", (5, 4))], [("softmax_label", (5,))])
    module.init_params(mx.init.One())
    with pytest.raises(MXNetError, match="f_weight"):
        module.forward(mx.io.DataBatch([nd.ones((5, 7))], [nd.zeros(5)]))
    module.forward(mx.io.DataBatch([nd.ones((9, 4))], [nd.zeros(9)]))
    assert module.get_outputs()[0].shape == (9, 2)
    with pytest.raises(MXNetError, match="softmax_label"):
        module.forward(mx.io.DataBatch([nd.ones((3, 4))]), is_train=False)


def test_layers_of_unknown_sizes_show_minus_one_in_numpy_mode() -> None:
    assert repr(gluon.nn.Dense(4)) == "Dense(None -> 4, linear)"
    with mx.util.np_shape(True):
        layers = [gluon.nn.Dense(4), gluon.nn.Conv2D(2, 3), gluon.rnn.LSTM(3), gluon.rnn.LSTMCell(3)]
        shown = [repr(layer).partition(" -> ")[0] for layer in layers]
    assert shown == ["Dense(-1", "Conv2D(-1", "LSTM(-1", "LSTMCell(-1"]


def test_correlations_of_all_values_outlive_a_local_reset() -> None:
    metric = mx.metric.PearsonCorrelation(average="micro")
    metric.update([nd.array([1.0, 2, 3, 5])], [nd.array([2.0, 1, 3, 4])])
    metric.reset_local()
    assert str(metric.get()[1]) == "nan"
    metric.update([nd.array([1.0, 2, 3])], [nd.array([2.0, 1, 3])])
    assert metric.get()[1] == pytest.approx(0.765705, abs=1e-5)
    assert metric.get_global()[1] == 0.0


def test_initializers_of_arrays_are_written_as_lists() -> None:
    assert mx.init.Constant(nd.ones((2,))).dumps() == '["constant", {"value": [1.0, 1.0]}]'


#: Graph and known shapes -> all that `infer_shape_partial` tells.
PARTIAL: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "nothing": (lambda s, a, b: s.FullyConnected(a, num_hidden=4), {}, ([(), (), ()], [()], [])),
    "sum": (
        lambda s, a, b: s.FullyConnected(a, num_hidden=4) + s.FullyConnected(b, num_hidden=4),
        {"a": (2, 3)},
        ([(2, 3), (4, 3), (4,), (), (), ()], [(2, 4)], []),
    ),
    "flatten": (lambda s, a, b: s.flatten(a), {"a": (0, 3)}, ([(0, 3)], [()], [])),
    "tile": (lambda s, a, b: s.tile(a, (2, 1)), {"a": (2, 0)}, ([(2, 0)], [()], [])),
    "stack": (lambda s, a, b: s.stack(a, b), {"a": (2, 3)}, ([(2, 3), ()], [(2, 2, 3)], [])),
}


@pytest.mark.parametrize("case", PARTIAL)
def test_partial_shapes_are_those_that_mxnet_tells(case: str) -> None:
    graph, known, expected = PARTIAL[case]
    made = graph(mx.sym, mx.sym.var("a"), mx.sym.var("b"))
    assert made.infer_shape_partial(**known) == expected


def test_an_optimizer_that_is_given_gets_the_names_of_a_modules_parameters() -> None:
    module = mx.mod.Module(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), ("data",), None)
    module.bind([("data", (2, 3))])
    module.init_params()
    optimizer = mx.optimizer.SGD(learning_rate=0.1)
    module.init_optimizer(optimizer=optimizer)
    assert optimizer.idx2name == {0: "fc_weight", 1: "fc_bias"}


def test_features_are_one_object() -> None:
    assert mx.runtime.Features() is mx.runtime.Features()


@pytest.mark.parametrize(("dtype", "largest"), [("float32", np.inf), ("float64", np.finfo("float64").max)])
def test_gradients_at_the_poles_of_gamma(dtype: str, largest: float) -> None:
    x = nd.array([0.0, -0.0, -1.0, np.inf, -np.inf], dtype=dtype)
    x.attach_grad()
    gradients = []
    for function in (nd.gamma, nd.gammaln):
        with autograd.record():
            result = function(x)
        result.backward()
        gradients.append(x.grad.asnumpy())
    np.testing.assert_array_equal(gradients[0], [np.inf, -np.inf, np.nan, np.inf, np.nan])
    np.testing.assert_array_equal(gradients[1], [largest, largest, largest, np.inf, largest])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_means_in_halves_give_gradients_in_the_dtype_of_the_elements(dtype: str) -> None:
    x = mx.np.ones((3,), dtype=dtype)
    x.attach_grad()
    with autograd.record():
        result = mx.np.mean(x, dtype="float16")
    result.backward()
    assert x.grad.asnumpy()[0] == np.ones((), dtype) / np.asarray(3, dtype)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_remainders_of_whole_numbers_have_no_slope(dtype: str) -> None:
    a, b = nd.array([5, 7], dtype=dtype), nd.array([3, 2], dtype=dtype)
    remainders: list[Callable[[], Any]] = [
        lambda: a % b,
        lambda: a % 3,
        lambda: 7 % a,
        lambda: nd.broadcast_mod(a, b),
    ]
    for function in remainders:
        for x in (a, b):
            x.attach_grad()
        with autograd.record():
            result = function()
        result.backward()
        assert [x.grad.asnumpy().tolist() for x in (a, b)] == [[0, 0], [0, 0]]
