"""Files that lie about sizes, types, places and order are refused with an MXNetError, soon and without much memory."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hybridlint import runtime as mx
from hybridlint.runtime import recordio
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.contrib import text

FILES = Path(__file__).parents[1] / "goldens" / "files"
#: What a mutation writes in the place of some bytes.
NUMBERS = (
    b"\xff" * 4,
    b"\0" * 4,
    b"\0\0\0\x80",
    b"\xff\xff\xff\x7f",
    b"\xff" * 8,
    b"\xff" * 7 + b"\x7f",
    b"-1",
    b"null",
)


def _graph(*nodes: dict[str, Any], heads: Any = ((1, 0, 0),)) -> str:
    return json.dumps(
        {"nodes": [{"op": "null", "name": "data", "inputs": []}, *nodes], "arg_nodes": [0], "heads": heads}
    )


def _relu(*inputs: Any, **more: Any) -> dict[str, Any]:
    return {"op": "relu", "name": "relu0", "inputs": inputs, **more}


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        pytest.param(_graph(_relu([-1, 0, 0])), "node -1 does not come before", id="a negative place"),
        pytest.param(_graph(_relu([1, 0, 0])), "node 1 does not come before", id="a cycle"),
        pytest.param(_graph(_relu([7, 0, 0])), "node 7 does not come before", id="a place beyond the end"),
        pytest.param(_graph(_relu([0, 3, 0])), "has no output 3", id="an output that is none"),
        pytest.param(_graph(_relu([0, -1, 0])), "has no output -1", id="a negative output"),
        pytest.param(_graph(_relu([0, 0.0, 0])), "names no output", id="a fraction"),
        pytest.param(_graph(_relu([0, 0, 0]), heads=[[-1, 0, 0]]), "node -1", id="a negative head"),
        pytest.param(_graph(_relu([0, 0, 0]), heads=[]), "no heads", id="no heads"),
        pytest.param(_graph(_relu([0, 0, 0]), heads=None), "malformed", id="null"),
        pytest.param(_graph(_relu([0, 0, 0], attrs={"a": 1.5})), "no texts", id="a number as attribute"),
        pytest.param(_graph(_relu([0, 0, 0], name=["x"])), "no texts", id="a list as name"),
        pytest.param(
            _graph({"op": "SliceChannel", "name": "s", "inputs": [[0, 0, 0]], "attrs": {"num_outputs": "1000000000"}}),
            "1000000000 outputs",
            id="a billion outputs",
        ),
        pytest.param("[" * 100_000, "malformed", id="nesting"),
        pytest.param('{"nodes": ' + "9" * 10_000 + "}", "malformed", id="a long number"),
    ],
)
def test_symbols(graph: str, message: str) -> None:
    with pytest.raises(MXNetError, match=message):
        mx.sym.load_json(graph)


@pytest.mark.parametrize(("name", "value"), [("__shape__", ")"), ("__shape__", "{[]: 1}"), ("__dtype__", "(((")])
def test_attributes_of_variables(name: str, value: str) -> None:
    text = json.dumps(
        {
            "nodes": [{"op": "null", "name": "data", "inputs": [], "attrs": {name: value}}],
            "arg_nodes": [0],
            "heads": [[0, 0, 0]],
        }
    )
    with pytest.raises(MXNetError, match=f"data: its attribute {name} is no"):
        mx.sym.load_json(text).infer_shape()


def test_a_long_chain_is_a_graph_like_others() -> None:
    nodes = [{"op": "relu", "name": f"relu{k}", "inputs": [[k, 0, 0]]} for k in range(20_000)]
    symbol = mx.sym.load_json(_graph(*nodes, heads=[[len(nodes), 0, 0]]))
    assert symbol.list_arguments() == ["data"]
    assert symbol.infer_shape(data=(2, 3))[1] == [(2, 3)]


def _written(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return str(folder / name)


def _records(folder: Path) -> bytes:
    writer = recordio.MXRecordIO(str(folder / "made.rec"), "w")
    for number in range(3):
        writer.write(recordio.pack(recordio.IRHeader(2, [1.0, 2.0], number, 0), b"abc" * number))
    writer.close()
    return (folder / "made.rec").read_bytes()


def _read_params(folder: Path, content: bytes) -> None:
    mx.nd.load(_written(folder, "a.params", content))


def _read_symbol(folder: Path, content: bytes) -> None:
    symbol = mx.sym.load(_written(folder, "a.json", content))
    symbol.tojson()
    symbol.infer_shape_partial(data=(2, 3, 8, 8))


def _read_records(folder: Path, content: bytes) -> None:
    reader = recordio.MXRecordIO(_written(folder, "a.rec", content), "r")
    while (record := reader.read()) is not None:
        recordio.unpack(record)


def _read_index(folder: Path, content: bytes) -> None:
    records = _written(folder, "i.rec", _records(folder))
    reader = recordio.MXIndexedRecordIO(_written(folder, "i.idx", content), records, "r")
    for key in reader.keys:
        reader.read_idx(key)


def _read_csv(folder: Path, content: bytes) -> None:
    list(mx.io.CSVIter(data_csv=_written(folder, "a.csv", content), data_shape=(3,), batch_size=2))


def _read_images(folder: Path, content: bytes) -> None:
    labels = _written(folder, "labels", struct.pack(">II", 2049, 2) + b"\0\1")
    list(mx.io.MNISTIter(image=_written(folder, "images", content), label=labels, batch_size=2))


def _read_vectors(folder: Path, content: bytes) -> None:
    text.embedding.CustomEmbedding(_written(folder, "vectors.txt", content))


READERS: dict[str, tuple[Callable[[Path, bytes], None], Callable[[Path], bytes]]] = {
    "params": (_read_params, lambda _: (FILES / "dict.nd").read_bytes()),
    "symbol": (_read_symbol, lambda _: (FILES / "model-symbol.json").read_bytes()),
    "records": (_read_records, _records),
    "index": (_read_index, lambda _: b"0\t0\n1\t40\n2\t84\n"),
    "csv": (_read_csv, lambda _: b"1,2,3\n4,5,6\n7,8,9\n"),
    "images": (_read_images, lambda _: struct.pack(">IIII", 2051, 2, 28, 28) + bytes(2 * 784)),
    "vectors": (_read_vectors, lambda _: b"a 1 2 3\nb 4 5 6\n"),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", READERS)
def test_a_file_is_read_or_refused(tmp_path: Path, kind: str) -> None:
    reader, original = READERS[kind]
    valid = original(tmp_path)
    reader(tmp_path, valid)
    for number in range(120):
        content = _mutated(valid, random.Random(f"{kind} {number}"))
        with suppress(MXNetError):
            reader(tmp_path, content)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("records", b"\x0a\x23\xd7\xce" + struct.pack("<I", (1 << 29) - 1) + b"x", "ends inside of a record"),
        ("records", b"\x0a\x23\xd7\xce" + struct.pack("<I", 4) + b"abcd", "has no header"),
        ("records", b"\x0a\x23\xd7\xce" + struct.pack("<I", 24) + struct.pack("<IfQQ", 9, 0, 0, 0), "with 9 labels"),
        ("index", b"0\t-8\n", "at line 1: there is no byte -8"),
        ("index", b"0\t0\n1\t99999999999999999999\n", "at line 2: there is no byte"),
        ("index", b"0 0\n", "is no index of records, at line 1"),
        ("csv", b"1,2,3\n4,x,6\n", "is no table of numbers"),
        ("csv", b"\xff\xfe", "is no table of numbers"),
        ("images", bytes(8) + struct.pack(">2I", 28, 28) + bytes(4), "4 pixels, not 28 x 28 for each label"),
        ("images", b"\0" * 3, "is no file of MNIST"),
        ("vectors", b"a 1 2 3\nb 4 5\n", "dimension of token b"),
        ("vectors", b"a 1 x 3\n", "at line 1"),
        ("vectors", b"\xff 1 2 3\n", "is no text in utf8"),
    ],
)
def test_the_sentence_says_what_is_wrong(tmp_path: Path, kind: str, content: bytes, message: str) -> None:
    with pytest.raises(MXNetError, match=message):
        READERS[kind][0](tmp_path, content)


def _mutated(content: bytes, chosen: random.Random) -> bytes:
    """Return bytes with a few changed, inserted, removed or doubled."""
    data = bytearray(content)
    for _ in range(chosen.choice([1, 1, 2, 4])):
        place = chosen.randrange(len(data) + 1)
        part = bytes(chosen.randrange(256) for _ in range(chosen.randrange(1, 9)))
        match chosen.randrange(5):
            case 0:
                data[place : place + len(part)] = part
            case 1:
                data[place:place] = part
            case 2:
                del data[place : place + len(part)]
            case 3:
                number = chosen.choice(NUMBERS)
                data[place : place + len(number)] = number
            case _:
                del data[place:]
    return bytes(data)
