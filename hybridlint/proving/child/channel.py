"""Frames between the processes of a proof: JSON with raw arrays, of limited lengths, of which nothing is run."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint import schema
from hybridlint.schema import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.schema import Check

#: A frame begins with this mark, the length of its JSON, and that of its arrays.
_HEAD = struct.Struct(">8sIQ")
_MARK = b"hybrid\x00\x01"
MOST_TEXT = 32 << 20
MOST_BYTES = 1 << 30
#: Frames of one channel, and bytes of JSON in all of them.
_MOST_FRAMES, _MOST_OF_ALL = 100_000, 256 << 20
#: What an array may hold.
DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
_MOST_AXES = 32
_READ_AT_ONCE = 1 << 20
#: The JSON of a frame.
_HEADS = schema.fields(
    {
        "message": lambda message: message,
        "arrays": schema.items(
            schema.parts(schema.one_of(*DTYPES), schema.items(schema.whole(0, 1 << 40), most=_MOST_AXES)), most=100_000
        ),
    }
)


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


def decoded(data: bytes, check: Check) -> Frame:
    """Return the frame that some bytes begin with. Raises FrameError and MalformedError if there is none."""
    frames = Frames(None, check)
    frames.feed(data)
    found = next(frames.complete(), None)
    if found is None:
        raise FrameError("it sends what is no message")
    return found


class Frames:
    """The frames that arrive at a socket, a part at a time, with messages that a check returns.

    What all of them may take is limited, as the process at the other end may be an enemy. Malformed messages are given
    to `malformed` and left out; without it they raise MalformedError.
    """

    def __init__(
        self,
        source: socket.socket | None,
        check: Check,
        *,
        malformed: Callable[[MalformedError], None] | None = None,
    ) -> None:
        self.source = source
        self.check = check
        self.malformed = malformed
        self.ended = False
        self._held = bytearray()
        #: The head of a frame whose arrays arrive, with their bytes as far as they have.
        self._head: Any = None
        self._body = bytearray()
        self._filled = 0
        self._frames = self._text = 0

    def arrived(self) -> Iterator[Frame]:
        """Read once and yield the frames that are complete then. Raises FrameError and MalformedError."""
        try:
            self.ended = not self._receive()
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.ended = True
        yield from self.complete()

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        self._held += data

    def complete(self) -> Iterator[Frame]:
        """Yield the frames that are complete. Raises FrameError and MalformedError."""
        while self._head is not None or self._read_head():
            taken = min(len(self._held), len(self._body) - self._filled)
            if taken:
                self._body[self._filled : self._filled + taken] = self._held[:taken]
                del self._held[:taken]
                self._filled += taken
            if self._filled < len(self._body):
                return
            head, body, self._head = self._head, self._body, None
            self._body = bytearray()
            frame = self._frame(head, body)
            if frame is not None:
                yield frame

    def _receive(self) -> int:
        assert self.source is not None
        if self._filled < len(self._body):
            # The arrays of a frame arrive where they stay, so that they are in memory once.
            space = memoryview(self._body)[self._filled : self._filled + _READ_AT_ONCE]
            found = self.source.recv_into(space)
            self._filled += found
            return found
        data = self.source.recv(_READ_AT_ONCE)
        self.feed(data)
        return len(data)

    def _read_head(self) -> bool:
        """Read the head of the next frame, and return whether it has arrived."""
        held = self._held
        if not _MARK.startswith(bytes(held[: len(_MARK)])):
            raise FrameError("it writes into the channel of the proof")
        if len(held) < _HEAD.size:
            return False
        _, text, body = _HEAD.unpack_from(held)
        if text > MOST_TEXT or body > MOST_BYTES:
            raise FrameError("its results are too large")
        if len(held) < _HEAD.size + text:
            return False
        self._frames += 1
        self._text += text
        if self._frames > _MOST_FRAMES or self._text > _MOST_OF_ALL:
            raise FrameError("it sends too many messages")
        self._head = bytes(held[_HEAD.size : _HEAD.size + text])
        del held[: _HEAD.size + text]
        self._body, self._filled = bytearray(body), 0
        return True

    def _frame(self, head: bytes, body: bytearray) -> Frame | None:
        try:
            found = _HEADS(schema.parse_json(head))
            return Frame(self.check(found["message"]), list(_arrays(body, found["arrays"])))
        except MalformedError as error:
            if self.malformed is None:
                raise
            self.malformed(error)
            return None


def _arrays(body: bytearray, described: Sequence[Any]) -> Iterator[Any]:
    at = 0
    for name, shape in described:
        dtype = np.dtype(name)
        count = 1
        for size in shape:
            count *= size
        if count * dtype.itemsize > len(body) - at:
            raise MalformedError("it sends arrays of a wrong length")
        try:
            yield np.frombuffer(body, dtype, count, at).reshape(shape)
        except ValueError:
            raise MalformedError("it sends an array of an impossible shape") from None
        at += count * dtype.itemsize
    if at != len(body):
        raise MalformedError("it sends arrays of a wrong length")
