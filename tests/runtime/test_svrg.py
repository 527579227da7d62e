"""Training by gradients of reduced variance gives the weights that the real MXNet gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.contrib.svrg_optimization.svrg_module import SVRGModule
from hybridlint.runtime.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer


def _batches() -> Any:
    data = np.random.RandomState(0).rand(14, 5).astype("float32")
    return mx.io.NDArrayIter(data, data.sum(1), 4, label_name="target")


def _module(devices: int = 1) -> SVRGModule:
    layer = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    loss = mx.sym.LinearRegressionOutput(layer, mx.sym.var("target"))
    contexts = [mx.cpu(k) for k in range(devices)]
    return SVRGModule(loss, label_names=["target"], context=contexts, update_freq=2)


@pytest.mark.parametrize(
    ("devices", "optimizer", "weights", "bias"),
    [
        (1, {"learning_rate": 0.05}, [0.5788, 0.5291, 0.6757, 0.7031, 0.3916], 1.0382),
        (1, {"learning_rate": 0.05, "momentum": 0.9}, [0.9367, 0.7714, 1.0738, 1.2034, 0.6454], 1.4822),
        (2, {"learning_rate": 0.05, "optimizer": "adam"}, [0.5819, 0.5805, 0.5819, 0.581, 0.5821], 0.5809),
    ],
)
def test_weights_are_those_of_mxnet(devices: int, optimizer: dict[str, Any], weights: list[float], bias: float) -> None:
    module = _module(devices)
    name = optimizer.pop("optimizer", "sgd")
    start = mx.init.Zero()
    module.fit(
        _batches(), num_epoch=3, eval_metric="mse", optimizer=name, optimizer_params=optimizer, initializer=start
    )
    found = module.get_params()[0]
    np.testing.assert_allclose(found["fc_weight"].asnumpy(), [weights], atol=2e-4)
    np.testing.assert_allclose(found["fc_bias"].asnumpy(), [bias], atol=2e-4)


def test_a_full_gradient_is_the_mean_of_those_of_all_batches() -> None:
    batches, module = _batches(), _module()
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Constant(0.3))
    module.init_optimizer()
    module.update_full_grads(batches)
    assert module._param_dict is not None
    found = module._param_dict[0]
    np.testing.assert_allclose(found["fc_weight"].asnumpy(), [[-4.3877, -4.1262, -5.1473, -5.2489, -2.9526]], atol=2e-4)


def test_full_gradients_are_assigned_and_weights_updated() -> None:
    optimizer = _SVRGOptimizer("sgd", learning_rate=0.5, param_idx2name={0: "a", 1: "a_full"})
    for index, result in ((0, [0.5, 0.5]), (1, [1, 1])):
        array = mx.nd.ones((2,))
        optimizer.update(index, array, mx.nd.ones((2,)), optimizer.create_state(index, array))
        assert array.asnumpy().tolist() == result


@pytest.mark.parametrize(("frequency", "error"), [(0, ValueError), (1.5, TypeError), (None, TypeError)])
def test_the_frequency_is_a_positive_integer(frequency: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="update_freq must be"):
        SVRGModule(mx.sym.var("data"), label_names=None, update_freq=frequency)


class _Counted(mx.io.NDArrayIter):
    def __init__(self) -> None:
        self.events: list[str] = []
        super().__init__(np.ones((4, 5), "float32"), np.ones(4, "float32"), 2, label_name="target")

    def reset(self) -> None:
        """Note it."""
        self.events.append("reset")
        super().reset()


def test_an_epoch_begins_with_its_reset_and_none_ends_with_one() -> None:
    batches, module = _Counted(), _module()
    batches.events.clear()
    module.fit(batches, num_epoch=3, batch_end_callback=lambda told: batches.events.append(f"{told.epoch}"))
    assert batches.events == ["reset", "reset", "0", "0", "reset", "1", "1", "reset", "reset", "2", "2"]


def test_the_first_batch_beside_a_store_runs_with_zeros() -> None:
    batches, module = _batches(), _module()
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.One())
    module.init_optimizer(mx.kv.create("local"))
    module.update_full_grads(batches)
    batches.reset()
    module.forward_backward(next(batches))
    assert not module.get_outputs()[0].asnumpy().any()
    module.update()
    module.forward(next(batches))
    assert module.get_outputs()[0].asnumpy().all()
