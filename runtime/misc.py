"""``mx.misc``: schedules of learning rates from before ``mx.lr_scheduler``."""

from __future__ import annotations

import logging


class LearningRateScheduler:
    """Base class of schedules, which are functions of the iteration."""

    def __init__(self) -> None:
        self.base_lr = 0.01

    def __call__(self, iteration: int) -> float:
        """Return the rate of an iteration."""
        raise NotImplementedError("must override this")


class FactorScheduler(LearningRateScheduler):
    """Multiply the rate by `factor` after every `step` iterations, and log each new rate."""

    def __init__(self, step: int, factor: float = 0.1) -> None:
        super().__init__()
        if step < 1:
            raise ValueError("Schedule step must be greater or equal than 1 round")
        if factor >= 1.0:
            raise ValueError("Factor must be less than 1 to make lr reduce")
        self.step = step
        self.factor = factor
        self.old_lr = self.base_lr
        self.init = False

    def __call__(self, iteration: int) -> float:
        """Return the rate of an iteration."""
        if not self.init:
            self.init = True
            self.old_lr = self.base_lr
        rate = self.base_lr * self.factor ** (iteration // self.step)
        if rate != self.old_lr:
            self.old_lr = rate
            # The words are MXNet's, for programs that read its logs.
            logging.info("At Iteration [%d]: Swith to new learning rate %.5f", iteration, rate)
        return rate
