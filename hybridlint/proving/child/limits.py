"""Limits of the processes that run a project's code: memory, the size of files, and the number of threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

#: The largest file, in bytes, that code may write into its folder.
_MOST_WRITTEN = 1 << 30
#: Threads and processes that a proof may add to those of the machine.
_MOST_THREADS = 512
#: The variable by which CuPy limits the memory that arrays on a GPU take.
_ON_GPU = "CUPY_GPU_MEMORY_LIMIT"


def limit(task: Mapping[str, Any]) -> None:
    """Limit the memory of this process to that of its task, and the size of the files that it writes.

    Memory is counted in addresses. CUDA reserves addresses for all that the machine and its GPUs have, so that a task
    for a GPU has a limit of what can be written to instead, and as much on the GPU.
    """
    memory = task.get("memory")
    on_gpu = task["device"] != "cpu"
    if memory and on_gpu:
        os.environ[_ON_GPU] = str(memory)
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
    tasks = _tasks()
    if tasks is not None:
        # The system counts those of the user, which are no more than all; it does not count root's.
        _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most = tasks + _MOST_THREADS
        lowered = most if hard == resource.RLIM_INFINITY else min(hard, most)
        resource.setrlimit(resource.RLIMIT_NPROC, (lowered, lowered))
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA if on_gpu else resource.RLIMIT_AS, (memory, memory))


def _tasks() -> int | None:
    """Return how many threads run on the machine, None if the system does not tell."""
    with suppress(OSError, ValueError, IndexError), open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[2])
    return None
