"""Limits of the processes that run a project's code: memory, and the size of files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The largest file, in bytes, that code may write into its folder.
_MOST_WRITTEN = 1 << 30


def of_task(task: Mapping[str, Any]) -> int | None:
    """Return the bytes of memory that a task may use; None on a GPU, as CUDA reserves addresses for all its memory."""
    memory: int | None = task.get("memory")
    return memory if task["device"] == "cpu" else None


def limit(memory: int | None) -> None:
    """Limit the memory of this process, and the size of the files that it writes."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
