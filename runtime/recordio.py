"""``mx.recordio``: files of records, byte for byte those of MXNet, and images with labels in records."""

from __future__ import annotations

import io
import os
import struct
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TextIO

import numpy as np

from hybridlint.runtime.base import DamagedFileError, MXNetError, numeric_types
from hybridlint.runtime.core.regular_files import open_regular
from hybridlint.runtime.image import codec

_MAGIC = b"\x0a\x23\xd7\xce"
_LENGTH_BITS = 29
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)


class MXRecordIO:
    """A record file, open for reading (flag ``"r"``) or writing (``"w"``).

    Raises ValueError for another flag and MXNetError if the file cannot be opened. After a fork, `reset` reopens a
    reader; any other use raises RuntimeError.
    """

    def __init__(self, uri: str, flag: str) -> None:
        self.uri = uri
        self.flag = flag
        self.handle: BinaryIO | None = None
        self.is_open = False
        self.writable = False
        self.pid: int | None = None
        self.open()

    def open(self) -> None:
        """Open the file."""
        if self.flag not in {"r", "w"}:
            raise ValueError(f"Invalid flag {self.flag}")
        self.writable = self.flag == "w"
        try:
            self.handle = open(self.uri, "wb") if self.writable else open_regular(self.uri)  # noqa: SIM115
        except OSError as error:
            raise MXNetError(f"recordio cannot open {self.uri!r}: {error.strerror}") from None
        self.pid = os.getpid()
        self.is_open = True

    def close(self) -> None:
        """Close the file; closing twice does nothing."""
        if self.is_open and self.handle is not None:
            self.handle.close()
        self.is_open = False
        self.pid = None

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "handle"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, handle=None, is_open=False)
        if state["is_open"]:
            self.open()

    def reset(self) -> None:
        """Go back to the first record; a writer begins an empty file."""
        self.close()
        self.open()

    def write(self, buf: bytes) -> None:
        """Append a record."""
        file = self._file(writing=True)
        file.write(b"".join(_encoded(buf)))

    def read(self) -> bytes | None:
        """Return the next record; None at the end. Raises MXNetError for a damaged file."""
        return _read_record(self._file(writing=False), self.uri)

    def _file(self, *, writing: bool) -> BinaryIO:
        """Return the open file. Raises AssertionError for the other direction, RuntimeError after a fork."""
        if self.writable is not writing:
            raise AssertionError(f"{self.uri!r} is open for {'writing' if self.writable else 'reading'}")
        if self.handle is None or self.handle.closed or self.pid != os.getpid():
            if writing or self.handle is None or self.handle.closed:
                raise RuntimeError("Forbidden operation in multiple processes")
            self.reset()
        return self.handle


class MXIndexedRecordIO(MXRecordIO):
    """A record file with a text index from keys to record positions.

    Raises FileNotFoundError if the index to read is missing, and KeyError for an unknown key.
    """

    def __init__(self, idx_path: str, uri: str, flag: str, key_type: Callable[[str], Any] = int) -> None:
        self.idx_path = idx_path
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        self.fidx: TextIO | None = None
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open both files, and read the index."""
        super().open()
        self.idx, self.keys = {}, []
        if self.writable:
            self.fidx = open(self.idx_path, "w", encoding="utf-8")  # noqa: SIM115
            return
        self.fidx = io.TextIOWrapper(open_regular(self.idx_path), encoding="utf-8")
        self._read_index(self.fidx)

    def _read_index(self, lines: TextIO) -> None:
        """Read keys and places. Raises DamagedFileError for a line that is none, or a place outside of the records."""
        assert self.handle is not None
        size = os.fstat(self.handle.fileno()).st_size
        try:
            for line in lines:
                key, place = line.strip().split("\t")
                if not 0 <= int(place) <= size:
                    raise ValueError(f"there is no byte {place[:30]} in {self.uri!r}")
                self.idx[self.key_type(key)] = int(place)
        except ValueError as error:
            self.close()
            raise DamagedFileError(
                f"{self.idx_path!r} is no index of records, at line {len(self.idx) + 1}: {error}"
            ) from None
        self.keys = list(self.idx)

    def close(self) -> None:
        """Close both files."""
        super().close()
        if self.fidx is not None:
            self.fidx.close()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "fidx"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.fidx = None
        super().__setstate__(state)

    def seek(self, idx: Any) -> None:
        """Go to the record of a key."""
        self._file(writing=False).seek(self.idx[idx])

    def tell(self) -> int:
        """Return the position of the next record to be written."""
        return self._file(writing=True).tell()

    def read_idx(self, idx: Any) -> bytes | None:
        """Return the record of a key."""
        self.seek(idx)
        return self.read()

    def write_idx(self, idx: Any, buf: bytes) -> None:
        """Append a record under a key."""
        key, place = self.key_type(idx), self.tell()
        self.write(buf)
        if self.fidx is not None:
            self.fidx.write(f"{key}\t{place}\n")
        self.idx[key] = place
        self.keys.append(key)


def _encoded(data: bytes) -> Iterator[bytes]:
    """Yield a record's bytes as stored in the file.

    A reader that searches for the start of a record must not find one inside the data. Where the magic bytes occur at
    an aligned position, the record is therefore split there, and the magic bytes are left out.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a record is bytes, got {type(data).__name__}")
    data = bytes(data)
    cuts = [k for k in range(0, len(data) // 4 * 4, 4) if data[k : k + 4] == _MAGIC]
    begin = 0
    for cut in cuts:
        yield _piece(_FIRST if begin == 0 else _MIDDLE, data[begin:cut])
        begin = cut + 4
    yield _piece(_LAST if cuts else _WHOLE, data[begin:])


def _piece(kind: int, data: bytes) -> bytes:
    return _MAGIC + struct.pack("<I", kind << _LENGTH_BITS | len(data)) + data + bytes(-len(data) % 4)


def _read_record(file: BinaryIO, name: str) -> bytes | None:
    pieces: list[bytes] = []
    while True:
        head = file.read(8)
        if not head and not pieces:
            return None
        if len(head) < 8 or head[:4] != _MAGIC:
            raise MXNetError(f"{name!r} is not a file of records, or is damaged")
        kind, length = divmod(struct.unpack("<I", head[4:])[0], 1 << _LENGTH_BITS)
        # No more memory is taken than the file has bytes, whatever it says.
        left = os.fstat(file.fileno()).st_size - file.tell()
        if left < length:
            raise MXNetError(f"{name!r} ends inside of a record")
        data = file.read(length)
        file.read(-length % 4)
        pieces.append(data)
        if kind in {_WHOLE, _LAST}:
            return _MAGIC.join(pieces)


#: The header before a record's data. `flag` is the number of labels, or 0 if `label` is the only one.
IRHeader = namedtuple("HEADER", ["flag", "label", "id", "id2"])  # type: ignore[name-match]
_IR_FORMAT = "IfQQ"
_IR_SIZE = struct.calcsize(_IR_FORMAT)


def pack(header: Any, s: bytes) -> bytes:
    """Return a record from a header (`IRHeader`) and data. Several labels are written as float32 before the data."""
    header = IRHeader(*header)
    if isinstance(header.label, numeric_types):
        header = header._replace(flag=0)
    else:
        labels = np.asarray(header.label, dtype=np.float32)
        header = header._replace(flag=labels.size, label=0)
        s = labels.tobytes() + s
    return struct.pack(_IR_FORMAT, *header) + s


def unpack(s: bytes) -> tuple[Any, bytes]:
    """Return the header and the data of a record. Raises DamagedFileError if it is too short for them."""
    if len(s) < _IR_SIZE:
        raise DamagedFileError(f"a record of {len(s)} bytes has no header, which takes {_IR_SIZE}")
    header = IRHeader(*struct.unpack(_IR_FORMAT, s[:_IR_SIZE]))
    s = s[_IR_SIZE:]
    if header.flag > 0:
        if header.flag * 4 > len(s):
            raise DamagedFileError(f"a record with {header.flag} labels has {len(s)} bytes after its header")
        header = header._replace(label=np.frombuffer(s, np.float32, header.flag))
        s = s[header.flag * 4 :]
    return header, s


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[Any, Any]:
    """Return a record's header and its uint8 image, (height, width, BGR) or (height, width).

    `iscolor` is 0 for gray, 1 for colour, -1 for the file's own mode. Raises ImportError if no library can read it.
    """
    header, data = unpack(s)
    return header, codec.decode(data, iscolor, rgb=False)


def pack_img(header: Any, img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Return a record from a header and an image, (height, width, BGR) or (height, width) of bytes.

    `quality` is that of JPEG, 0 to 100, or the compression of PNG, 0 to 9. Raises ImportError if no library can
    write it.
    """
    return pack(header, codec.encode(np.asarray(img), img_fmt, quality))
