"""``mx.profiler``: nothing is measured here; the functions are there so that scripts which call them run."""

from __future__ import annotations

from typing import Any


def set_config(**kwargs: Any) -> None:
    """Accept options of MXNet's profiler, without effect."""


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Accept ``"run"`` and ``"stop"``, without effect. Raises ValueError for anything else."""
    if state not in {"run", "stop"}:
        raise ValueError(f"the profiler's state is 'run' or 'stop', got {state!r}")


def pause(profile_process: str = "worker") -> None:
    """Accept a pause, without effect."""


def resume(profile_process: str = "worker") -> None:
    """Accept the end of a pause, without effect."""


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write nothing: nothing was measured."""


def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """Return a line that says so."""
    return "the bundled runtime measures nothing\n"


def dump_profile() -> None:
    """Write nothing; the name of `dump` before MXNet 1.3."""


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Accept options of MXNet's profiler, without effect; the name of `set_config` before MXNet 1.3."""


def profiler_set_state(state: str = "stop") -> None:
    """Accept ``"run"`` and ``"stop"``, without effect; the name of `set_state` before MXNet 1.3."""
    set_state(state)


class _Named:
    """Something that MXNet's profiler would list by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class _Timed(_Named):
    """Something that begins and ends; nothing is measured."""

    def start(self) -> None:
        """Accept a beginning, without effect."""

    def stop(self) -> None:
        """Accept an end, without effect."""


class Event(_Timed):
    """Something that happens in a thread."""


class Task(_Timed):
    """Something that happens in any thread."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name)


class Frame(_Timed):
    """A part of something that is repeated."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name)


class Marker(_Named):
    """A moment."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name)

    def mark(self, scope: str = "process") -> None:
        """Accept a moment, without effect."""


class Counter(_Named):
    """A counter. Its value is kept but not displayed."""

    def __init__(self, domain: Domain, name: str, value: float | None = None) -> None:
        super().__init__(name)
        self._value = value or 0

    def set_value(self, value: float) -> None:
        """Set the number."""
        self._value = value

    def increment(self, delta: float = 1) -> None:
        """Add to the number."""
        self._value += delta

    def decrement(self, delta: float = 1) -> None:
        """Subtract from the number."""
        self._value -= delta

    def __iadd__(self, delta: float) -> Counter:
        self.increment(delta)
        return self

    def __isub__(self, delta: float) -> Counter:
        self.decrement(delta)
        return self


class Domain(_Named):
    """A group of profiled objects."""

    def new_task(self, name: str) -> Task:
        """Return a task of the group."""
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """Return a frame of the group."""
        return Frame(self, name)

    def new_counter(self, name: str, value: float | None = None) -> Counter:
        """Return a counter of the group."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """Return a marker of the group."""
        return Marker(self, name)
