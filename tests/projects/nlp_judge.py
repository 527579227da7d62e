"""Build the blocks of gluonnlp 0.10.0 beside the real MXNet 1.9.1 and compare what they give.

    PYTHON -m tests.projects.nlp_judge --mxnet COMMAND [NAME ...]
    PYTHON -m tests.projects.nlp_judge [NAME ...]

The first line asks MXNet, and keeps its answers beside this file; the second compares again with what was kept. COMMAND
starts an interpreter with mxnet==1.9.1. Both need gluonnlp, whose setup compiles one Cython module. Each block runs in
two processes of its own. In the end the section of docs/projects.md is written anew.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import page, ways
from .beside import HERE, Question, asked

KEPT = Path(__file__).parent / "nlp.json"
_MODULE = "tests.projects.nlp"


def table(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the page's section."""
    good = sum(ways.agrees(block) for block in known.values())
    runs = {way: sum(way in block["here"]["apart"] for block in known.values()) for way in ways.WAYS}
    yield "## gluonnlp 0.10.0\n"
    yield f"{good} of {len(known)} blocks give what they give on MXNet. Compared are {runs['eager']} blocks eagerly,"
    yield f"{runs['hybridized']} hybridized, {runs['imported']} exported and imported, {runs['exchanged']} exported by"
    yield f"MXNet and imported here, and the gradients of {runs['gradients']}. Distances are relative to the largest"
    yield "element of the output. Where MXNet raises, the runtime raises as well.\n"
    yield "| block | distance | MB here | MB on MXNet | what MXNet raises |"
    yield "| --- | --- | --- | --- | --- |"
    for name, block in known.items():
        yield _row(name, block)


def _row(name: str, block: Mapping[str, Any]) -> str:
    here = block["here"]
    said = [f"{way}: `{error}`" for way, error in block["errors"].items() if way != "exchanged"]
    memory = f"{here['megabytes'] or ''} | {block['megabytes'] or ''}"
    return f"| {name} | {ways.worst(block)} | {memory} | {'; '.join(said)} |"


def main(given: Sequence[str]) -> None:
    """Judge blocks one by one, and keep each answer as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", metavar="COMMAND", type=shlex.split, default=[])
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(given)
    order = asked(HERE, _MODULE)
    for name in options.names or order:
        known = ways.load(KEPT)
        found = Question(_MODULE).judged([name], options.mxnet, known)[name]
        print(name, "agrees" if ways.agrees(found) else found["here"], flush=True)
        ways.store(KEPT, {**known, name: found}, order)
    page.write("gluonnlp", "\n".join(table(ways.load(KEPT))))


if __name__ == "__main__":
    main(sys.argv[1:])
