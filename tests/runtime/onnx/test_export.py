"""``export_model``: networks as files, from objects and from files, with fixed and with dynamic sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import nd, sym
from hybridlint.runtime.gluon import HybridBlock, nn, rnn
from hybridlint.runtime.gluon.model_zoo import vision
from tests.runtime.onnx.running import assert_same, onnx, run


class Attention(HybridBlock):
    """A transformer's block, with every reshape written in codes."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.project, self.merge = nn.Dense(48, flatten=False), nn.Dense(16, flatten=False)
        self.widen, self.gelu, self.narrow = nn.Dense(32, flatten=False), nn.GELU(), nn.Dense(16, flatten=False)
        self.before, self.after = nn.LayerNorm(), nn.LayerNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        x = self.embedding(x)
        parts = F.split(self.project(x), num_outputs=3, axis=-1)
        queries, keys, values = (self.heads(F, part) for part in parts)
        weights = F.softmax(F.batch_dot(queries, keys, transpose_b=True) / 2, axis=-1)
        mixed = F.reshape(F.batch_dot(weights, values), shape=(-4, -1, 4, 0, 0))
        mixed = F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -3))
        x = self.before(x + self.merge(mixed))
        return self.after(x + self.narrow(self.gelu(self.widen(x))))

    def heads(self, F: Any, x: Any) -> Any:
        split = F.transpose(F.reshape(x, shape=(0, 0, -4, 4, -1)), axes=(0, 2, 1, 3))
        return F.reshape(split, shape=(-1, 0, 0), reverse=True)


class Recurrent(HybridBlock):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer, self.read = layer, nn.Dense(3, flatten=False)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.read(self.layer(x))


def lenet() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 5, activation="tanh"), nn.AvgPool2D(), nn.Conv2D(16, 5, activation="relu"), nn.MaxPool2D())
    net.add(nn.Flatten(), nn.Dense(20, activation="sigmoid"), nn.Dropout(0.5), nn.BatchNorm(), nn.Dense(10))
    return net


def ready(net: Any, x: Any, folder: Path) -> tuple[str, str]:
    """Initialize a network, and return the files of its graph and its parameters."""
    mx.random.seed(3)
    net.initialize(mx.init.Xavier(), force_reinit=True)
    net.hybridize()
    net(x)
    net.export(str(folder / "net"))
    return str(folder / "net-symbol.json"), str(folder / "net-0000.params")


WORDS = nd.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


NETWORKS = [
    pytest.param(lenet, nd.random.normal(shape=(2, 1, 28, 28)), ("batch", 1, 28, 28), id="lenet"),
    pytest.param(Attention, WORDS, ("batch", "time"), id="attention"),
    pytest.param(
        lambda: Recurrent(rnn.LSTM(8, 2, bidirectional=True, layout="NTC")),
        nd.random.normal(shape=(2, 5, 4)),
        ("n", 5, 4),
        id="lstm",
    ),
    pytest.param(lambda: Recurrent(rnn.GRU(8, 2)), nd.random.normal(shape=(5, 2, 4)), (None, "batch", 4), id="gru"),
    pytest.param(lambda: Recurrent(rnn.RNN(8, 1)), nd.random.normal(shape=(5, 2, 4)), (5, None, 4), id="rnn"),
]


@pytest.mark.parametrize(("make", "x", "dynamic"), NETWORKS)
def test_a_network_computes_the_same(make: Callable[[], Any], x: Any, dynamic: Any, tmp_path: Path) -> None:
    net = make()
    symbol, params = ready(net, x, tmp_path)
    path = str(tmp_path / "net.onnx")
    assert mx.onnx.export_model(symbol, params, [x.shape], np.float32, path) == path
    assert_same(run(onnx.load(path), {"data": x.asnumpy()}), [net(x).asnumpy()])
    mx.onnx.export_model(symbol, params, [x.shape], np.float32, path, dynamic=True, dynamic_input_shapes=[dynamic])
    place = next(k for k, size in reversed(list(enumerate(dynamic))) if not isinstance(size, int) and size != "time")
    longer = nd.concat(x, x, x, dim=place)
    assert_same(run(onnx.load(path), {"data": longer.asnumpy()}), [net(longer).asnumpy()])


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("resnet18_v1", 64),
        ("resnet18_v2", 64),
        ("mobilenet0_25", 64),
        ("mobilenet_v2_0_25", 64),
        ("squeezenet1_1", 224),
        ("alexnet", 96),
    ],
)
def test_networks_of_the_zoo(name: str, side: int, tmp_path: Path) -> None:
    net, x = getattr(vision, name)(classes=10), nd.random.normal(shape=(1, 3, side, side))
    path = mx.onnx.export_model(*ready(net, x, tmp_path), [x.shape], np.float32, tmp_path / "net.onnx")
    assert_same(run(onnx.load(path), {"data": x.asnumpy()}), [net(x).asnumpy()])


class OfNumpyMode(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.dense, self.norm = nn.Dense(8, flatten=False), nn.LayerNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = self.dense(x)
        y = F.np.where(y > 0, y, y * 0.1) + F.np.mean(y, axis=-1, keepdims=True)
        joined = F.np.concatenate([y, self.norm(y)], axis=-1)
        return F.npx.softmax(F.np.matmul(joined, F.np.transpose(joined, (1, 0))))


def test_a_network_of_numpy_mode(tmp_path: Path) -> None:
    with mx.np_shape(True), mx.np_array(True):
        net, x = OfNumpyMode(), mx.np.array([[1, 2, 3, 4], [4, -3, 2, 1]], dtype="float32")
        files, wanted = ready(net, x, tmp_path), net(x).asnumpy()
        path = mx.onnx.export_model(*files, [(2, 4)], np.float32, tmp_path / "net.onnx")
    assert_same(run(onnx.load(path), {"data": x.asnumpy()}), [wanted])


def dense() -> tuple[Any, dict[str, Any]]:
    output = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    return output, {"fc_weight": nd.ones((3, 4)), "fc_bias": nd.zeros((3,))}


def sizes(value: Any) -> list[Any]:
    return [size.dim_param or size.dim_value or None for size in value.type.tensor_type.shape.dim]


def test_names_are_those_of_mxnets_files(tmp_path: Path) -> None:
    symbol, params = dense()
    path = mx.onnx.export_model(symbol, params, [(2, 4)], np.float32, tmp_path / "net.onnx")
    model = onnx.load(path)
    assert (model.ir_version, model.opset_import[0].version, model.graph.name) == (7, 13, "mxnet_converted_model")
    assert [i.name for i in model.graph.input] == ["data"]
    assert [(o.name, sizes(o)) for o in model.graph.output] == [("fc", [2, 3])]
    assert sorted(i.name for i in model.graph.initializer) == ["fc_bias", "fc_weight"]


@pytest.mark.parametrize(
    ("shapes", "inputs"), [(None, [None, None]), ([("batch", 4)], ["batch", 4]), ([(None, 4)], [None, 4])]
)
def test_dynamic_sizes_have_the_names_that_they_are_given(shapes: Any, inputs: list[Any], tmp_path: Path) -> None:
    symbol, params = dense()
    path = mx.onnx.export_model(
        symbol, params, [(2, 4)], np.float32, tmp_path / "net.onnx", dynamic=True, dynamic_input_shapes=shapes
    )
    assert sizes(onnx.load(path).graph.input[0]) == inputs


def test_labels_of_output_layers_are_no_inputs(tmp_path: Path) -> None:
    symbol, params = dense()
    trained = sym.SoftmaxOutput(symbol, name="softmax")
    path = mx.onnx.export_model(trained, [params, {}], [(2, 4)], np.float32, tmp_path / "net.onnx")
    assert [i.name for i in onnx.load(path).graph.input] == ["data"]


def test_an_output_may_be_an_input_and_stand_twice(tmp_path: Path) -> None:
    x = sym.var("x")
    both = sym.Group([x, sym.BlockGrad(x), x * 2])
    path = mx.onnx.export_model(both, {}, [(2,)], np.float32, tmp_path / "net.onnx")
    numbers = np.array([1, 2], "float32")
    assert_same(run(onnx.load(path), {"x": numbers}), [numbers, numbers, 2 * numbers])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("nope.json", "nope.params"), ValueError, "either be files or objects: no file nope.json"),
        ((5, {}), ValueError, "either be files or objects"),
        ((sym.var("x") + sym.var("y"), {}, [(2,)]), ValueError, "1 shapes for 2 inputs: pass one for each of x, y"),
        ((sym.var("x") + sym.var("y"), {}, [(2,), (2,)], ["float32"] * 0), ValueError, "0 dtypes for 2 inputs"),
        ((sym.gamma(sym.var("x"), name="factorial"), {}, [(2,)]), AttributeError, "gamma of node factorial"),
    ],
)
def test_what_cannot_be_exported(arguments: Any, error: type[Exception], message: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=message):
        mx.onnx.export_model(*arguments, onnx_file_path=tmp_path / "net.onnx")
    assert not (tmp_path / "net.onnx").exists()
