"""Module: a graph with its parameters and optimizer, on one device."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridlint.runtime import initializer as initializers
from hybridlint.runtime import model
from hybridlint.runtime import optimizer as optimizers
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.io import DataBatch, DataDesc
from hybridlint.runtime.module.base_module import BaseModule
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.symbol_executor import SymbolExecutor


class Module(BaseModule):
    """A graph whose variables are data, labels, and parameters, which it trains.

    `fixed_param_names` are not trained. Raises NotImplementedError for several contexts, ValueError for data that the
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
        contexts = [context or current_context()] if isinstance(context, (Context, type(None))) else list(context)
        if len(contexts) > 1:
            raise NotImplementedError("the bundled runtime has no Module on several contexts")
        self._context = contexts[0]
        self._symbol = symbol
        self._data_names = list(data_names or ())
        self._label_names = list(label_names or ())
        arguments = symbol.list_arguments()
        missing = next((n for n in self._data_names if n not in arguments), None)
        if missing is not None:
            raise ValueError(f"You created Module with data_names={self._data_names}, but {missing!r} is no argument")
        inputs = {*self._data_names, *self._label_names, *(state_names or ())}
        self._param_names = [n for n in arguments if n not in inputs]
        self._fixed = set(fixed_param_names or ())
        self._executor: SymbolExecutor | None = None
        self._loaded: tuple[Mapping[str, NDArray], Mapping[str, NDArray]] | None = None
        self._loaded_states: Path | None = None
        self._updater: Any = None
        self._shapes: tuple[list[DataDesc], list[DataDesc]] = ([], [])

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """Return a module from the files of `save_checkpoint`; its parameters are set when they are initialized."""
        symbol, arguments, states = model.load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module._loaded = (arguments, states)
        module.params_initialized = True
        if load_optimizer_states:
            module._loaded_states = Path(f"{prefix}-{epoch:04d}.states")
        return module

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Write graph and parameters, and with `save_optimizer_states` what the optimizer remembers."""
        model.save_checkpoint(prefix, epoch, self._symbol, *self.get_params(), remove_amp_cast=remove_amp_cast)
        if save_optimizer_states:
            self.save_optimizer_states(f"{prefix}-{epoch:04d}.states")

    def save_params(self, fname: str) -> None:
        """Write the parameters."""
        model.write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Set the parameters from a file of `save_params`. Raises MXNetError for a file of another kind."""
        self.set_params(*model.read_params(fname))

    def save_optimizer_states(self, fname: str) -> None:
        """Write what the optimizer remembers."""
        Path(fname).write_bytes(self._updater.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Read what `save_optimizer_states` wrote."""
        self._updater.set_states(Path(fname).read_bytes())

    @property
    def symbol(self) -> Symbol:
        """The graph."""
        return self._symbol

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
        return self._symbol.list_outputs()

    @property
    def data_shapes(self) -> list[DataDesc]:
        """Descriptions of the data."""
        return self._shapes[0]

    @property
    def label_shapes(self) -> list[DataDesc]:
        """Descriptions of the labels."""
        return self._shapes[1]

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the outputs."""
        return [(n, o.shape) for n, o in zip(self.output_names, self._bound().outputs, strict=True)]

    # -- arrays

    def bind(
        self,
        data_shapes: Any,
        label_shapes: Any = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: str = "write",
        **_options: Any,
    ) -> None:
        """Allocate arrays for batches of these shapes; a second time only with `force_rebind`."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        kept = self.get_params() if self.binded and self.params_initialized else None
        self._shapes = (_described(data_shapes), _described(label_shapes or ()))
        self.for_training = for_training
        known = {d.name: d for group in self._shapes for d in group if d.name in self._symbol.list_arguments()}
        trained = {n: grad_req for n in self._param_names if for_training and n not in self._fixed}
        if inputs_need_grad:
            trained |= dict.fromkeys(self._data_names, grad_req)
        types = {n: d.dtype for n, d in known.items()}
        shapes = {n: d.shape for n, d in known.items()}
        self._executor = SymbolExecutor.with_zeros(self._symbol, trained, types, shapes)
        self.binded = True
        if self._loaded is not None or kept is not None:
            self.set_params(*(kept or self._loaded or ({}, {})))

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Allocate arrays for batches of other shapes; parameters stay."""
        self.bind(data_shapes, label_shapes, self.for_training, force_rebind=True)

    def init_params(
        self,
        initializer: Any = initializers.Uniform(0.01),  # noqa: B008
        arg_params: Any = None,
        aux_params: Any = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
        **_options: Any,
    ) -> None:
        """Fill parameters with given arrays, or by the initializer. Raises RuntimeError for a missing one.

        Nothing happens the second time without `force_init`.
        """
        if self.params_initialized and not force_init:
            return
        executor = self._bound()
        attributes = self._symbol.attr_dict()
        targets = {n: executor.arg_dict[n] for n in self._param_names}
        for bound, given in ((targets, arg_params), (executor.aux_dict, aux_params)):
            for name, array in bound.items():
                if given is not None and name in given:
                    array[:] = given[name]
                elif given is None or allow_missing:
                    if initializer is not None:
                        initializer(initializers.InitDesc(name, attributes.get(name)), array)
                else:
                    raise RuntimeError(f"{name} is not presented")
        self.params_initialized = True

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return copies of parameters and auxiliary states by name."""
        executor = self._bound()
        arguments = {n: executor.arg_dict[n].copy() for n in self._param_names}
        return arguments, {n: a.copy() for n, a in executor.aux_dict.items()}

    def set_params(
        self,
        arg_params: Any,
        aux_params: Any,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Set parameters from arrays by name. Raises RuntimeError for a missing one, ValueError for an extra one."""
        if not allow_extra:
            known = {*self._param_names, *self._bound().aux_dict}
            extra = next((n for n in (*(arg_params or ()), *(aux_params or ())) if n not in known), None)
            if extra is not None:
                raise ValueError(f"{extra} is no parameter of the graph; pass allow_extra=True to ignore it")
        self.init_params(None, arg_params, aux_params, allow_missing=allow_missing, force_init=force_init)

    # -- running

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer: an object, or a name with its arguments. Gradients are divided by the batch size."""
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        if isinstance(optimizer, str):
            given = dict(optimizer_params)
            given.setdefault("rescale_grad", 1.0 / self._shapes[0][0].shape[0])
            names = dict(enumerate(self._param_names))
            optimizer = optimizers.create(optimizer, sym=self._symbol, param_idx2name=names, **given)
        self._updater = optimizers.get_updater(optimizer)
        self.optimizer_initialized = True
        if self._loaded_states is not None:
            self.load_optimizer_states(str(self._loaded_states))
            self._loaded_states = None

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch; arrays are bound anew where its shapes differ."""
        given = dict(zip([d.name for d in self._shapes[0]], data_batch.data, strict=True))
        if data_batch.label:
            given.update(zip([d.name for d in self._shapes[1]], data_batch.label, strict=False))
        executor = self._bound()
        given = {n: a for n, a in given.items() if n in executor.arg_dict}
        if any(executor.arg_dict[n].shape != a.shape for n, a in given.items()):
            self._executor = executor = executor.reshape(
                partial_shaping=True, allow_up_sizing=True, **{n: a.shape for n, a in given.items()}
            )
        executor.forward(is_train=self.for_training if is_train is None else is_train, **given)

    def backward(self, out_grads: Any = None) -> None:
        """Compute gradients of the last batch."""
        self._bound().backward(out_grads)

    def update(self) -> None:
        """Update the parameters along their gradients."""
        executor = self._bound()
        for index, name in enumerate(self._param_names):
            gradient = executor.grad_dict[name]
            if gradient is not None:
                self._updater(index, gradient, executor.arg_dict[name])

    def get_outputs(self, merge_multi_context: bool = True) -> list[NDArray]:
        """Return the outputs of the last batch."""
        return self._bound().outputs

    def get_input_grads(self, merge_multi_context: bool = True) -> list[NDArray | None]:
        """Return the gradients of the data."""
        return [self._bound().grad_dict[n] for n in self._data_names]

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Let a metric see labels and outputs."""
        named = dict(zip([d.name for d in self._shapes[1]], labels or (), strict=False))
        eval_metric.update_dict(named, dict(zip(self.output_names, self.get_outputs(), strict=True)))

    def _bound(self) -> SymbolExecutor:
        if self._executor is None:
            raise AssertionError("the module is not bound: call bind first")
        return self._executor


def _described(shapes: Any) -> list[DataDesc]:
    return [d if isinstance(d, DataDesc) else DataDesc(*d) for d in shapes]
