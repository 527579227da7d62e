"""Calls that programs make and MXNet runs, or refuses: results and classes of errors as the real MXNet gave them."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import nn, rnn
from hybridlint.runtime.gluon.data.vision import transforms


@pytest.fixture
def numpy_mode() -> Iterator[Any]:
    mx.npx.set_np()
    yield mx.np
    mx.npx.reset_np()


#: Transforms in numpy mode -> shape and dtype of what they make of a (4, 4, 3) image of bytes.
TRANSFORMS: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "ToTensor": (transforms.ToTensor(), (3, 4, 4), "float32"),
    "Resize": (transforms.Resize((2, 3)), (3, 2, 3), "uint8"),
    "Compose": (transforms.Compose([transforms.Resize(2), transforms.ToTensor()]), (3, 2, 2), "float32"),
    "CenterCrop": (transforms.CenterCrop((6, 5)), (5, 6, 3), "uint8"),
    "RandomResizedCrop": (transforms.RandomResizedCrop(3), (3, 3, 3), "uint8"),
    "RandomFlipLeftRight": (transforms.RandomFlipLeftRight(), (4, 4, 3), "uint8"),
    "RandomBrightness": (transforms.RandomBrightness(0.1), (4, 4, 3), "uint8"),
    "RandomColorJitter": (transforms.RandomColorJitter(0.1, 0.1, 0.1, 0.1), (4, 4, 3), "uint8"),
    "RandomLighting": (transforms.RandomLighting(0.1), (4, 4, 3), "uint8"),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_take_arrays_of_numpy_mode(name: str, numpy_mode: Any) -> None:
    transform, shape, dtype = TRANSFORMS[name]
    result = transform(numpy_mode.arange(48).reshape(4, 4, 3).astype("uint8"))
    assert (type(result).__name__, result.shape, np.dtype(result.dtype).name) == ("ndarray", shape, dtype)


def test_crops_and_rotations_refuse_arrays_of_numpy_mode(numpy_mode: Any) -> None:
    image = numpy_mode.ones((4, 4, 3))
    for refused in (transforms.CropResize(0, 1, 2, 2), transforms.Rotate(90)):
        with pytest.raises(TypeError):
            refused(image)


class Normalized(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.npx.image.normalize(F.npx.image.to_tensor(x), 0.5, 0.5)


@pytest.mark.parametrize("hybridized", [False, True])
def test_operators_on_images_are_below_npx(hybridized: bool, numpy_mode: Any) -> None:
    net = Normalized()
    if hybridized:
        net.hybridize()
    assert float(net(numpy_mode.full((2, 2, 3), 255).astype("uint8")).sum()) == 12.0
    assert {"resize", "imresize"} <= set(dir(mx.npx.image))


def test_bytes_are_resized_as_by_opencv() -> None:
    image = nd.array(np.arange(48).reshape(4, 4, 3), dtype="uint8")
    assert nd.image.resize(image, (2, 3), interp=1).asnumpy().sum() == 420
    assert nd.image.resize(image, (3, 3), interp=1).asnumpy().sum() == 627
    assert nd.image.resize(image, (6, 5), interp=1).asnumpy().sum() == 2104


#: Functions of numpy that numpy mode hands on, though numpy 2 lacks them -> result.
REMOVED: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "in1d": (lambda np_: np_.in1d(np_.array([1, 2, 3]), np_.array([2])).tolist(), [False, True, False]),
    "alltrue": (lambda np_: bool(np_.alltrue(np_.array([1, 0]))), False),
    "trapz": (lambda np_: float(np_.trapz(np_.array([3.0, 1.0, 2.0]), dx=0.5)), 1.75),
    "msort": (lambda np_: np_.msort(np_.array([[3, 1], [2, 5]])).tolist(), [[2, 1], [3, 5]]),
    "genfromtxt": (lambda np_: np_.genfromtxt(io.StringIO("1,2"), delimiter=",").tolist(), [1.0, 2.0]),
}


@pytest.mark.parametrize("name", REMOVED)
def test_functions_that_numpy_has_removed(name: str, numpy_mode: Any) -> None:
    call, expected = REMOVED[name]
    assert call(numpy_mode) == expected


def test_financial_functions_raise_what_numpy_raises(numpy_mode: Any) -> None:
    with pytest.raises(RuntimeError, match="NEP 32"):
        numpy_mode.npv(0.1, [1, 2])


def test_the_seed_of_npx_is_called_seed() -> None:
    assert mx.npx.random.seed(seed=3) is None


def test_bilinear_upsampling_creates_its_weight() -> None:
    enlarged = sym.UpSampling(sym.var("x"), scale=2, sample_type="bilinear", num_filter=2, name="up")
    assert enlarged.list_arguments() == ["x", "up_weight"]
    assert enlarged.infer_shape(x=(1, 2, 3, 3))[0] == [(1, 2, 3, 3), (2, 1, 4, 4)]
    assert enlarged.attr_dict()["up_weight"]["__init__"] == '["bilinear", {}]'
    by_name = sym.UpSampling(data=sym.var("x"), weight=sym.var("w"), scale=2, sample_type="bilinear", num_filter=1)
    assert by_name.list_arguments() == ["x", "w"]
    assert sym.UpSampling(sym.var("x"), scale=2, sample_type="nearest").list_arguments() == ["x"]


@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_lengths_of_sequences_have_no_effect_on_the_cpu(layout: str) -> None:
    layers = [rnn.LSTM(2, input_size=2, layout=layout, use_sequence_length=use) for use in (False, True)]
    for layer in layers:
        layer.initialize(mx.init.Constant(0.1))
    data = nd.ones((3, 2, 2))
    plain, limited = layers[0](data), layers[1](data, sequence_length=nd.array([1] * data.shape[layout.find("N")]))
    assert (plain.asnumpy() == limited.asnumpy()).all()


def test_lengths_of_sequences_have_no_gradient() -> None:
    arrays = [nd.ones((3, 2, 2)) * 0.1, nd.ones((36,)) * 0.1, nd.zeros((1, 2, 2)), nd.array([1, 3])]
    for array in arrays:
        array.attach_grad()
    *given, lengths = arrays
    with autograd.record():
        out = nd.RNN(*given, sequence_length=lengths, use_sequence_length=True, state_size=2, num_layers=1, mode="gru")
        total = out.sum()
    total.backward()
    assert lengths.grad.asnumpy().tolist() == [0, 0]
    assert given[0].grad.asnumpy()[0, 0, 0] == pytest.approx(0.1575, abs=1e-4)


class Cell(rnn.RNNCell):
    def hybrid_forward(self, *args: Any) -> Any:
        return super().hybrid_forward(*args)


def test_cells_are_called_with_their_weights_by_position() -> None:
    state, weight, bias = [nd.ones((1, 2))], nd.ones((2, 2)), nd.zeros((2,))
    cell = Cell(2, input_size=2)
    output, states = cell.hybrid_forward(nd, nd.ones((1, 2)), state, weight, weight, bias, bias)
    assert output.asnumpy().tolist() == states[0].asnumpy().tolist() == [[pytest.approx(np.tanh(4))] * 2]


def test_states_of_modified_cells_are_symbols_unless_told_otherwise() -> None:
    cell = rnn.ResidualCell(rnn.RNNCell(2, input_size=2))
    assert isinstance(cell.begin_state(batch_size=1)[0], sym.Symbol)
    assert cell.begin_state(func=nd.zeros, batch_size=3)[0].shape == (3, 2)
    stack = rnn.SequentialRNNCell()
    with pytest.raises(TypeError):
        stack.begin_state(1)  # type: ignore[call-arg]


def test_summary_before_the_first_call_shows_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Dense(2, activation="relu", prefix="a_"), nn.Dense(1, prefix="b_"))
    net.initialize()
    net.summary(nd.ones((2, 3)))
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "-" in line and "--" not in line]
    assert rows[:2] == [["Activation-1", "<Symbol", "a_relu_fwd>", "0"], ["Activation-2", "(2,", "2)", "0"]]


def test_a_layer_that_inferred_sizes_is_exported(tmp_path: Path) -> None:
    layer = nn.Dense(2)
    layer.initialize(mx.init.One())
    layer(nd.ones((1, 3)))
    layer.export(str(tmp_path / "layer"))
    read = gluon.SymbolBlock.imports(f"{tmp_path}/layer-symbol.json", ["data"], f"{tmp_path}/layer-0000.params")
    assert read(nd.ones((1, 3))).asnumpy().tolist() == [[3.0, 3.0]]
    known = nn.Dense(2, in_units=3)
    known.initialize()
    known(nd.ones((1, 3)))
    with pytest.raises(RuntimeError, match="hybridize"):
        known.export(str(tmp_path / "known"))


def test_images_of_mnist_have_any_size(tmp_path: Path) -> None:
    images, labels = tmp_path / "images", tmp_path / "labels"
    images.write_bytes(struct.pack(">4I", 2051, 6, 5, 7) + bytes(range(210)))
    labels.write_bytes(struct.pack(">2I", 2049, 6) + bytes(range(6)))
    batches = mx.io.MNISTIter(
        image=str(images), label=str(labels), batch_size=2, shuffle=False, num_parts=2, part_index=1
    )
    found = [(batch.data[0].shape, batch.label[0].asnumpy().tolist()) for batch in batches]
    assert found == [((2, 1, 5, 7), [3.0, 4.0])]


SCORES = np.array([[0.9, 0.1], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("metric", "label", "pred", "error"),
    [
        (mx.metric.Accuracy(), np.zeros(2), SCORES, AssertionError),
        (mx.metric.Accuracy(), np.zeros(2), np.zeros(2), AttributeError),
        (mx.metric.TopKAccuracy(2), np.zeros(2), SCORES, AttributeError),
        (mx.metric.TopKAccuracy(2), nd.zeros(1), nd.array(SCORES), ValueError),
        (mx.metric.MSE(), [0.0], nd.zeros(1), AttributeError),
        (mx.metric.Loss(), np.zeros(2), np.zeros(2), AssertionError),
        (mx.metric.Perplexity(None), np.zeros(2), nd.array(SCORES), AttributeError),
    ],
)
def test_metrics_take_arrays_of_mxnet_only(metric: Any, label: Any, pred: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        metric.update([label], [pred])


@pytest.mark.parametrize("call", [nd.sort, lambda x: x.sort(), lambda x: nd.sort(x, is_ascend=False)])
def test_a_recorded_sort_needs_its_axis(call: Callable[[Any], Any]) -> None:
    data = nd.array([[3.0, 1.0, 2.0]])
    data.attach_grad()
    with autograd.record(), pytest.raises(MXNetError, match="axis of sort"):
        call(data)
    with autograd.record():
        result = nd.sort(data, axis=-1)
    result.backward()
    assert data.grad.asnumpy().tolist() == [[1, 1, 1]]
    assert call(data).shape == (1, 3)
    with pytest.raises(RuntimeError, match="simple_bind"):
        sym.sort(sym.var("x")).simple_bind(mx.cpu(), x=(2, 3))


#: Change of a graph's file -> whether MXNet reads it.
FILES: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "unknown parameter": (lambda graph: graph["nodes"][-1]["attrs"].update(foo="1"), False),
    "attribute": (lambda graph: graph["nodes"][-1]["attrs"].update(__foo__="1"), True),
    "of a variable": (lambda graph: graph["nodes"][0].update(attrs={"foo": "1"}), True),
    "unknown key of a node": (lambda graph: graph["nodes"][-1].update(foo=1), False),
    "unknown key": (lambda graph: graph.update(foo=1), False),
    "no arguments": (lambda graph: graph.pop("arg_nodes"), False),
    "no rows": (lambda graph: graph.pop("node_row_ptr"), True),
    "too few inputs": (lambda graph: graph["nodes"][-1]["inputs"].pop(), True),
}


@pytest.mark.parametrize("case", FILES)
def test_files_of_graphs_hold_what_mxnet_knows(case: str) -> None:
    change, accepted = FILES[case]
    graph = json.loads(sym.FullyConnected(sym.var("data"), num_hidden=2, name="f").tojson())
    change(graph)
    if not accepted:
        with pytest.raises(MXNetError):
            sym.load_json(json.dumps(graph))
        return
    read = sym.load_json(json.dumps(graph))
    if case == "too few inputs":
        with pytest.raises(MXNetError, match="expects 3 inputs"):
            read.infer_shape(data=(2, 3))


def test_shapes_are_tuples_and_arrays_are_arrays() -> None:
    graph = sym.FullyConnected(sym.var("data"), num_hidden=2, name="f")
    arrays = [nd.ones((2, 3)), nd.ones((2, 3)), nd.ones(2)]
    wrong: list[Callable[[], Any]] = [
        lambda: graph.infer_shape(data=[2, 3]),
        lambda: graph.bind(mx.cpu(), [np.ones((2, 3)), *arrays[1:]]),
        lambda: graph.bind(mx.cpu(), [arrays[0], None, arrays[2]]),
        lambda: graph.bind("cpu", arrays),
    ]
    for call in wrong:
        with pytest.raises(TypeError):
            call()
    assert graph.bind(mx.cpu(), arrays, [None, arrays[1], None]).grad_arrays[0] is None


def test_what_lies_behind_a_stopped_gradient_needs_none() -> None:
    x, index = sym.var("x"), sym.var("index")
    taken = sym.batch_take(x, index)
    options = {"x": (3, 3), "index": (3,), "type_dict": {"x": "float32", "index": "int32"}}
    with pytest.raises(RuntimeError):
        taken.simple_bind(mx.cpu(), **options)
    executor = (sym.stop_gradient(taken) + sym.sum(x, axis=1)).simple_bind(mx.cpu(), **options)
    executor.forward(is_train=True)
    executor.backward(nd.ones(3))
    assert executor.grad_dict["x"].asnumpy().sum() == 9
