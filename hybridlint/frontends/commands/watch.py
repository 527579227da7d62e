"""``hybridlint check --watch``: the check runs again whenever a file has changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from hybridlint.project.files.discover import DEFAULT_EXCLUDES, SUFFIXES
from hybridlint.report.style import show_path
from hybridlint.system.lifeline import run_bound

#: Seconds between two looks at the files; on large trees a look takes longer than this, and the pause as well.
_PAUSE = 0.3
_FLAGS = ("--watch",)
#: Starts the program without the current folder, which is the project's, among the places of modules.
_PROGRAM = "import sys; sys.path[:] = [p for p in sys.path if p]; from hybridlint.frontends.cli import main; main()"

#: What tells one state of a file from another: when it was written, and its size.
_States = dict[str, tuple[int, int]]


def watch(paths: Sequence[Path], arguments: Sequence[str], *, writes: bool) -> int:
    """Run the command line's arguments, without those for watching, until someone interrupts it.

    Each run is a process of its own, so that it reads settings and imported files anew. `writes` says that the runs
    change files themselves, which is no reason to run again.
    """
    command = [sys.executable, "-c", _PROGRAM, *(each for each in arguments if each not in _FLAGS)]
    try:
        before = states(paths)
        while True:
            run_bound(command)
            known = states(paths) if writes else before
            click.echo("Watching for changes; Ctrl+C ends it.", err=True)
            before = _changed(paths, known)
            click.echo(f"\n{_told(known, before)} changed.", err=True)
    except KeyboardInterrupt:
        return 0


def states(paths: Iterable[Path]) -> _States:
    """Return the state of all files below paths that a check may read."""
    found: _States = {}
    for path in paths:
        for file in _files(path):
            try:
                state = os.stat(file)
            except OSError:
                continue
            found[file] = (state.st_mtime_ns, state.st_size)
    return found


def _changed(paths: Sequence[Path], known: _States) -> _States:
    """Wait until the files differ from a known state, and return their state then."""
    while True:
        begun = time.monotonic()
        now = states(paths)
        if now != known:
            return now
        time.sleep(max(_PAUSE, 5 * (time.monotonic() - begun)))


def _files(path: Path) -> Iterator[str]:
    if not path.is_dir():
        yield str(path)
        return
    for folder, inner, names in os.walk(path):
        inner[:] = [name for name in inner if name not in DEFAULT_EXCLUDES]
        yield from (os.path.join(folder, name) for name in names if name.endswith((*SUFFIXES, ".toml", ".json")))


def _told(before: _States, after: _States) -> str:
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    more = "" if len(changed) < 2 else f" and {len(changed) - 1} more"
    return f"{show_path(Path(changed[0]))}{more}"
