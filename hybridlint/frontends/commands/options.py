"""Options that several commands have, with the same words."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from hybridlint.core.errors import UsageError
from hybridlint.project.settings.validation import VERIFY_MOST
from hybridlint.proving.devices import DEVICES
from hybridlint.proving.engines import ENGINES
from hybridlint.rule import OWN_RULES, all_rules, own_operators
from hybridlint.runtime.facts.records import record

Command = TypeVar("Command", bound=Callable[..., Any])


class _Seconds(click.FloatRange):
    """A number of seconds, up to a day."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Fails for what is none, not a number among these."""
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


SECONDS = _Seconds(min=0, min_open=True, max=VERIFY_MOST["timeout"])
#: The format of the page that `--report` writes.
_OF_REPORT = "html"
_PAGE = click.Path(path_type=Path, dir_okay=False, writable=True)


def output_format(names: Sequence[str] = ("full", "json"), variable: str | None = None) -> Callable[[Command], Command]:
    """Return the option of the format; the first name is the default, unless an environment variable says another."""
    return click.option(
        "--output-format",
        type=click.Choice(names),
        default=names[0],
        show_default=True,
        envvar=variable,
        help="Format of the report.",
    )


@record(frozen=True, slots=True)
class OutputFile:
    """A file that a report is written to, and its format."""

    output_format: str
    path: Path


def output_file(names: Sequence[str]) -> Callable[[Command], Command]:
    """Return the option that writes a report to a file too; it may be repeated."""

    def read(context: click.Context, option: click.Parameter, values: Sequence[str]) -> tuple[OutputFile, ...]:
        return tuple(_output_file(value, names) for value in values)

    return click.option(
        "--output-file",
        callback=read,
        metavar="FORMAT=PATH",
        multiple=True,
        help="Also write the report to a file in this format; may be repeated.",
    )


def _output_file(value: str, names: Sequence[str]) -> OutputFile:
    output_format, _, path = value.partition("=")
    if output_format not in names:
        raise click.BadParameter(f"{output_format!r} is not a format: choose from {', '.join(names)}")
    if not path:
        raise click.BadParameter(f"{value!r} names no file: write {output_format}=PATH")
    if output_format == _OF_REPORT:
        warning = click.style("warning", fg="yellow", bold=True)
        click.echo(f"{warning}: `--output-file {value}` is written as `--report {path}`", err=True)
    return OutputFile(output_format, Path(path))


def report(content: str) -> Callable[[Command], Command]:
    """Return the option that also writes a page with `content`."""
    return click.option("--report", type=_PAGE, metavar="FILE.html", help=f"Also write a page with {content}.")


def exit_zero(case: str) -> Callable[[Command], Command]:
    """Return the option that sets the exit status to 0 in a case for which it would be 1."""
    return click.option("--exit-zero", is_flag=True, help=f"Exit with status 0 even if {case}.")


strict_coverage = click.option(
    "--strict-coverage", is_flag=True, help="Exit with status 1 if functions, files or blocks were left out."
)


def proof(command: Command) -> Command:
    """Add the options of what runs the blocks, and how long."""
    for option in (
        click.option("--timeout", type=SECONDS, metavar="SECONDS", help="Time limit for each block.  [default: 20]"),
        click.option("--python", metavar="PATH", help="Python interpreter that has mxnet, for --engine mxnet."),
        click.option("--engine", type=click.Choice(ENGINES), help="Runtime that runs the blocks."),
    ):
        command = option(command)
    return command


#: The device on which a proof runs blocks, besides main memory.
device = click.option(
    "--device", type=click.Choice(DEVICES), help="Run blocks on this device too, eagerly and compiled.  [default: cpu]"
)


def rule_names(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return what a shell may complete to: the last of several selectors, by code or name."""
    before, comma, last = incomplete.rpartition(",")
    names = ["ALL", *(name for rule in all_rules() for name in (rule.code, rule.name))]
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]


def set_color(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Colour the output of a command always, never, or on terminals."""
    if value is not None:
        context.color = {"always": True, "never": False}.get(value)


def color() -> click.Option:
    """Return the option of colours, which every command has."""
    return click.Option(
        ["--color"],
        type=click.Choice(("auto", "always", "never")),
        callback=set_color,
        expose_value=False,
        is_eager=True,
        help="When to write colours.  [default: auto, on terminals]",
    )


def _use_rules(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Make the rules of these modules known, to other processes of this run as well."""
    if value is not None:
        os.environ[OWN_RULES] = value
    if not os.environ.get(OWN_RULES):
        return
    try:
        all_rules()
        own_operators()
    except (ImportError, TypeError) as error:
        raise UsageError(f"your own rules cannot be loaded: {error}") from error


own_rules = click.option(
    "--rules",
    metavar="MODULES",
    callback=_use_rules,
    expose_value=False,
    help="Modules with rules of your own, run to check the code; by dotted path or entry point.",
)
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of processes that work at once.  [default: one for each processor]",
)
cluster = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on a Dask cluster: the address of its scheduler, such as tcp://host:8786.",
)
cache_dir = click.option(
    "--cache-dir",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="HYBRIDLINT_CACHE_DIR",
    help="Folder for the caches of all projects, in place of .hybridlint_cache in each.",
)
quiet = click.option("-q", "--quiet", is_flag=True, help="Report findings without the summary.")
no_cache = click.option("--no-cache", is_flag=True, help="Do not read or write .hybridlint_cache.")
add_directives = click.option(
    "--add-directives", is_flag=True, help="Write a comment above each proved block that tells how to call it."
)


def input_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the name and the shape of an input such as ``data=1,3,224,224``. Raises UsageError."""
    name, _, sizes = text.partition("=")
    try:
        return name, tuple(int(size) for size in sizes.strip("()").split(",") if size.strip())
    except ValueError as error:
        raise UsageError(f"--input {text}: give a name and a shape, such as data=1,3,224,224") from error
