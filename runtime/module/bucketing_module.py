"""BucketingModule: graphs for batches of several lengths, which share their parameters."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.io import DataBatch
from hybridlint.runtime.model import checkpoints
from hybridlint.runtime.module.delegation import DelegatingModule
from hybridlint.runtime.module.module import Module
from hybridlint.runtime.name import NameManager
from hybridlint.runtime.ndarray import NDArray


class BucketingModule(DelegatingModule):
    """A module for each bucket that comes up; ``sym_gen(key)`` returns its symbol, names of data and of labels.

    The bucket of `default_bucket_key` is bound first and must be the largest. Raises AssertionError without one.
    """

    def __init__(
        self,
        sym_gen: Callable[[Any], tuple[Any, Any, Any]],
        default_bucket_key: Any = None,
        logger: Any = logging,
        context: Any = None,
        work_load_list: Any = None,
        fixed_param_names: Any = None,
        state_names: Any = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        if default_bucket_key is None:
            raise AssertionError("BucketingModule needs a default_bucket_key")
        self._sym_gen, self._default_bucket_key = sym_gen, default_bucket_key
        self._options = {
            "logger": logger,
            "context": context,
            "work_load_list": work_load_list,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
            "compression_params": compression_params,
        }
        self._module_of(default_bucket_key)
        self._buckets: dict[Any, Module] = {}
        self._curr_module: Any = None
        self._curr_bucket_key: Any = None
        self._loaded: tuple[Mapping[str, NDArray], Mapping[str, NDArray]] | None = None
        self._monitor: Any = None
        self._grad_req: Any = "write"

    def _module_of(self, key: Any) -> Module:
        # Buckets have the same names for the same nodes, whatever was made before.
        with NameManager():
            symbol, data_names, label_names = self._sym_gen(key)
        return Module(symbol, data_names, label_names, **self._options)

    @staticmethod
    def load(
        prefix: str, epoch: int, sym_gen: Any = None, default_bucket_key: Any = None, **kwargs: Any
    ) -> BucketingModule:
        """Return a module with the parameters that `save_checkpoint` wrote; they are set when it is bound."""
        module = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        module._loaded = checkpoints.load_params(prefix, epoch)
        module.params_initialized = True
        return module

    @staticmethod
    def load_dict(
        sym_dict: Mapping[Any, Any] | None = None,
        sym_gen: Any = None,
        default_bucket_key: Any = None,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """Return a module with the given parameters; they are set when it is bound. `sym_gen` makes its graphs.

        Raises AssertionError without graphs or without arguments.
        """
        if sym_dict is None:
            raise AssertionError("sym_dict needs to be provided for BucketingModule.load_dict")
        if arg_params is None:
            raise AssertionError("arg_params need to be provided for BucketingModule.load_dict")
        module = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        module._loaded = arg_params, aux_params or {}
        module.params_initialized = True
        return module

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = True) -> None:
        """Write the parameters, and the graph of each bucket. Raises AssertionError before it is bound."""
        if not self._buckets:
            raise AssertionError("Empty BucketingModule cannot be saved")
        self.save_params(f"{prefix}-{epoch:04d}.params")
        for key, module in self._buckets.items():
            module.symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
        nd.save(f"{prefix}.buckets", nd.array(list(self._buckets), dtype="int32"))

    # -- what it is

    @property
    def symbol(self) -> Any:
        """The graph of the current bucket."""
        return self._running().symbol

    @property
    def data_names(self) -> list[str]:
        """Names of the data."""
        if self._curr_module is not None:
            return self._running().data_names
        return list(self._sym_gen(self._default_bucket_key)[1])

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        if self._curr_module is not None:
            return self._running().output_names
        names: list[str] = self._sym_gen(self._default_bucket_key)[0].list_outputs()
        return names

    @property
    def data_shapes(self) -> list[Any]:
        """Descriptions of the data."""
        return self._running().data_shapes

    @property
    def label_shapes(self) -> list[Any]:
        """Descriptions of the labels."""
        return self._running().label_shapes

    @property
    def output_shapes(self) -> list[Any]:
        """Names and shapes of the outputs."""
        return self._running().output_shapes

    def _running(self) -> Module:
        if self._curr_module is None:
            raise AssertionError("the module is not bound: call bind first")
        module: Module = self._curr_module
        return module

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
        """Allocate arrays for the default bucket; a second time only with `force_rebind`.

        Raises AssertionError for a shared module: buckets share among themselves.
        """
        if shared_module is not None:
            raise AssertionError("shared_module for BucketingModule is not supported")
        kept = self.get_params() if self.binded and self.params_initialized else self._loaded
        if force_rebind:
            self.binded, self._buckets, self._curr_module = False, {}, None
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        module = self._module_of(self._default_bucket_key)
        module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self._buckets[self._default_bucket_key] = self._curr_module = module
        self._curr_bucket_key = self._default_bucket_key
        self.binded = True
        if kept is not None:
            self.set_params(*kept)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Make another bucket the current one, and bind it if it is new."""
        default = self._buckets.get(self._default_bucket_key)
        if default is None:
            raise AssertionError("call bind before switching bucket")
        if bucket_key not in self._buckets:
            module = self._module_of(bucket_key)
            module.bind(
                data_shapes,
                label_shapes,
                default.for_training,
                default.inputs_need_grad,
                shared_module=default,
                grad_req=self._grad_req,
            )
            if self._monitor is not None:
                module.install_monitor(self._monitor)
            self._buckets[bucket_key] = module
        module = self._buckets[bucket_key]
        if default.optimizer_initialized and not module.optimizer_initialized:
            module.borrow_optimizer(default)
        self._curr_module, self._curr_bucket_key = module, bucket_key

    def init_params(
        self,
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill parameters with given arrays, or by the initializer."""
        if self.params_initialized and not force_init:
            return
        self._running().init_params(initializer, arg_params, aux_params, allow_missing, force_init, allow_extra)
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states by name."""
        self._running()._params_dirty = True
        return self._running().get_params()

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters from arrays by name."""
        self._running().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
        self.params_initialized = True

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose how parameters are updated, in all buckets."""
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        self._running().init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._buckets.values():
            if module is not self._curr_module:
                module.borrow_optimizer(self._running())
        self.optimizer_initialized = True

    # -- running

    def prepare(self, data_batch: Any, sparse_row_id_fn: Any = None) -> None:
        """Bind the bucket of a batch that is to come and pull its rows; the current bucket stays."""
        before = self._curr_bucket_key
        key = self._default_bucket_key if data_batch.bucket_key is None else data_batch.bucket_key
        self.switch_bucket(key, data_batch.provide_data, data_batch.provide_label)
        self._running().prepare(data_batch, sparse_row_id_fn)
        self.switch_bucket(before, None, None)

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch in its bucket."""
        key = self._default_bucket_key if data_batch.bucket_key is None else data_batch.bucket_key
        self.switch_bucket(key, data_batch.provide_data, data_batch.provide_label)
        self._running().forward(data_batch, is_train=is_train)

    def update(self) -> None:
        """Update the parameters along their gradients."""
        self._running().update()

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor in all buckets, those that are created later included."""
        self._monitor = mon
        for module in self._buckets.values():
            module.install_monitor(mon)
