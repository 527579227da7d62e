"""Follow the real MXNet 1.9.1 over 100 steps; go on with its trainings from files, and let it go on with ours.

    PYTHON -m tests.training.exchange COMMAND

COMMAND starts an interpreter with mxnet==1.9.1. Losses are compared with those that are kept; it fails where they are
apart by a thousandth.
"""

from __future__ import annotations

import importlib
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import goldens
from .curves import STEPS, Training
from .tasks import TASKS

HALF = STEPS // 2


def begun(mx: Any, task: str, optimizer: str, folder: Path, hybridized: bool) -> list[float]:
    """Train for half of the steps and write files; return the losses."""
    training = Training(mx, task, optimizer, hybridized)
    losses = training.losses(0, HALF)
    training.save(folder)
    return losses


def ended(mx: Any, task: str, optimizer: str, folder: Path, hybridized: bool) -> list[float]:
    """Return the losses of the second half of a training whose first half is in files."""
    training = Training(mx, task, optimizer, hybridized)
    training.load(folder)
    return training.losses(HALF, STEPS)


def in_mxnet(command: list[str], function: str, *arguments: str) -> list[float]:
    """Call `begun` or `ended` in the other interpreter."""
    call = [*command, "-m", "tests.training.exchange", function, *arguments]
    printed = subprocess.check_output(call, text=True, cwd=Path(__file__).parents[2])
    losses: list[float] = json.loads(printed.splitlines()[-1])
    return losses


def gaps(command: list[str], task: str, optimizer: str) -> Iterator[tuple[str, float]]:
    """Yield how far the trainings that begin or end here are from those of MXNet."""
    mx = importlib.import_module("hybridlint.runtime")
    wanted = json.loads(goldens.ANSWERS.read_text())[f"{task} {optimizer}"]
    for mode, hybridized in (("eager", False), ("hybridized", True)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ours = begun(mx, task, optimizer, folder, hybridized)
            whole = [*ours, *ended(mx, task, optimizer, folder, hybridized)]
            yield f"{mode}, here", goldens.apart(whole, wanted)
            theirs = in_mxnet(command, "ended", task, optimizer, name)
            yield f"{mode}, begun here and ended by MXNet", goldens.apart(theirs, wanted[HALF:])
    with tempfile.TemporaryDirectory() as name:
        in_mxnet(command, "begun", task, optimizer, name)
        for mode, hybridized in (("eager", False), ("hybridized", True)):
            losses = ended(mx, task, optimizer, Path(name), hybridized)
            yield f"{mode}, begun by MXNet and ended here", goldens.apart(losses, wanted[HALF:])


def main(command: list[str]) -> None:
    """Print all gaps; exit with 1 where one is too large."""
    worst = 0.0
    for task in TASKS:
        for optimizer in TASKS[task].optimizers:
            for what, gap in gaps(command, task, optimizer):
                worst = max(worst, gap)
                print(f"{task} {optimizer} {what}: {gap:.1e}", flush=True)
    sys.exit(worst > goldens.NEAR["float32"])


if __name__ == "__main__":
    functions = {"begun": begun, "ended": ended}
    if sys.argv[1] in functions:
        task, optimizer, folder = sys.argv[2:]
        mxnet = importlib.import_module("mxnet")
        print(json.dumps(functions[sys.argv[1]](mxnet, task, optimizer, Path(folder), hybridized=False)))
    else:
        main(shlex.split(sys.argv[1]))
