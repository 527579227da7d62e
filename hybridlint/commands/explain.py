"""``hybridlint explain``: a traceback of MXNet becomes a place, a rule and a fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hybridlint.checking.pipeline import Pipeline, Steps
from hybridlint.checking.session import Session
from hybridlint.errors import UsageError
from hybridlint.explaining.causes import Cause, cause
from hybridlint.explaining.messages import Message, meaning_of
from hybridlint.explaining.told import Told, read
from hybridlint.report import formats
from hybridlint.report.manner import Manner


@click.command("explain", short_help="Explain a traceback of MXNet: place, rule and fix.")
@click.argument("traceback", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--in", "paths", multiple=True, type=click.Path(path_type=Path), help="Files and folders of the program.")
def command(traceback: Path | None, paths: tuple[Path, ...]) -> int:
    """Explain what MXNet printed when a hybridized block failed.

    TRACEBACK is a file with the text; the default is standard input. The classes that a message names are looked for
    in the files of the traceback, and in the current folder or those that --in names. The exit status is 1 if no cause
    was found.
    """
    text = _text(traceback)
    if not text.strip():
        raise UsageError("there is nothing to explain: give the text of a traceback, from `Traceback` to the last line")
    told, message = read(text), meaning_of(text)
    session = Session()
    found = cause(told, message, Pipeline(session, Steps()), session.modules(paths or [Path()]))
    click.echo("".join(_explanation(told, message, found)), nl=False)
    return 0 if found is not None else 1


def _text(traceback: Path | None) -> str:
    if traceback is None or str(traceback) == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        return traceback.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{traceback}: cannot read the file: {error.strerror}") from error


def _explanation(told: Told, message: Message | None, found: Cause | None) -> Iterator[str]:
    if message is not None:
        yield f"{click.style('meaning', bold=True)}: {message.meaning}\n\n"
    if found is not None:
        yield f"{click.style('cause', bold=True)}: {found.where}\n\n"
        yield formats.load(formats.DEFAULT).render([found.result], Manner(unsafe=True))
        yield "".join(
            dict.fromkeys(f"`hybridlint rule {each.code}` tells more.\n" for each in found.result.diagnostics)
        )
        return
    if message is None:
        yield "This is no message that hybridized code is known to end with. "
    yield "No cause was found: name the files of the program with `--in`, or check them with `hybridlint check`.\n"
