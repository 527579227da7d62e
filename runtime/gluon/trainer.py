"""Trainer: applies an optimizer to parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime import optimizer as optimizers
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.param_dict import ParameterDict

if TYPE_CHECKING:
    from collections.abc import Mapping


class Trainer:
    """Applies an optimizer (an object, or a name with its arguments) to parameters after each backward.

    Options of key-value stores are accepted and have no effect: there is one process. Raises ValueError for what are no
    parameters and for an unknown optimizer.
    """

    def __init__(
        self,
        params: Any,
        optimizer: str | optimizers.Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: Any = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = _listed(params)
        if isinstance(optimizer, optimizers.Optimizer):
            if optimizer_params:
                raise AssertionError("optimizer_params must be None if optimizer is an Optimizer instead of str")
            self._optimizer = optimizer
        else:
            self._optimizer = optimizers.create(optimizer, **(optimizer_params or {}))
        self._scale = self._optimizer.rescale_grad
        self._states: dict[Any, Any] = {}
        for param in self._params:
            param._set_trainer(self)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update."""
        return self._optimizer.learning_rate

    @property
    def optimizer(self) -> optimizers.Optimizer:
        """The optimizer."""
        return self._optimizer

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate."""
        self._optimizer.set_learning_rate(lr)

    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Sum the gradients of all contexts, divide them by `batch_size` and update the parameters.

        `ignore_stale_grad` is accepted; stale gradients are not detected here.
        """
        self.allreduce_grads()
        self.update(batch_size, ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Sum the gradients of all contexts. Raises RuntimeError for a parameter that is not initialized."""
        for param in self._trained():
            gradients = param.list_grad()
            if len(gradients) > 1:
                total = sum(gradient._data for gradient in gradients)
                for gradient in gradients:
                    gradient._data[...] = total

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Update the parameters by gradients that are summed already."""
        self._optimizer.rescale_grad = self._scale / batch_size
        for position, param in enumerate(self._trained()):
            for data, gradient in zip(param.list_data(), param.list_grad(), strict=True):
                key = (position, data.context)
                if key not in self._states:
                    self._states[key] = self._optimizer.create_state(key, data)
                self._optimizer.update(key, data, gradient, self._states[key], param.lr_mult, param.wd_mult)
            param.version += 1

    def save_states(self, fname: str) -> None:
        """Refuse: MXNet writes pickles of its own classes. Raises NotImplementedError."""
        raise NotImplementedError("the bundled runtime cannot save states of optimizers: Trainer.save_states")

    def load_states(self, fname: str) -> None:
        """Refuse: MXNet reads pickles of its own classes. Raises NotImplementedError."""
        raise NotImplementedError("the bundled runtime cannot load states of optimizers: Trainer.load_states")

    def _trained(self) -> list[Parameter]:
        return [param for param in self._params if param.grad_req != "null"]


def _listed(params: Any) -> list[Parameter]:
    if isinstance(params, (dict, ParameterDict)):
        params = [params[key] for key in sorted(params.keys())]
    if not isinstance(params, (list, tuple)):
        raise ValueError(f"First argument must be a list or dict of Parameters, got {type(params)}.")
    wrong = next((p for p in params if not isinstance(p, Parameter)), None)
    if wrong is not None:
        raise ValueError(f"First argument must be a list or dict of Parameters, got list of {type(wrong)}.")
    return list(params)
