"""The content of a profile: operators, tasks, counters and markers with their times, as they happen."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

#: The category of operators, and of those that run inside of custom ones.
OPERATOR, CUSTOM = "operator", "Custom Operator"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something recorded. Times are microseconds: `began` since 1970, `own` without what is recorded inside of it.

    `kind` is "operator", "task", "frame", "event", "counter" or "marker"; a counter has a value, a marker a scope.
    """

    kind: str
    category: str
    name: str
    began: int
    lasted: int = 0
    own: int = 0
    value: float = 0
    scope: str = "process"
    thread: int = 0


class _Open:
    """A running operator. Operators inside a custom one are recorded under its name."""

    __slots__ = ("custom", "inside", "replaced")

    def __init__(self, custom: str | None = None) -> None:
        self.custom = custom
        self.inside = 0
        self.replaced = False


class ProfileRecorder:
    """Keeps what happens while the profiler runs."""

    def __init__(self) -> None:
        self.happened: list[Happening] = []
        self._origin = time.time_ns() - time.perf_counter_ns()
        self._open = threading.local()

    def now(self) -> int:
        """Return the time in microseconds since 1970, of a clock that never goes back."""
        return (self._origin + time.perf_counter_ns()) // 1000

    def add(self, kind: str, category: str, name: str, began: int, *, value: float = 0, scope: str = "process") -> None:
        """Record what began at a time and ends now; markers and counters have a moment alone."""
        lasted = 0 if kind in {"counter", "marker"} else self.now() - began
        self._keep(Happening(kind, category, name, began, lasted, lasted, value, scope, threading.get_ident()))

    @contextmanager
    def operator(self, name: str) -> Iterator[None]:
        """Record an operator, unless it runs inside another recorded operator."""
        above = self._stack[-1] if self._stack else None
        frame = _Open()
        self._stack.append(frame)
        began = self.now()
        try:
            yield
        finally:
            self._stack.pop()
            lasted = self.now() - began
            if above is not None:
                above.inside += lasted
            if (above is None or above.custom is not None) and not frame.replaced:
                inside = "" if above is None else f"{above.custom}::"
                category = CUSTOM if inside else OPERATOR
                self._keep(_span(category, inside + name, began, lasted, lasted))

    @contextmanager
    def custom(self, name: str) -> Iterator[None]:
        """Record the Python code of a custom operator in the place of the operator around it."""
        for around in reversed(self._stack):
            if around.custom is not None:
                break
            around.replaced = True
        frame = _Open(name)
        self._stack.append(frame)
        began = self.now()
        try:
            yield
        finally:
            self._stack.pop()
            lasted = self.now() - began
            self._keep(_span(CUSTOM, f"{name}::pure_python", began, lasted, lasted - frame.inside))

    @property
    def _stack(self) -> list[_Open]:
        found: list[_Open] = self._open.__dict__.setdefault("stack", [])
        return found

    def _keep(self, happening: Happening) -> None:
        self.happened.append(happening)


def _span(category: str, name: str, began: int, lasted: int, own: int) -> Happening:
    return Happening("operator", category, name, began, lasted, max(own, 0), thread=threading.get_ident())


#: The recorder of the profiler that runs, None while it is stopped or paused.
running: ProfileRecorder | None = None


def run(recorder: ProfileRecorder | None) -> None:
    """Record with this recorder from here on; with None no more."""
    global running  # noqa: PLW0603
    running = recorder
