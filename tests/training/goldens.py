"""Ask the real MXNet 1.9.1 how trainings go; keep the losses, and the files of a small one, beside this file.

    PYTHON_WITH_MXNET -m tests.training.goldens

It fails where the real library strays from itself once hybridized. This file runs in both interpreters, so it stays
within Python 3.8.
"""

from __future__ import annotations

import base64
import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

from .curves import STEPS, Training
from .tasks import TASKS

ANSWERS = Path(__file__).parent / "goldens.json"

#: How far losses may be apart, relatively: as those of whole models, see there.
NEAR = {"float32": 1e-3, "float64": 3e-5}

#: After how many steps the training of `SMALL` is written to files, which are kept.
BROKEN_OFF = 10
SMALL = "dense"
FILES = ("net.params", "trainer.states")


def apart(found: list[float], wanted: list[float]) -> float:
    """Return the largest relative distance of two curves."""
    return max(abs(a - b) / abs(b) for a, b in zip(found, wanted))  # noqa: B905 - Python 3.8 has no strict


def answer(mx: Any, task: str, optimizer: str) -> list[float]:
    """Return the losses of a training; raise AssertionError where modes differ."""
    dtype = TASKS[task].dtype
    losses = Training(mx, task, optimizer, hybridized=False, dtype=dtype).losses(0, STEPS)
    gap = apart(Training(mx, task, optimizer, hybridized=True, dtype=dtype).losses(0, STEPS), losses)
    print(task, optimizer, "from", losses[0], "to", losses[-1], "hybridized apart by", gap, flush=True)
    assert gap < NEAR[dtype] / 3, gap
    return [float(f"{loss:.9g}") for loss in losses]


def files(mx: Any, optimizer: str) -> dict[str, str]:
    """Return what a training that is broken off leaves in files, in base 64."""
    training = Training(mx, SMALL, optimizer, hybridized=False)
    training.losses(0, BROKEN_OFF)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        training.save(folder)
        return {file: base64.b64encode((folder / file).read_bytes()).decode() for file in FILES}


def main() -> None:
    """Write all answers."""
    mx = importlib.import_module("mxnet")
    kept: dict[str, Any] = {
        f"{task} {optimizer}": answer(mx, task, optimizer) for task in TASKS for optimizer in TASKS[task].optimizers
    }
    kept.update({f"files {optimizer}": files(mx, optimizer) for optimizer in TASKS[SMALL].optimizers})
    ANSWERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in kept.items()) + "\n}\n")


if __name__ == "__main__":
    main()
