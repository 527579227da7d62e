"""The editor's messages, whose announced length is limited: whoever reads them reserves as much memory."""

from __future__ import annotations

import re
import sys
from typing import BinaryIO

#: Bytes of a message, and of a line before it.
MOST_MESSAGE, _MOST_LINE = 64_000_000, 1_000
_LENGTH = re.compile(rb"Content-Length:\s*(\d+)", re.IGNORECASE)


class BoundedInput:
    """An input that ends, with a sentence on standard error, at a message too long for any editor."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """Return the next line of a head, nothing at the end."""
        line = self._stream.readline(_MOST_LINE)
        if len(line) == _MOST_LINE or self._announces_too_much(line):
            print(f"hybridlint server: a message has more than {MOST_MESSAGE:,} bytes: it ends", file=sys.stderr)
            return b""
        return line

    def read(self, size: int) -> bytes:
        """Return the bytes of a message."""
        return self._stream.read(size)

    def close(self) -> None:
        """Close the input."""
        self._stream.close()

    @staticmethod
    def _announces_too_much(line: bytes) -> bool:
        found = _LENGTH.match(line)
        return found is not None and (len(found[1]) > 20 or int(found[1]) > MOST_MESSAGE)
