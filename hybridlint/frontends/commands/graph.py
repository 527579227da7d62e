"""``hybridlint graph``: prints how the engines run an exported network."""

from __future__ import annotations

from pathlib import Path

import click

from hybridlint.frontends.commands.options import input_shape
from hybridlint.report.picture import file_of, picture


@click.command("graph", short_help="Print and draw how an exported network is run.")
@click.argument("model", type=click.Path(path_type=Path, dir_okay=False), metavar="MODEL-symbol.json")
@click.option("--input", "inputs", multiple=True, metavar="NAME=2,3", help="The shape of an input.")
@click.option("--engine", metavar="NAME", help="The engine: jit, numpy, or auto for the fastest that is installed.")
@click.option("--time", "timed", is_flag=True, help="Run the network, and print how long each part takes.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="A file to draw the graph to.")
def command(model: Path, inputs: tuple[str, ...], engine: str | None, timed: bool, svg: Path | None) -> int:
    """Print how a network that `export` wrote runs: its engines, steps and buffers, and why operators lack native code.

    Shapes of parameters are inferred from the shapes of the inputs. With --time, the network runs on random numbers
    several times, and the shortest time of each native loop and of each other operator is printed.
    """
    from hybridlint.frontends.compiled_graphs import compile_network

    found = compile_network(model, dict(map(input_shape, inputs)), engine)
    click.echo(found.text(timed=timed))
    if svg is not None:
        svg.write_text(file_of(picture(found.nodes())), encoding="utf-8")
    return 0
