"""Build the models of gluoncv's zoo beside the real MXNet 1.9.1 and compare what they give.

    PYTHON -m tests.projects.judge --mxnet PYTHON_WITH_MXNET [NAME ...]
    PYTHON -m tests.projects.judge [NAME ...]

Both interpreters need gluoncv 0.10.5.post0 and what it imports: scipy, Pillow, opencv-python-headless, matplotlib,
pandas, portalocker, tqdm, requests, PyYAML, yacs. The first line asks MXNet anew; the second compares with what was
kept. Without names all models are gone through, and those that are in the answers already are left out.

Each model runs in a process of its own, one after the other, on one thread and with a limit of time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import answers

ROOT = Path(__file__).parents[2]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_ZOO = ("-m", "tests.projects.zoo")


def measured(command: Sequence[str], name: str, folders: Sequence[str], seconds: float) -> dict[str, Any]:
    """Return what a process says of a model; one that ends otherwise, or takes too long, has failed."""
    try:
        done = subprocess.run(
            [*command, *_ZOO, name, *folders],
            cwd=ROOT,
            env={**os.environ, **_ONE_THREAD, "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": "time", "error": f"no answer in {seconds:g} seconds"}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        return {"failed": "process", "error": f"exit status {done.returncode}: {''.join(last)}"}
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def judge(name: str, kept: Mapping[str, Any], mxnet: str | None, seconds: float) -> dict[str, Any]:
    """Return what is known of a model: MXNet's answer, asked anew where there is one to ask, and how far ours is."""
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        ours = measured((sys.executable, "-m", "hybridlint", "run"), name, [here], seconds)
        if mxnet is None:
            return {**kept, "here": {**answers.compared(ours, kept["mxnet"]), **answers.exchange(kept)}}
        exported = [here] if "imported" in ours else []
        theirs = measured((mxnet,), name, [there, *exported], seconds)
    reference = answers.reference(theirs)
    found = answers.compared(ours, reference)
    if "exchanged" in theirs:
        found["exchanged"] = answers.distance(theirs["exchanged"], theirs["eager"])
    return {"inputs": ours.get("inputs"), "mxnet": reference, "here": found}


def _names(mxnet: str | None) -> list[str]:
    """Return the names of the zoo: gluoncv is asked under the interpreter at hand."""
    listing = "from tests.projects import gluoncv_models as zoo; print(*zoo.names())"
    with tempfile.NamedTemporaryFile("w", suffix=".py", dir=ROOT) as script:
        script.write(listing)
        script.flush()
        command = [mxnet] if mxnet else [sys.executable, "-m", "hybridlint", "run"]
        return subprocess.check_output([*command, script.name], cwd=ROOT, text=True).split()


def main(arguments: Sequence[str]) -> None:
    """Judge models one by one, and keep each answer as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter with mxnet==1.9.1 and gluoncv")
    parser.add_argument("--seconds", type=float, default=600, help="the limit of a model in one process")
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args(arguments)
    kept = answers.load()
    for name in asked.names or [name for name in _names(asked.mxnet) if name not in kept]:
        found = judge(name, kept.get(name, {}), asked.mxnet, asked.seconds)
        answers.store(name, found)
        print(name, answers.verdict(found).value, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
