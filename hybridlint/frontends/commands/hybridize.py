"""``hybridlint hybridize``: blocks become hybrid blocks, with the proof."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.core.errors import EndedEarlyError, UsageError
from hybridlint.frontends.commands import options
from hybridlint.frontends.commands.choice import Selectable, choose_files
from hybridlint.frontends.commands.file_options import FileOptions, file_options
from hybridlint.hybridizing.candidates import candidate_names
from hybridlint.hybridizing.files import Converted, Hybridizing
from hybridlint.hybridizing.writing import read_files, write
from hybridlint.proving.progress import Progress
from hybridlint.proving.stopping import ended_by, stoppable
from hybridlint.report import hybridized
from hybridlint.report.coverage import CoverageGaps
from hybridlint.report.proof import progress

#: What may be chosen in a file.
_CLASSES = Selectable(candidate_names, "class, and no function that builds a network")


@click.command("hybridize", short_help="Turn Blocks into HybridBlocks, and prove it.")
@click.argument("paths", nargs=-1, metavar="[PATH[::CLASS[,CLASS]...]]...")
@click.option("--fix", is_flag=True, help="Write the blocks that are proved.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option("--unsafe-fixes", is_flag=True, help="Include blocks that are converted in part, or not proved.")
@options.output_format()
@file_options
@options.exit_zero("blocks are left that are not hybrid")
@options.strict_coverage
@options.proof
def command(
    paths: tuple[str, ...],
    *,
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    output_format: str,
    exit_zero: bool,
    strict_coverage: bool,
    **settings: Any,
) -> int:
    """Turn Blocks into HybridBlocks, children before their users, and prove each by running it, in a sandbox.

    PATHS are files and folders; the default is the current folder, and `model.py::Net` means one class, with its
    bases. Without --fix or --diff it reports what is possible. The exit status is 1 if blocks are left that are not
    hybrid.
    """
    if fix and diff:
        raise UsageError("`--fix` writes files and `--diff` writes none: leave one of them out")
    of_files = FileOptions.taken_from(settings)
    session = of_files.session(lambda config: config.verified_with(**settings))
    found = choose_files(session, paths or (".",), _CLASSES, of_files.base)
    failures: list[str] = []
    read = read_files(found.files, failures)
    unread = len(failures)
    with progress() as show, stoppable():
        pipeline = Pipeline(session, PipelineSteps(fix=True, unsafe=True, prove=True), lambda: nullcontext(show))
        hybridizing = Hybridizing(pipeline, unsafe=unsafe_fixes, progress=partial(_show_stage, show))
        done = hybridizing.of_files([each.source for each in read.values()], found.classes)
    # Of files that belong together some would be converted, and others not.
    fix = fix and not hybridizing.undone
    failures += write(done, read, pipeline) if fix else []
    _report(done, output_format, fix=fix, diff=diff, unsafe=unsafe_fixes, quiet=of_files.quiet)
    gaps = CoverageGaps(0, unread, sum(outcome.unrun for each in done for outcome in each.outcomes))
    if not of_files.quiet:
        click.echo(gaps.sentence, err=diff or output_format == "json", nl=False)
    for failure in failures:
        click.echo(failure, err=True)
    _tell_if_ended(hybridizing.undone, len(read))
    if failures:
        return 2
    if strict_coverage and gaps.sentence:
        return 1
    return 1 if hybridized.left(done, written=fix) and not exit_zero else 0


def _show_stage(show: Progress, done: int, of: int) -> None:
    show.stage(f"converting file {done + 1} of {of}")


def _tell_if_ended(undone: Sequence[Path], files: int) -> None:
    """Raise EndedEarlyError if a signal has ended the run before all files were converted."""
    if undone:
        raise EndedEarlyError(
            f"the run was ended early, and nothing was written: {files - len(undone)} of {files} files were looked at",
            ended_by(),
        )


def _report(done: Sequence[Converted], output_format: str, *, fix: bool, diff: bool, unsafe: bool, quiet: bool) -> None:
    if output_format == "json":
        import json

        click.echo(json.dumps([outcome.to_json() for each in done for outcome in each.outcomes], indent=2))
        return
    if diff:
        click.echo(hybridized.render_diff(done), nl=False)
    click.echo(hybridized.render(done, written=fix, unsafe=unsafe, quiet=quiet), nl=False, err=diff)
