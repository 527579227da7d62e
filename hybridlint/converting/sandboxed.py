"""Runs the two sides of a conversion in the sandbox, each in its own process, and reads their results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hybridlint.core.schema import MalformedError, parse_json
from hybridlint.proving.scratch import WORK, passed_on

#: Seconds that starting a process with its libraries may take on a busy machine.
_STARTING = 90.0
#: The largest file of facts that is read.
_MOST_FACTS = 64 << 20


class SideFailedError(Exception):
    """Raised when a process ended, or took too long, before it wrote its results; the text says how."""


def run_side(task: Mapping[str, Any], scratch: Path, written: str, *, timeout: float) -> Any:
    """Run a task and return the JSON data in the file `written` of its folder. Raises SideFailedError."""
    sent = {**task, "scratch": str(scratch), "shown": os.getcwd()}
    process = subprocess.Popen(
        [sys.executable, "-m", "hybridlint.converting.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=scratch / WORK,
        env={**passed_on(os.environ), "PYTHONPATH": _own_path()},
        start_new_session=os.name == "posix",
    )
    try:
        _, errors = process.communicate(json.dumps(sent).encode(), timeout=timeout + _STARTING)
    except subprocess.TimeoutExpired:
        raise SideFailedError(f"it took longer than {timeout:g} s") from None
    finally:
        _end(process)
    return _read(scratch / written, errors)


def _own_path() -> str:
    """Return the path on which the process finds hybridlint, and the user's packages."""
    root = str(Path(__file__).parents[2])
    return os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _read(path: Path, errors: bytes) -> Any:
    try:
        data = path.read_bytes()[:_MOST_FACTS]
        return parse_json(data)
    except (OSError, MalformedError):
        lines: Sequence[str] = errors.decode(errors="replace").strip().splitlines() or ["it ended early"]
        raise SideFailedError(lines[-1]) from None
