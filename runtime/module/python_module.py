"""Modules without parameters whose computation is written in Python."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.io import DataBatch
from hybridlint.runtime.module.base_module import BaseModule
from hybridlint.runtime.ndarray import NDArray, array


class PythonModule(BaseModule):
    """A module without parameters; subclasses define `forward`, `backward` and `_compute_output_shapes`."""

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: Any = logging,
    ) -> None:
        super().__init__(logger)
        self._data_names = list(data_names)
        self._label_names = None if label_names is None else list(label_names)
        self._output_names = list(output_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> list[Any]:
        """Descriptions of the data."""
        return list(self._data_shapes)

    @property
    def label_shapes(self) -> list[Any]:
        """Descriptions of the labels."""
        return list(self._label_shapes or ())

    @property
    def output_shapes(self) -> list[Any]:
        """Names and shapes of the outputs."""
        return list(self._output_shapes)

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return no parameters and no auxiliary states."""
        return {}, {}

    def init_params(
        self,
        initializer: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Do nothing: there are no parameters."""
        self.params_initialized = True

    def init_optimizer(
        self, kvstore: Any = "local", optimizer: Any = "sgd", optimizer_params: Any = (), force_init: bool = False
    ) -> None:
        """Do nothing: there are no parameters."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Do nothing: there are no parameters."""

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with labels and outputs, if the module takes labels."""
        if self._label_shapes is not None:
            eval_metric.update(labels, self.get_outputs())

    def install_monitor(self, mon: Any) -> None:
        """Do nothing: there is no graph to watch."""

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: Any = "write",
    ) -> None:
        """Store the shapes of batches. Raises AssertionError for names that are not the module's."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if grad_req != "write":
            raise AssertionError("Python module only support write gradient")
        if [d[0] for d in data_shapes] != self._data_names:
            raise AssertionError(f"the data are {self._data_names}, got {[d[0] for d in data_shapes]}")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        self._output_shapes = self._compute_output_shapes()
        self.binded = True

    def _compute_output_shapes(self) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not implement _compute_output_shapes")


class PythonLossModule(PythonModule):
    """A loss on top of other modules: ``grad_func(scores, labels)`` returns the gradient of the scores."""

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: Any = logging,
        grad_func: Callable[[NDArray, NDArray], Any] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger)
        if len(data_names) != 1 or len(label_names) != 1:
            raise AssertionError("a PythonLossModule takes one kind of data and one of labels")
        if grad_func is not None and not callable(grad_func):
            raise AssertionError("grad_func must be callable")
        self._name = name
        self._grad_func = grad_func
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: Any = None

    def _compute_output_shapes(self) -> list[Any]:
        return [(f"{self._name}_output", self._data_shapes[0][1])]

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Keep scores, and in training labels."""
        self._scores = data_batch.data[0]
        if (self.for_training if is_train is None else is_train) and data_batch.label:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the scores."""
        return [self._scores]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradient of the scores. Raises AssertionError for gradients from above: a loss is on top."""
        if out_grads is not None:
            raise AssertionError("For a loss module, out_grads should be None")
        self._backward_impl()

    def _backward_impl(self) -> None:
        if self._grad_func is None:
            raise NotImplementedError("PythonLossModule has no grad_func: pass one, or override _backward_impl")
        gradient = self._grad_func(self._scores, self._labels)
        self._scores_grad = gradient if isinstance(gradient, NDArray) else array(gradient)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradient of the scores."""
        return [self._scores_grad]
