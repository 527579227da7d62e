"""Build the models of gluoncv's zoo beside the real MXNet 1.9.1 and compare what they give.

    PYTHON -m tests.projects.judge --mxnet PYTHON_WITH_MXNET [NAME ...]
    PYTHON -m tests.projects.judge [NAME ...]
    PYTHON -m tests.projects.judge --fixed [NAME ...]

Both interpreters need gluoncv 0.10.5.post0 and what it imports: scipy, Pillow, opencv-python-headless, matplotlib,
pandas, portalocker, tqdm, requests, PyYAML, yacs. The first line asks MXNet; the second compares again with what was
kept; the third does so with a copy of gluoncv that `hybridlint check --fix --unsafe-fixes` has rewritten. Without
names, all models are gone through that have no such answer yet.

Each model runs in a process of its own, one after the other, on one thread and within a limit of time. Answers are kept
as soon as they are there; in the end the section of docs/projects.md is written anew.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from . import answers, zoo_table

ROOT = Path(__file__).parents[2]
_HERE = (sys.executable, "-m", "hybridlint", "run")
_ZOO = ("-m", "tests.projects.zoo")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def measured(command: Sequence[str], name: str, folders: Sequence[str], seconds: float) -> dict[str, Any]:
    """Return what a process says of a model; one that ends otherwise, or takes too long, has failed."""
    environment = {**os.environ, **_ONE_THREAD, "PYTHONWARNINGS": "ignore"}
    call = [*command, *_ZOO, name, *folders]
    try:
        done = subprocess.run(
            call, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failed": "time", "error": f"no answer in {seconds:g} seconds"}
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        return {"failed": "process", "error": f"exit status {done.returncode}: {''.join(last)}"}
    # Models print, too.
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def with_mxnet(name: str, mxnet: str, seconds: float) -> dict[str, Any]:
    """Return MXNet's answer, and how far ours is from it; MXNet also reads the model that was exported here."""
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        ours = measured(_HERE, name, [here], seconds)
        theirs = measured((mxnet,), name, [there, here] if "imported" in ours else [there], seconds)
    wanted = answers.reference(theirs)
    found = {"inputs": theirs.get("inputs"), "mxnet": wanted, "here": answers.compared(ours, wanted)}
    if "exchanged" in theirs:
        found["exchanged"] = answers.distance(theirs["exchanged"], theirs["eager"])
    return found


def again(name: str, wanted: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return how far ours is from what was kept of MXNet."""
    with tempfile.TemporaryDirectory() as folder:
        return answers.compared(measured(_HERE, name, [folder], seconds), wanted)


@contextmanager
def fixed_package() -> Iterator[None]:
    """Have the models taken from a copy of gluoncv that all fixes were applied to."""
    found = importlib.util.find_spec("gluoncv")
    if found is None or found.origin is None:
        raise SystemExit("gluoncv is not installed beside this interpreter")
    before = os.environ.get("PYTHONPATH", "")
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(Path(found.origin).parent, Path(folder) / "gluoncv")
        fix = ("check", "--no-cache", "--exit-zero", "--fix", "--unsafe-fixes", str(copy))
        subprocess.run([sys.executable, "-m", "hybridlint", *fix], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, before)))
        yield
    os.environ["PYTHONPATH"] = before


def unanswered(key: str) -> list[str]:
    """Return the names of the zoo that have no answer of a kind."""
    printed = subprocess.check_output([*_HERE, *_ZOO], cwd=ROOT, text=True)
    known = answers.load()
    return [name for name in json.loads(printed.splitlines()[-1]) if key not in known.get(name, {})]


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--mxnet", metavar="PYTHON", help="an interpreter with mxnet==1.9.1 and gluoncv")
    kind.add_argument("--fixed", action="store_true", help="run a copy of gluoncv that all fixes were applied to")
    parser.add_argument("--seconds", type=float, default=600, help="the limit of a model in one process")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args(given)


def main(given: Sequence[str]) -> None:
    """Judge models one by one, and keep each answer as soon as it is there."""
    asked = arguments(given)
    key = "fixed" if asked.fixed else "here"
    with fixed_package() if asked.fixed else nullcontext():
        for name in asked.names or unanswered("mxnet" if asked.mxnet else key):
            kept = answers.load().get(name, {})
            if asked.mxnet:
                found = {**kept, **with_mxnet(name, asked.mxnet, asked.seconds)}
            else:
                found = {**kept, key: again(name, kept["mxnet"], asked.seconds)}
            answers.store(name, found)
            print(name, answers.verdict(found, key).value, flush=True)
    zoo_table.write()


if __name__ == "__main__":
    main(sys.argv[1:])
