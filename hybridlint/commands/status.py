"""``hybridlint status``: how ready a project is for `hybridize()`, class by class."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hybridlint.checking.pipeline import Pipeline, Steps
from hybridlint.checking.session import Session
from hybridlint.commands import options
from hybridlint.hybridizing.readiness import State, readiness
from hybridlint.hybridizing.writing import read_files


@click.command("status", short_help="Report how ready a project is, class by class.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@options.output_format()
@options.report("the same table")
@options.no_cache
@options.exit_zero("blocks are not ready")
def command(
    paths: tuple[Path, ...], *, output_format: str, report: Path | None, no_cache: bool, exit_zero: bool
) -> int:
    """Report which blocks are hybrid and clean, which need fixes or a person, and which Blocks could become hybrid.

    PATHS are files and folders; the default is the current folder. Nothing is run. The exit status is 1 if a block is
    not hybrid and clean, and 2 if a file is no Python.
    """
    from hybridlint.report import readiness as table

    session = Session(use_cache=not no_cache)
    failures: list[str] = []
    read = read_files(session.modules(paths or [Path()]), failures)
    found = readiness([each.source for each in read.values()], Pipeline(session, Steps()))
    if report is not None:
        from hybridlint.files.whole import write_whole
        from hybridlint.report import readiness_page

        write_whole(report, readiness_page.render(found))
    if output_format == "json":
        click.echo(json.dumps([each.to_json() for each in found], indent=2))
    else:
        click.echo(table.render(found), nl=False)
    for failure in failures:
        click.echo(failure, err=True)
    if failures:
        return 2
    return 1 if not exit_zero and any(each.state is not State.CLEAN for each in found) else 0
