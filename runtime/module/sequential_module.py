"""SequentialModule: modules one after the other, each with its own parameters."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime.io import DataBatch, DataDesc
from hybridlint.runtime.module.base_module import BaseModule
from hybridlint.runtime.ndarray import NDArray

if TYPE_CHECKING:
    from typing_extensions import Self


class SequentialModule(BaseModule):
    """The outputs of each module are the data of the next."""

    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger)
        self._modules: list[Any] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: Any = None

    def add(self, module: Any, **kwargs: Any) -> Self:
        """Put a module at the end: `take_labels` gives it the labels, `auto_wiring` renames data to what it expects.

        Raises AssertionError for another keyword.
        """
        unknown = set(kwargs) - {self.META_TAKE_LABELS, self.META_AUTO_WIRING}
        if unknown:
            raise AssertionError(f"Unknown meta {sorted(unknown)}, a typo?")
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    @property
    def data_names(self) -> list[str]:
        """Names of the data of the first module."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs of the last module."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> list[Any]:
        """Descriptions of the data."""
        found: list[Any] = self._modules[0].data_shapes
        return found

    @property
    def label_shapes(self) -> list[Any]:
        """Descriptions of the labels."""
        return list(self._label_shapes or ())

    @property
    def output_shapes(self) -> list[Any]:
        """Names and shapes of the outputs."""
        found: list[Any] = self._modules[-1].output_shapes
        return found

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
        """Allocate arrays of all modules. Raises AssertionError for none, and for a shared module."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if shared_module is not None or not self._modules:
            raise AssertionError("a SequentialModule needs modules, and shares with no other one")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        shapes: Any = data_shapes
        taken = False
        for k, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            takes = bool(meta.get(self.META_TAKE_LABELS))
            taken = taken or takes
            if meta.get(self.META_AUTO_WIRING):
                shapes = [_renamed(name, d) for name, d in zip(module.data_names, shapes, strict=True)]
            module.bind(
                data_shapes=shapes,
                label_shapes=label_shapes if takes else None,
                for_training=for_training,
                inputs_need_grad=inputs_need_grad or (for_training and k > 0),
                force_rebind=force_rebind,
                grad_req=grad_req,
            )
            shapes = module.output_shapes
        self._label_shapes = label_shapes if taken else None
        self.binded = True

    def init_params(
        self,
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Fill parameters of all modules. Raises AssertionError if two have one of the same name."""
        if self.params_initialized and not force_init:
            return
        seen: set[str] = set()
        for module in self._modules:
            module.init_params(
                initializer=initializer,
                arg_params=arg_params,
                aux_params=aux_params,
                allow_missing=allow_missing,
                force_init=force_init,
                allow_extra=True,
            )
            own = {name for params in module.get_params() for name in params}
            if own & seen:
                raise AssertionError(f"Duplicated parameter names: {sorted(own & seen)}")
            seen |= own
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return parameters and auxiliary states of all modules by name."""
        found = [module.get_params() for module in self._modules]
        return {n: a for args, _ in found for n, a in args.items()}, {n: a for _, aux in found for n, a in aux.items()}

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose how the parameters of all modules are updated."""
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        for module in self._modules:
            module.init_optimizer(
                kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params, force_init=force_init
            )
        self.optimizer_initialized = True

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch through all modules."""
        batch = DataBatch(data_batch.data, data_batch.label, data_batch.pad, data_batch.index)
        for module in self._modules:
            module.forward(batch, is_train=is_train)
            batch = DataBatch(module.get_outputs(), data_batch.label, data_batch.pad, data_batch.index)

    def backward(self, out_grads: Any = None) -> None:
        """Compute gradients of all modules, the last one's first."""
        for k, module in reversed(list(enumerate(self._modules))):
            module.backward(out_grads=out_grads)
            if k > 0:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Update the parameters of all modules."""
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last module."""
        found: list[Any] = self._modules[-1].get_outputs(merge_multi_context=merge_multi_context)
        return found

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data of the first module."""
        found: list[Any] = self._modules[0].get_input_grads(merge_multi_context=merge_multi_context)
        return found

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the labels and the outputs of those modules that take labels."""
        for module, meta in zip(self._modules, self._metas, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor in all modules."""
        for module in self._modules:
            module.install_monitor(mon)


def _renamed(name: str, described: Any) -> DataDesc:
    return DataDesc(name, described[1], *(() if len(described) < 4 else described[2:]))
