"""``hybridlint explain``: a traceback of MXNet becomes a place, a rule and a fix."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.explain.causes import explain_error
from hybridlint.explain.traceback_info import parse_traceback
from hybridlint.report.explanation import write_explanation
from hybridlint.runtime.facts.records import replace


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
    chain = parse_traceback(text)
    session = CheckSession(override=lambda config: replace(config, possible=True))
    pipeline, files = Pipeline(session, PipelineSteps()), session.modules(paths or [Path()])
    explanation = explain_error(chain, pipeline, files)
    click.echo("".join(write_explanation(explanation, chain, files)), nl=False)
    return 0 if explanation.is_explained else 1


def _text(traceback: Path | None) -> str:
    if traceback is None or str(traceback) == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        return traceback.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{traceback}: cannot read the file: {error.strerror}") from error
