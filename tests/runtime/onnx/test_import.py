"""ONNX files read: what `export_model` has written, and files of other makers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.context import cpu
from hybridlint.runtime.contrib.onnx.onnx2mx.graph import read_graph
from hybridlint.runtime.facts.registry import Operator
from tests.runtime.onnx.running import assert_same, expected, inputs_of, model_of, onnx, run
from tests.runtime.onnx.test_export import NETWORKS, ready
from tests.runtime.onnx.test_operators import CASES, REFUSED, exported

helper = onnx.helper

#: Samples that are written in a way that has no counterpart, and a word of the refusal.
UNREAD = {
    ("SequenceLast", 0): "batch_dims",
    ("SequenceLast", 2): "batch_dims",
    ("topk", 3): "ScatterElements",
}
#: Samples without elements, which the interface without numpy shapes does not have.
EMPTY = {("_npi_eye", 2), ("_npi_ones", 2), ("_npi_zeros", 2)}


def run_read(model: Any, arrays: Mapping[str, Any]) -> list[Any]:
    """Return the outputs of a model that is read, bound and run."""
    read = read_graph(model)
    given = {**read.params, **{i.name: arrays[i.name] for i in model.graph.input}}
    ready = {name: nd.array(array, dtype=array.dtype) for name, array in given.items()}
    arguments = {name: ready[name] for name in read.symbol.list_arguments()}
    states = {name: ready[name] for name in read.symbol.list_auxiliary_states()}
    return [output.asnumpy() for output in read.symbol.bind(cpu(), arguments, aux_states=states).forward()]


def without_scalars(outputs: Any) -> list[Any]:
    """Return outputs as the interface without numpy shapes has them: one number is a vector."""
    return [output.reshape(1) if output.ndim == 0 else output for output in map(np.asarray, outputs)]


@pytest.mark.parametrize(("operator", "number"), CASES)
def test_what_was_written_is_read_again(operator: Operator, number: int) -> None:
    key = (operator.name, number)
    if key in REFUSED or key in EMPTY:
        pytest.skip("cannot be written, or has no elements")
    sample, arrays = operator.samples[number], inputs_of(operator, number)
    model = model_of(operator, sample, arrays)
    if key in UNREAD:
        with pytest.raises(NotImplementedError, match=f"Operator .*{UNREAD[key]}"):
            read_graph(model)
        return
    assert_same(without_scalars(run_read(model, arrays)), without_scalars(expected(operator, sample, arrays)))


@pytest.mark.parametrize(("operator", "number"), CASES)
def test_what_was_written_with_dynamic_sizes_is_read_again_or_refused(operator: Operator, number: int) -> None:
    sample, arrays = operator.samples[number], inputs_of(operator, number)
    model = exported(operator, sample, arrays)
    if model is None or (operator.name, number) in EMPTY:
        pytest.skip("cannot be written with dynamic sizes, or has no elements")
    try:
        found = run_read(model, arrays)
    except NotImplementedError as error:
        if not str(error).startswith(("Operator ", "Output ")):
            raise
    else:
        assert_same(without_scalars(found), without_scalars(expected(operator, sample, arrays)))


@pytest.mark.parametrize(("make", "x", "dynamic"), NETWORKS)
def test_a_network_goes_there_and_back(make: Any, x: Any, dynamic: Any, tmp_path: Path) -> None:
    net = make()
    files = ready(net, x, tmp_path)
    path = mx.onnx.export_model(*files, [x.shape], np.float32, tmp_path / "net.onnx")
    wanted = [net(x).asnumpy()]
    block = mx.contrib.onnx.import_to_gluon(path, mx.cpu())
    assert_same([block(x).asnumpy()], wanted)
    symbol, arguments, states = mx.contrib.onnx.import_model(path)
    again = mx.onnx.export_model(symbol, [arguments, states], [x.shape], np.float32, tmp_path / "again.onnx")
    assert_same(run(onnx.load(again), {"data": x.asnumpy()}), wanted)


def test_names_are_those_of_the_file(tmp_path: Path) -> None:
    net = NETWORKS[0].values[0]()  # type: ignore[operator]
    x = nd.random.normal(shape=(2, 1, 28, 28))
    path = mx.onnx.export_model(*ready(net, x, tmp_path), [x.shape], np.float32, tmp_path / "net.onnx")
    symbol, arguments, states = mx.contrib.onnx.import_model(path)
    params = set(net.collect_params())
    assert {*arguments, *states} <= params
    assert sorted(states) == sorted(name for name in params if "running" in name)
    (output,) = onnx.load(path).graph.output
    assert symbol.list_outputs() == [f"{output.name}_output"]
    assert mx.contrib.onnx.get_model_metadata(path) == {
        "input_tensor_data": [("data", (2, 1, 28, 28), 1)],
        "output_tensor_data": [(output.name, (2, 10))],
    }


def made(nodes: list[Any], shape: tuple[Any, ...], constants: Mapping[str, Any], version: int = 13) -> Any:
    """Return a model of nodes from x to y."""
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info("x", 1, shape)],
        [helper.make_empty_tensor_value_info("y")],
        [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
    model.ir_version = 8
    return onnx.shape_inference.infer_shapes(model)


def node(kind: str, *inputs: str, **attributes: Any) -> Any:
    return helper.make_node(kind, list(inputs), ["y"], **attributes)


def numbers(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).uniform(-1, 1, shape).astype("float32")


@pytest.mark.parametrize(
    ("nodes", "shape", "constants", "version"),
    [
        ([node("Gemm", "x", "w", "b", alpha=0.5, beta=2.0)], (2, 3), {"w": numbers(3, 4), "b": numbers(4)}, 13),
        ([node("Gemm", "x", "w", "b", transB=1)], (2, 3), {"w": numbers(4, 3), "b": numbers(4)}, 11),
        ([node("Conv", "x", "w", pads=[0, 1, 2, 1])], (1, 2, 5, 5), {"w": numbers(3, 2, 3, 3)}, 13),
        ([node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)], (1, 2, 5, 5), {}, 13),
        ([node("AveragePool", "x", kernel_shape=[3], pads=[1, 0])], (1, 2, 5), {}, 13),
        ([node("AveragePool", "x", kernel_shape=[2, 2], pads=[1, 1, 1, 1])], (1, 2, 4, 4), {}, 11),
        ([node("Flatten", "x", axis=2)], (2, 3, 4), {}, 13),
        ([node("Clip", "x", "", "top")], (2, 3), {"top": np.float32(0.5)}, 13),
        ([node("Softmax", "x")], (2, 3), {}, 11),
        ([node("LayerNormalization", "x", "s", "b")], (2, 4), {"s": numbers(4), "b": numbers(4)}, 17),
        ([node("LayerNormalization", "x", "s", epsilon=1e-3)], (2, 4), {"s": numbers(4)}, 17),
        ([node("Unsqueeze", "x", axes=[0, 3])], (2, 3), {}, 11),
        ([node("Split", "x", axis=1)], (2, 3), {}, 11),
        ([node("Slice", "x", "from", "to")], (4, 5), {"from": np.array([1, -3]), "to": np.array([2**62, -1])}, 13),
        ([node("Gather", "x", "k", axis=1)], (2, 3), {"k": np.array(-1)}, 13),
        ([node("MatMul", "x", "w")], (2, 3, 4), {"w": numbers(4, 5)}, 13),
        ([node("MatMul", "x", "w")], (2, 1, 3, 4), {"w": numbers(2, 4, 5)}, 13),
        ([node("PRelu", "x", "s")], (1, 3, 2, 2), {"s": numbers(3, 1, 1)}, 13),
        ([node("Mean", "x", "w")], (2, 3), {"w": numbers(3)}, 13),
        ([node("ReduceMean", "x", axes=[-1], keepdims=0)], (2, 3), {}, 13),
        ([node("Dropout", "x")], (2, 3), {}, 13),
    ],
    ids=lambda value: value[0].op_type if isinstance(value, list) else "",
)
def test_files_of_other_makers(nodes: list[Any], shape: Any, constants: Any, version: int) -> None:
    model, arrays = made(nodes, shape, constants, version), {"x": numbers(*shape)}
    assert_same(run_read(model, arrays), run(model, arrays))


def test_what_is_computed_of_constants_is_a_constant() -> None:
    nodes = [
        helper.make_node("Constant", [], ["two"], value_ints=[2]),
        helper.make_node("Concat", ["two", "rest"], ["shape"], axis=0),
        node("Reshape", "x", "shape"),
    ]
    model, arrays = made(nodes, (4, 3), {"rest": np.array([-1])}), {"x": numbers(4, 3)}
    read = read_graph(model)
    assert read.params == {}
    assert_same(run_read(model, arrays), run(model, arrays))


def test_sizes_computed_from_a_dynamic_shape_become_codes() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["sizes"]),
        helper.make_node("Gather", ["sizes", "first"], ["batch"], axis=0),
        helper.make_node("Concat", ["batch", "rest"], ["shape"], axis=0),
        node("Reshape", "x", "shape"),
    ]
    model = made(nodes, ("batch", 2, 6), {"first": np.array([0]), "rest": np.array([3, -1])})
    for batch in (1, 5):
        arrays = {"x": numbers(batch, 2, 6)}
        assert_same(run_read(model, arrays), run(model, arrays))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([node("Det", "x", name="area")], "Operator Det of node area cannot be imported from ONNX: no reading"),
        ([node("Mod", "x", "x", fmod=1)], "Operator Mod of node y cannot .*fmod=1"),
        ([node("MaxPool", "x", kernel_shape=[2], auto_pad="SAME_UPPER")], "Operator MaxPool .*auto_pad"),
    ],
)
def test_what_cannot_be_read(nodes: list[Any], message: str) -> None:
    with pytest.raises(NotImplementedError, match=message):
        read_graph(made(nodes, (2, 3, 3), {}))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no ONNX file .*nope\.onnx"):
        mx.contrib.onnx.import_model(tmp_path / "nope.onnx")
