"""Loops over batches that every module shares: fit, score, predict."""

from __future__ import annotations

import logging
import time
import warnings
from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime import metric
from hybridlint.runtime.base import _as_list
from hybridlint.runtime.io import DataBatch, DataDesc
from hybridlint.runtime.metric.base import number_of
from hybridlint.runtime.model import checkpoints
from hybridlint.runtime.ndarray import NDArray, concatenate

#: What callbacks at the end of a batch get.
BatchEndParam = namedtuple("BatchEndParam", ["epoch", "nbatch", "eval_metric", "locals"])


class BaseModule:
    """Base class of modules: models that are bound to shapes, initialized, run on batches and updated."""

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self.for_training = False
        self.inputs_need_grad = False
        self._symbol: Any = None

    def forward_backward(self, data_batch: DataBatch) -> None:
        """Run a batch and compute its gradients."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def score(
        self,
        eval_data: Any,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        score_end_callback: Any = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, float]]:
        """Return names and values of a metric over batches."""
        if reset:
            eval_data.reset()
        measure = metric.create(eval_metric)
        measure.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                break
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            self.update_metric(measure, batch.label)
            _notify(batch_end_callback, BatchEndParam(epoch, number, measure, locals()))
        if score_end_callback:
            _notify(score_end_callback, BatchEndParam(epoch, num_batch, measure, locals()))
        return measure.get_name_value()

    def iter_predict(
        self, eval_data: Any, num_batch: int | None = None, reset: bool = True, sparse_row_id_fn: Any = None
    ) -> Iterator[tuple[list[NDArray], int, DataBatch]]:
        """Yield outputs without padding, the number of the batch and the batch."""
        if reset:
            eval_data.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                return
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            yield [out[: out.shape[0] - (batch.pad or 0)] for out in self.get_outputs()], number, batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """Return outputs of all batches: joined (one, or a list), or a list for each batch."""
        if isinstance(eval_data, NDArray):
            self.forward(DataBatch([eval_data]), is_train=False)
            return self.get_outputs()[0]
        batches = self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        found = [[x.copy() for x in outputs] for outputs, _, _ in batches]
        if not found or not merge_batches:
            return found
        joined = [concatenate(list(parts)) for parts in zip(*found, strict=True)]
        return joined if always_output_list or len(joined) > 1 else joined[0]

    def _begin_epoch(self, epoch: int, train_data: Any) -> None:
        """Do what a module does before the batches of an epoch: nothing."""

    def _tell_epoch(self, epoch: int, measure: Any) -> None:
        """Log how an epoch went: the metric of its batches."""
        for name, value in measure.get_global_name_value():
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, number_of(value))

    def _end_epoch(self, train_data: Any) -> None:
        """Do what a module does after an epoch: return to the first batch."""
        train_data.reset()

    def fit(
        self,
        train_data: Any,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Bind, initialize and train for `num_epoch` epochs."""
        if num_epoch is None:
            raise AssertionError("please specify number of epochs")
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        if not self.params_initialized or force_init:
            self.init_params(
                initializer=initializer,
                arg_params=arg_params,
                aux_params=aux_params,
                allow_missing=allow_missing,
                force_init=force_init,
            )
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        measure = metric.create(eval_metric)
        for epoch in range(begin_epoch, num_epoch):
            began = time.time()
            measure.reset()
            self._begin_epoch(epoch, train_data)
            batches = iter(train_data)
            # Only batches behind the first are prepared; without any, StopIteration ends the call, as on MXNet.
            batch, number = next(batches), 0
            while batch is not None:
                if monitor is not None:
                    monitor.tic()
                self.forward_backward(batch)
                self.update()
                self.update_metric(measure, batch.label)
                following = next(batches, None)
                if following is not None:
                    self.prepare(following, sparse_row_id_fn=sparse_row_id_fn)
                if monitor is not None:
                    monitor.toc_print()
                _notify(batch_end_callback, BatchEndParam(epoch, number, measure, locals()))
                batch, number = following, number + 1
            self._tell_epoch(epoch, measure)
            self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - began)
            # All devices go on with the same parameters and states, and with all rows of row_sparse ones.
            self.set_params(*self.get_params())
            for callback in _as_list(epoch_end_callback or []):
                callback(epoch, self.symbol, *self.get_params())
            if eval_data is not None:
                found = self.score(
                    eval_data,
                    validation_metric or eval_metric,
                    batch_end_callback=eval_batch_end_callback,
                    score_end_callback=eval_end_callback,
                    epoch=epoch,
                )
                for name, value in found:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, number_of(value))
            self._end_epoch(train_data)

    @property
    def symbol(self) -> Any:
        """The graph, None for a module that is none."""
        return self._symbol

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Make ready for a batch; nothing is to be done."""
        if sparse_row_id_fn is not None:
            warnings.warn("sparse_row_id_fn is not invoked for BaseModule.", stacklevel=2)

    def save_params(self, fname: str) -> None:
        """Write the parameters."""
        checkpoints.write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Set the parameters from a file of `save_params`. Raises MXNetError for a file of another kind."""
        self.set_params(*checkpoints.read_params(fname))

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters from arrays by name."""
        self.init_params(
            initializer=None,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    # -- defined by subclasses

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        raise NotImplementedError(f"{type(self).__name__} has no data_names")

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} has no output_names")

    @property
    def data_shapes(self) -> list[Any]:
        """Descriptions of the data."""
        raise NotImplementedError(f"{type(self).__name__} has no data_shapes")

    @property
    def label_shapes(self) -> list[Any]:
        """Descriptions of the labels."""
        raise NotImplementedError(f"{type(self).__name__} has no label_shapes")

    @property
    def output_shapes(self) -> list[Any]:
        """Names and shapes of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} has no output_shapes")

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor, which sees the outputs of all operators."""
        raise NotImplementedError(f"{type(self).__name__} does not implement install_monitor")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_input_grads")

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states: none."""
        return []

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states. Raises AssertionError: there are none."""
        if states or value is not None:
            raise AssertionError(f"{type(self).__name__} has no states")

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
        """Allocate arrays."""
        raise NotImplementedError(f"{type(self).__name__} does not implement bind")

    def init_params(
        self,
        initializer: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill parameters."""
        raise NotImplementedError(f"{type(self).__name__} does not implement init_params")

    def init_optimizer(
        self, kvstore: Any = "local", optimizer: Any = "sgd", optimizer_params: Any = (), force_init: bool = False
    ) -> None:
        """Choose how parameters are updated."""
        raise NotImplementedError(f"{type(self).__name__} does not implement init_optimizer")

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement forward")

    def backward(self, out_grads: Any = None) -> None:
        """Compute gradients."""
        raise NotImplementedError(f"{type(self).__name__} does not implement backward")

    def update(self) -> None:
        """Update parameters."""
        raise NotImplementedError(f"{type(self).__name__} does not implement update")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the labels and the outputs of the last batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement update_metric")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_outputs")

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return arguments and auxiliary states."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_params")


def _notify(callbacks: Any, param: BatchEndParam) -> None:
    for callback in _as_list(callbacks or []):
        callback(param)


def require_inputs(arguments: Sequence[str], names: Sequence[str], kind: str) -> None:
    """Check that a graph has variables of these names. Raises ValueError if it lacks one."""
    missing = _missing_input(arguments, names, kind)
    if missing is not None:
        raise ValueError(missing)


def warn_of_names(arguments: Sequence[str], names: Sequence[str], kind: str) -> None:
    """Warn where a graph lacks a variable of one of these names."""
    missing = _missing_input(arguments, names, kind)
    if missing is not None:
        warnings.warn(missing, stacklevel=4)


def _missing_input(arguments: Sequence[str], names: Sequence[str], kind: str) -> str | None:
    missing = next((n for n in names if n not in arguments), None)
    if missing is None:
        return None
    near = [n for n in arguments if not n.endswith(("_weight", "_bias", "_gamma", "_beta"))]
    return (
        f"You created Module with Module(..., {kind}_names={list(names)}) but input with name '{missing}' is not found "
        f"in symbol.list_arguments(). Did you mean one of: {', '.join(near)}"
    )


def _check_input_names(symbol: Any, names: Sequence[str], typename: str, throw: bool) -> None:
    """Raise ValueError, or warn, where a graph lacks a variable of one of these names. Modules of others call it."""
    (require_inputs if throw else warn_of_names)(symbol.list_arguments(), names, typename)


def _parse_data_desc(
    data_names: Sequence[str], label_names: Sequence[str], data_shapes: Any, label_shapes: Any
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Return descriptions of data and labels. Raises ValueError for other data than named.

    Modules of public projects call it.
    """
    data = [d if isinstance(d, DataDesc) else DataDesc(*d) for d in data_shapes]
    if sorted(d.name for d in data) != sorted(data_names):
        raise ValueError(
            f"Data provided by data_shapes don't match names specified by data_names ({data} vs. {data_names})"
        )
    labels = None if label_shapes is None else [d if isinstance(d, DataDesc) else DataDesc(*d) for d in label_shapes]
    if sorted(d.name for d in labels or ()) != sorted(label_names):
        warnings.warn(
            f"Data provided by label_shapes don't match names specified by label_names ({labels} vs. {label_names})",
            stacklevel=2,
        )
    return data, labels
