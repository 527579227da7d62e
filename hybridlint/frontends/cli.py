"""The command line: ``hybridlint`` and its commands, each a module of `hybridlint.frontends.commands`.

Exit status 0 means nothing found, 1 findings, 2 that the tool itself failed or was misused.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from hybridlint import __version__
from hybridlint.core.errors import UsageError
from hybridlint.frontends.commands.options import color, set_color
from hybridlint.system.signal_end import end_orderly
from hybridlint.system.terminal import open_all, protect
from hybridlint.text.suggest import did_you_mean

COMMANDS = (
    "check",
    "verify",
    "hybridize",
    "convert",
    "status",
    "explain",
    "record",
    "run",
    "graph",
    "rule",
    "server",
    "init",
    "test-rules",
    "clean",
)
#: Commands whose options are those of the program that they run.
_OF_OTHERS = ("record", "run")
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _ReaderGoneError(Exception):
    """Raised in place of BrokenPipeError, which click takes for a failure with the exit status of findings."""


class _Commands(click.Group):
    """The command group; each command is imported from `hybridlint.frontends.commands` on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, None for an unknown one."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"hybridlint.frontends.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        if not any(option.name == "color" for option in command.params) and cmd_name not in _OF_OTHERS:
            command.params.append(color())
        return command

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Return the context of a call. Raises _ReaderGoneError if nobody reads the output any more."""
        with _told_apart():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of a context. Raises _ReaderGoneError if nobody reads the output any more."""
        with _told_apart():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name. Raises click.UsageError, which suggests the closest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if os.path.exists(args[0]):
                ctx.fail(f"{args[0]} is no command: to check it, use `hybridlint check {args[0]}`.")
            ctx.fail(error.message + did_you_mean(args[0], COMMANDS))


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGoneError from error


@click.command(cls=_Commands, context_settings=CONTEXT)
@click.option("--color", type=click.Choice(("auto", "always", "never")), callback=set_color, expose_value=False)
@click.version_option(__version__, prog_name="hybridlint", message="%(prog)s %(version)s")
def cli() -> None:
    """Find, fix and prove what breaks in Gluon code once it is hybridized."""


def _color(environment: Mapping[str, str]) -> bool | None:
    """Return whether to write colours, from NO_COLOR (no-color.org) and FORCE_COLOR; None lets the streams decide."""
    if environment.get("NO_COLOR"):
        return False
    return True if environment.get("FORCE_COLOR") else None


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    open_all()
    protect()
    end_orderly()
    try:
        status = cli.main(prog_name="hybridlint", standalone_mode=False, color=_color(os.environ))
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = 2
    except UsageError as error:
        click.echo(f"{click.style('error', fg='red', bold=True)}: {error}", err=True)
        status = error.status
    except (click.Abort, KeyboardInterrupt):
        # A second interrupt must not end in a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        click.echo("interrupted", err=True)
        status = 130
    except (_ReaderGoneError, BrokenPipeError):
        # The reader of our output has read what it wanted; the interpreter must not complain about it at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        try:
            sys.stderr.flush()
        except OSError:
            os.dup2(nowhere, sys.stderr.fileno())
        status = 0
    except OSError as error:
        click.echo(f"{click.style('error', fg='red', bold=True)}: {error}", err=True)
        status = 2
    except Exception:
        import traceback

        traceback.print_exc()
        click.echo("hybridlint crashed; please report this.", err=True)
        status = 2
    sys.exit(status)
