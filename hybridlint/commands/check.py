"""``hybridlint check``: report what breaks once hybridized, and fix it."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.config import Config
from hybridlint.errors import UsageError
from hybridlint.report import FORMATS, render
from hybridlint.report.summary import diff_summary, dropped_fixes, failures, summary, unparsable
from hybridlint.session import Session
from hybridlint.verify.engines import ENGINES

if TYPE_CHECKING:
    from hybridlint.adding import Added
    from hybridlint.checker import Result

STDIN = "-"
SECONDS = click.FloatRange(min=0, min_open=True)
REPORT = click.Path(path_type=Path, dir_okay=False, writable=True)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``check``, as they were given."""

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
    force_exclude: bool
    engine: str | None
    python: str | None
    timeout: float | None
    add_directives: bool

    def over(self, config: Config) -> Config:
        """Return a project's settings with what the command line says."""
        said = config.overridden(
            select=_codes(self.select) or None,
            extend_select=_codes(self.extend_select),
            ignore=_codes(self.ignore),
            possible=self.possible,
        ).verified_with(engine=self.engine, python=self.python, timeout=self.timeout)
        if not self.add_directives:
            return said
        from hybridlint.adding import searching_longer

        return searching_longer(said)


def _codes(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


_RULES: dict[str, Any] = {"metavar": "CODES", "multiple": True}


@click.command("check", short_help="Report what breaks once hybridized, and fix it.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Take unsafe fixes for fixes too.")
@click.option("--diff", is_flag=True, help="Write no file; show what --fix would change.")
@click.option("--verify/--no-verify", help="Prove each fix: run the project's code, in a sandbox, before and after.")
@click.option("--possible/--no-possible", default=None, help="Tell what cannot be proved either way too.")
@click.option("--select", **_RULES, help="Rules to use: codes, beginnings of codes, names, or ALL.")
@click.option("--ignore", **_RULES, help="Rules to leave out.")
@click.option("--extend-select", **_RULES, help="Rules to use beside those selected.")
@click.option("--output-format", type=click.Choice(FORMATS), default="full", show_default=True, help="How to report.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write .hybridlint_cache.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when something was found.")
@click.option("--stdin-filename", type=click.Path(path_type=Path), help="The name of what is read with `-`.")
@click.option("--statistics", is_flag=True, help="Report counts for each rule only.")
@click.option("--report", type=REPORT, metavar="FILE.html", help="Also write a page with findings, diffs and proofs.")
@click.option("--force-exclude", is_flag=True, help="Leave out what the settings exclude even where it is named.")
@click.option("--add-directives", is_flag=True, help="Write above blocks that --verify proves how they were called.")
@click.option("--engine", type=click.Choice(ENGINES), help="What runs the blocks of --verify.")
@click.option("--python", metavar="PATH", help="The interpreter that has mxnet, for --engine mxnet.")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="Limit for each block of --verify.  [default: 20]")
def command(paths: tuple[Path, ...], **options: Any) -> int:
    """Report what in Gluon code breaks or silently changes once it is hybridized, and fix it.

    PATHS are files and folders, the current folder where none are given; `-` reads standard input.
    """
    return run(paths, Options(**options))


def run(paths: Sequence[Path], options: Options) -> int:
    """Check, fix, report; return the exit status. Raises UsageError."""
    session = Session(
        override=options.over,
        fix=options.fix or options.diff,
        unsafe=options.unsafe_fixes,
        use_cache=not options.no_cache,
        force_exclude=options.force_exclude,
    )
    _validate(options)
    if STDIN in map(str, paths):
        if len(paths) > 1:
            raise UsageError("`-` reads standard input and stands alone")
        if options.add_directives:
            raise UsageError("`--add-directives` writes files, and standard input is none: name the file")
        return _check_stdin(session, options)
    files = session.files(paths or [Path()])
    if not files:
        click.echo(f"{click.style('warning', fg='yellow', bold=True)}: no Python files under the given paths", err=True)
    results = session.check(files)
    results = _settle(_prove(results, session, options), session, options)
    _write_page(results, options, lambda: _as_they_are(session, files))
    if options.diff:
        return _show_diff(results, options)
    written = [_write(result) for result in results] if options.fix else results
    _keep_records(session, written)
    added = _add_directives(written, session, options)
    written = (
        [_as_added(result, file, session) for result, file in zip(written, added, strict=True)] if added else written
    )
    _report(written, options, click.echo)
    _report_added(added, options)
    return _status(written, options)


def _check_stdin(session: Session, options: Options) -> int:
    """Check standard input; fixed text goes to standard output and the report, then, to standard error."""
    path = options.stdin_filename or Path(STDIN)
    data = sys.stdin.buffer.read()
    results = _settle(_prove([session.check_text(path, data)], session, options), session, options)
    _write_page(results, options, lambda: [_unfixed(session).check_text(path, data)])
    if options.diff:
        return _show_diff(results, options)
    if options.fix:
        fixed = results[0].fixed
        sys.stdout.buffer.write(data if fixed is None else fixed.after.encode(fixed.encoding))
        sys.stdout.flush()
    _report(results, options, functools.partial(click.echo, err=options.fix))
    return _status(results, options)


def _prove(results: Sequence[Result], session: Session, options: Options) -> list[Result]:
    """Prove the fixes that are applied, or on offer, where the command line asks for it."""
    if not options.verify:
        return list(results)
    from hybridlint.proof import prove, prove_offered
    from hybridlint.report.proof import progress
    from hybridlint.verify.configured import check_inputs

    configs = [session.config(result.path.parent) for result in results]
    for config in {config.root: config for config in configs}.values():
        check_inputs(config, [result.path for result in results])
    with progress() as show:
        if not session.fix:
            return prove_offered(results, configs, unsafe=options.unsafe_fixes, progress=show)
        return prove(results, configs, unsafe=options.unsafe_fixes, progress=show, written=not options.diff)


def _settle(results: Sequence[Result], session: Session, options: Options) -> list[Result]:
    """Settle possible findings by proofs: earlier ones, and where proofs are asked for, new ones."""
    if not any(diagnostic.severity == "possible" for result in results for diagnostic in result.diagnostics):
        return list(results)
    from hybridlint.proof import settle
    from hybridlint.report.proof import progress
    from hybridlint.verdicts import Verdicts

    configs = [session.config(result.path.parent) for result in results]
    roots = {config.root for config in configs}
    verdicts = {root: Verdicts(root, {}) if options.no_cache else Verdicts.open(root) for root in roots}
    with progress() as show:
        found = settle(results, configs, verdicts, asked=options.verify, progress=show)
    for known in () if options.no_cache else verdicts.values():
        known.save()
    return found


def _write_page(results: Sequence[Result], options: Options, as_they_are: Callable[[], Sequence[Result]]) -> None:
    """Write the page about the files that the reader will have: those before fixing where only a diff is shown."""
    if options.report is None:
        return
    from dataclasses import replace

    from hybridlint.report import page

    if options.diff:
        results = [
            replace(found, fixed=result.fixed, proof=result.proof, failure=result.failure)
            for found, result in zip(as_they_are(), results, strict=True)
        ]
    options.report.write_text(page.render(results, written=not options.diff), encoding="utf-8")


def _as_they_are(session: Session, files: Sequence[Path]) -> list[Result]:
    return _unfixed(session).check(files)


def _unfixed(session: Session) -> Session:
    """Return a session that finds what is there before any fix."""
    return Session(session.override, use_cache=session.use_cache, force_exclude=session.force_exclude)


def _show_diff(results: Sequence[Result], options: Options) -> int:
    from hybridlint.report import diff

    text = diff.render(results)
    click.echo(text, nl=False)
    broken = "".join(unparsable(results))
    notes = "".join(
        [
            *failures(results),
            broken,
            *dropped_fixes(results, written=False),
            _proofs(results),
            diff_summary(results, unsafe=options.unsafe_fixes),
        ]
    )
    click.echo(notes, err=True, nl=False)
    if any(result.failure for result in results):
        return 2
    return 1 if (text or broken) and not options.exit_zero else 0


def _write(result: Result) -> Result:
    from hybridlint.checker import Result
    from hybridlint.original import ChangedError
    from hybridlint.original import replace as replace_file

    fixed = result.fixed
    if fixed is None or fixed.before == fixed.after or fixed.identity is None:
        return result
    before, after = fixed.before.encode(fixed.encoding), fixed.after.encode(fixed.encoding)
    try:
        replace_file(result.path, fixed.identity, before, after)
    except ChangedError as error:
        failure = str(error)
    except OSError as error:
        failure = f"cannot write the file: {error.strerror}"
    else:
        return result
    # Nothing was fixed, and what was left is at places in a text that is not there.
    return Result(result.path, failure=failure, proof=result.proof)


def _keep_records(session: Session, results: Sequence[Result]) -> None:
    """Let what was recorded of classes hold for them as fixes have left them."""
    for result in results:
        fixed, config = result.fixed, session.config(result.path.parent)
        if fixed is None or fixed.before == fixed.after:
            continue
        from hybridlint.record.store import load_record

        record = load_record(config.root, config.recorded)
        now = record and record.fixed(result.path, fixed.before, fixed.after)
        if now is not None and now != record:
            now.save()


def _add_directives(results: Sequence[Result], session: Session, options: Options) -> list[Added]:
    """Write above the blocks that were proved how they were built and called, where the command line asks for it."""
    if not options.add_directives:
        return []
    from hybridlint.adding import add_directives

    return [add_directives(r.path, session.config(r.path.parent), r.proof) for r in results]


def _as_added(result: Result, file: Added, session: Session) -> Result:
    """Return a result with the places that it has in the file with its directives."""
    from dataclasses import replace

    if not file.written:
        return result
    [found] = _unfixed(session).check([result.path])
    return replace(result, text=found.text, diagnostics=found.diagnostics, proof=file.outcomes)


def _report_added(added: Sequence[Added], options: Options) -> None:
    from hybridlint.report.summary import written_directives

    click.echo("".join(written_directives(added)), err=options.output_format == "json", nl=False)


def _report(results: Sequence[Result], options: Options, echo: Callable[..., None]) -> None:
    for_people = options.output_format != "json"
    echo(_findings(results, options), nl=False)
    dropped = dropped_fixes(results, written=options.fix)
    click.echo("".join([*failures(results), *dropped]), err=True, nl=False)
    if not for_people:
        click.echo(_proofs(results), err=True, nl=False)
        return
    echo(_proofs(results), nl=False)
    echo(summary(results, fixing=options.fix, unsafe=options.unsafe_fixes), nl=False)


def _proofs(results: Sequence[Result]) -> str:
    outcomes = [outcome for result in results for outcome in result.proof]
    if not outcomes:
        return ""
    from hybridlint.report import proof

    return proof.render(outcomes)


def _findings(results: Sequence[Result], options: Options) -> str:
    if not options.statistics:
        return render(options.output_format, results, unsafe=options.unsafe_fixes)
    from hybridlint.report import statistics

    show = statistics.render_json if options.output_format == "json" else statistics.render
    return show(results, unsafe=options.unsafe_fixes)


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
        from hybridlint.selection import validate

        validate(selectors)
