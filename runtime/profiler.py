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
