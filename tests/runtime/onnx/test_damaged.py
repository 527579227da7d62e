"""ONNX files that lie, or that a few numbers would make huge, are refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridlint import runtime as mx
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.contrib import onnx as onnx_files

onnx: Any = pytest.importorskip("onnx", reason="ONNX files need the package onnx")
helper, numpy_helper, TensorProto = onnx.helper, onnx.numpy_helper, onnx.TensorProto


def _file(folder: Path, nodes: list[Any], constants: list[Any], output: str = "z") -> Path:
    ends = (
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 2))],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
    )
    model = helper.make_model(helper.make_graph(nodes, "net", *ends, constants))
    path = folder / "net.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def _whole(name: str, *numbers: int) -> Any:
    return helper.make_tensor(name, TensorProto.INT64, (len(numbers),), numbers)


def _add(constant: str) -> Any:
    return helper.make_node("Add", ["x", constant], ["z"])


@pytest.mark.parametrize("content", [b"", b"text", b"\x08", b"\xff" * 40, b"\x00" * 9])
def test_what_is_no_onnx(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    with pytest.raises((MXNetError, NotImplementedError)):
        onnx_files.import_to_gluon(str(path), mx.cpu())


def test_a_tensor_that_lacks_its_numbers(tmp_path: Path) -> None:
    weight = numpy_helper.from_array(mx.nd.ones((2, 2)).asnumpy(), "w")
    weight.dims[0] = 1000
    with pytest.raises(MXNetError, match=r"net\.onnx is no ONNX file that can be read"):
        onnx_files.import_model(str(_file(tmp_path, [_add("w")], [weight])))


#: The operators that make the constant `c` of a constant `o` and a vector `t`, and numbers of that.
LARGE = {"ConstantOfShape": (10**6, 10**6), "Expand": (10**6, 10**6), "Tile": (10**12,)}


@pytest.mark.parametrize("kind", LARGE)
def test_few_numbers_make_no_large_constant(tmp_path: Path, kind: str) -> None:
    given = ["t"] if kind == "ConstantOfShape" else ["o", "t"]
    nodes = [helper.make_node("ConstantOfShape", ["s"], ["o"]), helper.make_node(kind, given, ["c"]), _add("c")]
    with pytest.raises(NotImplementedError, match="few numbers make a large constant"):
        onnx_files.import_model(str(_file(tmp_path, nodes, [_whole("s", 2), _whole("t", *LARGE[kind])])))


def test_a_loop_over_constants_is_not_run(tmp_path: Path) -> None:
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["v", "v"], ["w"])],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, ()),
            helper.make_tensor_value_info("go", TensorProto.BOOL, ()),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, (1,)),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, ()),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, (1,)),
        ],
    )
    constants = [
        helper.make_tensor("n", TensorProto.INT64, (), [2**62]),
        helper.make_tensor("go", TensorProto.BOOL, (), [True]),
        helper.make_tensor("start", TensorProto.FLOAT, (1,), [0.0]),
    ]
    loop = helper.make_node("Loop", ["n", "go", "start"], ["c"], body=body)
    with pytest.raises(NotImplementedError, match="Operator Loop"):
        onnx_files.import_model(str(_file(tmp_path, [loop, _add("c")], constants)))
