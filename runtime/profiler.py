"""``mx.profiler``: measures operators, and what programs mark as tasks, frames, events, counters and markers.

While it runs, hybridized blocks and executors run operator by operator, so that each has a time of its own.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core import profile_report, profiling

_OPTIONS = frozenset(
    {
        *("filename", "profile_all", "profile_symbolic", "profile_imperative", "profile_memory", "profile_api"),
        *("aggregate_stats", "continuous_dump", "dump_period", "gpu_memory_profile_filename_prefix", "profile_process"),
    }
)
_FORMATS = ("table", "json")


class _Profile:
    """The settings of the profiler, and the events since the program began or since a reset."""

    def __init__(self) -> None:
        self.filename = "profile.json"
        self.recorder = profiling.ProfileRecorder()
        #: From which happening on the statistics count.
        self.since = 0


_profile = _Profile()


def set_config(**kwargs: Any) -> None:
    """Set the file of the trace, `filename`; what is recorded is always all. Raises MXNetError for unknown options."""
    unknown = kwargs.keys() - _OPTIONS
    if unknown:
        raise MXNetError(f"Cannot find argument '{min(unknown)}' of the profiler's configuration")
    _refuse_servers(kwargs.get("profile_process", "worker"))
    _profile.filename = str(kwargs.get("filename", _profile.filename))


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Start or stop recording, by ``"run"`` or ``"stop"``. Raises KeyError for anything else."""
    wanted = {"stop": None, "run": _profile.recorder}[state]
    _refuse_servers(profile_process)
    profiling.run(wanted)


def pause(profile_process: str = "worker") -> None:
    """Stop recording for a while."""
    _refuse_servers(profile_process)
    profiling.run(None)


def resume(profile_process: str = "worker") -> None:
    """Record again after a pause."""
    _refuse_servers(profile_process)
    profiling.run(_profile.recorder)


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to its file; with `finished` the profiler stops."""
    _refuse_servers(profile_process)
    if finished:
        profiling.run(None)
    Path(_profile.filename).write_text(json.dumps(profile_report.trace(_profile.recorder.happened)), encoding="utf-8")


def dumps(reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False) -> str:
    """Return statistics as a table or as JSON; with `reset` they begin anew. Raises AssertionError for other values."""
    for name, value, allowed in (
        ("format", format, _FORMATS),
        ("sort_by", sort_by, tuple(profile_report.ORDERS)),
        ("ascending", ascending, (False, True)),
        ("reset", reset, (False, True)),
    ):
        if value not in allowed:
            raise AssertionError(
                f"Invalid value provided for {name}: {value}. Support: {', '.join(map(repr, allowed))}"
            )
    happened = _profile.recorder.happened[_profile.since :]
    found = profile_report.statistics(happened, sort_by, ascending)
    if reset:
        _profile.since = len(_profile.recorder.happened)
    return profile_report.table(found) if format == "table" else profile_report.as_json(found)


def set_kvstore_handle(handle: Any) -> None:
    """Accept the store whose servers would be profiled: there are none."""


def dump_profile() -> None:
    """Write the trace; the name of `dump` before MXNet 1.3."""
    _warn("dump_profile", "dump")
    dump(True)


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Set the file of the trace; the name of `set_config` before MXNet 1.3."""
    warnings.warn(
        "profiler.profiler_set_config() is deprecated. Please use profiler.set_config() instead", stacklevel=2
    )
    set_config(filename=filename)


def profiler_set_state(state: str = "stop") -> None:
    """Start or stop recording; the name of `set_state` before MXNet 1.3."""
    _warn("profiler_set_state", "set_state")
    set_state(state)


def _warn(old: str, new: str) -> None:
    warnings.warn(f"profiler.{old}() is deprecated. Please use profiler.{new}() instead", stacklevel=3)


def _refuse_servers(process: str) -> None:
    """Raise MXNetError for the profile of a server: there are no other processes."""
    if process == "server":
        raise MXNetError("the profiler of servers needs a distributed kvstore, set by set_kvstore_handle")


class _Named:
    """What a program has the profile list under a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class _Timed(_Named):
    """A span of time that a program marks by `start` and `stop`."""

    _kind = ""

    def __init__(self, name: str, category: str) -> None:
        super().__init__(name)
        self._category = category
        self._began: int | None = None

    def start(self) -> None:
        """Begin the span."""
        self._began = _profile.recorder.now()

    def stop(self) -> None:
        """End the span, which is recorded where the profiler runs."""
        if self._began is not None and profiling.running is not None:
            profiling.running.add(self._kind, self._category, self.name, self._began)
        self._began = None


class Event(_Timed):
    """A span that belongs to one thread."""

    _kind = "event"

    def __init__(self, name: str) -> None:
        super().__init__(name, "event")


class Task(_Timed):
    """A span that any thread may begin and end."""

    _kind = "task"

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, domain.name)


class Frame(_Timed):
    """A span that is one turn of something that is repeated."""

    _kind = "frame"

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name, f"{domain.name},frame")


class Marker(_Named):
    """A moment that a program marks."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name)
        self._category = f"{domain.name},instant_marker"

    def mark(self, scope: str = "process") -> None:
        """Record the moment, for a process, thread, task or for all."""
        if profiling.running is not None:
            profiling.running.add("marker", self._category, self.name, profiling.running.now(), scope=scope)


class Counter(_Named):
    """A counter, whose values are recorded."""

    def __init__(self, domain: Domain, name: str, value: float | None = None) -> None:
        super().__init__(name)
        self._category = domain.name
        self._value: float = 0
        if value is not None:
            self.set_value(value)

    def set_value(self, value: float) -> None:
        """Set the value, and record it."""
        self._value = value
        if profiling.running is not None:
            profiling.running.add("counter", self._category, self.name, profiling.running.now(), value=value)

    def increment(self, delta: float = 1) -> None:
        """Add to the value."""
        self.set_value(self._value + delta)

    def decrement(self, delta: float = 1) -> None:
        """Subtract from the value."""
        self.set_value(self._value - delta)

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
