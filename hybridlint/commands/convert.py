"""``hybridlint convert``: blocks and exported networks as PyTorch code, with the proof."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.commands import options
from hybridlint.commands.file_options import FileOptions, file_options
from hybridlint.errors import UsageError
from hybridlint.outcome import Status

if TYPE_CHECKING:
    from hybridlint.converting.proof import Conversion

_BETWEEN = "::"


@click.command("convert", short_help="Write blocks as PyTorch code, and prove it.")
@click.option("--to", "target", type=click.Choice(("torch",)), required=True, help="The library to write code for.")
@click.argument("source", metavar="FILE.py[::CLASS[,CLASS]...]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The new file to write."
)
@click.option("--diff", is_flag=True, help="Show the new code as a difference to the old.")
@click.option("--no-proof", is_flag=True, help="Run nothing: sizes that only a run shows stay open.")
@options.output_format()
@file_options
@options.exit_zero("code is left that has no counterpart, or a block is refuted")
@click.option("--timeout", type=options.SECONDS, metavar="SECONDS", help="Time limit for each block.  [default: 20]")
def command(
    target: str,
    source: str,
    *,
    output: Path | None,
    diff: bool,
    no_proof: bool,
    output_format: str,
    exit_zero: bool,
    **settings: Any,
) -> int:
    """Write Gluon blocks as PyTorch modules, with their names, order and comments, and prove them in a sandbox.

    FILE.py::Net converts these classes and what they need. The code goes to standard output or into a new FILE, the
    report to standard error. What has no counterpart is named, and raises NotImplementedError where it stood. The exit
    status is 1 if such code is left or a block is refuted.
    """
    from hybridlint.converting.report import render

    of_files = FileOptions.taken_from(settings)
    path, _, classes = source.partition(_BETWEEN)
    if output is not None and output.exists():
        raise UsageError(f"{output} is there already: `convert` overwrites nothing")
    conversion = _converted(Path(path), classes, of_files, settings, prove=not no_proof)
    text = conversion.module.text
    if output is not None:
        output.write_text(text, encoding="utf-8")
    if output_format == "json":
        click.echo(json.dumps(_as_json(conversion, None if output else text), indent=2))
    elif diff:
        click.echo(_difference(Path(path), text), nl=False)
    elif output is None:
        click.echo(text, nl=False)
    if output_format != "json":
        click.echo(render(conversion, quiet=of_files.quiet), nl=False, err=output is None)
    refuted = any(outcome.status is Status.REFUTED for outcome in conversion.outcomes)
    return 1 if not exit_zero and (refuted or conversion.module.problems) else 0


def _converted(path: Path, classes: str, of_files: FileOptions, settings: dict[str, Any], *, prove: bool) -> Conversion:
    from hybridlint.converting.proof import Conversion, convert_and_prove
    from hybridlint.converting.source import block_names, convert_source
    from hybridlint.proving.configured import proof_settings
    from hybridlint.text.source import SourceError, SourceFile
    from hybridlint.text.suggest import did_you_mean

    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    session = of_files.session(lambda config: config.verified_with(**settings))
    try:
        source = SourceFile.read(path)
        known = block_names(source)
    except SourceError as error:
        raise UsageError(f"{path}: {error.reason} (line {error.row})") from error
    wanted = [name.strip() for name in classes.split(",") if name.strip()] or None
    for name in wanted or ():
        if name not in known:
            raise UsageError(f"{path} defines no block or function of the name `{name}`.{did_you_mean(name, known)}")
    if not prove:
        return Conversion(convert_source(source, wanted), ())
    return convert_and_prove(source, proof_settings(session.config(path.parent)), wanted)


def _difference(path: Path, text: str) -> str:
    before = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, text.splitlines(keepends=True), str(path), f"{path} (PyTorch)"))


def _as_json(conversion: Conversion, text: str | None) -> dict[str, Any]:
    return {
        "text": text,
        "blocks": list(conversion.module.blocks),
        "problems": [
            {"row": problem.row, "owner": problem.owner, "reason": problem.reason}
            for problem in conversion.module.problems
        ],
        "left_out": [{"name": each.owner, "reason": each.reason} for each in conversion.module.left_out],
        "proof": [outcome.to_json() for outcome in conversion.outcomes],
    }
