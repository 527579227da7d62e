"""The sessions of a page: its files are written into a folder, and its commands are run there.

A fence below ``<!-- file: NAME -->`` is that file. A fence ``console`` holds commands, each below a ``$``, with what
they print. A fence below ``<!-- not run: REASON -->`` is only shown.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import hybridlint
from hybridlint.runtime.compiled.engines.jit import object_files

_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>file|not run): (?P<what>.*?) -->\n)?"
    r"^(?P<ticks>`{3,})(?P<language>[\w-]*)\n(?P<body>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)
#: How long something took is another number each time: what the page has stays.
_TIMES = re.compile(r"compiled [\d.]+ times as (?:fast|slow) as before: a call took [\d.]+ ms")
#: What a slow machine prints besides, after ten seconds: how far a command is, and outcomes as they are had.
_PROGRESS = re.compile(
    r"(?:.*\b(?:checking|proving|converting)\b.* \d+ of \d+.*|\S+\.py: \w+: (?:proved|refuted|not run))"
)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """A fence of a page; `start` is where its body begins."""

    language: str
    body: str
    start: int
    file: str | None
    shown_only: bool


def fences(text: str) -> list[Fence]:
    return [
        Fence(
            found["language"],
            found["body"],
            found.start("body"),
            found["what"] if found["mark"] == "file" else None,
            found["mark"] == "not run",
        )
        for found in _FENCE.finditer(text)
    ]


def played(text: str, folder: Path) -> str:
    """Return a page with the outputs that its commands have in an empty folder."""
    environment = _environment(folder / "bin")
    at = folder / "project"
    at.mkdir()
    parts, end = [], 0
    for fence in fences(text):
        if fence.file is not None:
            file = at / fence.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence.body, encoding="utf-8")
        elif fence.language == "console" and not fence.shown_only:
            parts += [text[end : fence.start], _session(fence.body, at, environment)]
            end = fence.start + len(fence.body)
    return "".join([*parts, text[end:]])


def commands(text: str) -> list[str]:
    """Return the commands of a page that are run."""
    consoles = [fence.body for fence in fences(text) if fence.language == "console" and not fence.shown_only]
    return [found["command"] for body in consoles for found in _COMMAND.finditer(body)]


def _session(body: str, folder: Path, environment: dict[str, str]) -> str:
    parts = []
    for found in _COMMAND.finditer(body):
        output = _run(found["command"], folder, environment)
        same = _TIMES.sub("", output) == _TIMES.sub("", found["output"])
        parts.append(f"$ {found['command']}\n{found['output'] if same else output}")
    return "".join(parts)


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    lines = done.stdout.decode().replace(f"{folder}{os.sep}", "").split("\n")
    return "\n".join(line.rstrip() for line in lines if not _PROGRESS.fullmatch(line))


def _environment(programs: Path) -> dict[str, str]:
    """Return an environment in which `hybridlint` and `python` are those that run the tests."""
    programs.mkdir()
    for name, arguments in (("hybridlint", "-m hybridlint"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HYBRIDLINT_", "GIT_"))}
    return kept | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(hybridlint.__file__).parents[1]),
        "PYTHONUTF8": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "HOME": str(programs.parent),
        # What was compiled to native code once need not be again, for the sake of another home.
        object_files.FOLDER: str(object_files.folder() or ""),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
