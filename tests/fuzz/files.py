"""What must hold of everything that reads a file: bytes that lie end in an error that says so."""

from __future__ import annotations

import importlib
import importlib.util
import random
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import hybridlint.runtime as mx
from hybridlint.core.errors import UsageError
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.serialization import params, pickles, symbol_json
from hybridlint.text.source import SourceError, SourceFile


@dataclass(frozen=True)
class Reader:
    """What reads bytes, an example that it can read, and the errors with which it may refuse others."""

    read: Callable[[bytes], Any]
    example: bytes
    errors: tuple[type[BaseException], ...]


def _temporary(read: Callable[[Path], Any], name: str) -> Callable[[bytes], Any]:
    """Return a reader of bytes from one that reads a file of this name."""

    def of_bytes(content: bytes) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(content)
            return read(path)

    return of_bytes


def _records(path: Path) -> list[Any]:
    file = mx.recordio.MXRecordIO(str(path), "r")
    found = []
    while (content := file.read()) is not None:
        found.append(mx.recordio.unpack(content))
    return found


def _configured(path: Path) -> Any:
    from hybridlint.project.settings.settings_files import own_config

    return own_config(path.parent)


def _recorded(path: Path) -> Any:
    from hybridlint.proving.recording.store import load_record

    return load_record(path.parent, path.name)


def _network() -> Any:
    """Return a network whose parameters a file may hold."""
    from hybridlint.runtime.gluon import nn

    network = nn.HybridSequential(prefix="net_")
    network.add(nn.Dense(3, in_units=2, prefix="a_"), nn.BatchNorm(in_channels=3, prefix="b_"))
    return network


def _loaded(path: Path) -> Any:
    network = _network()
    network.load_parameters(str(path))
    return network


def _model(path: Path) -> Any:
    network = _network()
    network.initialize()
    prefix = str(path).removesuffix("-model.json")
    network.save_parameters(f"{prefix}-model.params")
    network.load(prefix)
    return network


def _written(write: Callable[[str], Any], name: str, beside: str = "") -> bytes:
    """Return what a function writes to a file of this name, by default the one that it is given."""
    with tempfile.TemporaryDirectory() as folder:
        write(str(Path(folder, beside or name)))
        return Path(folder, name).read_bytes()


def _saved() -> bytes:
    network = _network()
    network.initialize()
    return _written(network.save_parameters, "a.params")


def _described() -> bytes:
    network = _network()
    network.initialize()
    network.hybridize()
    network(mx.nd.ones((1, 2)))
    return _written(network.save, "a-model.json", "a")


def _imported(path: Path) -> Any:
    return mx.gluon.SymbolBlock.imports(str(path), ["x"])


def _onnx() -> dict[str, Reader]:
    """Return the readers of ONNX files, none where the library is not installed."""
    if importlib.util.find_spec("onnx") is None:
        return {}
    from hybridlint.runtime.contrib import onnx as onnx_files

    onnx: Any = importlib.import_module("onnx")
    helper, floats, integers = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    value = helper.make_tensor_value_info
    weight = helper.make_tensor("w", floats, (3, 2), [1.0] * 6)
    shape = helper.make_tensor("s", integers, (2,), [2, 3])
    nodes = [
        helper.make_node("Gemm", ["x", "w"], ["y"], transB=1),
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Add", ["y", "c"], ["z"]),
        helper.make_node("Softmax", ["z"], ["out"], axis=1),
    ]
    ends = [value("x", floats, (2, 2))], [value("out", floats, (2, 3))]
    model = helper.make_model(helper.make_graph(nodes, "net", *ends, [weight, shape]))
    refused = (MXNetError, NotImplementedError, OSError)

    def block(path: Path) -> Any:
        return onnx_files.import_to_gluon(str(path), mx.cpu())

    def metadata(path: Path) -> Any:
        return onnx_files.get_model_metadata(str(path))

    example = model.SerializeToString()
    return {
        "onnx": Reader(_temporary(block, "a.onnx"), example, refused),
        "metadata of onnx": Reader(_temporary(metadata, "a.onnx"), example, refused),
    }


def _directives(content: bytes) -> Any:
    from hybridlint.project.settings.directives import directives, parse
    from hybridlint.project.settings.suppress import suppressions

    source = SourceFile.decode(Path("a.py"), content)
    suppressions(source)
    return [parse(each.text, each.kind) for each in directives(source)]


def _document(name: str) -> Callable[[bytes], Any]:
    from hybridlint.project.documents.document import read_source

    return lambda content: read_source(Path(name), content)


_CONFIG = b"""[tool.hybridlint]
select = ["HYB1", "HYB2"]
exclude = ["build", "a/*.py"]
[tool.hybridlint.verify]
timeout = 5.5
batch-sizes = [2, 3]
[tool.hybridlint.verify.inputs]
Net = 'x=("N", 3)'
"""
_DIRECTIVES = b"""# hybridlint: verify(x=("N", 3, 4), n=int, dtype="float32")
class Net:  # noqa: HYB104, HYB2
    # hybridlint: shapes(x=("N", 3), y=[(2, 3), ("N",)])
    x = 1  # hybridlint: ignore[HYB1]
"""
_NOTEBOOK = b"""{"cells": [{"cell_type": "code", "metadata": {}, "source": ["x = 1\\n", "%time y = 2"], "outputs": [],
"execution_count": null}, {"cell_type": "markdown", "metadata": {}, "source": "text"}], "metadata": {"language_info":
{"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}"""
_MARKDOWN = b"# A\n\n```python\nx = 1\n```\n\n> ```{code-block} python\n> y = 2\n> ```\n"
_SOURCE = "# -*- coding: utf-8 -*-\nfrom mxnet import nd\nx = nd.array([1])  # \u00e4\n".encode()


@cache
def readers() -> dict[str, Reader]:
    """Return all readers of files by name."""
    x = mx.sym.var("x")
    network = mx.sym.FullyConnected(mx.sym.relu(x) + 1, num_hidden=3, name="fc")
    arrays = {"arg:a": mx.nd.ones((2, 3)), "aux:b": mx.nd.arange(4, dtype="int32")}
    stored: dict[str, Any] = {name: array._data for name, array in arrays.items()}
    record = mx.recordio.pack(mx.recordio.IRHeader(0, [1.0, 2.0], 7, 0), b"content")
    framed = struct.pack("<II", 0xCED7230A, len(record)) + record + b"\0" * (-len(record) % 4)
    import pickle

    state = pickle.dumps({0: 2**30, "lr": (0.1, [None, True, "a"])}, 2)
    refused = (MXNetError, OSError, ValueError, TypeError, AssertionError, NotImplementedError)
    return {
        "params": Reader(params.parse, params.dump(stored), (MXNetError,)),
        "symbol": Reader(lambda b: symbol_json.loads(b.decode("utf-8")), network.tojson().encode(), refused),
        "pickles": Reader(pickles.load, state, refused),
        "records": Reader(_temporary(_records, "a.rec"), framed * 2, refused),
        "csv": Reader(_temporary(_csv, "a.csv"), b"1,2\n3,4\n5.5,-6e3\n", refused),
        "parameters of a block": Reader(_temporary(_loaded, "a.params"), _saved(), (MXNetError,)),
        "structure of a block": Reader(
            _temporary(_model, "a-model.json"), _described(), (MXNetError, KeyError, OSError)
        ),
        "block of symbols": Reader(_temporary(_imported, "a.json"), network.tojson().encode(), refused),
        **_onnx(),
        "directives": Reader(_directives, _DIRECTIVES, (SourceError, ValueError)),
        "settings": Reader(_temporary(_configured, "pyproject.toml"), _CONFIG, (UsageError,)),
        "record of a run": Reader(_temporary(_recorded, "shapes.json"), b'{"version": 1, "blocks": {}}', (UsageError,)),
        "notebook": Reader(_document("a.ipynb"), _NOTEBOOK, (SourceError,)),
        "markdown": Reader(_document("a.md"), _MARKDOWN, (SourceError,)),
        "source": Reader(_source, _SOURCE, (SourceError,)),
    }


def _source(content: bytes) -> Any:
    return SourceFile.decode(Path("a.py"), content).tree


def _csv(path: Path) -> Any:
    return [batch.data for batch in mx.io.CSVIter(data_csv=str(path), data_shape=(2,), batch_size=1)]


#: Numbers with which sizes, counts and offsets lie.
_LIES = (0, 1, 2, 3, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)


def lied(content: bytes, draw: random.Random) -> bytes:
    """Return bytes with some changes: flipped, cut, doubled, moved, or another number in their place."""
    data = bytearray(content)
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(8)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = data[draw.randrange(len(data) + 1) :][: draw.randrange(1, 40)]
        elif kind == 3:
            del data[at : at + draw.randrange(1, 9)]
        elif kind == 4:
            size, form = draw.choice([(4, "<I"), (8, "<Q")])
            data[at : at + size] = struct.pack(form, draw.choice(_LIES) % 2 ** (8 * size))
        elif kind == 5:
            data[at:at] = str(draw.choice(_LIES)).encode()
        elif kind == 6:
            data[at : at + 1] = draw.choice(
                [b"\0", b'"', b"[", b"{", b"\xff", b"-", b"1e999", b"null", b"\r\n", b"NaN"]
            )
        else:
            data[at:at] = draw.choice([b"[", b"(", b'{"a":']) * draw.choice([3, 200, 3000])
    return bytes(data)


def reading_ends_in_a_sentence(name: str, seed: int) -> None:
    """Check that a reader reads changed bytes or refuses them with one of its errors."""
    reader = readers()[name]
    refused(name, lied(reader.example, random.Random(seed)))


def refused(name: str, content: bytes) -> None:
    """Read bytes; any error that is not one of the reader's is raised."""
    reader = readers()[name]
    try:
        reader.read(content)
    except reader.errors as error:
        if not str(error):
            raise AssertionError(f"{name}: {type(error).__name__} says nothing") from error
