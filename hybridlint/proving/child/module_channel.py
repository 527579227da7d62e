"""Messages of the process that imports the module. User code can write into the same channel meanwhile.

So nothing that arrives during the import decides anything. The supervisor puts a random mark into the channel first.
That process reads it once the import is over, and begins all its later messages with it; all else is noise.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.core import schema
from hybridlint.core.schema import MalformedError
from hybridlint.proving.child.build.module_statements import STATEMENTS, is_statement_key
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.messages import OF_IMPORT, OF_MODULE
from hybridlint.proving.child.stages import Stage
from hybridlint.proving.child.wire import WireError, WireMessage, WireReader, mark_position

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK_BYTES = 16
_READ_AT_ONCE = 1 << 20
#: Bytes of a message during the import, and of its arrays.
_MOST = (1 << 16, 0)
_NOISE = "it writes into the channel of the proof"


def new_mark() -> bytes:
    """Return a mark that no code can know before it is sent."""
    return os.urandom(_MARK_BYTES)


def receive_mark(source: socket.socket) -> bytes:
    """Return the mark that the supervisor has sent, b"" if it has hung up."""
    mark = b""
    while len(mark) < _MARK_BYTES:
        try:
            part = source.recv(_MARK_BYTES - len(mark))
        except OSError:
            return b""
        if not part:
            return b""
        mark += part
    return mark


class ModuleMessages:
    """The messages of the process that imports the module, as they arrive; `note` gets the output of user code.

    Before the mark, only stages of the import and `ready` are messages; after it, only text that begins with the mark.
    """

    def __init__(self, source: socket.socket, mark: bytes, limit: float, note: Callable[[str], None]) -> None:
        self.source = source
        self.mark = mark
        self.note = note
        self.ended = False
        self._stages = ImportStages(limit)
        self._early: WireReader | None = WireReader(
            None, OF_IMPORT, malformed=self._note_malformed, noise=self._note_noise, most=_MOST
        )
        self._marked = WireReader(None, OF_MODULE, malformed=self._note_malformed, noise=self._note_noise, mark=mark)
        self._imported = False
        self._held = b""
        self._ready = False

    def arrived(self) -> Iterator[WireMessage]:
        """Read once and yield the messages that are complete then. Raises FrameError."""
        try:
            data = self.source.recv(_READ_AT_ONCE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        self.ended = not data
        if not self._imported:
            data = self._held + data
            at = mark_position(data, self.mark)
            self._imported = data[at:].startswith(self.mark)
            yield from self._progress(data[:at])
            data = self._held = data[at:]
            if self._imported and self._early is not None and self._early.unfinished:
                self._note_noise()
        if self._imported:
            self._held = b""
            self._marked.feed(data)
            yield from self._marked.complete()

    def _progress(self, data: bytes) -> Iterator[WireMessage]:
        """Yield how far the import has got, as far as its messages say so."""
        if self._early is None:
            return
        self._early.feed(data)
        try:
            for frame in self._early.complete():
                if frame.message["event"] == "stage":
                    yield WireMessage({"event": "stage", **self._stages.checked(frame.message)._asdict()})
                elif not self._ready:
                    self._ready = True
                    yield frame
        except WireError:
            self._note_noise()
            self._early = None

    def _note_malformed(self, error: MalformedError) -> None:
        self.note(f"it sends a malformed message: {schema.in_words(error)}")

    def _note_noise(self) -> None:
        self.note(_NOISE)


class ImportStages:
    """The stages of an import: which top-level statement is run, as the process says, and how long that may take.

    All statements but imports may take a part of `limit` together, by the clock of this process.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._left = STATEMENTS * limit
        self._began: float | None = None
        self._statement: str | None = None

    def checked(self, message: Mapping[str, Any]) -> Stage:
        """Return the stage in a message; its statement is known from the message alone, its time is not."""
        if self._began is not None:
            self._left -= now() - self._began
        self._began = None
        key = message["optional"]
        if key is None or not is_statement_key(key):
            return Stage(message["stage"], optional=self._statement)
        self._statement = key
        left = max(self._left, 0.0)
        if message["within"] is not None and message["within"] >= self.limit:
            return Stage(message["stage"], optional=key, within=self.limit)
        self._began = now()
        return Stage(message["stage"], optional=key, within=left)
