"""Ask what a module prints of networks, on MXNet and here, each time in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import ways

ROOT = Path(__file__).parents[2]
HERE = (sys.executable, "-m", "hybridlint", "run")
_SECONDS = 600


def asked(command: Sequence[str], module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Any:
    """Return what is on the last line that a module prints. Raises CalledProcessError and TimeoutExpired."""
    variables = {**os.environ, "PYTHONWARNINGS": "ignore", **(environment or {})}
    call = [*command, "-m", module, *arguments]
    printed = subprocess.check_output(call, cwd=ROOT, env=variables, text=True, timeout=_SECONDS)
    # Projects print, too.
    return json.loads(printed.splitlines()[-1])


@dataclass(frozen=True)
class Question:
    """What is asked of a module: its arguments before the folders and names, and what the environment holds besides."""

    module: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def judged(
        self, names: Sequence[str], mxnet: Sequence[str], known: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, dict[str, Any]]:
        """Return by name what is kept of MXNet's answers, and how far ours are from them in each way.

        MXNet is started by a command; without one, its answers are what is known of them.
        """
        with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as here:
            wanted = known
            if mxnet:
                wanted = {name: ways.reference(told) for name, told in self._answers(mxnet, names, there, here).items()}
            found = self._answers(HERE, names, here, there)
        return {name: {**wanted[name], "here": ways.compared(found[name], wanted[name])} for name in names}

    def _answers(self, command: Sequence[str], names: Sequence[str], *folders: str) -> dict[str, dict[str, Any]]:
        try:
            arguments = (*self.arguments, *folders, *names)
            found: dict[str, dict[str, Any]] = asked(command, self.module, *arguments, environment=self.environment)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            if len(names) > 1:
                return {name: told for one in names for name, told in self._answers(command, [one], *folders).items()}
            return {names[0]: {"errors": {"process": _ending(error)}}}
        return found


def _ending(error: subprocess.SubprocessError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"CalledProcessError: exit status {error.returncode}"
    return f"TimeoutExpired: no answer in {_SECONDS} seconds"
