"""The memory that a command and all its child processes hold together."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

_PROCESSES = Path("/proc")
_EVERY = 0.02


def peak_of(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return its seconds, and the most megabytes that its processes were seen to hold.

    Pages that forked processes share count for each of them. Without ``/proc`` the megabytes are not a number. Raises
    CalledProcessError where the command fails.
    """
    start, seen = time.perf_counter(), [0.0 if _PROCESSES.is_dir() else math.nan]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True) as child:
        while child.poll() is None:
            if _PROCESSES.is_dir():
                seen.append(_resident(child.pid))
            time.sleep(_EVERY)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return time.perf_counter() - start, max(seen)


def _resident(session: int) -> float:
    """Return the megabytes that the processes of a session hold."""
    total = 0
    for folder in _PROCESSES.iterdir():
        if folder.name.isdigit():
            try:
                # The name of the program, in parentheses, may hold spaces.
                state = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                if int(state[3]) == session:
                    total += int((folder / "statm").read_text(encoding="utf-8").split()[1])
            except (OSError, IndexError):
                continue
    return total * 4096 / 1e6
