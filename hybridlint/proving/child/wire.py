"""Frames between the processes of a proof: JSON with raw arrays, of limited lengths, of which nothing is run."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.core import schema
from hybridlint.core.schema import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.core.schema import Check

#: A frame begins with a mark, the length of its JSON, and that of its arrays.
_LENGTHS = struct.Struct(">IQ")
MARK = b"hybrid\x00\x01"
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


class WireError(Exception):
    """Raised for bytes that are no frame: the process at the other end has written something else."""


class WireMessage(NamedTuple):
    """A message and its arrays."""

    message: Mapping[str, Any]
    arrays: Sequence[Any] = ()


def encode_message(message: Mapping[str, Any], arrays: Sequence[Any] = (), mark: bytes = MARK) -> bytes:
    """Return the bytes of a frame."""
    head = {"message": message, "arrays": [[array.dtype.name, list(array.shape)] for array in arrays]}
    text = json.dumps(head, default=str).encode()
    body = [np.ascontiguousarray(array).tobytes() for array in arrays]
    return b"".join([mark, _LENGTHS.pack(len(text), sum(map(len, body))), text, *body])


def decode_message(data: bytes, check: Check) -> WireMessage:
    """Return the frame that some bytes begin with. Raises FrameError and MalformedError if there is none."""
    frames = WireReader(None, check)
    frames.feed(data)
    found = next(frames.complete(), None)
    if found is None:
        raise WireError("it sends what is no message")
    return found


class WireReader:
    """The frames that arrive at a socket, a part at a time, with messages that a check returns.

    What all of them may take is limited, as the process at the other end may be an enemy. Malformed messages are given
    to `malformed` and left out; without it they raise MalformedError. Bytes between frames are told to `noise` and
    skipped up to the next `mark`; without it they raise FrameError. `most` limits the bytes of one JSON and its arrays.
    """

    def __init__(
        self,
        source: socket.socket | None,
        check: Check,
        *,
        malformed: Callable[[MalformedError], None] | None = None,
        noise: Callable[[], None] | None = None,
        mark: bytes = MARK,
        most: tuple[int, int] = (MOST_TEXT, MOST_BYTES),
    ) -> None:
        self.source = source
        self.check = check
        self.malformed = malformed
        self.noise = noise
        self.mark = mark
        self.most = most
        self.ended = False
        self._held = bytearray()
        #: The head of a frame whose arrays arrive, with their bytes as far as they have.
        self._head: Any = None
        self._body = bytearray()
        self._filled = 0
        self._frames = self._text = 0

    def arrived(self) -> Iterator[WireMessage]:
        """Read once and yield the frames that are complete then. Raises FrameError and MalformedError."""
        try:
            self.ended = not self._receive()
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.ended = True
        yield from self.complete()

    @property
    def unfinished(self) -> bool:
        """Whether a part of a frame has arrived."""
        return bool(self._held) or self._head is not None

    def feed(self, data: bytes) -> None:
        """Take bytes that have arrived."""
        self._held += data

    def complete(self) -> Iterator[WireMessage]:
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
        if not self.mark.startswith(bytes(held[: len(self.mark)])):
            self._skip_noise()
        begin = len(self.mark) + _LENGTHS.size
        if len(held) < begin:
            return False
        text, body = _LENGTHS.unpack_from(held, len(self.mark))
        if text > self.most[0] or body > self.most[1]:
            raise WireError("its results are too large")
        if len(held) < begin + text:
            return False
        self._frames += 1
        self._text += text
        if self._frames > _MOST_FRAMES or self._text > _MOST_OF_ALL:
            raise WireError("it sends too many messages")
        self._head = bytes(held[begin : begin + text])
        del held[: begin + text]
        self._body, self._filled = bytearray(body), 0
        return True

    def _skip_noise(self) -> None:
        """Remove what comes before the next mark, or before the part of one at the end."""
        if self.noise is None:
            raise WireError("it writes into the channel of the proof")
        self.noise()
        del self._held[: mark_position(self._held, self.mark)]

    def _frame(self, head: bytes, body: bytearray) -> WireMessage | None:
        try:
            found = _HEADS(schema.parse_json(head))
            return WireMessage(self.check(found["message"]), list(_arrays(body, found["arrays"])))
        except MalformedError as error:
            if self.malformed is None:
                raise
            self.malformed(error)
            return None


def mark_position(data: bytes | bytearray, mark: bytes) -> int:
    """Return where a mark begins in some bytes, even if only its start is there; else the number of bytes."""
    at = data.find(mark)
    if at >= 0:
        return at
    parts = range(max(0, len(data) - len(mark) + 1), len(data))
    return next((k for k in parts if mark.startswith(bytes(data[k:]))), len(data))


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
