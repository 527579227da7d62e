"""Module: a graph with its parameters and optimizer, on one device or several."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime import kvstore as stores
from hybridlint.runtime import ndarray as nd
from hybridlint.runtime import optimizer as optimizers
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.io import DataBatch, DataDesc
from hybridlint.runtime.model import checkpoints
from hybridlint.runtime.module.base_module import require_inputs, warn_of_names
from hybridlint.runtime.module.delegation import DelegatingModule
from hybridlint.runtime.module.executor_group import DataParallelExecutorGroup, contexts_of_groups, described
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol


class Module(DelegatingModule):
    """A graph whose variables are data, labels, states, and parameters, which it trains.

    `fixed_param_names` are not trained. Batches are split between several contexts. Raises ValueError for data that the
    graph has no variable for.
    """

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] | None = None,
        work_load_list: Any = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        self._context = [context or current_context()] if isinstance(context, (Context, type(None))) else list(context)
        self._work_load_list = list(work_load_list or [1] * len(self._context))
        self._symbol = symbol
        self._data_names = list(data_names or ())
        self._label_names = list(label_names or ())
        self._state_names = list(state_names or ())
        self._group2ctxs = contexts_of_groups(group2ctxs, len(self._context))
        self._fixed_param_names = list(fixed_param_names or ())
        arguments = symbol.list_arguments()
        require_inputs(arguments, self._data_names, "data")
        require_inputs(arguments, self._state_names, "state")
        require_inputs(arguments, self._fixed_param_names, "fixed_param")
        warn_of_names(arguments, self._label_names, "label")
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [n for n in arguments if n not in inputs]
        self._arg_params: dict[str, NDArray] | None = None
        self._aux_params: dict[str, NDArray] | None = None
        self._params_dirty = False
        self._optimizer: Any = None
        self._kvstore: Any = None
        self._update_on_kvstore = False
        self._updater: Any = None
        self._preload_opt_states: str | None = None
        self._grad_req: Any = None
        self._exec_group: Any = None

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """Return a module from the files of `save_checkpoint`; its parameters are set when it is bound."""
        symbol, arguments, states = checkpoints.load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module._arg_params, module._aux_params = arguments, states
        module.params_initialized = True
        if load_optimizer_states:
            module._preload_opt_states = f"{prefix}-{epoch:04d}.states"
        return module

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Write graph and parameters, and with `save_optimizer_states` the optimizer's states."""
        checkpoints.save_checkpoint(prefix, epoch, self._symbol, *self.get_params(), remove_amp_cast=remove_amp_cast)
        if save_optimizer_states:
            states = f"{prefix}-{epoch:04d}.states"
            self.save_optimizer_states(states)
            logging.info('Saved optimizer state to "%s"', states)

    def save_optimizer_states(self, fname: str) -> None:
        """Write the optimizer's states."""
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname)
        else:
            Path(fname).write_bytes(self._updater.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Read what `save_optimizer_states` wrote."""
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
        else:
            self._updater._take(read_file(fname), fname)

    # -- what it is

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """Names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        names: list[str] = self._symbol.list_outputs()
        return names

    @property
    def data_shapes(self) -> list[DataDesc]:
        """Descriptions of the data."""
        return self._running().data_shapes

    @property
    def label_shapes(self) -> list[DataDesc]:
        """Descriptions of the labels."""
        return self._running().label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        return self._running().get_output_shapes()

    @property
    def _total_exec_bytes(self) -> int:
        return self._running()._total_exec_bytes

    def _running(self) -> DataParallelExecutorGroup:
        if self._exec_group is None:
            raise AssertionError("the module is not bound: call bind first")
        group: DataParallelExecutorGroup = self._exec_group
        return group

    # -- arrays

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
        """Allocate arrays for batches of these shapes; a second time only with `force_rebind`.

        Parameters are those of `shared_module` where it is given. Raises ValueError if the names of the data are
        others than the module's.
        """
        if force_rebind:
            self.binded, self._exec_group = False, None
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        data, labels = described(data_shapes), described(label_shapes or ())
        if sorted(d.name for d in data) != sorted(self._data_names):
            raise ValueError(f"Data provided by data_shapes don't match names specified: {data} vs. {self._data_names}")
        self._exec_group = DataParallelExecutorGroup(
            self._symbol,
            self._context,
            self._work_load_list,
            data,
            labels,
            self._param_names,
            for_training,
            inputs_need_grad,
            shared_group=None if shared_module is None else shared_module._running(),
            logger=self.logger,
            fixed_param_names=self._fixed_param_names,
            grad_req=grad_req,
            state_names=self._state_names,
            group2ctxs=self._group2ctxs,
        )
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        self.binded = True
        if shared_module is not None:
            self.params_initialized = shared_module.params_initialized
            self._arg_params, self._aux_params = shared_module._arg_params, shared_module._aux_params
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:
            self._exec_group.set_params(self._arg_params, self._aux_params)
        else:
            self._arg_params, self._aux_params = {}, {}
            self._exec_group.get_params(self._arg_params, self._aux_params)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Take batches of other shapes; parameters stay."""
        self._running().reshape(data_shapes, label_shapes)

    def init_params(
        self,
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill parameters with given arrays, or by the initializer. Raises RuntimeError for a missing one.

        Nothing happens the second time without `force_init`.
        """
        if self.params_initialized and not force_init:
            warnings.warn(
                "Parameters already initialized and force_init=False. init_params call ignored.", stacklevel=2
            )
            return
        group = self._running()
        attributes = self._symbol.attr_dict()
        for own, given in ((self._arg_params or {}, arg_params), (self._aux_params or {}, aux_params)):
            for name, array in sorted(own.items()):
                if given is not None and name in given:
                    if given[name] is not array:
                        array[:] = given[name].astype(array.dtype)
                elif given is not None and not allow_missing:
                    raise RuntimeError(f"{name} is not presented")
                elif initializer is not None:
                    initializer(initializers.InitDesc(name, attributes.get(name)), array)
        self.params_initialized = True
        self._params_dirty = False
        group.set_params(self._arg_params or {}, self._aux_params, allow_extra=allow_extra)

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name."""
        self._require_parameters()
        arguments, states = self._arg_params or {}, self._aux_params or {}
        if self._params_dirty:
            self._running().get_params(arguments, states)
            self._pull_rows(arguments)
            self._params_dirty = False
        return arguments, states

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters from arrays by name. Raises RuntimeError for a missing one, ValueError for an extra one."""
        if not allow_missing:
            self.init_params(None, arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            warnings.warn("Parameters already initialized and force_init=False. set_params call ignored.", stacklevel=2)
            return
        self._running().set_params(arg_params, aux_params, allow_extra=allow_extra)
        self.params_initialized = self._params_dirty = True

    # -- the optimizer

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer: an object, or a name with its arguments. Gradients are divided by the batch size.

        Several devices exchange gradients and parameters through `kvstore`.
        """
        self._require_parameters()
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        self.get_params()
        self._kvstore = self._store(kvstore)
        self._update_on_kvstore = self._kvstore is not None
        if isinstance(optimizer, str):
            given = dict(optimizer_params)
            given.setdefault("rescale_grad", 1.0 / self._running().batch_size)
            optimizer = optimizers.create(optimizer, sym=self._symbol, param_idx2name=self._numbered(), **given)
        elif not optimizer.idx2name:
            optimizer.idx2name = self._numbered()
        self._optimizer = optimizer
        if self._update_on_kvstore:
            self._kvstore.set_optimizer(optimizer)
            for name, copies in zip(self._param_names, self._running().param_arrays, strict=True):
                self._kvstore.init(name, (self._arg_params or {})[name])
                self._kvstore.pull(name, copies)
        else:
            self._updater = optimizers.get_updater(optimizer)
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def _store(self, kvstore: Any) -> Any:
        if isinstance(kvstore, str):
            return stores.create(kvstore) if len(self._context) > 1 or "dist" in kvstore else None
        return kvstore

    def _numbered(self) -> dict[int, str]:
        """Return names of the parameters by the numbers that the updater uses."""
        if self._update_on_kvstore:
            return dict(enumerate(self._param_names))
        devices = len(self._context)
        return {k * devices + j: name for k, name in enumerate(self._param_names) for j in range(devices)}

    def borrow_optimizer(self, shared_module: Module) -> None:
        """Update with the optimizer of another module. Raises AssertionError if it has none."""
        if not shared_module.optimizer_initialized:
            raise AssertionError("the module to borrow from has no optimizer")
        self._optimizer, self._updater = shared_module._optimizer, shared_module._updater
        self._kvstore, self._update_on_kvstore = shared_module._kvstore, shared_module._update_on_kvstore
        self.optimizer_initialized = True

    def update(self) -> None:
        """Update the parameters along their gradients."""
        if not self.optimizer_initialized:
            raise AssertionError("call init_optimizer first")
        self._params_dirty = True
        group = self._running()
        arrays = zip(self._param_names, group.param_arrays, group.grad_arrays, strict=True)
        for k, (name, weights, gradients) in enumerate(arrays):
            if gradients[0] is None:
                continue
            if self._update_on_kvstore:
                self._kvstore.push(name, gradients, priority=-k)
                self._kvstore.pull(name, weights, priority=-k)
                continue
            for j, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
                self._updater(k * len(weights) + j, gradient, weight)

    def _pull_rows(self, arguments: Mapping[str, NDArray]) -> None:
        """Copy all rows of row_sparse parameters from the store: devices have those of the last batch alone."""
        if self._kvstore is None or not self._update_on_kvstore:
            return
        for name, array in arguments.items():
            if array.stype == "row_sparse":
                self._kvstore.row_sparse_pull(name, array, row_ids=nd.arange(array.shape[0], dtype="int64"))

    # -- running

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Pull the rows of row_sparse parameters that `sparse_row_id_fn` names for a batch, by parameter.

        Raises AssertionError if it returns no dictionary, ValueError for an unknown parameter.
        """
        if sparse_row_id_fn is None:
            return
        if self._kvstore is None or not self._update_on_kvstore:
            message = "Parameters are not updated in the KVStore. No need to call sparse_row_id_fn."
            warnings.warn(message, stacklevel=2)
            return
        wanted = sparse_row_id_fn(data_batch)
        if not isinstance(wanted, dict):
            raise AssertionError("Expected dict output from sparse_row_id_fn")
        group = self._running()
        for name, rows in wanted.items():
            copies = group.param_arrays[group.param_names.index(name)]
            if copies[0].stype == "row_sparse":
                self._kvstore.row_sparse_pull(name, copies, row_ids=rows)
            else:
                message = f"{name}.stype is not 'row_sparse'. No need to perform row_sparse_pull."
                warnings.warn(message, stacklevel=2)

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch; arrays are bound anew where its shapes differ."""
        self._require_parameters()
        group = self._running()
        batch: Any = data_batch[0] if isinstance(data_batch, list) else data_batch
        if tuple(x.shape for x in batch.data) != tuple(d.shape for d in group.data_shapes):
            data = [_like(d, x.shape) for d, x in zip(group.data_shapes, batch.data, strict=True)]
            label = getattr(batch, "label", None)
            labels = [_like(d, x.shape) for d, x in zip(group.label_shapes, label or (), strict=False)]
            self.reshape(getattr(batch, "provide_data", None) or data, getattr(batch, "provide_label", None) or labels)
        group.forward(data_batch, is_train)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor, which sees the outputs of all operators of the graph."""
        self._running().install_monitor(mon)


def _like(described: DataDesc, shape: tuple[int, ...]) -> DataDesc:
    return DataDesc(described.name, shape, described.dtype, described.layout)
