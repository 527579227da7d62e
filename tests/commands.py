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
from hybridlint.proving.process import Process
from hybridlint.proving.zygote_client import POSSIBLE, ZygoteClient, ZygoteProgram

#: What the interpreter itself reads from its environment.
_OF_PYTHON = ("PYTHON", "LANG", "LC_")
#: Commands that run a program, which may look at its interpreter.
_RUNNING = ("run", "record")
_COPIES = ZygoteClient()
_TEMPLATE = Path(__file__).with_name("command_template.py")
#: The folder of the package, by which a child process finds it.
BESIDE_PACKAGE = str(Path(hybridlint.__file__).parents[1])
_FIRST = {name: value for name, value in os.environ.items() if not name.startswith(_OF_PYTHON)}


def run(
    arguments: Sequence[object],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 120.0,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``python -m hybridlint`` with arguments in the environment `env`, None for that of the tests.

    Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    process = started(arguments, cwd=cwd, env=env, within=timeout)
    assert process.stdin is not None
    outputs: dict[str, bytes] = {}
    threads = [
        threading.Thread(target=_read, args=(stream, name, outputs))
        for name, stream in (("out", process.stdout), ("err", process.stderr))
    ]
    for thread in threads:
        thread.start()
    try:
        process.stdin.write(stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    finally:
        for thread in threads:
            thread.join()
    return subprocess.CompletedProcess(_command(arguments), status, outputs["out"], outputs["err"])


def started(
    arguments: Sequence[object], *, cwd: Path, env: Mapping[str, str] | None = None, within: float = 120.0
) -> Process:
    """Start ``python -m hybridlint`` with arguments in the environment `env`, None for that of the tests.

    Its streams are pipes. It has begun within `within` seconds.
    """
    given = {**os.environ, "PYTHONPATH": BESIDE_PACKAGE} if env is None else env
    environment = {"PYTHONPATH": BESIDE_PACKAGE, **given, "PYTHONUTF8": "1"}
    words = list(map(str, arguments))
    if not POSSIBLE or words[:1] in [[name] for name in _RUNNING]:
        pipe = subprocess.PIPE
        return subprocess.Popen(_command(words), cwd=cwd, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)
    own = {name: value for name, value in environment.items() if name.startswith(_OF_PYTHON)}
    program = ZygoteProgram(_TEMPLATE, (), {**_FIRST, **own, "PYTHONPATH": BESIDE_PACKAGE})
    return _COPIES.copy(program, cwd, within=within, arguments=words, environment=environment)


def _command(arguments: Sequence[object]) -> list[str]:
    return [sys.executable, "-m", "hybridlint", *map(str, arguments)]


def text(
    arguments: Sequence[object], *, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run it like `run`, with texts for bytes."""
    done = run(arguments, cwd=cwd, env=env, stdin=stdin.encode())
    out, err = (stream.decode().replace("\r\n", "\n") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def _read(stream: IO[bytes], name: str, outputs: dict[str, bytes]) -> None:
    with stream:
        outputs[name] = stream.read()
