"""FeedForward: MXNet's first training interface, kept for old programs and implemented with `mx.mod.Module`."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.io import DataIter, NDArrayIter, ResizeIter
from hybridlint.runtime.model import checkpoints
from hybridlint.runtime.module import Module


class FeedForward:
    """A graph with parameters that is fitted to arrays or an iterator. Extra arguments go to the optimizer."""

    def __init__(
        self,
        symbol: Any,
        ctx: Any = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: Any = "sgd",
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        numpy_batch_size: int = 128,
        arg_params: Any = None,
        aux_params: Any = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        self.symbol, self.ctx = symbol, ctx
        self.num_epoch, self.epoch_size, self.begin_epoch = num_epoch, epoch_size, begin_epoch
        self.optimizer, self.initializer = optimizer, initializer
        self.numpy_batch_size = numpy_batch_size
        self.arg_params, self.aux_params = arg_params, aux_params
        self.allow_extra_params = allow_extra_params
        self.kwargs = kwargs

    def fit(
        self,
        X: Any,
        y: Any = None,
        eval_data: Any = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Any = None,
        batch_end_callback: Any = None,
        kvstore: Any = "local",
        logger: Any = None,
        work_load_list: Any = None,
        monitor: Any = None,
        eval_end_callback: Any = None,
        eval_batch_end_callback: Any = None,
    ) -> None:
        """Train for `num_epoch` epochs."""
        train = self._batches(X, y, shuffle=True)
        if self.epoch_size is not None:
            train = ResizeIter(train, self.epoch_size, reset_internal=False)
        module = self._module(train, trained=True, logger=logger)
        module.whole_epochs = self.epoch_size is None
        module.logger.info("Start training with %s", _contexts(self.ctx))
        module.fit(
            train,
            eval_data=self._evaluated(eval_data),
            eval_metric=eval_metric,
            epoch_end_callback=epoch_end_callback,
            batch_end_callback=batch_end_callback,
            kvstore=kvstore,
            optimizer=self.optimizer,
            optimizer_params=tuple(self.kwargs.items()) or (("learning_rate", 0.01),),
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
            initializer=self.initializer,
            arg_params=self.arg_params,
            aux_params=self.aux_params,
            allow_missing=True,
            begin_epoch=self.begin_epoch,
            num_epoch=self.num_epoch,
            monitor=monitor,
        )
        self.arg_params, self.aux_params = module.get_params()

    def predict(self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True) -> Any:
        """Return the outputs as numpy arrays: one or a list. With `return_data`, also data and labels."""
        batches = self._batches(X, None, shuffle=False)
        module = self._module(batches, trained=False)
        outputs, data, labels = [], [], []
        for found, _, batch in module.iter_predict(batches, num_batch, reset):
            count = batch.data[0].shape[0] - (batch.pad or 0)
            outputs.append([x.asnumpy() for x in found])
            data.append([x[:count].asnumpy() for x in batch.data])
            labels.append([x[:count].asnumpy() for x in batch.label or ()])
        joined = _joined(outputs)
        return (joined, _joined(data), _joined(labels)) if return_data else joined

    def score(
        self,
        X: Any,
        eval_metric: Any = "acc",
        num_batch: int | None = None,
        batch_end_callback: Any = None,
        reset: bool = True,
    ) -> Any:
        """Return the value of a metric over batches."""
        batches = self._batches(X, None, shuffle=False)
        found = self._module(batches, trained=False).score(
            batches, eval_metric, num_batch, batch_end_callback, reset=reset
        )
        return found[0][1]

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Write graph and parameters. Raises AssertionError without an epoch number."""
        number = self.num_epoch if epoch is None else epoch
        if number is None:
            raise AssertionError("save needs an epoch where num_epoch is not set")
        checkpoints.save_checkpoint(prefix, number, self.symbol, self.arg_params, self.aux_params, remove_amp_cast)

    @staticmethod
    def load(prefix: str, epoch: int, ctx: Any = None, **kwargs: Any) -> FeedForward:
        """Load the files of `save`."""
        symbol, arguments, states = checkpoints.load_checkpoint(prefix, epoch)
        return FeedForward(symbol, ctx=ctx, arg_params=arguments, aux_params=states, begin_epoch=epoch, **kwargs)

    @staticmethod
    def create(symbol: Any, X: Any, y: Any = None, **kwargs: Any) -> FeedForward:
        """Create a model and fit it. The arguments are the constructor's."""
        fitting = {k: kwargs.pop(k) for k in _FITTING if k in kwargs}
        net = FeedForward(symbol, **kwargs)
        net.fit(X, y, **fitting)
        return net

    def _batches(self, X: Any, y: Any, *, shuffle: bool) -> Any:
        if isinstance(X, DataIter) or hasattr(X, "provide_data"):
            return X
        label = np.zeros(len(X)) if y is None else y
        return NDArrayIter(X, label, min(len(X), self.numpy_batch_size), shuffle, "roll_over" if shuffle else "pad")

    def _evaluated(self, data: Any) -> Any:
        return self._batches(*data, shuffle=False) if isinstance(data, (tuple, list)) else data

    def _module(self, batches: Any, *, trained: bool, logger: Any = None) -> _FittedModule:
        labels = [d[0] for d in batches.provide_label if d[0] in self.symbol.list_arguments()]
        names = [d[0] for d in batches.provide_data]
        module = _FittedModule(self.symbol, names, labels, logger=logger or logging, context=self.ctx)
        if not trained:
            described = [d for d in batches.provide_label if d[0] in labels]
            module.bind(batches.provide_data, described, for_training=False)
            module.set_params(
                self.arg_params, self.aux_params, allow_missing=False, allow_extra=self.allow_extra_params
            )
        return module


class _FittedModule(Module):
    """A module that logs epochs as FeedForward does: no metric of the batches."""

    #: Whether an epoch ends where its batches do.
    whole_epochs = True

    def _tell_epoch(self, epoch: int, measure: Any) -> None:
        if self.whole_epochs:
            self.logger.info("Epoch[%d] Resetting Data Iterator", epoch)


def _contexts(given: Any) -> list[Context]:
    """Return the devices of a model as a list: main memory for None."""
    return [current_context()] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]


_FITTING = (
    "eval_data",
    "eval_metric",
    "epoch_end_callback",
    "batch_end_callback",
    "kvstore",
    "logger",
    "work_load_list",
    "monitor",
    "eval_end_callback",
    "eval_batch_end_callback",
)


def _joined(batches: list[list[Any]]) -> Any:
    parts = [np.concatenate(part) for part in zip(*batches, strict=True)]
    return parts[0] if len(parts) == 1 else parts
