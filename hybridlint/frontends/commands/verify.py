"""``hybridlint verify``: the proof alone, eager against compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hybridlint.checking.cluster.checks import checking_on
from hybridlint.checking.cluster.proofs import proving_on
from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.frontends.commands import options
from hybridlint.frontends.commands.choice import Selectable, choose_files
from hybridlint.frontends.commands.file_options import FileOptions, file_options
from hybridlint.project.files.output_files import write_whole
from hybridlint.project.settings.config import Config
from hybridlint.proving.blocks import named_blocks
from hybridlint.proving.directive_files import searching_longer
from hybridlint.proving.stopping import tell_if_stopped
from hybridlint.proving.threads import MOST
from hybridlint.report import page, proof
from hybridlint.report.coverage import coverage_gaps
from hybridlint.report.summary import written_directives

#: What may be chosen in a file.
_BLOCKS = Selectable(named_blocks, "block, and no function that builds a network")


@click.command("verify", short_help="Run blocks eagerly and compiled, and compare.")
@click.argument("paths", nargs=-1, metavar="[PATH[::CLASS[,CLASS]...]]...")
@options.output_format()
@options.proof
@options.device
@options.report("findings, proofs and graphs")
@file_options
@options.jobs
@options.cluster
@options.add_directives
@options.exit_zero("a block is refuted")
@options.strict_coverage
def command(
    paths: tuple[str, ...],
    *,
    output_format: str,
    report: Path | None,
    jobs: int | None,
    cluster: str | None,
    add_directives: bool,
    exit_zero: bool,
    strict_coverage: bool,
    **settings: Any,
) -> int:
    """Run the hybrid blocks of files eagerly and compiled, on random inputs, and report where they differ.

    Blocks that differ are also run with the safe fixes that `check --fix` would apply.

    PATHS are files and folders; the default is the current folder, and `model.py::Net,Head` means these blocks of a
    file. Arguments and inputs are inferred from the code, unless a comment above the class gives them, such as
    `# hybridlint: verify(args=(3,), x=("N", 3))`. The exit status is 1 if a block is refuted.
    """
    of_files = FileOptions.taken_from(settings)

    def override(config: Config) -> Config:
        overridden = config.verified_with(**settings)
        return searching_longer(overridden) if add_directives else overridden

    MOST.set(jobs)
    session = of_files.session(override, jobs=jobs, elsewhere=checking_on(cluster))
    found = choose_files(session, paths or (".",), _BLOCKS, of_files.base)
    steps = PipelineSteps(find=report is not None, stands=True, add_directives=add_directives)
    with proving_on(cluster):
        done = Pipeline(session, steps, proof.progress).of_files(found.files, found.classes)
    if report is not None:
        write_whole(report, page.render(done.results))
    outcomes = [outcome for result in done.results for outcome in result.proof]
    if output_format == "json":
        import json

        click.echo(json.dumps([outcome.to_json() for outcome in outcomes], indent=2))
    else:
        click.echo(proof.render_alone(outcomes, quiet=of_files.quiet), nl=False)
    gaps = coverage_gaps(done.results)
    if not of_files.quiet:
        click.echo(gaps.sentence, err=output_format == "json", nl=False)
    click.echo("".join(written_directives(done.added)), err=output_format == "json", nl=False)
    tell_if_stopped(len(outcomes))
    unread = [f"{result.path}: {result.failure}" for result in done.results if result.failure is not None]
    if unread:
        raise UsageError("; ".join(unread))
    if strict_coverage and gaps.sentence:
        return 1
    return 1 if not exit_zero and any(outcome.status is ProofStatus.REFUTED for outcome in outcomes) else 0
