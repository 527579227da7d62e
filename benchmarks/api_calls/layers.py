"""Eager layers, recurrent cells, and the first calls of networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from api_calls.table import CASES, case, mlp, normal

if TYPE_CHECKING:
    from api_calls.table import Call


def layer(name: str, build: Callable[[Any], Any], *shapes: tuple[int, ...]) -> None:
    """Add two cases for an eager layer: forward, and forward and backward."""

    def prepare(mx: Any) -> tuple[Any, list[Any]]:
        layer = build(mx)
        layer.initialize()
        arrays = [normal(mx, *shape, seed=seed) for seed, shape in enumerate(shapes)]
        for x in arrays:
            x.attach_grad()
        layer(*arrays)
        return layer, arrays

    def predict(mx: Any) -> Call:
        layer, arrays = prepare(mx)
        return lambda: layer(*arrays)

    def train(mx: Any) -> Call:
        layer, arrays = prepare(mx)

        def call() -> None:
            with mx.autograd.record():
                output = layer(*arrays)
            output.backward()

        return call

    CASES[f"layer/{name}"] = predict
    CASES[f"layer/{name}-train"] = train


layer("Dense", lambda mx: mx.gluon.nn.Dense(256, activation="relu"), (64, 512))
layer("Dense-tiny", lambda mx: mx.gluon.nn.Dense(4), (2, 3))
layer("Conv2D-3x3", lambda mx: mx.gluon.nn.Conv2D(32, 3, padding=1), (8, 32, 32, 32))
layer("Conv2D-1x1", lambda mx: mx.gluon.nn.Conv2D(64, 1), (8, 64, 28, 28))
layer("Conv2D-strided", lambda mx: mx.gluon.nn.Conv2D(64, 7, strides=2, padding=3), (2, 3, 224, 224))
layer("Conv2D-grouped", lambda mx: mx.gluon.nn.Conv2D(64, 3, padding=1, groups=8), (8, 64, 28, 28))
layer("Conv2D-depthwise", lambda mx: mx.gluon.nn.Conv2D(64, 3, padding=1, groups=64), (8, 64, 28, 28))
layer("Conv2D-dilated", lambda mx: mx.gluon.nn.Conv2D(32, 3, padding=2, dilation=2), (8, 32, 28, 28))
layer("Conv1D", lambda mx: mx.gluon.nn.Conv1D(64, 5, padding=2), (16, 64, 100))
layer("Conv3D", lambda mx: mx.gluon.nn.Conv3D(16, 3, padding=1), (2, 8, 8, 28, 28))
layer("Conv2DTranspose", lambda mx: mx.gluon.nn.Conv2DTranspose(32, 4, strides=2, padding=1), (8, 32, 16, 16))
layer("MaxPool2D", lambda mx: mx.gluon.nn.MaxPool2D(2, 2), (8, 64, 32, 32))
layer("MaxPool2D-3x3", lambda mx: mx.gluon.nn.MaxPool2D(3, 2, 1), (8, 64, 56, 56))
layer("AvgPool2D", lambda mx: mx.gluon.nn.AvgPool2D(3, 2, 1), (8, 64, 32, 32))
layer("GlobalAvgPool2D", lambda mx: mx.gluon.nn.GlobalAvgPool2D(), (8, 64, 32, 32))
layer("BatchNorm", lambda mx: mx.gluon.nn.BatchNorm(), (8, 64, 32, 32))
layer("LayerNorm", lambda mx: mx.gluon.nn.LayerNorm(), (64, 50, 256))
layer("InstanceNorm", lambda mx: mx.gluon.nn.InstanceNorm(), (8, 64, 32, 32))
layer("GroupNorm", lambda mx: mx.gluon.nn.GroupNorm(num_groups=8), (8, 64, 32, 32))
layer("PReLU", lambda mx: mx.gluon.nn.PReLU(), (8, 64, 32, 32))
layer("Swish", lambda mx: mx.gluon.nn.Swish(), (8, 64, 32, 32))
layer("LSTM", lambda mx: mx.gluon.rnn.LSTM(100), (35, 16, 100))
layer("LSTM-two-ways", lambda mx: mx.gluon.rnn.LSTM(50, 2, bidirectional=True), (20, 8, 50))
layer("GRU", lambda mx: mx.gluon.rnn.GRU(100), (35, 16, 100))
layer("RNN", lambda mx: mx.gluon.rnn.RNN(100), (35, 16, 100))


layer("MLP-tiny", mlp, (8, 16))


class _Unrolled:
    """Cells that are unrolled: eagerly, and the first call of a new graph."""

    def __init__(self, mx: Any, cell: str, steps: int) -> None:
        class Net(mx.gluon.HybridBlock):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                with self.name_scope():
                    self.cell = getattr(mx.gluon.rnn, cell)(32, input_size=32)

            def hybrid_forward(self, F: Any, x: Any) -> Any:
                return self.cell.unroll(steps, x, layout="NTC", merge_outputs=True)[0]

        self.mx, self.net, self.x = mx, Net(), normal(mx, 8, steps, 32)
        self.net.initialize()

    def unroll(self) -> Any:
        return self.net.cell.unroll(self.x.shape[1], self.x, layout="NTC", merge_outputs=True)[0]

    def train(self) -> None:
        with self.mx.autograd.record():
            y = self.unroll()
        y.backward()

    def first(self) -> Any:
        self.net.hybridize()
        return self.net(self.x)

    def bind(self) -> Any:
        mx = self.mx
        cell = mx.rnn.LSTMCell(32, prefix="bound_")
        outputs, _ = cell.unroll(self.x.shape[1], mx.sym.Variable("data"), layout="NTC", merge_outputs=True)
        return outputs.simple_bind(mx.cpu(), data=self.x.shape).forward()


for _cell in ("RNNCell", "LSTMCell", "GRUCell"):
    CASES[f"cells/{_cell}-unroll"] = lambda mx, cell=_cell: _Unrolled(mx, cell, 20).unroll
CASES["cells/LSTMCell-train"] = lambda mx: _Unrolled(mx, "LSTMCell", 20).train
CASES["cells/LSTMCell-unroll-symbol-and-bind"] = lambda mx: _Unrolled(mx, "LSTMCell", 20).bind


@case("cells/LSTMCell-first-hybridized-call")
def _first_unrolled(mx: Any) -> Call:
    def call() -> Any:
        return _Unrolled(mx, "LSTMCell", 20).first()

    return call


@case("first/hybridized-MLP")
def _firstmlp(mx: Any) -> Call:
    x = normal(mx, 8, 16)

    def call() -> None:
        net = mlp(mx)
        net.initialize()
        net.hybridize()
        net(x)

    return call


@case("first/resnet18-eager")
def _first_resnet(mx: Any) -> Call:
    x = normal(mx, 1, 3, 32, 32)

    def call() -> None:
        net = mx.gluon.model_zoo.vision.get_resnet(2, 18, classes=10)
        net.initialize()
        net(x)

    return call


@case("first/resnet18-hybridized")
def _first_hybrid_resnet(mx: Any) -> Call:
    x = normal(mx, 1, 3, 32, 32)

    def call() -> None:
        net = mx.gluon.model_zoo.vision.get_resnet(2, 18, classes=10)
        net.initialize()
        net.hybridize()
        net(x)

    return call


@case("first/module-bind")
def _module(mx: Any) -> Call:
    def call() -> None:
        data = mx.sym.Variable("data")
        for index in range(4):
            data = mx.sym.Activation(mx.sym.FullyConnected(data, num_hidden=16, name=f"fc{index}"), act_type="relu")
        module = mx.mod.Module(mx.sym.SoftmaxOutput(data, name="softmax"), context=mx.cpu())
        module.bind(data_shapes=[("data", (8, 16))], label_shapes=[("softmax_label", (8,))])
        module.init_params()
        module.forward(mx.io.DataBatch([mx.nd.ones((8, 16))], [mx.nd.ones((8,))]), is_train=False)

    return call
