"""The container of arrays: byte for byte what MXNet writes, and a clear error for whatever is damaged."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.runtime.serialization.params import LIST_MAGIC, V1_MAGIC, ParamsFormatError, SparseArray, dump, parse

WRITTEN = Path(__file__).parents[2] / "goldens" / "files"
FILES = ["model-0001.params", "net.params", "list.nd", "single.nd", "dict.nd", "sparse.nd", "empty.nd", "np_dict.npx"]

#: What MXNet 1.9.1 writes for ``nd.ones((1,))`` of each dtype, after the header and the flag.
ONE = {
    "float32": "0000803f",
    "float64": "000000000000f03f",
    "float16": "003c",
    "uint8": "01",
    "int32": "01000000",
    "int8": "01",
    "int64": "0100000000000000",
    "bool": "01",
}


@pytest.mark.parametrize("dtype", DTYPE_FLAGS)
def test_bytes_of_one_array(dtype: str) -> None:
    expected = (
        "120100000000000000000000000000000100000000000000"
        "c9fa93f90000000001000000010000000000000001000000000000000"
        f"{DTYPE_FLAGS[dtype]}000000{ONE[dtype]}0000000000000000"
    )
    assert dump([np.ones((1,), dtype)]).hex() == expected
    [back] = parse(bytes.fromhex(expected))
    assert isinstance(back, np.ndarray)
    assert back.dtype == dtype


@pytest.mark.parametrize("name", FILES)
def test_files_of_mxnet_survive_a_round_trip(name: str) -> None:
    content = (WRITTEN / name).read_bytes()
    assert dump(parse(content), np_shape=name.endswith(".npx")) == content


def test_a_sparse_array_that_mxnet_had_not_finished_is_read() -> None:
    """MXNet writes 0 for the number of its elements then, and reads the file all the same."""
    content = (WRITTEN / "sparse.nd").read_bytes()
    size = struct.pack("<iiq", 2, 1, 5)
    assert size in content, "storage type csr, one dimension, five elements"
    unfinished = parse(content.replace(size, struct.pack("<iiq", 2, 1, 0), 1))
    assert dump(unfinished) == content


@pytest.mark.parametrize("name", FILES)
def test_cut_files_are_refused(name: str) -> None:
    content = (WRITTEN / name).read_bytes()
    for length in range(0, len(content), max(1, len(content) // 50)):
        with pytest.raises(ParamsFormatError, match="invalid NDArray file format"):
            parse(content[:length])


def test_damaged_bytes_give_one_kind_of_error() -> None:
    content = dump({"a": np.ones((2, 3), "float32"), "b": SparseArray("csr", (2, 4), np.ones(2), (np.arange(3),) * 2)})
    generator = np.random.default_rng(0)
    for _ in range(2000):
        damaged = bytearray(content)
        for position in generator.integers(0, len(content), 3):
            damaged[position] = generator.integers(0, 256)
        with contextlib.suppress(ParamsFormatError):
            parse(bytes(damaged))


@pytest.mark.parametrize("rank", [1, 31])
def test_a_huge_shape_allocates_nothing(rank: int) -> None:
    header = struct.pack("<QQQ", LIST_MAGIC, 0, 1)
    array = struct.pack(f"<Iii{rank}qiii", 0xF993FAC9, 0, rank, *[2**40] * rank, 1, 0, 0)
    with pytest.raises(ParamsFormatError):
        parse(header + array + bytes(100))


def test_a_huge_count_is_refused_at_once() -> None:
    with pytest.raises(ParamsFormatError, match="more than the rest of the file can hold"):
        parse(struct.pack("<QQQ", LIST_MAGIC, 0, 2**60) + bytes(100))


def test_older_versions_are_read() -> None:
    header, values = struct.pack("<QQQ", LIST_MAGIC, 0, 1), struct.pack("<2f", 1, 2)
    tail = struct.pack("<iii", 1, 0, 0) + values + struct.pack("<Q", 0)
    for array in (struct.pack("<Iiq", V1_MAGIC, 1, 2), struct.pack("<II", 1, 2)):
        [back] = parse(header + array + tail)
        assert isinstance(back, np.ndarray)
        assert back.tolist() == [1, 2]


def test_unsupported_dtypes_are_named() -> None:
    content = bytearray(dump([np.ones((1,), "float32")]))
    content[content.index(b"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f") + 8] = 12
    with pytest.raises(ParamsFormatError, match="bfloat16"):
        parse(bytes(content))
    with pytest.raises(TypeError, match="complex64"):
        dump([np.ones(1, "complex64")])


def test_scalars_and_empty_arrays_are_kept() -> None:
    back = parse(dump({"scalar": np.array(3.0), "empty": np.zeros((0, 2))}))
    assert isinstance(back, dict)
    assert [a.shape for a in back.values() if isinstance(a, np.ndarray)] == [(), (0, 2)]


def test_save_and_load_keep_lists_and_dicts(tmp_path: Path) -> None:
    file = str(tmp_path / "arrays.nd")
    nd.save(file, nd.ones((2,)))
    assert [a.shape for a in nd.load(file)] == [(2,)]
    nd.save(file, {"a": nd.ones((2,), dtype="int64")})
    loaded = nd.load(file)
    assert isinstance(loaded, dict)
    assert loaded["a"].dtype == np.int64
    nd.save(file, [])
    assert nd.load(file) == []


def test_what_cannot_be_saved_or_loaded(tmp_path: Path) -> None:
    file = str(tmp_path / "arrays.nd")
    for wrong, error in (([nd.ones(1), 3], TypeError), ({3: nd.ones(1)}, TypeError), (3, ValueError)):
        with pytest.raises(error):
            nd.save(file, wrong)
    with pytest.raises(mx.MXNetError, match="Cannot open"):
        nd.load(file)
    Path(file).write_bytes(dump([SparseArray("csr", (2, 2), np.ones(1), (np.arange(3), np.arange(1)))]))
    with pytest.raises(mx.MXNetError, match="IndPtr of csr NDArray"):
        nd.load(file)
