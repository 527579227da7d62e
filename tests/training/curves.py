"""Losses of a training, step by step; training that is broken off, kept in files, and gone on with.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.models.scenario import parameter

from .tasks import BATCHES, TASKS

STEPS = 100


class Training:
    """A model with its trainer: parameters depend on their structural names alone."""

    def __init__(self, mx: Any, task: str, optimizer: str, hybridized: bool, dtype: str = "float32") -> None:
        self.mx, self.task = mx, TASKS[task]
        self.batches = self.task.batches(mx)
        self.net = self.task.build(mx)
        self.net.initialize()
        self.net(*self.batches[0][: self.task.inputs])
        for name, param in self.net._collect_params_with_prefix().items():
            param.set_data(mx.nd.array(parameter(name, param.shape)))
        self.net.cast(dtype)
        self.batches = [[part.astype(dtype) for part in batch] for batch in self.batches]
        if hybridized:
            self.net.hybridize()
        arguments = self.task.optimizers[optimizer]
        self.trainer = mx.gluon.Trainer(self.net.collect_params(), optimizer, dict(arguments))

    def losses(self, begin: int, end: int) -> list[float]:
        """Take steps and return the mean loss of each."""
        return [self._step(self.batches[step % BATCHES]) for step in range(begin, end)]

    def _step(self, batch: list[Any]) -> float:
        inputs, labels = batch[: self.task.inputs], batch[self.task.inputs :]
        with self.mx.autograd.record():
            loss = self.task.loss(self.mx, self.net(*inputs), *labels)
        loss.backward()
        self.trainer.step(loss.shape[0])
        return float(loss.mean().asscalar())

    def save(self, folder: Path) -> None:
        """Write the parameters and the states of the trainer."""
        self.net.save_parameters(str(folder / "net.params"))
        self.trainer.save_states(str(folder / "trainer.states"))

    def load(self, folder: Path) -> None:
        """Read what `save` wrote, here or in the other library."""
        self.net.load_parameters(str(folder / "net.params"))
        self.trainer.load_states(str(folder / "trainer.states"))
