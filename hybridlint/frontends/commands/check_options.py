"""The options of ``hybridlint check``, and what they ask of the session, the steps and the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hybridlint.checking.cluster.checks import checking_on
from hybridlint.checking.pipeline import PipelineSteps
from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands import options
from hybridlint.frontends.commands.file_options import FileOptions, file_options, split_values
from hybridlint.frontends.commands.options import OutputFile
from hybridlint.project.settings.config import Config
from hybridlint.report import formats
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.streams import StreamView
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class Options:
    """The options as given on the command line."""

    of_files: FileOptions
    fix: bool
    unsafe_fixes: bool
    keep_eager: bool
    fix_only: bool
    show_fixes: bool
    interactive: bool
    watch: bool
    diff: bool
    verify: bool
    possible: bool | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    extend_select: tuple[str, ...]
    fixable: tuple[str, ...]
    unfixable: tuple[str, ...]
    output_format: str
    output_file: tuple[OutputFile, ...]
    report: Path | None
    verbose: bool
    statistics: bool
    show_files: bool
    show_settings: bool
    jobs: int | None
    cluster: str | None
    exit_zero: bool
    strict_coverage: bool
    exit_non_zero_on_fix: bool
    max_warnings: int | None
    stdin_filename: Path | None
    write_baseline: bool
    prune_baseline: bool
    no_baseline: bool
    strict_baseline: bool
    add_noqa: bool
    ignore_noqa: bool
    engine: str | None
    python: str | None
    timeout: float | None
    add_directives: bool

    @property
    def fixing(self) -> bool:
        """Whether fixes are written."""
        return (self.fix or self.fix_only) and not self.diff

    def session(self) -> CheckSession:
        """Return the session that the options ask for."""
        if self.jobs is not None:
            from hybridlint.proving.threads import MOST

            MOST.set(self.jobs)
        return self.of_files.session(self.over, jobs=self.jobs, elsewhere=checking_on(self.cluster))

    @property
    def steps(self) -> PipelineSteps:
        """The steps that the options ask for."""
        return PipelineSteps(
            fix=self.fixing or self.diff,
            unsafe=self.unsafe_fixes,
            keep_eager=self.keep_eager,
            prove=self.verify,
            written=not self.diff,
            add_directives=self.add_directives,
            new=not (self.no_baseline or self.write_baseline),
        )

    @property
    def manner(self) -> ReportOptions:
        """The parts of the report that the options ask for."""
        return ReportOptions(
            fixing=self.fixing, unsafe=self.unsafe_fixes, keep_eager=self.keep_eager, written=not self.diff
        )

    @property
    def view(self) -> StreamView:
        """What the options ask a terminal to show."""
        return StreamView(self.output_format, self.statistics, self.of_files.quiet, self.show_fixes)

    @property
    def files(self) -> tuple[OutputFile, ...]:
        """The files that the report is written to, each in its format."""
        page = () if self.report is None else (OutputFile("html", self.report),)
        return (*self.output_file, *page)

    def over(self, config: Config) -> Config:
        """Return a project's settings with the command line's options applied."""
        config = config.overridden(
            select=split_values(self.select) or None,
            extend_select=split_values(self.extend_select),
            ignore=split_values(self.ignore),
            fixable=split_values(self.fixable) or None,
            unfixable=split_values(self.unfixable),
            possible=self.possible,
            ignore_noqa=self.ignore_noqa,
        ).verified_with(engine=self.engine, python=self.python, timeout=self.timeout)
        if not self.add_directives:
            return config
        from hybridlint.proving.directive_files import searching_longer

        return searching_longer(config)

    def validate(self) -> None:
        """Raise UsageError for options that do not go together, and for unknown rules."""
        for first, second, reason in self._contradictions():
            raise UsageError(f"`{first}` {reason}: leave `{second}` out")
        if self.add_directives and not self.verify:
            raise UsageError("`--add-directives` writes what a proof has found out: give `--verify` too")
        if self.interactive and not self.fixing:
            raise UsageError("`--interactive` asks which fixes to write: give `--fix` too, and no `--diff`")
        given = (self.select, self.extend_select, self.ignore, self.fixable, self.unfixable)
        selectors = [selector for values in given for selector in split_values(values)]
        if any(selector != "ALL" for selector in selectors):
            from hybridlint.project.settings.selection import validate

            validate(selectors)

    def _contradictions(self) -> list[tuple[str, str, str]]:
        """Return pairs of options that were given and exclude each other, with the reason."""
        writing_all = "takes all findings of a file"
        pairs = [
            (self.add_directives, "--add-directives", self.diff, "--diff", "writes files and a diff writes none"),
            (self.fix_only, "--fix-only", self.diff, "--diff", "writes files and a diff writes none"),
            (
                self.of_files.since is not None,
                "--since",
                self.fixing or self.diff,
                "--fix",
                "tells what is new, and fixes work on whole files",
            ),
            (self.write_baseline, "--write-baseline", self.of_files.since is not None, "--since", writing_all),
            (self.write_baseline, "--write-baseline", self.diff, "--diff", "writes a file and a diff writes none"),
            (self.write_baseline, "--write-baseline", self.no_baseline, "--no-baseline", "writes the baseline"),
            (self.write_baseline, "--write-baseline", self.add_noqa, "--add-noqa", "and comments are two ways of one"),
            (self.prune_baseline, "--prune-baseline", self.no_baseline, "--no-baseline", "reads the baseline"),
            (self.add_noqa, "--add-noqa", self.diff, "--diff", "writes files and a diff writes none"),
            (self.add_noqa, "--add-noqa", self.ignore_noqa, "--ignore-noqa", "adds to the comments that are there"),
            (self.watch, "--watch", self.interactive, "--interactive", "runs by itself"),
            (self.watch, "--watch", self.write_baseline, "--write-baseline", "tells what is found"),
            (self.add_noqa, "--add-noqa", self.fixing, "--fix", "silences what fixes repair"),
        ]
        return [(first, second, reason) for one, first, other, second, reason in pairs if one and other]


_RULES: dict[str, Any] = {"metavar": "CODES", "multiple": True, "shell_complete": options.rule_names}
_FLAG: dict[str, Any] = {"is_flag": True}

_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("--fix", **_FLAG, help="Apply safe fixes."),
    click.option("--unsafe-fixes", **_FLAG, help="Include unsafe fixes."),
    click.option("--keep-eager", **_FLAG, help="Let --fix make hybridize() skip classes that no fix can compile."),
    click.option("--fix-only", **_FLAG, help="Apply fixes, and do not report what is left."),
    click.option("--show-fixes", **_FLAG, help="List the findings that were fixed."),
    click.option("-i", "--interactive", **_FLAG, help="Ask about each change of --fix before it is written."),
    click.option("--watch", **_FLAG, help="Run again whenever a file changes, until it is interrupted."),
    click.option("--diff", **_FLAG, help="Show what --fix would change, and write nothing."),
    click.option("--verify/--no-verify", help="Prove each fix by running the project's code, in a sandbox."),
    click.option("--possible/--no-possible", default=None, help="Also report suspicious code that may be right."),
    click.option("--select", **_RULES, help="Rules to use: codes, beginnings of codes, names, or ALL."),
    click.option("--ignore", **_RULES, help="Rules to leave out."),
    click.option("--extend-select", **_RULES, help="Rules to use in addition."),
    click.option("--fixable", **_RULES, help="Rules whose findings may be fixed.  [default: ALL]"),
    click.option("--unfixable", **_RULES, help="Rules whose findings are left unfixed."),
    options.own_rules,
    options.output_format(formats.names(), "HYBRIDLINT_OUTPUT_FORMAT"),
    options.output_file(formats.names()),
    options.report("findings, diffs and proofs"),
    click.option("-v", "--verbose", **_FLAG, help="Also report the settings and the time of the run."),
    click.option("--statistics", **_FLAG, help="Report only the number of findings of each rule."),
    click.option("--show-files", **_FLAG, help="List the files that would be checked and exit."),
    click.option("--show-settings", **_FLAG, help="Print the settings of each file and exit."),
    file_options,
    options.jobs,
    options.cluster,
    options.exit_zero("something was found"),
    options.strict_coverage,
    click.option(
        "--max-warnings",
        type=click.IntRange(min=0),
        metavar="N",
        help="Exit with status 0 for up to N warnings or notes.",
    ),
    click.option("--exit-non-zero-on-fix", **_FLAG, help="Exit with status 1 if something was fixed, too."),
    click.option(
        "--stdin-filename", type=click.Path(path_type=Path), help="File name to use for standard input (`-`)."
    ),
    click.option("--write-baseline", **_FLAG, help="Write all findings into the baseline, and report none of them."),
    click.option("--prune-baseline", **_FLAG, help="Remove baseline entries whose finding is gone."),
    click.option("--strict-baseline", **_FLAG, help="Exit with status 1 if the baseline holds findings that are gone."),
    click.option("--no-baseline", **_FLAG, help="Also report findings that are in the baseline."),
    click.option("--add-noqa", **_FLAG, help="Silence each finding with a comment on its line."),
    click.option("--ignore-noqa", **_FLAG, help="Also report findings that comments silence."),
    options.add_directives,
    options.proof,
)

#: The titles of the help page, and the options below them.
GROUPS = {
    "Fixing": ["fix", "unsafe_fixes", "keep_eager", "diff", "interactive", "verify", "add_directives"],
    "After fixing": ["fix_only", "show_fixes", "exit_non_zero_on_fix"],
    "Rules": ["select", "extend_select", "ignore", "possible", "fixable", "unfixable", "rules"],
    "Report": ["output_format", "output_file", "report", "quiet", "verbose", "statistics"],
    "Files": ["exclude", "force_exclude", "since", "stdin_filename", "show_files"],
    "Settings and caches": ["config", "isolated", "show_settings", "no_cache", "cache_dir"],
    "Code that exists": ["write_baseline", "prune_baseline", "no_baseline", "add_noqa", "ignore_noqa"],
    "Exit status": ["exit_zero", "max_warnings", "strict_coverage", "strict_baseline"],
    "Running": ["watch", "jobs", "cluster", "engine", "python", "timeout", "color"],
}


def arguments(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options to a command, in the order of its help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
