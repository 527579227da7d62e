"""Limits of the processes that run a project's code: memory, and the size of files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

#: The largest file, in bytes, that code may write into its folder.
_MOST_WRITTEN = 1 << 30
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
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA if on_gpu else resource.RLIMIT_AS, (memory, memory))
