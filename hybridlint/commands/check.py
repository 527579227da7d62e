"""``hybridlint check``: report what breaks once hybridized, and fix it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.checking.pipeline import Outcome, Pipeline, Steps
from hybridlint.checking.session import Session
from hybridlint.commands import options
from hybridlint.commands.options import OutputFile
from hybridlint.errors import UsageError
from hybridlint.report import formats, streams
from hybridlint.report.manner import Manner
from hybridlint.report.streams import View
from hybridlint.report.summary import INVALID_SYNTAX
from hybridlint.settings.config import Config

if TYPE_CHECKING:
    from hybridlint.proving.adding import Added
    from hybridlint.proving.prover import Progress
    from hybridlint.result import Result

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``check`` as given on the command line."""

    fix: bool
    unsafe_fixes: bool
    diff: bool
    verify: bool
    possible: bool | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    output_format: str
    no_cache: bool
    exit_zero: bool
    stdin_filename: Path | None
    statistics: bool
    report: Path | None
    output_file: tuple[OutputFile, ...]
    quiet: bool
    force_exclude: bool
    engine: str | None
    python: str | None
    timeout: float | None
    add_directives: bool

    @property
    def steps(self) -> Steps:
        """The steps that the options ask for."""
        return Steps(
            fix=self.fix or self.diff,
            unsafe=self.unsafe_fixes,
            prove=self.verify,
            written=not self.diff,
            add_directives=self.add_directives,
        )

    @property
    def manner(self) -> Manner:
        """What the options ask a report to tell."""
        return Manner(fixing=self.fix, unsafe=self.unsafe_fixes, written=not self.diff)

    @property
    def view(self) -> View:
        """What the options ask a terminal to show."""
        return View(self.output_format, self.statistics, self.quiet)

    @property
    def files(self) -> tuple[OutputFile, ...]:
        """The files that the report is written to, each in its format."""
        page = () if self.report is None else (OutputFile("html", self.report),)
        return (*self.output_file, *page)

    def over(self, config: Config) -> Config:
        """Return a project's settings with the command line's options applied."""
        config = config.overridden(
            select=_codes(self.select) or None,
            extend_select=_codes(self.extend_select),
            ignore=_codes(self.ignore),
            possible=self.possible,
        ).verified_with(engine=self.engine, python=self.python, timeout=self.timeout)
        if not self.add_directives:
            return config
        from hybridlint.proving.adding import searching_longer

        return searching_longer(config)


def _codes(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


_RULES: dict[str, Any] = {"metavar": "CODES", "multiple": True}


@click.command("check", short_help="Find and fix code that breaks once hybridized.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Include unsafe fixes.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option("--verify/--no-verify", help="Prove each fix by running the project's code, in a sandbox.")
@click.option("--possible/--no-possible", default=None, help="Also report suspicious code that may be right.")
@click.option("--select", **_RULES, help="Rules to use: codes, beginnings of codes, names, or ALL.")
@click.option("--ignore", **_RULES, help="Rules to leave out.")
@click.option("--extend-select", **_RULES, help="Rules to use in addition.")
@options.output_format(formats.names())
@options.output_file(formats.names())
@options.quiet
@options.no_cache
@options.exit_zero("something was found")
@click.option("--stdin-filename", type=click.Path(path_type=Path), help="File name to use for standard input (`-`).")
@click.option("--statistics", is_flag=True, help="Report only the number of findings of each rule.")
@options.report("findings, diffs and proofs")
@click.option("--force-exclude", is_flag=True, help="Skip excluded files even if they are named.")
@options.add_directives
@options.proof
def command(paths: tuple[Path, ...], **given: Any) -> int:
    """Report Gluon code that fails or silently changes once it is hybridized, and fix it.

    PATHS are files and folders; the default is the current folder, and `-` reads standard input. The exit status is 1
    if something is left, and 2 for wrong usage or files that could not be checked.
    """
    return run(paths, Options(**given))


def run(paths: Sequence[Path], options: Options) -> int:
    """Check, fix and report. Returns the exit status. Raises UsageError."""
    session = Session(
        override=options.over,
        use_cache=not options.no_cache,
        force_exclude=options.force_exclude,
    )
    _validate(options)
    pipeline = Pipeline(session, options.steps, _progress)
    if STDIN in map(str, paths):
        if len(paths) > 1:
            raise UsageError("`-` reads standard input and stands alone")
        if options.add_directives:
            raise UsageError("`--add-directives` writes files, and standard input is none: name the file")
        return _check_stdin(pipeline, options)
    files = session.files(paths or [Path()])
    if not files:
        click.echo(f"{click.style('warning', fg='yellow', bold=True)}: no Python files under the given paths", err=True)
    outcome = pipeline.of_files(files)
    _write_files(outcome.results, options, lambda: pipeline.as_it_is().of_files(files))
    if options.diff:
        return _show_diff(outcome.results, options)
    _report(outcome.results, options, outcome.added)
    return _status(outcome.results, options)


def _check_stdin(pipeline: Pipeline, options: Options) -> int:
    """Check standard input. Fixed text goes to standard output, and the report then goes to standard error."""
    path = options.stdin_filename or Path(STDIN)
    data = sys.stdin.buffer.read()
    results = pipeline.of_text(path, data).results
    _write_files(results, options, lambda: pipeline.as_it_is().of_text(path, data))
    if options.diff:
        return _show_diff(results, options)
    if options.fix:
        fixed = results[0].fixed
        sys.stdout.buffer.write(data if fixed is None else fixed.after.encode(fixed.encoding))
        sys.stdout.flush()
    _report(results, options, aside=options.fix)
    return _status(results, options)


def _progress() -> AbstractContextManager[Progress]:
    from hybridlint.report import proof

    return proof.progress()


def _write_files(results: Sequence[Result], options: Options, as_it_is: Callable[[], Outcome]) -> None:
    """Write reports about the files as they are after the run: before fixing, if only a diff is shown."""
    if not options.files:
        return
    from dataclasses import replace

    from hybridlint.files.whole import write_whole

    if options.diff:
        results = [
            replace(found, fixed=result.fixed, proof=result.proof, failure=result.failure)
            for found, result in zip(as_it_is().results, results, strict=True)
        ]
    for file in options.files:
        write_whole(file.path, streams.for_file(results, file.output_format, options.manner))


def _show_diff(results: Sequence[Result], options: Options) -> int:
    text, notes = streams.of_diff(results, unsafe=options.unsafe_fixes)
    for part in (text, notes):
        click.echo(part.text, err=part.aside, nl=False)
    if any(result.failure for result in results):
        return 2
    broken = any(found.name == INVALID_SYNTAX for result in results for found in result.diagnostics)
    return 1 if (text.text or broken) and not options.exit_zero else 0


def _report(
    results: Sequence[Result], options: Options, added: Sequence[Added] | None = None, *, aside: bool = False
) -> None:
    """Write the report; with `aside` all of it goes to standard error."""
    for part in streams.of_check(results, options.view, options.manner, added):
        click.echo(part.text, err=part.aside or aside, nl=False)


def _status(results: Sequence[Result], options: Options) -> int:
    if any(result.failure for result in results):
        return 2
    return 1 if not options.exit_zero and any(result.diagnostics for result in results) else 0


def _validate(options: Options) -> None:
    if options.add_directives and not options.verify:
        raise UsageError("`--add-directives` writes what a proof has found out: give `--verify` too")
    if options.add_directives and options.diff:
        raise UsageError("`--add-directives` writes files and `--diff` writes none: leave one of them out")
    selectors = [*_codes(options.select), *_codes(options.extend_select), *_codes(options.ignore)]
    if any(selector != "ALL" for selector in selectors):
        from hybridlint.settings.selection import validate

        validate(selectors)
