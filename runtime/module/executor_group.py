"""A graph bound once for each device: batches are split between them, outputs joined again."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context
from hybridlint.runtime.executor import Executor, concerns_storage, give_storage
from hybridlint.runtime.io import DataDesc
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.symbol.node import topological
from hybridlint.runtime.symbol.placement import of_variables

#: Arrays of one name, one a device.
_PerDevice = list[NDArray]


class DataParallelExecutorGroup:
    """Executors of one graph, one for each context; `workload` says how a batch is divided.

    Parameters and gradients are those of `shared_group` where it is given, and memory of inputs is taken from it.
    Raises ValueError if a batch is smaller than the number of devices.
    """

    def __init__(
        self,
        symbol: Symbol,
        contexts: Sequence[Context],
        workload: Sequence[float],
        data_shapes: Any,
        label_shapes: Any,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: DataParallelExecutorGroup | None = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.symbol, self.contexts, self.workload = symbol, list(contexts), list(workload)
        self.param_names = list(param_names)
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        self.fixed_param_names = list(fixed_param_names or ())
        self.state_names = list(state_names or ())
        self.logger = logger
        self.group2ctxs = contexts_of_groups(group2ctxs, len(self.contexts))
        self.arg_names = symbol.list_arguments()
        self.aux_names = symbol.list_auxiliary_states()
        self.output_layouts = [DataDesc.get_batch_axis(output.attr("__layout__")) for output in symbol]
        self.shared_data_arrays: list[dict[str, NDArray]] = (
            [{} for _ in self.contexts] if shared_group is None else shared_group.shared_data_arrays
        )
        self._describe(data_shapes, label_shapes)
        self.grad_req = self._requests(grad_req)
        self._first = [self._bound(k, shared_group) for k in range(len(self.contexts))]
        self.execs = self._first

    # -- what is bound

    def _describe(self, data_shapes: Any, label_shapes: Any) -> None:
        self.data_shapes = described(data_shapes)
        self.label_shapes = described(label_shapes or ())
        self.data_names = [d.name for d in self.data_shapes]
        self.label_names = [d.name for d in self.label_shapes]
        sizes = {d.name: d.shape[axis] for d in self._inputs if (axis := DataDesc.get_batch_axis(d.layout)) >= 0}
        if len(set(sizes.values())) > 1:
            raise AssertionError(f"all data must have the same batch size, got {sizes}")
        self.batch_size = next(iter(sizes.values()), 0)
        self.slices = slices_of(self.batch_size, self.workload)

    @property
    def _inputs(self) -> list[DataDesc]:
        return [*self.data_shapes, *self.label_shapes]

    def _shapes(self, device: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes of a device's part of a batch."""
        found = {}
        part = self.slices[device]
        for each in self._inputs:
            shape, axis = list(each.shape), DataDesc.get_batch_axis(each.layout)
            if axis >= 0:
                shape[axis] = part.stop - part.start
            if each.name in self.arg_names:
                found[each.name] = tuple(shape)
        return found

    def _requests(self, grad_req: Any) -> dict[str, str]:
        if not self.for_training:
            return dict.fromkeys(self.arg_names, "null")
        if isinstance(grad_req, dict):
            return {**self._requests("write"), **grad_req}
        if isinstance(grad_req, (list, tuple)):
            return dict(zip(self.arg_names, grad_req, strict=True))
        trained = {n for n in self.param_names if n not in self.fixed_param_names}
        if self.inputs_need_grad:
            trained |= set(self.data_names)
        return {n: grad_req if n in trained else "null" for n in self.arg_names}

    def _bound(self, device: int, shared: DataParallelExecutorGroup | None) -> Executor:
        shapes, _, aux_shapes = self.symbol.infer_shape(**self._shapes(device))
        if shapes is None:
            raise ValueError(f"the shapes of {self.data_names} are not enough to infer those of all arguments")
        given = {d.name: d.dtype for d in self._inputs if d.name in self.arg_names}
        types, _, aux_types = self.symbol.infer_type(**given)
        ctx = self.contexts[device]
        groups = self.group2ctxs[device]
        places = of_variables(topological(self.symbol._entries), groups, ctx)
        other = None if shared is None else shared.execs[device]
        args, gradients = {}, {}
        for name, shape, dtype in zip(self.arg_names, shapes, types, strict=True):
            known = None if other is None else other.arg_dict.get(name)
            if name not in self.param_names:
                args[name] = self._pooled(device, name, shape, dtype, places[name])
            elif known is not None and known.shape == shape:
                args[name] = known
            else:
                args[name] = nd.zeros(shape, ctx=places[name], dtype=dtype)
            if self.grad_req.get(name, "null") != "null":
                kept = other.grad_dict.get(name) if other is not None and args[name] is known else None
                gradients[name] = nd.zeros(shape, ctx=places[name], dtype=dtype) if kept is None else kept
        states = {}
        for name, shape, dtype in zip(self.aux_names, aux_shapes, aux_types, strict=True):
            known = None if other is None else other.aux_dict.get(name)
            states[name] = nd.zeros(shape, ctx=places[name], dtype=dtype) if known is None else known
        if concerns_storage(self.symbol, {}):
            give_storage(self.symbol, args, gradients, states, {})
        try:
            return Executor(self.symbol, args, gradients, self.grad_req, states, ctx=ctx, group2ctx=groups)
        except MXNetError as error:
            raise RuntimeError(f"simple_bind error: {error}") from error

    def _pooled(self, device: int, name: str, shape: tuple[int, ...], dtype: Any, ctx: Context) -> NDArray:
        """Return an input's array in memory that groups share; a larger one takes the place of what was there."""
        pool = self.shared_data_arrays[device]
        size = 1
        for length in shape:
            size *= length
        kept = pool.get(name)
        if kept is not None and kept.size >= size and kept.dtype == dtype:
            return kept if kept.shape == shape else kept.reshape((-1,))[:size].reshape(shape)
        pool[name] = nd.zeros(shape, ctx=ctx, dtype=dtype)
        return pool[name]

    def reshape(self, data_shapes: Any, label_shapes: Any) -> None:
        """Accept batches of other shapes; parameters stay. Raises MXNetError if the shapes need other parameters."""
        before = self.data_shapes, self.label_shapes
        self._describe(data_shapes, label_shapes)
        try:
            self.execs = [
                first.reshape(partial_shaping=False, allow_up_sizing=True, **self._shapes(k))
                for k, first in enumerate(self._first)
            ]
        except MXNetError:
            self._describe(*before)
            raise

    # -- arrays by name

    @property
    def param_arrays(self) -> list[_PerDevice]:
        """Parameters, each on all devices."""
        return [[e.arg_dict[n] for e in self.execs] for n in self.param_names]

    @property
    def grad_arrays(self) -> list[list[NDArray | None]]:
        """Gradients of the parameters, each on all devices."""
        return [[e.grad_dict.get(n) for e in self.execs] for n in self.param_names]

    @property
    def aux_arrays(self) -> list[_PerDevice]:
        """Auxiliary states, each on all devices."""
        return [[e.aux_dict[n] for e in self.execs] for n in self.aux_names]

    @property
    def state_arrays(self) -> list[_PerDevice]:
        """States, each on all devices."""
        return [[e.arg_dict[n] for e in self.execs] for n in self.state_names]

    @property
    def _total_exec_bytes(self) -> int:
        """Memory of the first batches' arrays, in bytes."""
        bound = [a for e in self._first for group in (e.arg_dict, e.grad_dict, e.aux_dict) for a in group.values()]
        return sum(a._data.nbytes for a in bound if a is not None)

    def set_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray] | None, allow_extra: bool = False
    ) -> None:
        """Copy parameters to all devices. Raises ValueError for extra names, unless allowed."""
        for executor in self.execs:
            executor.copy_params_from(arg_params, aux_params, allow_extra_params=allow_extra)

    def get_params(self, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
        """Copy parameters, averaged over the devices, into dictionaries."""
        names = [(self.param_names, self.param_arrays, arg_params), (self.aux_names, self.aux_arrays, aux_params)]
        for own, arrays, target in names:
            for name, copies in zip(own, arrays, strict=True):
                mean = sum(copies[1:], copies[0]) / len(copies) if len(copies) > 1 else copies[0]
                if name in target:
                    target[name][:] = mean.astype(target[name].dtype)
                else:
                    target[name] = mean.copy()

    # -- running

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Run a batch, each device its part."""
        given = list(zip(self.data_shapes, data_batch.data, strict=True))
        label = getattr(data_batch, "label", None)
        if label:
            given += list(zip(self.label_shapes, label, strict=False))
        for k, executor in enumerate(self.execs):
            parts = {d.name: self._part(d, array, k) for d, array in given if d.name in self.arg_names}
            executor.forward(is_train=self.for_training if is_train is None else is_train, **parts)

    def _part(self, described: DataDesc, array: NDArray, device: int) -> NDArray:
        return self._cut(array, DataDesc.get_batch_axis(described.layout), device)

    def _cut(self, array: NDArray, axis: int, device: int) -> NDArray:
        if len(self.execs) == 1 or axis < 0:
            return array
        part = self.slices[device]
        cut: NDArray = nd.slice_axis(array, axis=axis, begin=part.start, end=part.stop)
        return cut

    def backward(self, out_grads: Any = None) -> None:
        """Compute gradients of the last batch. Raises AssertionError if the group is not for training."""
        if not self.for_training:
            raise AssertionError("re-bind with for_training=True to run backward")
        heads = [] if out_grads is None else out_grads if isinstance(out_grads, (list, tuple)) else [out_grads]
        for k, executor in enumerate(self.execs):
            own = [self._cut(g, axis, k) for g, axis in zip(heads, self.output_layouts, strict=False)]
            executor.backward(own or None)

    def get_outputs(self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None) -> list[Any]:
        """Return the outputs of the last batch: joined, or for each output a list of the devices' own."""
        count = len(self.output_layouts) if end is None else end
        found = [[e.outputs[k] for e in self.execs] for k in range(begin, count)]
        return self._merged(found, self.output_layouts[begin:count]) if merge_multi_context else found

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return names and shapes of the outputs of a whole batch."""
        found = []
        for name, output, axis in zip(
            self.symbol.list_outputs(), self.execs[0].outputs, self.output_layouts, strict=True
        ):
            shape = list(output.shape)
            if axis >= 0 and len(self.execs) > 1:
                shape[axis] = self.batch_size
            found.append((name, tuple(shape)))
        return found

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the data. Raises AssertionError if they were not asked for."""
        if not self.inputs_need_grad:
            raise AssertionError("bind with inputs_need_grad=True to have the gradients of inputs")
        found: list[Any] = [[e.grad_dict[n] for e in self.execs] for n in self.data_names]
        axes = [DataDesc.get_batch_axis(d.layout) for d in self.data_shapes]
        return self._merged(found, axes) if merge_multi_context else found

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the states."""
        if merge_multi_context:
            raise AssertionError("merge_multi_context=True is not supported for get_states yet.")
        return self.state_arrays

    def set_states(self, states: Any = None, value: float | None = None) -> None:
        """Set the states from arrays of each device, or all to one number."""
        for k, copies in enumerate(self.state_arrays):
            for j, array in enumerate(copies):
                array[:] = states[k][j] if states is not None else value

    def _merged(self, arrays: Sequence[_PerDevice], axes: Sequence[int]) -> list[NDArray]:
        return [_joined(copies, axis) for copies, axis in zip(arrays, axes, strict=True)]

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the labels and outputs of each device in turn."""
        names = self.symbol.list_outputs()
        for k, executor in enumerate(self.execs):
            if pre_sliced:
                own = labels[k]
            else:
                own = [self._part(d, x, k) for d, x in zip(self.label_shapes, labels or (), strict=False)]
            named = dict(zip(self.label_names, own, strict=False))
            eval_metric.update_dict(named, dict(zip(names, executor.outputs, strict=True)))

    def install_monitor(self, mon: Any) -> None:
        """Install a monitor in all executors."""
        for executor in self.execs:
            mon.install(executor)


def described(shapes: Any) -> list[DataDesc]:
    """Return descriptions of inputs from pairs and more. Raises TypeError for a shape that is no row of numbers."""
    found = [d if isinstance(d, DataDesc) else DataDesc(*d) for d in shapes]
    for each in found:
        if any(isinstance(size, NDArray) for size in each.shape):
            raise TypeError(f"the shape of {each.name} must be a tuple of ints, got {each.shape!r}")
    return found


def slices_of(batch_size: int, workload: Sequence[float]) -> list[slice]:
    """Return each device's part of a batch. Raises ValueError if one would have none."""
    total, ends, done = sum(workload), [], 0.0
    for load in workload[:-1]:
        done += load
        ends.append(round(batch_size * done / total))
    ends.append(batch_size)
    parts = [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]
    if batch_size and any(part.start >= part.stop for part in parts):
        raise ValueError("Too many slices. Some splits are empty.")
    return parts


def _joined(copies: _PerDevice, axis: int) -> NDArray:
    if len(copies) == 1 or axis < 0:
        return copies[0]
    first = copies[0].context
    joined: NDArray = nd.concat(*[x.as_in_context(first) for x in copies], dim=axis)
    return joined


def contexts_of_groups(group2ctxs: Any, count: int) -> list[dict[str, Context]]:
    """Return the contexts of groups for each device, from one mapping for all of them or one for each.

    A group has one context for all devices, or a list with one for each. Raises AssertionError for another number.
    """
    if group2ctxs is None:
        return [{} for _ in range(count)]
    if isinstance(group2ctxs, (list, tuple)):
        if len(group2ctxs) != count:
            raise AssertionError(f"group2ctxs has {len(group2ctxs)} entries for {count} contexts")
        return [dict(each or {}) for each in group2ctxs]
    found: list[dict[str, Context]] = [{} for _ in range(count)]
    for group, given in group2ctxs.items():
        each = [given] if isinstance(given, Context) else list(given)
        if len(each) not in {1, count}:
            raise AssertionError(f"group {group} has {len(each)} contexts for {count}")
        for k in range(count):
            found[k][group] = each[k % len(each)]
    return found
