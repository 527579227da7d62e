"""``hybridlint check``: report what breaks once hybridized, and fix it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.checking.cluster.proofs import proving_on
from hybridlint.checking.pipeline import Pipeline, PipelineResult
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import EndedEarlyError, UsageError, signal_of
from hybridlint.frontends.commands.check_options import GROUPS, Options, arguments
from hybridlint.frontends.commands.file_options import FileOptions
from hybridlint.frontends.commands.grouped_help import GroupedCommand
from hybridlint.frontends.commands.progress import counting
from hybridlint.project.documents.places import contents
from hybridlint.report import streams
from hybridlint.report.coverage import coverage_gaps
from hybridlint.report.summary import INVALID_SYNTAX, count_fixed
from hybridlint.runtime.facts.records import replace
from hybridlint.system.terminal import exact

if TYPE_CHECKING:
    from hybridlint.core.result import Result
    from hybridlint.core.review import Ask
    from hybridlint.proving.progress import Progress

STDIN = "-"
#: Severities of findings of which `--max-warnings` allows some.
_MILD = ("warning", "info")


@click.command("check", cls=GroupedCommand, groups=GROUPS, short_help="Find and fix code that breaks once hybridized.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@arguments
def command(paths: tuple[Path, ...], **given: Any) -> int:
    """Report Gluon code that fails or silently changes once it is hybridized, and fix it.

    PATHS are files and folders; the default is the current folder, and `-` reads standard input. The exit status is 1
    if a finding is left, and 2 for wrong usage or files that could not be checked.
    """
    return run(paths, Options(of_files=FileOptions.taken_from(given), **given))


def run(paths: Sequence[Path], options: Options) -> int:
    """Check, fix and report. Returns the exit status. Raises UsageError."""
    session = options.session()
    options.validate()
    # What was found until then is of use; half of the fixes are not.
    session.ends_early = not (options.fixing or options.diff or options.write_baseline or options.add_noqa)
    pipeline = Pipeline(session, options.steps, _progress, _ask() if options.interactive else None)
    if STDIN in map(str, paths):
        _validate_stdin(paths, options)
        return _check_stdin(pipeline, options)
    if options.watch:
        from hybridlint.frontends.commands.watch import watch

        return watch(paths or [Path()], sys.argv[1:], writes=options.fixing or options.add_noqa)
    base = options.of_files.base
    selection = session.selection(paths or [Path()], compared=base is not None)
    files = selection.files if base is None else base.affected(selection.files)
    if options.show_files or options.show_settings:
        return _show_files(files) if options.show_files else _show_settings(files, session)
    if not files and base is None:
        _warn("no Python files under the given paths; Markdown and reStructuredText are checked where they are named")

    def outcome_of(pipeline: Pipeline) -> PipelineResult:
        return pipeline.of_files(files, selection=selection, base=base)

    outcome = _found(files, session, partial(outcome_of, pipeline), options)
    if options.write_baseline:
        return _write_baseline(outcome, session, options)
    outcome = _restricted(outcome, pipeline, options)
    _write_files(outcome.results, options, lambda: outcome_of(pipeline.as_it_is()))
    if options.diff:
        status = _show_diff(outcome.results, options)
    else:
        if session.ended is None or any(result.diagnostics for result in outcome.results):
            _report(outcome, options)
        status = _status(outcome, options)
    if options.verify:
        from hybridlint.proving.stopping import tell_if_stopped

        tell_if_stopped(sum(len(result.proof) for result in outcome.results))
    session.tell_if_ended()
    return status


def _found(
    files: Sequence[Path], session: CheckSession, outcome_of_files: Callable[[], PipelineResult], options: Options
) -> PipelineResult:
    """Run all steps on the files, with a counter on a terminal, and print facts about the run if verbose."""
    begun = time.monotonic()
    try:
        with proving_on(options.cluster if options.verify else None), counting("checking") as session.progress:
            outcome = outcome_of_files()
    except (KeyboardInterrupt, SystemExit) as end:
        sentence = "the run was ended early: files that were not written yet stay as they are"
        raise EndedEarlyError(sentence, signal_of(end)) from end
    if options.verbose:
        from hybridlint.report.verbose import verbose_lines

        configs = [session.config(file.parent) for file in files]
        lines = verbose_lines(configs, session.from_cache, session.processes, time.monotonic() - begun)
        click.echo("".join(lines), err=True, nl=False)
    return outcome


def _check_stdin(pipeline: Pipeline, options: Options) -> int:
    """Check standard input. Fixed text goes to standard output, and the report then goes to standard error."""
    path = options.stdin_filename or Path(STDIN)
    data = sys.stdin.buffer.read()
    outcome = pipeline.of_text(path, data)
    _write_files(outcome.results, options, lambda: pipeline.as_it_is().of_text(path, data))
    if options.diff:
        return _show_diff(outcome.results, options)
    if options.fixing:
        fixed = outcome.results[0].fixed
        sys.stdout.buffer.write(data if fixed is None else contents(path, fixed)[1])
        sys.stdout.flush()
    _report(outcome, options, aside=options.fixing)
    return _status(outcome, options)


def _restricted(outcome: PipelineResult, pipeline: Pipeline, options: Options) -> PipelineResult:
    """Return the outcome without the findings that the options silence."""
    results = outcome.results
    if options.add_noqa:
        from hybridlint.project.adoption.silencing import silence_findings

        found = sum(len(result.diagnostics) for result in results)
        results = tuple(pipeline.write([silence_findings(result, pipeline.protected(result)) for result in results]))
        left = sum(len(result.diagnostics) for result in results)
        click.echo(f"Silenced {found - left} finding{'' if found - left == 1 else 's'} with comments.", err=True)
    return replace(outcome, results=results)


def _write_baseline(outcome: PipelineResult, session: CheckSession, options: Options) -> int:
    from hybridlint.project.adoption.baselines import write
    from hybridlint.report.style import show_path

    for part in streams.of_failures(outcome.results):
        click.echo(part.text, err=part.aside, nl=False)
    roots = [session.config(result.path.parent).root for result in outcome.results]
    for baseline in write(outcome.results, roots):
        number = baseline.entries.total()
        click.echo(f"{show_path(baseline.path)} holds {number} finding{'' if number == 1 else 's'}.")
    return 2 if any(result.failure for result in outcome.results) else 0


def _show_files(files: Sequence[Path]) -> int:
    from hybridlint.report.style import show_path

    there = [file for file in files if file.exists()]
    click.echo("".join(f"{show_path(file)}\n" for file in there), nl=False)
    if missing := [f"`{show_path(file)}`" for file in files if file not in there]:
        raise UsageError(f"no file or folder has this path: {', '.join(missing)}")
    return 0


def _show_settings(files: Sequence[Path], session: CheckSession) -> int:
    from hybridlint.report import resolved

    shown = [(file, session.config(file.parent)) for file in files] or [(Path(), session.config(Path()))]
    click.echo(resolved.render(shown), nl=False)
    return 0


def _ask() -> Ask:
    from hybridlint.frontends.commands.interactive import ask

    return ask


def _progress() -> AbstractContextManager[Progress]:
    from hybridlint.report import proof

    return proof.progress()


def _write_files(results: Sequence[Result], options: Options, as_it_is: Callable[[], PipelineResult]) -> None:
    """Write reports about the files as they are after the run: before fixing, if only a diff is shown."""
    if not options.files:
        return
    from hybridlint.project.files.output_files import write_whole

    if options.diff:
        results = [
            replace(found, fixed=result.fixed, proof=result.proof, failure=result.failure)
            for found, result in zip(as_it_is().results, results, strict=True)
        ]
    for file in options.files:
        write_whole(file.path, streams.for_file(results, file.output_format, options.manner))


def _show_diff(results: Sequence[Result], options: Options) -> int:
    text, notes = streams.of_diff(results, unsafe=options.unsafe_fixes)
    # A program gets the lines as they are, to apply them; a terminal shows them.
    click.echo(text.text if sys.stdout.isatty() else exact(text.text), nl=False)
    click.echo(notes.text, err=True, nl=False)
    if any(result.failure for result in results):
        return 2
    broken = any(found.name == INVALID_SYNTAX for result in results for found in result.diagnostics)
    return 1 if (text.text or broken) and not options.exit_zero else 0


def _report(outcome: PipelineResult, options: Options, *, aside: bool = False) -> None:
    """Write the report; with `aside` all of it goes to standard error."""
    if options.fix_only:
        _report_fixes(outcome.results, options, aside=aside)
        return
    manner = options.manner
    if outcome.known is not None:
        manner = replace(manner, known=outcome.known.count)
    added = outcome.added if options.add_directives else None
    for part in streams.of_check(outcome.results, options.view, manner, added):
        click.echo(part.text, err=part.aside or aside, nl=False)
    _tell_stale(outcome, options)


def _report_fixes(results: Sequence[Result], options: Options, *, aside: bool) -> None:
    """Write how many fixes were applied, and nothing of what is left."""
    for part in streams.of_fixes(results, options.view):
        click.echo(part.text, err=part.aside or aside, nl=False)


def _tell_stale(outcome: PipelineResult, options: Options) -> None:
    """Report the stale entries of baselines, or remove them."""
    from hybridlint.report.style import show_path

    if outcome.known is None or not outcome.known.stale:
        return
    if options.prune_baseline:
        from hybridlint.project.adoption.baselines import prune

        number = prune(outcome.known)
        click.echo(f"Took {number} finding{'' if number == 1 else 's'} out of the baseline.", err=True)
        return
    for path, entries in outcome.known.stale.items():
        number = entries.total()
        what = "1 finding that is" if number == 1 else f"{number} findings that are"
        _warn(f"{show_path(path)} holds {what} gone: `--prune-baseline` takes {'it' if number == 1 else 'them'} out")


def _status(outcome: PipelineResult, options: Options) -> int:
    results = outcome.results
    if any(result.failure for result in results):
        return 2
    if options.exit_non_zero_on_fix and count_fixed(results):
        return 1
    if options.strict_coverage and coverage_gaps(results).sentence:
        return 1
    if options.strict_baseline and not options.prune_baseline and outcome.known is not None and outcome.known.stale:
        return 1
    if options.exit_zero or options.fix_only:
        return 0
    counts = Counter(found.severity for result in results for found in result.diagnostics)
    mild = sum(counts.pop(severity, 0) for severity in _MILD) if options.max_warnings is not None else 0
    return 1 if counts or mild > (options.max_warnings or 0) else 0


def _validate_stdin(paths: Sequence[Path], options: Options) -> None:
    if len(paths) > 1:
        raise UsageError("`-` reads standard input: give no other paths with it")
    for given, option in (
        (options.add_directives, "--add-directives"),
        (options.interactive, "--interactive"),
        (options.watch, "--watch"),
        (options.add_noqa, "--add-noqa"),
        (options.write_baseline, "--write-baseline"),
    ):
        if given:
            raise UsageError(f"`{option}` works on files, and standard input is none: name the file")
    if options.of_files.since is not None:
        raise UsageError("`--since` compares files, and standard input is none: name the file")


def _warn(sentence: str) -> None:
    click.echo(f"{click.style('warning', fg='yellow', bold=True)}: {sentence}", err=True)
