"""Frames between the processes of a proof: JSON with raw arrays, of limited lengths, of which nothing is run."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

#: A frame begins with this mark, the length of its JSON, and that of its arrays.
_HEAD = struct.Struct(">8sIQ")
_MARK = b"hybrid\x00\x01"
MOST_TEXT = 32 << 20
MOST_BYTES = 4 << 30
#: What an array may hold.
DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
_MOST_AXES = 32
_READ_AT_ONCE = 1 << 20


class FrameError(Exception):
    """Raised for bytes that are no frame: the process at the other end has written something else."""


class Frame(NamedTuple):
    """A message and its arrays."""

    message: Mapping[str, Any]
    arrays: Sequence[Any] = ()


def encoded(message: Mapping[str, Any], arrays: Sequence[Any] = ()) -> bytes:
    """Return the bytes of a frame."""
    head = {"message": message, "arrays": [[array.dtype.name, list(array.shape)] for array in arrays]}
    text = json.dumps(head, default=str).encode()
    body = [np.ascontiguousarray(array).tobytes() for array in arrays]
    return b"".join([_HEAD.pack(_MARK, len(text), sum(map(len, body))), text, *body])


def decoded(data: bytes) -> Frame:
    """Return the frame that some bytes begin with. Raises FrameError if there is none."""
    frame, _ = _first(bytearray(data))
    if frame is None:
        raise FrameError("it sends what is no message")
    return frame


class Frames:
    """The frames that arrive at a socket, a part at a time."""

    def __init__(self, source: socket.socket) -> None:
        self.source = source
        self._held = bytearray()
        self.ended = False

    def arrived(self) -> Iterator[Frame]:
        """Read once and yield the frames that are complete then. Raises FrameError for what is none."""
        try:
            data = self.source.recv(_READ_AT_ONCE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        self.ended = not data
        self._held += data
        while True:
            frame, size = _first(self._held)
            if frame is None:
                return
            del self._held[:size]
            yield frame


def _first(held: bytearray) -> tuple[Frame | None, int]:
    """Return the first frame of some bytes and its size, None if it is not complete."""
    if not _MARK.startswith(bytes(held[: len(_MARK)])):
        raise FrameError("it writes into the channel of the proof")
    if len(held) < _HEAD.size:
        return None, 0
    _, text, body = _HEAD.unpack_from(held)
    if text > MOST_TEXT or body > MOST_BYTES:
        raise FrameError("its results are too large")
    size = _HEAD.size + text + body
    if len(held) < size:
        return None, 0
    start = _HEAD.size + text
    try:
        head = json.loads(bytes(held[_HEAD.size : start]))
        message, described = head["message"], head["arrays"]
        if not isinstance(message, dict) or not isinstance(described, list):
            raise FrameError("it sends what is no message")
        return Frame(message, list(_arrays(bytes(held[start:size]), described))), size
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FrameError("it sends what is no message") from None


def _arrays(body: bytes, described: Sequence[Any]) -> Iterator[Any]:
    at = 0
    for name, shape in described:
        if name not in DTYPES or len(shape) > _MOST_AXES or not all(type(n) is int and 0 <= n < 1 << 40 for n in shape):
            raise FrameError("it sends what is no array")
        dtype = np.dtype(name)
        count = 1
        for size in shape:
            count *= size
        if count * dtype.itemsize > len(body) - at:
            raise FrameError("it sends arrays of a wrong length")
        yield np.frombuffer(body, dtype, count, at).reshape(shape)
        at += count * dtype.itemsize
    if at != len(body):
        raise FrameError("it sends arrays of a wrong length")
