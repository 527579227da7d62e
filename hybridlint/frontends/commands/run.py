"""``hybridlint run``: run a program with the bundled runtime in the place of mxnet."""

from __future__ import annotations

import click

_NO_LEGACY_NAMES = "--no-legacy-names"


class _Run(click.Command):
    """A command that, like python, passes everything after the script or module to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separate the program's own arguments before options are parsed."""
        ours = 1 if args[:1] == [_NO_LEGACY_NAMES] else 0
        first = args[ours] if len(args) > ours else ""
        head = ours + (2 if first == "-m" else 1) if first.startswith("-m") else 0
        if head:
            args = [*args[:head], "--", *args[head:]]
        return super().parse_args(ctx, args)


@click.command(
    "run",
    cls=_Run,
    short_help="Run a program on the bundled runtime instead of MXNet.",
    context_settings={"allow_interspersed_args": False},
    options_metavar=f"[{_NO_LEGACY_NAMES}]",
)
@click.option(
    "legacy_names",
    _NO_LEGACY_NAMES,
    flag_value=False,
    default=True,
    help="Do not bring back names that Python and numpy have removed.",
)
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="(SCRIPT | -m MODULE) [ARGS]...")
def command(legacy_names: bool, module: str | None, arguments: tuple[str, ...]) -> int:
    """Run a program on the bundled runtime: `import mxnet` imports the runtime.

    Names that Python and numpy have removed are available to modules of the program. Everything else is as with
    `python SCRIPT`.
    """
    from hybridlint.frontends.program_failure import read_failure
    from hybridlint.launch.main_program import run_module, run_script

    if module is not None:
        run_module(module, arguments, read_failure, legacy_names=legacy_names)
    if not arguments:
        raise click.UsageError("give a script, or a module with -m")
    run_script(arguments[0], arguments[1:], read_failure, legacy_names=legacy_names)
