"""Optimizers: how parameters change along their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.runtime.ndarray.ndarray import NDArray

Raw: TypeAlias = npt.NDArray[Any]

_registry: dict[str, type[Optimizer]] = {}


def register(klass: type[Optimizer]) -> type[Optimizer]:
    """Make an optimizer class available under its name in lower case. Usable as a decorator."""
    _registry[klass.__name__.lower()] = klass
    return klass


def create(name: str, **kwargs: Any) -> Optimizer:
    """Return the optimizer of a name. Raises ValueError for an unknown one."""
    klass = _registry.get(name.lower())
    if klass is None:
        raise ValueError(f"Cannot find optimizer {name}; there are {', '.join(_registry)}")
    return klass(**kwargs)


class Optimizer:
    """The base of optimizers. Gradients are scaled by `rescale_grad` and clipped to ``[-clip, clip]``.

    `wd` is the weight decay, `lr_scheduler` a function of the number of updates that gives the learning rate.
    """

    def __init__(
        self,
        rescale_grad: float = 1.0,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float = 0.01,
        lr_scheduler: Callable[[int], float] | None = None,
    ) -> None:
        self.rescale_grad = rescale_grad
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.lr = learning_rate
        self.lr_scheduler = lr_scheduler
        self.num_update = 0
        self._updates: dict[Any, int] = {}

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate. Raises UserWarning where a scheduler sets it."""
        if self.lr_scheduler is not None:
            raise UserWarning("LRScheduler of the optimizer has already been defined.")
        self.lr = lr

    def create_state(self, index: Any, weight: NDArray) -> tuple[Raw, ...]:
        """Return what the optimizer remembers of a weight between updates."""
        return ()

    def update(
        self,
        index: Any,
        weight: NDArray,
        grad: NDArray,
        state: tuple[Raw, ...],
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
    ) -> None:
        """Change `weight` and `state` in place; the multipliers are the parameter's."""
        count = self._updates[index] = self._updates.get(index, 0) + 1
        self.num_update = max(self.num_update, count)
        prepared = self._prepare(grad._data * self.rescale_grad, self.wd * wd_mult * weight._data)
        self._step(weight._data, prepared, state, self.learning_rate * lr_mult, count)

    def _prepare(self, grad: Raw, decay: Raw) -> Raw:
        """Return the clipped gradient plus the decay."""
        return self._clip(grad) + decay

    def _clip(self, grad: Raw) -> Raw:
        if self.clip_gradient is None or self.clip_gradient < 0:
            return grad
        return np.clip(grad, -self.clip_gradient, self.clip_gradient)

    def _step(self, weight: Raw, grad: Raw, state: tuple[Raw, ...], lr: float, count: int) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not implement _step")


@register
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum where it is not 0."""

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum

    def create_state(self, index: Any, weight: NDArray) -> tuple[Raw, ...]:
        """Return the velocity."""
        return (np.zeros_like(weight._data),) if self.momentum else ()

    def _step(self, weight: Raw, grad: Raw, state: tuple[Raw, ...], lr: float, count: int) -> None:
        if not state:
            weight -= lr * grad
            return
        (velocity,) = state
        velocity *= self.momentum
        velocity -= lr * grad
        weight += velocity


@register
class NAG(SGD):
    """Nesterov's accelerated gradient: the momentum looks one step ahead."""

    def _step(self, weight: Raw, grad: Raw, state: tuple[Raw, ...], lr: float, count: int) -> None:
        if not state:
            weight -= lr * grad
            return
        (velocity,) = state
        velocity *= self.momentum
        velocity -= lr * grad
        weight += self.momentum * velocity - lr * grad


@register
class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> tuple[Raw, ...]:
        """Return the mean of the gradient and of its square."""
        return np.zeros_like(weight._data), np.zeros_like(weight._data)

    def _prepare(self, grad: Raw, decay: Raw) -> Raw:
        """Return gradient plus decay, clipped together."""
        return self._clip(grad + decay)

    def _step(self, weight: Raw, grad: Raw, state: tuple[Raw, ...], lr: float, count: int) -> None:
        mean, square = state
        lr = lr * np.sqrt(1 - self.beta2**count).item() / (1 - self.beta1**count)
        mean *= self.beta1
        mean += (1 - self.beta1) * grad
        square *= self.beta2
        square += (1 - self.beta2) * np.square(grad)
        weight -= lr * mean / (np.sqrt(square) + self.epsilon)
