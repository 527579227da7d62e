"""Symbols, executors and modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from api_calls.table import CASES, case

if TYPE_CHECKING:
    from api_calls.table import Call


@case("symbol/compose")
def _compose(mx: Any) -> Call:
    def call() -> Any:
        data = mx.sym.Variable("data")
        for index in range(20):
            data = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=16, name=f"fc{index}"), act_type="relu")
        return data

    return call


def _deep(mx: Any) -> Any:
    data = mx.sym.Variable("data")
    for index in range(20):
        data = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=16, name=f"fc{index}"), act_type="relu")
    return data


def _on(name: str, call: Callable[[Any, Any], Any]) -> None:
    """Add a case that applies a function to a deep network: of the library first."""

    def prepare(mx: Any) -> Call:
        net = _deep(mx)
        return lambda: call(mx, net)

    CASES[name] = prepare


_on("symbol/infer_shape", lambda mx, net: net.infer_shape(data=(8, 16)))
_on("symbol/list_arguments", lambda mx, net: net.list_arguments())
_on("symbol/to-and-from-json", lambda mx, net: mx.sym.load_json(net.tojson()))


@case("symbol/executor-forward-backward")
def _executor(mx: Any) -> Call:
    executor = _deep(mx).simple_bind(mx.cpu(), data=(8, 16))
    gradient = mx.nd.ones((8, 16))

    def call() -> None:
        executor.forward(is_train=True)
        executor.backward(gradient)

    return call


@case("symbol/module-fit-step")
def _fit(mx: Any) -> Call:
    module = mx.mod.Module(mx.sym.SoftmaxOutput(_deep(mx), name="softmax"), context=mx.cpu())
    module.bind(data_shapes=[("data", (8, 16))], label_shapes=[("softmax_label", (8,))])
    module.init_params()
    module.init_optimizer()
    batch = mx.io.DataBatch([mx.nd.ones((8, 16))], [mx.nd.ones((8,))])

    def call() -> None:
        module.forward_backward(batch)
        module.update()

    return call
