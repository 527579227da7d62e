"""Trainer: applies an optimizer to parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridlint.runtime import autograd
from hybridlint.runtime import kvstore as stores
from hybridlint.runtime import optimizer as optimizers
from hybridlint.runtime.core.regular_files import read_file
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.param_dict import ParameterDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hybridlint.runtime.context import Context
    from hybridlint.runtime.ndarray.ndarray import NDArray


class Trainer:
    """Applies an optimizer (an object, or a name with arguments) to parameters after each backward pass.

    Parameters on several contexts exchange gradients through `kvstore`, which also updates them unless
    `update_on_kvstore` is false. Raises ValueError for invalid parameters and for an unknown optimizer, RuntimeError
    for an uninitialized parameter, AssertionError if the parameters are not all on the same contexts.
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
        self._param2idx = {param.name: index for index, param in enumerate(self._params)}
        self._optimizer = _optimizer(optimizer, optimizer_params, self._params)
        self._scale = self._optimizer.rescale_grad
        self._updaters: list[optimizers.Updater] = []
        #: What scales the losses of mixed precision, and `_scale` without it.
        self._amp_loss_scaler: Any = None
        self._amp_original_scale = self._scale
        self._contexts: list[Context] = []
        self._kvstore_params = {"kvstore": kvstore, "update_on_kvstore": update_on_kvstore}
        self._reset_kvstore()
        for param in self._params:
            param._set_trainer(self)
        _require_same_contexts(self._params)

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

    def _reset_kvstore(self) -> None:
        """Forget the store and its state: the next update makes a new store."""
        self._kv_initialized = False
        self._kvstore: Any = None
        self._update_on_kvstore: bool | None = None
        #: Parameters that the store has not been given yet.
        self._params_to_init = list(self._params)

    def _init_kvstore(self) -> None:
        """Choose how gradients are exchanged and what updates the parameters, and give the store their weights."""
        if not self._kv_initialized:
            for _, param in self._trained():
                self._contexts += [context for context in param.list_ctx() if context not in self._contexts]
            store = self._kvstore_params["kvstore"]
            if isinstance(store, str):
                store = stores.create(store) if len(self._contexts) > 1 or self._sparse_weights else None
            self._kvstore = store or None
            self._update_on_kvstore = self._where()
            if self._update_on_kvstore:
                self._kvstore.set_optimizer(self._optimizer)
            self._updaters = [optimizers.get_updater(self._optimizer) for _ in self._contexts]
            self._kv_initialized = True
        if self._params_to_init:
            self._init_params()

    def _where(self) -> bool | None:
        """Return whether the store updates the parameters; None without a store."""
        wish = self._kvstore_params["update_on_kvstore"]
        if self._sparse_weights and wish is False:
            raise ValueError("Cannot set update_on_kvstore=False when sparse weights are present.")
        if self._kvstore is None:
            if wish:
                raise AttributeError("update_on_kvstore=True needs a key-value store: on one device there is none")
            return None
        sparse_gradients = any(param._grad_stype != "default" for param in self._params)
        if (self._sparse_weights or sparse_gradients) and not isinstance(self._kvstore, stores.KVStore):
            raise ValueError(f"Cannot use {type(self._kvstore)} for multi-device training with sparse gradients")
        capable = self._kvstore.is_capable(stores.KVStore.OPTIMIZER)
        if wish and not capable:
            raise ValueError(f"Please set update_on_kvstore=False when training with {type(self._kvstore)}")
        return capable and (self._sparse_weights or not sparse_gradients if wish is None else wish)

    def _init_params(self) -> None:
        """Give the store the parameters that have their shapes by now."""
        waiting = [param for param in self._params_to_init if param._deferred_init]
        ready = {id(param) for param in self._params_to_init} - {id(param) for param in waiting}
        for index, param in self._trained():
            if id(param) not in ready:
                continue
            if self._update_on_kvstore:
                self._kvstore.init(index, param._arrays()[0])
            if isinstance(self._kvstore, stores.KVStoreBase):
                self._kvstore.broadcast(index, param._arrays()[0], param._arrays())
        self._params_to_init = waiting

    def step(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Sum the gradients of all contexts, divide them by `batch_size` and update the parameters.

        Raises UserWarning for a gradient that no backward has written since the last step; with `ignore_stale_grad` its
        parameter stays as it is.
        """
        self._check_and_rescale_grad(self._scale / batch_size)
        self._init_kvstore()
        if not self._update_on_kvstore:
            self._allreduce_grads()
            self._update(ignore_stale_grad)
            return
        if self._overflows():
            return
        if not ignore_stale_grad:
            self._require_fresh()
        for index, param in self._trained():
            if any(_is_fresh(data) for data in param._arrays()):
                if param.stype == "default":
                    self._kvstore._take_over(index, param._arrays()[0])
                self._kvstore.push(index, param.list_grad(), priority=-index)
                self._kvstore.pull(index, param._arrays(), priority=-index)
                _mark_used(param)

    def allreduce_grads(self) -> None:
        """Sum the gradients of all contexts. Raises RuntimeError for a parameter that is not initialized.

        Raises AssertionError if the store updates the parameters.
        """
        self._init_kvstore()
        self._require_own_update("allreduce_grads")
        self._allreduce_grads()

    def _allreduce_grads(self) -> None:
        """Sum the gradients. Trainers of other libraries override this, and `_update`."""
        for index, param in self._trained():
            gradients = param.list_grad()
            if isinstance(self._kvstore, stores.KVStoreBase):
                self._kvstore.pushpull(index, gradients, out=gradients, priority=-index)
            elif len(gradients) > 1:
                total = gradients[0]
                with autograd.pause():
                    for gradient in gradients[1:]:
                        total = total + gradient.as_in_context(total.context)
                for gradient in gradients:
                    gradient._write(total._stored)

    def update(self, batch_size: int, ignore_stale_grad: bool = False) -> None:
        """Update the parameters by gradients that are summed already. Raises UserWarning as `step` does.

        Raises AssertionError if the store updates the parameters.
        """
        self._init_kvstore()
        self._require_own_update("update")
        self._check_and_rescale_grad(self._scale / batch_size)
        self._update(ignore_stale_grad)

    def _check_and_rescale_grad(self, scale: float) -> None:
        self._optimizer.rescale_grad = scale

    def _update(self, ignore_stale_grad: bool = False) -> None:
        if self._overflows():
            return
        if not ignore_stale_grad:
            self._require_fresh()
        for index, param in self._trained():
            for data, gradient in zip(param._arrays(), param.list_grad(), strict=True):
                if _is_fresh(data):
                    self._updater(data.context)(index, gradient, data)
            _mark_used(param)

    def _overflows(self) -> bool:
        """Return whether gradients of mixed precision overflow: then nothing is updated."""
        return self._amp_loss_scaler is not None and self._amp_loss_scaler.has_overflow(self._params)

    @property
    def _sparse_weights(self) -> bool:
        """Whether the store holds weights of which the parameters have some rows."""
        return any(param.stype != "default" for param in self._params)

    def _row_sparse_pull(self, parameter: Parameter, out: Any, row_id: Any, full_idx: bool = False) -> None:
        """Copy rows of a parameter's weight from the store into arrays."""
        self._init_kvstore()
        index = next(k for k, param in enumerate(self._params) if param is parameter)
        if index not in self._kvstore._values:
            self._kvstore.init(index, parameter._arrays()[0])
        self._kvstore.row_sparse_pull(index, out=out, row_ids=row_id)

    def _set_weight(self, parameter: Parameter) -> None:
        """Forget the store, with the optimizer's states, for a parameter that was given another weight.

        Parameters of which the store alone has all rows get them.
        """
        waits = any(param is parameter for param in self._params_to_init)
        if not self._kv_initialized or not self._update_on_kvstore or waits:
            return
        for index, param in enumerate(self._params):
            if param.stype != "default" and param is not parameter and index in self._kvstore._values:
                for array in param._arrays():
                    self._kvstore._values[index].copyto(array)
        self._reset_kvstore()

    def _require_own_update(self, method: str) -> None:
        if self._update_on_kvstore:
            raise AssertionError(
                f"{method}() when parameters are updated on kvstore is not supported. Try setting `update_on_kvstore` "
                "to False when creating trainer."
            )

    def _require_fresh(self) -> None:
        for _, param in self._trained():
            for data in param._arrays():
                if data._entry is not None and not _is_fresh(data):
                    raise UserWarning(
                        f"Gradient of Parameter `{param.name}` on context {data.context} has not been updated by "
                        "backward since last `step`. This could mean a bug in your model that made it only use a "
                        "subset of the Parameters (Blocks) for this iteration. If you are intentionally only using a "
                        "subset, call step with ignore_stale_grad=True to suppress this warning and skip updating of "
                        "Parameters with stale gradient"
                    )

    def _updater(self, context: Context) -> optimizers.Updater:
        """Return the updater of a device, and let the optimizer count that device's updates."""
        place = self._contexts.index(context)
        self._optimizer._set_current_context(place)
        return self._updaters[place]

    def save_states(self, fname: str) -> None:
        """Write the optimizer and its states to a file, which MXNet reads as well."""
        self._init_kvstore()
        if self._update_on_kvstore:
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)
        else:
            Path(fname).write_bytes(self._updaters[0].get_states(dump_optimizer=True))

    def load_states(self, fname: str) -> None:
        """Restore the optimizer and its states from a file, including MXNet's. Raises MXNetError for any other."""
        self._init_kvstore()
        if self._update_on_kvstore:
            self._kvstore.load_optimizer_states(fname)
            self._optimizer = self._kvstore._states().optimizer
            return
        states = read_file(fname)
        for updater in self._updaters:
            updater._take(states, fname)
            updater.optimizer = self._updaters[0].optimizer
        self._optimizer = self._updaters[0].optimizer

    def _trained(self) -> list[tuple[int, Parameter]]:
        return [(index, param) for index, param in enumerate(self._params) if param.grad_req != "null"]


def _is_fresh(data: NDArray) -> bool:
    """Whether a backward pass has written the gradient of an array since the last update used it."""
    return data._entry is not None and data._entry[0].fresh


def _mark_used(param: Parameter) -> None:
    for data in param._arrays():
        if data._entry is not None:
            data._entry[0].fresh = False
    param.version += 1


def _optimizer(
    optimizer: str | optimizers.Optimizer, given: Mapping[str, Any] | None, params: list[Parameter]
) -> optimizers.Optimizer:
    known = dict(enumerate(params))
    if isinstance(optimizer, str):
        return optimizers.create(optimizer, param_dict=known, **(given or {}))
    if given:
        raise AssertionError("optimizer_params must be None if optimizer is an instance of Optimizer instead of str")
    optimizer.param_dict = known
    return optimizer


def _require_same_contexts(params: list[Parameter]) -> None:
    contexts = None
    for param in params:
        own = param.list_ctx()
        if contexts is not None and own != contexts:
            raise AssertionError(
                f"All Parameters must be initialized on the same set of contexts, but Parameter {param.name} is "
                f"initialized on {own} while previous Parameters are initialized on {contexts}."
            )
        contexts = own


def _listed(params: Any) -> list[Parameter]:
    if isinstance(params, (dict, ParameterDict)):
        params = [params[key] for key in sorted(params.keys())]
    if not isinstance(params, (list, tuple)):
        raise ValueError(f"First argument must be a list or dict of Parameters, got {type(params)}.")
    wrong = next((p for p in params if not isinstance(p, Parameter)), None)
    if wrong is not None:
        raise ValueError(f"First argument must be a list or dict of Parameters, got list of {type(wrong)}.")
    return list(params)
