"""``hybridlint status``: how ready a project is for `hybridize()`, class by class."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hybridlint.checking.session import Session
from hybridlint.hybridizing.readiness import State, readiness
from hybridlint.hybridizing.writing import read_files

REPORT = click.Path(path_type=Path, dir_okay=False, writable=True)


@click.command("status", short_help="Tell how ready a project is, class by class.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--output-format", type=click.Choice(("full", "json")), default="full", show_default=True)
@click.option("--report", type=REPORT, metavar="FILE.html", help="Also write a page.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write .hybridlint_cache.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when blocks are not ready.")
def command(
    paths: tuple[Path, ...], *, output_format: str, report: Path | None, no_cache: bool, exit_zero: bool
) -> int:
    """Tell which blocks are hybrid and clean, which need fixes or a person, and which Blocks could become hybrid.

    PATHS are files and folders, the current folder where none are given. Nothing is run. Exit status is 1 where a
    block is not hybrid and clean.
    """
    from hybridlint.report import readiness as table

    session = Session(use_cache=not no_cache)
    read = read_files(session.files(paths or [Path()]))
    found = readiness([each.source for each in read.values()], session.check(list(read)))
    if report is not None:
        from hybridlint.files.whole import write_whole
        from hybridlint.report import readiness_page

        write_whole(report, readiness_page.render(found))
    if output_format == "json":
        click.echo(json.dumps([each.to_json() for each in found], indent=2))
    else:
        click.echo(table.render(found), nl=False)
    return 1 if not exit_zero and any(each.state is not State.CLEAN for each in found) else 0
