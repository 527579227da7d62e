"""What can run blocks."""

from __future__ import annotations

#: The bundled runtime, or the MXNet of another interpreter.
ENGINES = ("bundled", "mxnet")
