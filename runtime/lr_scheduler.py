"""``mx.lr_scheduler``: learning rates as functions of the number of updates."""

from __future__ import annotations

import logging
import math


class LRScheduler:
    """Base class of schedulers. Over `warmup_steps` updates the rate rises from `warmup_begin_lr` to `base_lr`.

    `warmup_mode` is ``linear``, or ``constant`` to keep the first rate. Raises ValueError for inconsistent arguments.
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        if not isinstance(warmup_steps, int):
            raise AssertionError(f"warmup_steps must be an int, got {warmup_steps!r}")
        if warmup_begin_lr > base_lr:
            raise ValueError("Base lr has to be higher than warmup_begin_lr")
        if warmup_steps < 0:
            raise ValueError("Warmup steps has to be positive or 0")
        if warmup_mode not in {"linear", "constant"}:
            raise ValueError("Supports only linear and constant modes of warmup")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_final_lr = base_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """Return the rate of an update in the warm-up."""
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        rise = self.warmup_final_lr - self.warmup_begin_lr
        return self.warmup_begin_lr + rise * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """Return the rate after `num_update` updates."""
        return self.get_warmup_lr(num_update) if num_update < self.warmup_steps else self._rate_(num_update)

    def _rate_(self, num_update: int) -> float:
        raise NotImplementedError("must override this")


class FactorScheduler(LRScheduler):
    """Multiply the rate by `factor` after every `step` updates, down to `stop_factor_lr`."""

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require_step(step)
        _require_factor(factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def _rate_(self, num_update: int) -> float:
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr *= self.factor
            if self.base_lr < self.stop_factor_lr:
                self.base_lr = self.stop_factor_lr
                text = "Update[%d]: now learning rate arrived at %0.5e, will not change in the future"
                logging.info(text, num_update, self.base_lr)
            else:
                _tell_change(num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Multiply the rate by `factor` after each number of updates in the rising list `step`."""

    def __init__(
        self,
        step: list[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, list) or not step:
            raise AssertionError(f"step must be a list of numbers of updates, got {step!r}")
        for before, value in zip([None, *step], step, strict=False):
            if before is not None and value <= before:
                raise ValueError("Schedule step must be an increasing integer list")
            _require_step(value)
        _require_factor(factor)
        self.step = step
        self.cur_step_ind = 0
        self.count = 0
        self.factor = factor

    def _rate_(self, num_update: int) -> float:
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _tell_change(num_update, self.base_lr)
        return self.base_lr


class _Falling(LRScheduler):
    """Base of schedules that fall from `base_lr` to `final_lr` until `max_update`, along a curve from 1 to 0."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(max_update, int):
            raise AssertionError(f"max_update must be an int, got {max_update!r}")
        if max_update < 1:
            raise ValueError("maximum number of updates must be strictly positive")
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps = max_update - self.warmup_steps

    def _rate_(self, num_update: int) -> float:
        if num_update <= self.max_update:
            height = self._curve((num_update - self.warmup_steps) / self.max_steps)
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * height
        return self.base_lr

    def _curve(self, done: float) -> float:
        raise NotImplementedError(f"{type(self).__name__} does not implement _curve")


class PolyScheduler(_Falling):
    """Let the rate fall as the power `pwr` of the share of updates that is left: polynomial decay."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _curve(self, done: float) -> float:
        return float((1 - done) ** self.power)


class CosineScheduler(_Falling):
    """Let the rate fall as half a period of the cosine."""

    def _curve(self, done: float) -> float:
        return (1 + math.cos(math.pi * done)) / 2


def _tell_change(num_update: int, rate: float) -> None:
    logging.info("Update[%d]: Change learning rate to %0.5e", num_update, rate)


def _require_step(step: int) -> None:
    if step < 1:
        raise ValueError("Schedule step must be greater or equal than 1 round")


def _require_factor(factor: float) -> None:
    if factor > 1:
        raise ValueError("Factor must be no more than 1 to make lr reduce")
