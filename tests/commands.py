"""The command line in a process of its own: a copy of one that has imported it (`tests.command_template`)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import hybridlint
from hybridlint.proving.copies import POSSIBLE, Copies, Program

#: What the interpreter itself reads from its environment.
_OF_PYTHON = ("PYTHON", "LANG", "LC_")
#: Commands that run a program, which may look at its interpreter.
_RUNNING = ("run", "record")
_COPIES = Copies()
_TEMPLATE = Path(__file__).with_name("command_template.py")
_PATH = os.environ.get("PATH", os.defpath)


def run(
    arguments: Sequence[object],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 120.0,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``python -m hybridlint`` with arguments. Raises subprocess.TimeoutExpired after `timeout` seconds."""
    environment = dict(os.environ if env is None else env)
    words = list(map(str, arguments))
    command = [sys.executable, "-m", "hybridlint", *words]
    if not POSSIBLE or words[:1] in [[name] for name in _RUNNING]:
        return subprocess.run(
            command, cwd=cwd, input=stdin, capture_output=True, env=environment, timeout=timeout, check=False
        )
    own = {name: value for name, value in environment.items() if name.startswith(_OF_PYTHON)}
    beside = os.pathsep.join([str(Path(hybridlint.__file__).parents[1]), *filter(None, [own.get("PYTHONPATH")])])
    program = Program(_TEMPLATE, (), {**own, "PATH": _PATH, "PYTHONPATH": beside})
    copy = _COPIES.copy(program, cwd, within=timeout, arguments=words, environment=environment)
    outputs: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=_read, args=(stream, name, outputs))
        for name, stream in (("out", copy.stdout), ("err", copy.stderr))
    ]
    for thread in threads:
        thread.start()
    try:
        copy.stdin.write(stdin)
        copy.stdin.close()
    except BrokenPipeError:
        pass
    try:
        status = copy.wait(timeout)
    except subprocess.TimeoutExpired:
        copy.kill()
        raise
    finally:
        for thread in threads:
            thread.join()
    return subprocess.CompletedProcess(command, status, outputs["out"], outputs["err"])


def _read(stream: IO[bytes], name: str, outputs: dict[str, bytes]) -> None:
    with stream:
        outputs[name] = stream.read()
