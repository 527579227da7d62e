"""``hybridlint verify``: the proof alone, eager against compiled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.checking.engine import may_be_hybrid
from hybridlint.checking.session import Session
from hybridlint.errors import UsageError
from hybridlint.files.discover import NO_NOTEBOOKS, NOTEBOOK
from hybridlint.proving import adding
from hybridlint.proving.adding import searching_longer
from hybridlint.proving.configured import check_inputs
from hybridlint.proving.engines import ENGINES
from hybridlint.proving.fixes import prove_anew
from hybridlint.proving.outcome import Outcome, Status
from hybridlint.proving.prover import count_blocks
from hybridlint.proving.settle import settled
from hybridlint.proving.stopping import STOPPED, stoppable
from hybridlint.proving.verdicts import Verdicts
from hybridlint.report import proof
from hybridlint.report.summary import written_directives
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.checking.checker import Result
    from hybridlint.proving.prover import Progress
    from hybridlint.settings.config import Config

SECONDS = click.FloatRange(min=0, min_open=True)
REPORT = click.Path(path_type=Path, dir_okay=False, writable=True)


@click.command("verify", short_help="Run blocks eagerly and compiled, and compare.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--output-format",
    type=click.Choice(("full", "json")),
    default="full",
    show_default=True,
    help="Format of the report.",
)
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="Time limit for each block.  [default: 20]")
@click.option("--engine", type=click.Choice(ENGINES), help="Runtime that runs the blocks.")
@click.option("--python", metavar="PATH", help="Python interpreter that has mxnet, for --engine mxnet.")
@click.option("--report", type=REPORT, metavar="FILE.html", help="Also write a page with findings, proofs and graphs.")
@click.option("--no-cache", is_flag=True, help="Do not read or write .hybridlint_cache.")
@click.option(
    "--add-directives", is_flag=True, help="Write a comment above each proved block that tells how to call it."
)
@click.option("--exit-zero", is_flag=True, help="Exit with status 0 even if a block is refuted.")
def command(
    paths: tuple[Path, ...],
    *,
    output_format: str,
    report: Path | None,
    no_cache: bool,
    add_directives: bool,
    exit_zero: bool,
    **settings: Any,
) -> int:
    """Run the hybrid blocks of files eagerly and compiled, on random inputs, and report where they differ.

    Blocks that differ are also run with the safe fixes that `check --fix` would apply.

    PATHS are files and folders; the default is the current folder. Arguments and inputs are inferred from the code,
    unless a comment above the class gives them, such as `# hybridlint: verify(args=(3,), x=("N", 3))`. The exit status
    is 1 if a block is refuted.
    """
    session = Session()
    files = session.files(paths or [Path()])
    for file in files:
        if file.suffix == NOTEBOOK:
            raise UsageError(f"{file}: {NO_NOTEBOOKS}")
    configs = [session.config(file.parent).verified_with(**settings) for file in files]
    if add_directives:
        configs = [searching_longer(config) for config in configs]
    for config in {config.root: config for config in configs}.values():
        check_inputs(config, files)
    # Child processes do the work, so threads are enough to keep the processors busy.
    roots = {config.root for config in configs}
    verdicts = {root: Verdicts(root, {}) if no_cache else Verdicts.open(root) for root in roots}
    with stoppable(), proof.progress() as show, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        if show.shown:
            show.expect(sum(map(_blocks, files)))
        stores = [verdicts[config.root] for config in configs]
        found = list(pool.map(_prove, files, configs, stores, [show] * len(files)))
        added = (
            list(pool.map(adding.add_directives, files, configs, found))
            if add_directives and not STOPPED.is_set()
            else []
        )
        found = [list(file.outcomes) for file in added] or found
    for known in () if no_cache else verdicts.values():
        known.save()
    if report is not None:
        _write_page(report, session.check(files), found)
    outcomes = [outcome for several in found for outcome in several]
    if output_format == "json":
        import json

        click.echo(json.dumps([outcome.to_json() for outcome in outcomes], indent=2))
    else:
        click.echo(proof.render(outcomes) or "No hybrid blocks found.\n", nl=False)
    click.echo("".join(written_directives(added)), err=output_format == "json", nl=False)
    if STOPPED.is_set():
        judged = "1 block that was" if len(outcomes) == 1 else f"{len(outcomes)} blocks that were"
        raise UsageError(f"the proof was ended early: the report holds the {judged} judged until then")
    return 1 if not exit_zero and any(outcome.status is Status.REFUTED for outcome in outcomes) else 0


def _write_page(path: Path, results: Sequence[Result], found: Sequence[Sequence[Outcome]]) -> None:
    from hybridlint.files.whole import write_whole
    from hybridlint.report import page

    proved = [
        replace(settled(result, outcomes), proof=tuple(outcomes))
        for result, outcomes in zip(results, found, strict=True)
    ]
    write_whole(path, page.render(proved))


def _blocks(path: Path) -> int:
    try:
        source = SourceFile.read(path)
    except (OSError, SourceError):
        return 0
    return count_blocks(source) if may_be_hybrid(source.text) else 0


def _prove(path: Path, config: Config, verdicts: Verdicts, show: Progress) -> list[Outcome]:
    try:
        source = SourceFile.read(path)
    except (OSError, SourceError) as error:
        reason = error.strerror if isinstance(error, OSError) else error.reason
        return [Outcome(path, path.name, 1, Status.NOT_RUN, f"the file cannot be read: {reason}")]
    hybrid = may_be_hybrid(source.text) and not STOPPED.is_set()
    return prove_anew(source, config, verdicts, show) if hybrid else []
