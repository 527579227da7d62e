"""``hybridlint convert``: blocks and exported networks as PyTorch code, with the proof."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hybridlint.core.errors import UsageError
from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.frontends.commands import options
from hybridlint.frontends.commands.file_options import FileOptions, file_options
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.converting.conversion import Conversion

_BETWEEN = "::"


@click.command("convert", short_help="Write blocks and networks as PyTorch code, and prove it.")
@click.option("--to", "target", type=click.Choice(("torch",)), required=True, help="The library to write code for.")
@click.argument("source", metavar="FILE.py[::CLASS[,CLASS]...] | NET-symbol.json")
@click.argument("parameters", required=False, type=click.Path(path_type=Path, dir_okay=False), metavar="[NET.params]")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The new file to write."
)
@click.option("--load-gluon", is_flag=True, help="Also write a function that reads checkpoints of Gluon.")
@click.option("--diff", is_flag=True, help="Show the new code as a difference to the old.")
@click.option("--no-proof", is_flag=True, help="Run nothing: sizes that only a run shows stay open.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=2,3", help="The shape of an exported network's input.")
@options.output_format()
@file_options
@options.exit_zero("code is left that has no counterpart, or a block is refuted")
@click.option("--timeout", type=options.SECONDS, metavar="SECONDS", help="Time limit for each block.  [default: 20]")
def command(
    target: str,
    source: str,
    parameters: Path | None,
    *,
    output: Path | None,
    load_gluon: bool,
    diff: bool,
    no_proof: bool,
    inputs: tuple[str, ...],
    output_format: str,
    exit_zero: bool,
    **settings: Any,
) -> int:
    """Write Gluon blocks as PyTorch modules, with their names, order and comments, and prove them in a sandbox.

    FILE.py::Net converts these classes and what they need; NET-symbol.json with NET.params is a network that `export`
    wrote. The code goes to standard output or into a new FILE, a network's weights beside that as `.safetensors`, and
    the report to standard error. Code without a counterpart is listed, and raises NotImplementedError in its place. The
    exit status is 1 if such code is left or a block is refuted.
    """
    from hybridlint.converting.report import render

    of_files = FileOptions.taken_from(settings)
    path, _, classes = source.partition(_BETWEEN)
    exported = path.endswith(".json")
    weights = None if output is None or not exported else output.with_suffix(".safetensors")
    for new in filter(None, (output, weights)):
        if new.exists():
            raise UsageError(f"{new} is there already: `convert` overwrites nothing")
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")
    if exported:
        conversion = _network(Path(path), parameters, inputs, settings, weights, prove=not no_proof)
    elif parameters is not None:
        raise UsageError("parameters belong to an exported network, NET-symbol.json")
    else:
        conversion = _module(Path(path), classes, of_files, settings, prove=not no_proof)
        if load_gluon:
            from hybridlint.converting.reading import with_reader

            conversion = replace(conversion, text=with_reader(conversion.text))
    if output is not None:
        output.write_text(conversion.text, encoding="utf-8")
    if output_format == "json":
        click.echo(json.dumps(conversion.to_json(), indent=2))
    elif diff:
        click.echo(_difference(Path(path), conversion.text), nl=False)
    elif output is None:
        click.echo(conversion.text, nl=False)
    if output_format != "json":
        click.echo(render(conversion, quiet=of_files.quiet), nl=False, err=output is None)
    refuted = any(outcome.status is ProofStatus.REFUTED for outcome in conversion.outcomes)
    return 1 if not exit_zero and (refuted or conversion.problems) else 0


def _module(path: Path, classes: str, of_files: FileOptions, settings: dict[str, Any], *, prove: bool) -> Conversion:
    from hybridlint.converting.conversion import Conversion
    from hybridlint.converting.proof import convert_and_prove
    from hybridlint.converting.source import block_names, convert_source
    from hybridlint.proving.configured_blocks import proof_settings
    from hybridlint.text.source import SourceError, SourceFile
    from hybridlint.text.suggest import did_you_mean

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
        return Conversion.of_module(convert_source(source, wanted), ())
    return convert_and_prove(source, proof_settings(session.config(path.parent)), wanted)


def _network(
    path: Path,
    parameters: Path | None,
    inputs: tuple[str, ...],
    settings: dict[str, Any],
    weights: Path | None,
    *,
    prove: bool,
) -> Conversion:
    from hybridlint.converting.conversion import Conversion
    from hybridlint.converting.graph_module import convert_network
    from hybridlint.converting.graph_proof import prove_network
    from hybridlint.converting.graph_reading import read_network
    from hybridlint.converting.weights import write_safetensors
    from hybridlint.proving.settings import TIMEOUT

    if parameters is None:
        raise UsageError(f"give the parameters of {path}, too: NET.params")
    shapes = dict(map(options.input_shape, inputs))
    network = read_network(path, parameters, shapes)
    converted = convert_network(network, _class_name(path))
    outcomes = []
    if prove:
        outcomes.append(prove_network(network, converted, path, shapes, settings.get("timeout") or 3 * TIMEOUT))
    if weights is not None:
        write_safetensors(weights, converted.state)
    return Conversion(converted.text, (converted.name,), converted.problems, (), tuple(outcomes))


def _class_name(path: Path) -> str:
    """Return the name of the class for a file such as ``my-net-symbol.json``."""
    parts = path.name.removesuffix(".json").removesuffix("-symbol").replace("-", "_").replace(".", "_").split("_")
    name = "".join(part[:1].upper() + part[1:] for part in parts)
    return name if name.isidentifier() else "Net"


def _difference(path: Path, text: str) -> str:
    before = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(difflib.unified_diff(before, text.splitlines(keepends=True), str(path), f"{path} (PyTorch)"))
