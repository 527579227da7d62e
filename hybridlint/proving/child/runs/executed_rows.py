"""The rows of a file that a run executes: a proof says nothing about other rows."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def executed_rows(path: str, run: Callable[[], object]) -> list[int]:
    """Call `run` and return the rows of the file `path` that it executes; empty if it raises."""
    watch = Executed(path)
    try:
        with watch:
            run()
    except Exception:
        return []
    return sorted(watch.rows)


class Executed:
    """A context manager that records the executed rows of the file `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: set[int] = set()
        self._before: Any = None

    def __enter__(self) -> Executed:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, _event: str, _value: Any) -> Any:
        return self._line if frame.f_code.co_filename == self.path else None

    def _line(self, frame: FrameType, _event: str, _value: Any) -> Any:
        self.rows.add(frame.f_lineno)
        return self._line
