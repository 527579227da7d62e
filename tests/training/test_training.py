"""Trainings follow the real MXNet's loss from the same start, go on from its files, and write files that it reads.

``TRAINING_STEPS=100 pytest tests/training`` follows the whole curves; `exchange` goes on from files in both directions.
"""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import hybridlint.runtime as mx

from . import goldens
from .curves import Training
from .tasks import TASKS

ANSWERS: dict[str, Any] = json.loads(goldens.ANSWERS.read_text())
STEPS = int(os.environ.get("TRAINING_STEPS", "8"))

every_optimizer = pytest.mark.parametrize("optimizer", ["sgd", "adam"])
every_mode = pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])


@every_mode
@every_optimizer
@pytest.mark.parametrize("task", TASKS)
def test_losses(task: str, optimizer: str, hybridized: bool) -> None:
    dtype = TASKS[task].dtype
    found = Training(mx, task, optimizer, hybridized, dtype).losses(0, STEPS)
    assert goldens.apart(found, ANSWERS[f"{task} {optimizer}"]) < goldens.NEAR[dtype]


@pytest.fixture
def checkpoint(optimizer: str, tmp_path: Path) -> Path:
    """Return a folder with the files of a training that MXNet has broken off."""
    for name, content in ANSWERS[f"files {optimizer}"].items():
        (tmp_path / name).write_bytes(base64.b64decode(content))
    return tmp_path


@every_mode
@every_optimizer
def test_a_training_of_mxnet_goes_on(optimizer: str, hybridized: bool, checkpoint: Path) -> None:
    training = Training(mx, goldens.SMALL, optimizer, hybridized)
    training.load(checkpoint)
    found = training.losses(goldens.BROKEN_OFF, 20)
    assert goldens.apart(found, ANSWERS[f"{goldens.SMALL} {optimizer}"][goldens.BROKEN_OFF :]) < goldens.NEAR["float32"]


@every_optimizer
def test_files_are_those_of_mxnet(optimizer: str, checkpoint: Path) -> None:
    theirs = {name: (checkpoint / name).read_bytes() for name in goldens.FILES}
    training = Training(mx, goldens.SMALL, optimizer, hybridized=False)
    training.load(checkpoint)
    training.save(checkpoint)
    assert (checkpoint / "net.params").read_bytes() == theirs["net.params"]
    assert described((checkpoint / "trainer.states").read_bytes()) == described(theirs["trainer.states"])


class Named:
    """Stands for an object in a pickle: the name of its class, how it is made, and what it remembers."""

    name: str

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and vars(self) == vars(other) and self.name == other.name

    __hash__ = None  # type: ignore[assignment]


class Describing(pickle.Unpickler):
    """Makes a `Named` of each object."""

    def find_class(self, module: str, name: str) -> Any:
        return type(name, (Named,), {"name": f"{module}.{name}"})


def described(content: bytes) -> Any:
    return Describing(io.BytesIO(content)).load()
