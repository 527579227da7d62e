"""``mx.contrib.autograd``: the gradient recording API that preceded ``mx.autograd``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hybridlint.runtime import autograd
from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.ndarray.ndarray import NDArray

mark_variables = autograd.mark_variables


def set_is_training(is_train: bool) -> bool:
    """Switch training and recording on or off, and return the previous training mode."""
    before = autograd.set_training(is_train)
    autograd.set_recording(is_train)
    return bool(before)


class TrainingStateScope:
    """Switches training and recording inside a with block."""

    def __init__(self, enter_state: bool) -> None:
        self._enter_state = enter_state
        self._before = False

    def __enter__(self) -> None:
        self._before = set_is_training(self._enter_state)

    def __exit__(self, *error: object) -> None:
        set_is_training(self._before)


def train_section() -> TrainingStateScope:
    """Return a scope in which gradients are recorded."""
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """Return a scope in which gradients are not recorded."""
    return TrainingStateScope(False)


def backward(outputs: list[NDArray], out_grads: Any = None, retain_graph: bool = False) -> None:
    """Compute the gradients of marked variables. Raises AssertionError if `outputs` is not a list."""
    if not isinstance(outputs, (list, tuple)):
        raise AssertionError("outputs must be a list or tuple of NDArrays")
    autograd.backward(outputs, out_grads, retain_graph)


def compute_gradient(outputs: list[NDArray]) -> None:
    """Compute the gradients of marked variables."""
    backward(outputs)


def grad_and_loss(func: Callable[..., Any], argnum: Any = None) -> Callable[..., Any]:
    """Return a function computing the gradients of all (or the numbered) arguments, and the result of `func`."""

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        places = range(len(args)) if argnum is None else [argnum] if isinstance(argnum, int) else argnum
        variables = [args[place] for place in places]
        if not all(isinstance(variable, NDArray) for variable in variables):
            raise AssertionError("type of autograd input should be NDArray")
        grads = [nd.zeros_like(variable) for variable in variables]
        mark_variables(variables, grads)
        with train_section():
            outputs = func(*args)
        compute_gradient([outputs] if isinstance(outputs, NDArray) else outputs)
        return grads, outputs

    return wrapped


def grad(func: Callable[..., Any], argnum: Any = None) -> Callable[..., Any]:
    """Return a function computing the gradients of all (or the numbered) arguments."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        return both(*args)[0]

    return wrapped
