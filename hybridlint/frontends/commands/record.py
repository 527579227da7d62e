"""``hybridlint record``: run a program and keep how it builds and calls its blocks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click

from hybridlint.checking.session import CheckSession
from hybridlint.project.settings.config import Config
from hybridlint.runtime.facts.records import record

CHILD = Path(__file__).parents[2] / "proving" / "recording" / "child"
_FLAGS, _VALUED = ("--data", "--eager"), ("--python", "--output")
_PYTHON = re.compile(r"python[\d.]*(\.exe)?")


class _Record(click.Command):
    """A command whose own options end where the program to run begins."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separate the program and its arguments before options are parsed."""
        ours = 0
        while ours < len(args) and args[ours].partition("=")[0] in {*_FLAGS, *_VALUED, "-h", "--help"}:
            ours += 2 if args[ours] in _VALUED else 1
        rest = args[ours + 1 :] if args[ours : ours + 1] == ["--"] else args[ours:]
        return super().parse_args(ctx, [*args[:ours], "--", *rest])


@record(frozen=True, slots=True)
class _Program:
    """The program to run: `python` (another interpreter, or None), its options, a module or a script, and arguments."""

    python: str | None
    options: tuple[str, ...]
    module: bool
    name: str
    arguments: tuple[str, ...]


@click.command(
    "record",
    cls=_Record,
    short_help="Run a program and record how it builds and calls its blocks.",
    options_metavar="[--python PATH] [--output FILE] [--data] [--eager] [--]",
)
@click.option("--python", metavar="PATH", help="Python interpreter that has mxnet, instead of the bundled runtime.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="File to write.")
@click.option("--data", is_flag=True, help="Also keep the inputs of one call of each kind.")
@click.option("--eager", is_flag=True, help="Ignore hybridize(), for a program that fails once hybridized.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[python] (SCRIPT | -m MODULE) [ARGS]...")
def command(python: str | None, output: Path | None, data: bool, eager: bool, words: tuple[str, ...]) -> int:
    """Run a program and record how it builds and calls the blocks of the project, for `check` and `verify`.

    Constructor arguments, shapes, dtypes, ranges of whole numbers and modes are kept, but not the data. The program
    runs on the bundled runtime, or in another interpreter that has mxnet. The exit status is that of the program.
    """
    program = _program(words)
    config = CheckSession().config(Path())
    engine, interpreter = _interpreter(python or program.python)
    task = _task(program, config, engine, output, data=data, eager=eager)
    return _wait([interpreter, *program.options, str(CHILD), json.dumps(task)])


def _task(
    program: _Program, config: Config, engine: str, output: Path | None, *, data: bool, eager: bool
) -> dict[str, object]:
    target = os.path.abspath(output or config.root / config.recorded)
    return {
        "engine": engine,
        "root": os.path.abspath(config.root),
        "output": target,
        "arrays": os.path.splitext(target)[0] if data else None,
        "eager": eager,
        "module": program.module,
        "program": program.name,
        "arguments": program.arguments,
    }


def _program(words: tuple[str, ...]) -> _Program:
    """Parse ``[python [OPTIONS]] (SCRIPT | -m MODULE) [ARGS]``. Raises UsageError."""
    left = list(words)
    python = None
    options: list[str] = []
    if left and _PYTHON.fullmatch(os.path.basename(left[0])):
        named = left.pop(0)
        python = named if os.path.dirname(named) else None
        while left and left[0].startswith("-") and left[0][:2] not in {"-m", "-c"}:
            options.append(left.pop(0))
            if options[-1] in {"-W", "-X"} and left:
                options.append(left.pop(0))
    if not left:
        raise click.UsageError("give a program: a script, or a module with -m")
    first, *rest = left
    if first == "-m" and rest:
        return _Program(python, tuple(options), True, rest[0], tuple(rest[1:]))
    if first.startswith("-m") and first != "-m":
        return _Program(python, tuple(options), True, first[2:], tuple(rest))
    if first.startswith("-"):
        raise click.UsageError(f"`{first}` is no program that can be recorded: give a script, or a module with -m")
    return _Program(python, tuple(options), False, _script(first), tuple(rest))


def _script(name: str) -> str:
    """Return the file of a script: an existing file, or an installed Python command. Raises UsageError."""
    found = None if os.path.exists(name) or os.path.dirname(name) else shutil.which(name)
    if found is None:
        return name
    with open(found, "rb") as stream:
        if b"python" not in stream.readline():
            raise click.UsageError(f"`{name}` is no Python program: give the script or the module that it runs")
    return found


def _interpreter(python: str | None) -> tuple[str, str]:
    """Return the engine and the interpreter; ours uses the bundled runtime. Raises UsageError."""
    if python is None:
        return "bundled", sys.executable
    found = shutil.which(python)
    if found is None:
        raise click.UsageError(f"there is no interpreter {python}")
    return ("bundled" if os.path.abspath(found) == os.path.abspath(sys.executable) else "mxnet"), found


def _wait(arguments: list[str]) -> int:
    """Wait for a process and return its exit status. The process handles interrupts itself."""
    process = subprocess.Popen(arguments)
    while True:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            continue
        return status if status >= 0 else 128 - status
