"""The container of arrays that MXNet 1.x writes (.params, `nd.save`): little endian, read and written byte for byte.

Reading never trusts a size before the bytes for it are seen to be there, so that a damaged file costs no memory.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hybridlint.runtime.base import MXNetError, reported_as_mxnet
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.core.storage_types import is_sparse, stored_array
from hybridlint.runtime.core.stored_format import check_places
from hybridlint.runtime.facts.storage import Csr, RowSparse, Sparse
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.runtime.util import is_np_shape

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

Raw: TypeAlias = npt.NDArray[Any]

LIST_MAGIC = 0x112
V1_MAGIC = 0xF993FAC8
V2_MAGIC = 0xF993FAC9
V3_MAGIC = 0xF993FACA
_MAX_RANK = 32  # numpy 1.x allows no more
_SMALLEST_ARRAY = 8
_MAX_BYTES = 2**63 - 1
_NAMES_OF_FLAGS = {flag: name for name, flag in DTYPE_FLAGS.items()}
_STORAGE = {0: "default", 1: "row_sparse", 2: "csr"}
_AUX_COUNT = {"default": 0, "row_sparse": 1, "csr": 2}


_SAVED_WITH = (
    "ndarray was saved in np shape semantics, must be loaded in the same semantics. Please turn on np shape semantics "
    "in Python using `with np_shape(True)` or decorator `use_np_shape` to scope the code of loading the ndarray."
)
_SAVED_WITHOUT = (
    "ndarray was not saved in np shape semantics, but being loaded in np shape semantics. Please turn off np shape "
    "semantics in Python using `with np_shape(False)` to scope the code of loading the ndarray."
)


class ParamsFormatError(MXNetError):
    """The file is not a container of arrays, or is damaged; the message says where and how."""


@dataclass(frozen=True, eq=False, slots=True)
class SparseArray:
    """A stored sparse array: `stype` is ``row_sparse`` (aux: row indices) or ``csr`` (aux: indptr, column indices)."""

    stype: str
    shape: tuple[int, ...]
    data: Raw
    aux: tuple[Raw, ...]


Stored: TypeAlias = "Raw | SparseArray | None"


def dump(arrays: Sequence[Stored] | Mapping[str, Stored], *, np_shape: bool = False) -> bytes:
    """Return the file content for a list of arrays, or for named arrays.

    With `np_shape`, arrays are marked as saved in numpy mode. Scalars and empty arrays always are, because without the
    mark they would be read back as missing. Raises TypeError for a dtype that MXNet lacks.
    """
    names = list(arrays) if isinstance(arrays, Mapping) else []
    values = list(arrays.values()) if isinstance(arrays, Mapping) else list(arrays)
    parts = [struct.pack("<QQQ", LIST_MAGIC, 0, len(values))]
    for value in values:
        parts += _dump_array(value, np_shape)
    parts.append(struct.pack("<Q", len(names)))
    for name in names:
        text = name.encode()
        parts += [struct.pack("<Q", len(text)), text]
    return b"".join(parts)


def parse(content: bytes, origin: str = "file", *, np_shape: bool | None = None) -> list[Stored] | dict[str, Stored]:
    """Return the arrays of a file: a dict if they are named, otherwise a list. None represents a missing array.

    Dense arrays own their memory. Raises ParamsFormatError with a message that begins with `origin`, and MXNetError
    for arrays that were saved with other shapes than `np_shape` says, numpy's or the legacy ones.
    """
    reader = _Reader(memoryview(content), origin, np_shape)
    magic, _reserved = reader.unpack("<QQ", "header")
    if magic != LIST_MAGIC:
        raise reader.error("it does not begin like a file of arrays")
    arrays = [_read_array(reader) for _ in range(reader.count("number of arrays", _SMALLEST_ARRAY))]
    names = [reader.text("name") for _ in range(reader.count("number of names", 8))]
    if not names:
        return arrays
    if len(names) != len(arrays):
        raise reader.error(f"it has {len(names)} names for {len(arrays)} arrays")
    return dict(zip(names, arrays, strict=True))


def dump_array(array: Raw | Sparse) -> bytes:
    """Return the bytes of one array, as in files and pickles. Raises TypeError for a dtype that MXNet lacks."""
    return b"".join(_dump_array(_as_stored(array), is_np_shape()))


def parse_array(content: bytes | bytearray, origin: str = "pickle") -> Raw:
    """Return the array written by `dump_array`. Raises MXNetError if it is missing or not dense."""
    found = parse_stored(content, origin)
    if found is None or is_sparse(found):
        raise MXNetError(f"{origin}: {'a missing' if found is None else 'a sparse'} array where a dense one is meant")
    return found  # type: ignore[no-any-return]


def parse_stored(content: bytes | bytearray, origin: str = "pickle") -> Any:
    """Return the elements written by `dump_array`, in their storage."""
    found = _read_array(_Reader(memoryview(content), origin))
    return _as_elements(found) if isinstance(found, SparseArray) else found


def save(fname: str, data: NDArray | Sequence[NDArray] | Mapping[str, NDArray]) -> None:
    """Write an array, a list of arrays or a dict of named arrays to a file, as ``mx.nd.save`` does.

    Raises ValueError or TypeError for anything else, MXNetError if the file cannot be written.
    """
    from hybridlint.runtime.ndarray.ndarray import NDArray

    given = [data] if isinstance(data, NDArray) else data
    if not isinstance(given, (list, dict)):
        raise ValueError("data needs to either be a NDArray, dict of str, NDArray pairs or a list of NDarrays.")
    values = list(given.values()) if isinstance(given, dict) else given
    if not all(isinstance(v, NDArray) for v in values) or not all(isinstance(k, str) for k in _keys(given)):
        raise TypeError("save only accept dict str->NDArray or list of NDArray")
    raws: list[Stored] = [_as_stored(v._stored if v._is_sparse else v._host) for v in values]
    named = dict(zip(given, raws, strict=True)) if isinstance(given, dict) else raws
    content = dump(named, np_shape=is_np_shape())
    with reported_as_mxnet(fname):
        Path(fname).write_bytes(content)


def load(fname: str) -> list[NDArray] | dict[str, NDArray]:
    """Read a file of arrays: a dict if they are named, otherwise a list.

    Raises TypeError if `fname` is not a str, MXNetError if the file cannot be read, is damaged, or holds
    missing arrays.
    """
    if not isinstance(fname, str):
        raise TypeError("fname required to be a string")
    with reported_as_mxnet(fname):
        content = read_file(fname)
    return _as_ndarrays(parse(content, fname, np_shape=is_np_shape()), fname)


def load_frombuffer(buf: bytes | str) -> list[NDArray] | dict[str, NDArray]:
    """Read arrays from the bytes of a file, as `load` does."""
    if not isinstance(buf, (bytes, str)):
        raise TypeError("buf required to be a string or bytes")
    content = buf.encode() if isinstance(buf, str) else buf
    return _as_ndarrays(parse(content, "buffer", np_shape=is_np_shape()), "buffer")


def _keys(given: Sequence[Any] | Mapping[Any, Any]) -> Iterable[Any]:
    return given if isinstance(given, Mapping) else ()


def _as_ndarrays(stored: list[Stored] | dict[str, Stored], origin: str) -> list[NDArray] | dict[str, NDArray]:
    if isinstance(stored, dict):
        return {name: _as_ndarray(value, f"{origin}: {name}") for name, value in stored.items()}
    return [_as_ndarray(value, f"{origin}: array {k}") for k, value in enumerate(stored)]


def _as_ndarray(value: Stored, origin: str) -> NDArray:
    from hybridlint.runtime.ndarray.ndarray import NDArray

    if value is None:
        raise MXNetError(f"{origin} is missing in the file")
    if isinstance(value, SparseArray):
        held = _as_elements(value)
        try:
            check_places(held)
        except MXNetError as error:
            raise ParamsFormatError(f"{origin}: {error}") from error
        return stored_array(held, NDArray)  # type: ignore[no-any-return]
    return NDArray(value)


def _as_stored(held: Any) -> Stored:
    """Return elements as files store them."""
    if isinstance(held, Csr):
        count = int(held.indptr[-1])
        return SparseArray("csr", held.shape, held.data[:count], (held.indptr, held.indices[:count]))
    if isinstance(held, RowSparse):
        return SparseArray("row_sparse", held.shape, held.data, (held.indices,))
    return held  # type: ignore[no-any-return]


def _as_elements(found: SparseArray) -> Sparse:
    """Return the elements of a stored array."""
    aux = [array.astype("int64", copy=False) for array in found.aux]
    if found.stype == "row_sparse":
        return RowSparse(found.shape, found.data, aux[0])
    return Csr(found.shape, found.data, aux[1], aux[0])


def _dump_array(value: Stored, np_shape: bool) -> list[bytes]:
    if value is None:
        return [struct.pack("<Ii", V2_MAGIC, 0), _dump_shape(())]
    numpy_marked = np_shape or not value.shape
    magic = struct.pack("<I", V3_MAGIC if numpy_marked else V2_MAGIC)
    device = struct.pack("<ii", 1, 0)
    if not isinstance(value, SparseArray):
        flag = struct.pack("<i", _flag(value))
        return [magic, struct.pack("<i", 0), _dump_shape(value.shape), device, flag, _little_endian(value)]
    stype = {name: number for number, name in _STORAGE.items()}[value.stype]
    return [
        magic,
        struct.pack("<i", stype),
        _dump_shape(value.data.shape),
        _dump_shape(value.shape),
        device,
        struct.pack("<i", _flag(value.data)),
        *(struct.pack("<i", _flag(a)) + _dump_shape(a.shape) for a in value.aux),
        _little_endian(value.data),
        *map(_little_endian, value.aux),
    ]


def _dump_shape(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _flag(array: Raw) -> int:
    try:
        return DTYPE_FLAGS[array.dtype.name]
    except KeyError:
        raise TypeError(f"arrays of {array.dtype} cannot be saved; MXNet has {', '.join(DTYPE_FLAGS)}") from None


def _little_endian(array: Raw) -> bytes:
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


class _Reader:
    """A position in the bytes of a file."""

    def __init__(self, content: memoryview, origin: str, np_shape: bool | None = None) -> None:
        self._content = content
        self.np_shape = np_shape
        self._origin = origin
        self._at = 0

    def error(self, reason: str) -> ParamsFormatError:
        return ParamsFormatError(f"{self._origin}: invalid NDArray file format: {reason} (at byte {self._at})")

    def take(self, size: int, what: str) -> memoryview:
        left = len(self._content) - self._at
        if size > left:
            raise self.error(f"{what} needs {size} bytes, {left} are left")
        self._at += size
        return self._content[self._at - size : self._at]

    def unpack(self, form: str, what: str) -> tuple[int, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form), what))

    def integer(self, what: str, form: str = "<i") -> int:
        return self.unpack(form, what)[0]

    def count(self, what: str, smallest: int) -> int:
        """Read a count of items, each of which takes at least `smallest` bytes."""
        number = self.integer(what, "<Q")
        if number * smallest > len(self._content) - self._at:
            raise self.error(f"{what} is {number}, more than the rest of the file can hold")
        return number

    def text(self, what: str) -> str:
        raw = self.take(self.integer(f"length of a {what}", "<Q"), what)
        try:
            return bytes(raw).decode()
        except UnicodeDecodeError:
            raise self.error(f"a {what} is not UTF-8") from None

    def shape(self, rank: int | None = None, size: str = "q") -> tuple[int, ...] | None:
        """Read a shape; None for a negative rank."""
        rank = self.integer("rank") if rank is None else rank
        if rank < 0:
            return None
        if rank > _MAX_RANK:
            raise self.error(f"an array of {rank} dimensions")
        dims = self.unpack(f"<{rank}{size}", "shape")
        if any(d < 0 for d in dims):
            raise self.error(f"a shape with a negative size: {dims}")
        return dims

    def dtype(self) -> np.dtype[Any]:
        flag = self.integer("dtype")
        name = _NAMES_OF_FLAGS.get(flag)
        if name is None:
            raise self.error(
                f"arrays of dtype number {flag} ({'bfloat16' if flag == 12 else 'unknown'}) are not supported"
            )
        return np.dtype(name).newbyteorder("<")

    def array(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Raw:
        count = math.prod(shape)
        if math.prod(filter(None, shape)) * dtype.itemsize > _MAX_BYTES:
            raise self.error(f"an array of shape {shape} is too big")
        raw = self.take(count * dtype.itemsize, f"an array of shape {shape}")
        return np.frombuffer(raw, dtype, count).reshape(shape).astype(dtype.newbyteorder("="))


def _read_array(reader: _Reader) -> Stored:
    magic = reader.integer("magic of an array", "<I")
    if magic in {V2_MAGIC, V3_MAGIC}:
        if reader.np_shape is not None and reader.np_shape != (magic == V3_MAGIC):
            raise MXNetError(_SAVED_WITH if magic == V3_MAGIC else _SAVED_WITHOUT)
        return _read_tagged(reader, scalars=magic == V3_MAGIC)
    if magic == V1_MAGIC:
        return _read_plain(reader, reader.shape())
    # Files older than the magic numbers begin with the rank, and have 32-bit sizes.
    if magic > _MAX_RANK:
        raise reader.error(f"unknown magic {magic:#x} of an array")
    return _read_plain(reader, reader.shape(magic, "I"))


def _read_plain(reader: _Reader, shape: tuple[int, ...] | None) -> Raw | None:
    if not shape:
        return None
    reader.unpack("<ii", "device")
    return reader.array(reader.dtype(), shape)


def _read_tagged(reader: _Reader, *, scalars: bool) -> Stored:
    number = reader.integer("storage type")
    stype = _STORAGE.get(number)
    if stype is None:
        raise reader.error(f"unknown storage type {number}")
    stored_shape = reader.shape() if stype != "default" else None
    shape = reader.shape()
    if shape is None or (not shape and not scalars):
        return None
    reader.unpack("<ii", "device")
    dtype = reader.dtype()
    if stype == "default":
        return reader.array(dtype, shape)
    heads = [(reader.dtype(), reader.shape()) for _ in range(_AUX_COUNT[stype])]
    if stype == "csr":
        # MXNet writes a size of 0 for an unfinished array. The number of elements equals that of column indices.
        stored_shape = heads[1][1]
    data = reader.array(dtype, stored_shape or ())
    return SparseArray(stype, shape, data, tuple(reader.array(d, s or ()) for d, s in heads))
