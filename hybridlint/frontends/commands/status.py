"""``hybridlint status``: how ready a project is for `hybridize()`, class by class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import options
from hybridlint.frontends.commands.file_options import FileOptions, file_options
from hybridlint.frontends.commands.progress import counting
from hybridlint.hybridizing.readiness import ReadinessState, readiness
from hybridlint.hybridizing.writing import read_files
from hybridlint.report.coverage import CoverageGaps
from hybridlint.text.source import SourceFile


@click.command("status", short_help="Report how ready a project is, class by class.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@options.output_format()
@options.report("the same table")
@click.option("--to", "target", type=click.Choice(("torch",)), help="Report which blocks `convert` can write for it.")
@file_options
@options.exit_zero("blocks are not ready")
@options.strict_coverage
def command(
    paths: tuple[Path, ...],
    *,
    output_format: str,
    report: Path | None,
    target: str | None,
    exit_zero: bool,
    strict_coverage: bool,
    **given: Any,
) -> int:
    """Report which blocks are hybrid and clean, which need fixes or a person, and which Blocks could become hybrid.

    PATHS are files and folders; the default is the current folder. Nothing is run. The exit status is 1 if a block is
    not hybrid and clean, and 2 if a file is no Python. With --to torch it reports which blocks `convert`
    would write completely, and why it would not write the others; the status is 1 if there are others.
    """
    from hybridlint.report import readiness as table

    of_files = FileOptions.taken_from(given)
    session = of_files.session()
    failures: list[str] = []
    read = read_files(of_files.affected(session.modules(paths or [Path()])), failures)
    if target is not None:
        if report is not None:
            raise UsageError("`--report` has a page of what is hybrid: leave `--to` out")
        return _leaving([each.source for each in read.values()], failures, of_files, output_format, exit_zero=exit_zero)
    with counting("looking at file") as show:
        found = readiness([each.source for each in read.values()], Pipeline(session, PipelineSteps()), show)
    if report is not None:
        from hybridlint.project.files.output_files import write_whole
        from hybridlint.report import readiness_page

        write_whole(report, readiness_page.render(found))
    if output_format == "json":
        click.echo(json.dumps([each.to_json() for each in found], indent=2))
    else:
        click.echo(table.render(found, quiet=of_files.quiet), nl=False)
    gaps = CoverageGaps(sum(each.cut_off for each in found), len(failures), 0)
    if not of_files.quiet:
        click.echo(gaps.sentence, err=output_format == "json", nl=False)
    for failure in failures:
        click.echo(failure, err=True)
    if failures:
        return 2
    if strict_coverage and gaps.sentence:
        return 1
    return 1 if not exit_zero and any(each.state is not ReadinessState.CLEAN for each in found) else 0


def _leaving(
    sources: Sequence[SourceFile],
    failures: Sequence[str],
    of_files: FileOptions,
    output_format: str,
    *,
    exit_zero: bool,
) -> int:
    """Report how far blocks can go to PyTorch, and return the exit status."""
    from hybridlint.converting import leaving_table as table
    from hybridlint.converting.pytorch_readiness import LeavingState, leaving_blocks

    found = leaving_blocks(sources)
    if output_format == "json":
        click.echo(json.dumps([each.to_json() for each in found], indent=2))
    else:
        click.echo(table.render(found, quiet=of_files.quiet), nl=False)
    for failure in failures:
        click.echo(failure, err=True)
    if failures:
        return 2
    done = (LeavingState.WHOLE, LeavingState.AFTER_RUN)
    return 1 if not exit_zero and any(each.state not in done for each in found) else 0
