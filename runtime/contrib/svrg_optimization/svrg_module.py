"""SVRGModule: a Module that trains by stochastic gradients of reduced variance."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.context import Context, cpu
from hybridlint.runtime.contrib.svrg_optimization.svrg_optimizer import _SVRGOptimizer
from hybridlint.runtime.io import DataBatch
from hybridlint.runtime.module.module import Module
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol


class SVRGModule(Module):
    """Every `update_freq` epochs keeps the weights as an anchor, and the mean of all batches' gradients there.

    A batch's gradient then loses what the same batch has for a gradient at the anchor, and gets that mean instead: its
    expectation stays, its variance falls (Johnson and Zhang, 2013). Raises TypeError or ValueError for an `update_freq`
    that is no positive integer.
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
        update_freq: int | None = None,
    ) -> None:
        if not isinstance(update_freq, int):
            raise TypeError("update_freq must be an integer: after how many epochs full gradients are computed")
        if update_freq <= 0:
            raise ValueError(
                "update_freq must be a positive integer: after how many epochs full gradients are computed"
            )
        options = (symbol, data_names, label_names, logger, context or cpu(), work_load_list, fixed_param_names)
        rest = (state_names, group2ctxs, compression_params)
        super().__init__(*options, *rest)
        self.update_freq = update_freq
        #: The module whose weights are the anchor.
        self._mod_aux = Module(*options, *rest)
        #: Name of a parameter -> the full gradient, for each device; None before there is an optimizer.
        self._param_dict: list[dict[str, NDArray]] | None = None
        self._ctx_len = len(self._context)

    # -- what is bound

    def _reset_bind(self) -> None:
        self.binded = self._mod_aux.binded = False
        self._exec_group = self._mod_aux._exec_group = None

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
        """Allocate arrays of the module and, for training, of its anchor."""
        if force_rebind:
            self._reset_bind()
        options = (data_shapes, label_shapes, for_training, inputs_need_grad, force_rebind, shared_module, grad_req)
        super().bind(*options)
        if for_training:
            self._mod_aux.bind(*options)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Take batches of other shapes; parameters stay."""
        super().reshape(data_shapes, label_shapes)
        self._mod_aux.reshape(data_shapes, label_shapes)

    # -- the optimizer

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        force_init: bool = False,
    ) -> None:
        """Choose the optimizer, and have memory for full gradients on every device."""
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        chosen = self._create_optimizer(_SVRGOptimizer.__name__, optimizer, kvstore, optimizer_params)
        super().init_optimizer(kvstore, chosen, optimizer_params, force_init)
        group = self._running()
        self._param_dict = [
            {
                name: nd.zeros_like(arrays[device])
                for name, arrays in zip(self._param_names, group.param_arrays, strict=True)
            }
            for device in range(self._ctx_len)
        ]
        if self._kvstore is None:
            return
        for name, arrays in zip(self._param_names, group.param_arrays, strict=True):
            self._kvstore.init(_full(name), self._param_dict[0][name])
            if self._update_on_kvstore:
                # MXNet pulls the zeros into the parameters, with which the first batch runs. Its update restores them.
                self._kvstore.pull(_full(name), arrays)

    def _create_optimizer(
        self, optimizer: str, default_opt: Any, kvstore: Any, optimizer_params: Any
    ) -> _SVRGOptimizer:
        """Return the optimizer of weights and full gradients, which updates the weights by `default_opt`."""
        self._kvstore = self._store(kvstore)
        self._update_on_kvstore = self._kvstore is not None
        numbers: Mapping[int, str] = self._numbered()
        names = {**numbers, **{len(numbers) + k: _full(name) for k, name in enumerate(self._param_names)}}
        given = dict(optimizer_params)
        given.setdefault("rescale_grad", 1.0 / self._running().batch_size)
        return _SVRGOptimizer(default_opt, sym=self._symbol, param_idx2name=names, **given)

    # -- running

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Run a batch, in training at the anchor too."""
        super().forward(data_batch, is_train)
        if is_train:
            self._mod_aux.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients, at the anchor too."""
        super().backward(out_grads)
        if self._mod_aux.binded:
            self._mod_aux.backward(out_grads)

    def update(self) -> None:
        """Update the parameters along gradients of reduced variance."""
        self._update_svrg_gradients()
        super().update()

    def _begin_epoch(self, epoch: int, train_data: Any) -> None:
        if epoch % self.update_freq == 0:
            self.update_full_grads(train_data)
        train_data.reset()

    def _end_epoch(self, train_data: Any) -> None:
        """Leave the iterator as it is: an epoch begins with its reset."""

    def update_full_grads(self, train_data: Any) -> None:
        """Make the present weights the anchor, and compute the mean gradient of all batches there.

        As in MXNet, the sum of the gradients starts at the last such mean.
        """
        full = self._full_gradients()
        self._mod_aux.set_params(*self.get_params())
        train_data.reset()
        batches, padding = 0, 0
        for batch in train_data:
            self._mod_aux.forward(batch, is_train=True)
            self._mod_aux.backward()
            for device in range(self._ctx_len):
                for name, gradients in self._gradients(self._mod_aux):
                    total = full[device][name]
                    total += gradients[device]
            batches, padding = batches + 1, batch.pad or 0
        # What the last batch repeats of the first counts as part of a batch.
        count = batches - padding / train_data.batch_size
        for name, _ in self._gradients(self._mod_aux):
            means = [full[device][name] / count for device in range(self._ctx_len)]
            if self._kvstore is None:
                self._allocate_gradients(name, means)
            else:
                self._accumulate_kvstore(name, means)

    def _accumulate_kvstore(self, key: str, value: list[NDArray]) -> None:
        """Sum a full gradient over the devices, and share the sum out among them."""
        self._kvstore.push(_full(key), value)
        self._kvstore._barrier()
        self._kvstore.pull(_full(key), value)
        self._allocate_gradients(key, value)

    def _allocate_gradients(self, key: str, value: Sequence[NDArray]) -> None:
        for device, full in enumerate(self._full_gradients()):
            full[key] = value[device] / self._ctx_len

    def _svrg_grads_update_rule(
        self,
        g_curr_batch_curr_weight: NDArray,
        g_curr_batch_special_weight: NDArray,
        g_special_weight_all_batch: NDArray,
    ) -> NDArray:
        """Return the gradient of reduced variance, written over the first: it loses the second, and gets the third."""
        g_curr_batch_curr_weight -= g_curr_batch_special_weight
        g_curr_batch_curr_weight += g_special_weight_all_batch
        return g_curr_batch_curr_weight

    def _update_svrg_gradients(self) -> None:
        anchors = dict(self._gradients(self._mod_aux))
        for name, gradients in self._gradients(self):
            for device, gradient in enumerate(gradients):
                self._svrg_grads_update_rule(gradient, anchors[name][device], self._full_gradients()[device][name])

    def _gradients(self, module: Module) -> list[tuple[str, list[NDArray]]]:
        """Return the gradients of a module's trained parameters, with their names."""
        group = module._running()
        named = zip(group.param_names, group.grad_arrays, strict=True)
        return [
            (name, [g for g in gradients if g is not None]) for name, gradients in named if gradients[0] is not None
        ]

    def _full_gradients(self) -> list[dict[str, NDArray]]:
        if self._param_dict is None:
            raise AssertionError("call init_optimizer first")
        return self._param_dict


def _full(name: str) -> str:
    return f"{name}_full"
