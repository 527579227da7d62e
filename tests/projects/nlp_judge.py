"""Build the blocks of gluonnlp 0.10.0 beside the real MXNet 1.9.1 and compare what they give.

    PYTHON -m tests.projects.nlp_judge --mxnet COMMAND [NAME ...]
    PYTHON -m tests.projects.nlp_judge [NAME ...]

The first line asks MXNet, and keeps its answers beside this file; the second compares again with what was kept. COMMAND
starts an interpreter with mxnet==1.9.1. Both need gluonnlp, whose setup compiles one Cython module. Each block runs in
two processes of its own. In the end the section of docs/projects.md is written anew.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import page
from .answers import NEAR, brief, distance

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).parent / "nlp.json"
WAYS = ("eager", "hybridized", "imported", "exchanged", "gradients")
_HERE = (sys.executable, "-m", "hybridlint", "run")
_SECONDS = 600


def asked(command: Sequence[str], *arguments: str) -> Any:
    """Return what `tests.projects.nlp` prints in a process of its own. Raises CalledProcessError."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    call = [*command, "-m", "tests.projects.nlp", *arguments]
    printed = subprocess.check_output(call, cwd=ROOT, env=environment, text=True, timeout=_SECONDS)
    return json.loads(printed.splitlines()[-1])


def judged(name: str, mxnet: Sequence[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of MXNet's answer, and how far ours is from it in each way."""
    with tempfile.TemporaryDirectory() as there, tempfile.TemporaryDirectory() as here:
        reference = _kept(asked(mxnet, name, there)) if mxnet else known
        found = asked(_HERE, name, here, there)
    return {**reference, "here": _compared(found, reference)}


def _kept(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of which ways that agree with the eager one are only named."""
    eager = answer.get("eager", [])
    ways = {way: answer[way] for way in WAYS if way in answer}
    same = [way for way, outputs in ways.items() if way != "eager" and distance(outputs, eager) < NEAR / 10]
    kept = {way: [_rounded(output) for output in outputs] for way, outputs in ways.items() if way not in same}
    errors = {way: brief(error) for way, error in answer["errors"].items()}
    return {"same": same, **kept, "errors": errors, "megabytes": answer.get("megabytes")}


def _compared(found: Mapping[str, Any], reference: Mapping[str, Any]) -> dict[str, Any]:
    """Return distances by way: infinite where the way fails here only, or there only."""
    apart = {}
    for way in WAYS:
        known = "imported" if way == "exchanged" else way
        wanted = reference["eager"] if known in reference["same"] else reference.get(known)
        if wanted is None or (way == "exchanged" and way not in found and way not in found["errors"]):
            continue
        apart[way] = float(f"{distance(found[way], wanted):.2g}") if way in found else float("inf")
    late = [way for way in reference["errors"] if way in found]
    errors = {way: brief(error) for way, error in found["errors"].items()}
    return {
        "apart": {**apart, **dict.fromkeys(late, float("inf"))},
        "errors": errors,
        "megabytes": found.get("megabytes"),
    }


def _rounded(output: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {key: None if output[key] is None else float(f"{output[key]:.7g}") for key in ("mean", "norm", "largest")}
    return {**output, **numbers, "elements": [float(f"{element:.7g}") for element in output["elements"]]}


def agrees(block: Mapping[str, Any]) -> bool:
    """Whether the runtime gives what MXNet gives in each way, and fails where MXNet fails."""
    return all(apart <= NEAR for apart in block["here"]["apart"].values())


def table(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the page's section."""
    good = sum(agrees(block) for block in known.values())
    runs = {way: sum(way in block["here"]["apart"] for block in known.values()) for way in WAYS}
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
    distances = here["apart"].values()
    worst = f"{max(distances):.1g}" if distances else ""
    said = [f"{way}: `{error}`" for way, error in block["errors"].items() if way != "exchanged"]
    return f"| {name} | {worst} | {here['megabytes'] or ''} | {block['megabytes'] or ''} | {'; '.join(said)} |"


def stored() -> dict[str, Any]:
    """Return what is known, by name of the block."""
    known: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return known


def store(known: Mapping[str, Any]) -> None:
    """Keep what is known, one block a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(block, separators=(',', ':'))}" for name, block in known.items())
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(given: Sequence[str]) -> None:
    """Judge blocks one by one, and keep each answer as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", metavar="COMMAND", type=shlex.split, default=[])
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(given)
    order = asked(_HERE)
    for name in options.names or order:
        known = stored()
        found = judged(name, options.mxnet, known.get(name, {}))
        print(name, "agrees" if agrees(found) else found["here"], flush=True)
        store({key: {**known, name: found}[key] for key in order if key in known or key == name})
    page.write("gluonnlp", "\n".join(table(stored())))


if __name__ == "__main__":
    main(sys.argv[1:])
