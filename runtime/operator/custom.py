"""Operators written in Python: a CustomOp, registered by a CustomOpProp and called as ``F.Custom``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu
from hybridlint.runtime.core import profiling
from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.facts.registry import Facts, Operator, Param
from hybridlint.runtime.facts.types import DTYPE_FLAGS, InferError, Shape, TensorType
from hybridlint.runtime.ndarray.ndarray import NDArray

Shapes = Sequence[Sequence[int]]


class CustomOp:
    """The computation of a custom operator, to be subclassed. It writes its results with `assign`."""

    def forward(
        self,
        is_train: bool,
        req: Sequence[str],
        in_data: Sequence[NDArray],
        out_data: Sequence[NDArray],
        aux: Sequence[NDArray],
    ) -> None:
        """Compute the outputs into `out_data`. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement forward")

    def backward(
        self,
        req: Sequence[str],
        out_grad: Sequence[NDArray],
        in_data: Sequence[NDArray],
        out_data: Sequence[NDArray],
        in_grad: Sequence[NDArray],
        aux: Sequence[NDArray],
    ) -> None:
        """Compute the gradients into `in_grad`. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement backward")

    def assign(self, dst: NDArray, req: str, src: Any) -> None:
        """Write `src` to `dst` as `req` says: overwrite, add, or do nothing."""
        if req in {"write", "inplace"}:
            dst[:] = src
        elif req == "add":
            dst[:] += src


class CustomOpProp:
    """The static properties of a custom operator, to be subclassed: names, shapes, dtypes, and its CustomOp."""

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states, which come after the inputs."""
        return []

    def infer_shape(self, in_shape: Shapes) -> tuple[Shapes, ...]:
        """Return shapes of inputs, outputs and auxiliary states. By default, outputs have the first input's."""
        return in_shape, [in_shape[0]] * len(self.list_outputs()), []

    def infer_type(self, in_type: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        """Return the dtypes of inputs, outputs and auxiliary states. By default, all have the first input's dtype."""
        return (
            in_type,
            [in_type[0]] * len(self.list_outputs()),
            [in_type[0]] * len(self.list_auxiliary_states()),
        )

    def infer_storage_type(self, in_stype: Sequence[str]) -> tuple[Sequence[str], ...]:
        """Return the storage types of inputs, outputs and auxiliary states. By default, all are dense.

        Raises AssertionError for an input in sparse storage.
        """
        if any(kind != "default" for kind in in_stype):
            raise AssertionError("arrays in sparse storage need an `infer_storage_type` of the custom operator's own")
        dense = "default"
        return list(in_stype), [dense] * len(self.list_outputs()), [dense] * len(self.list_auxiliary_states())

    def infer_storage_type_backward(
        self,
        ograd_stype: Sequence[str],
        in_stype: Sequence[str],
        out_stype: Sequence[str],
        igrad_stype: Sequence[str],
        aux_stype: Sequence[str],
    ) -> list[list[str]]:
        """Return the storage types of the arrays that backward uses. By default, all are dense."""
        return [["default"] * len(kinds) for kinds in (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return which of the numbered arrays backward reads: all, without the gradients that are not needed."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def create_operator(self, ctx: Any, in_shapes: Shapes, in_dtypes: Sequence[int]) -> CustomOp:
        """Return the computation for inputs of these shapes."""
        return CustomOp()


_registered: dict[str, Callable[..., CustomOpProp]] = {}
P = TypeVar("P", bound=Callable[..., CustomOpProp])


def register(reg_name: str) -> Callable[[P], P]:
    """Return a decorator that registers a CustomOpProp under the name that ``F.Custom`` takes as ``op_type``."""

    def keep(prop: P) -> P:
        _registered[reg_name] = prop
        return prop

    return keep


def find(params: Mapping[str, Any]) -> Operator:
    """Return the operator of a call with these parameters. Raises MXNetError if it is not registered."""
    given = {name: str(value) for name, value in params.items()}
    op_type = given.get("op_type")
    if params.get("op_type") is None:
        raise MXNetError("Required argument `op_type` is missing.")
    if op_type not in _registered:
        raise MXNetError(f"the custom operator {op_type} is not registered")
    try:
        prop = _registered[op_type](**{k: v for k, v in given.items() if k != "op_type"})
    except TypeError as error:
        raise MXNetError(f"the custom operator {op_type} does not take these parameters: {error}") from error
    return _Definition(prop, op_type).operator(given)


class _Definition:
    """An operator created from a prop. Auxiliary states are its last inputs."""

    def __init__(self, prop: CustomOpProp, name: str) -> None:
        self.name = name
        self.prop = prop
        self.arguments = len(prop.list_arguments())
        self.aux = tuple(prop.list_auxiliary_states())
        self.outputs = len(prop.list_outputs())
        self._operations: dict[Any, CustomOp] = {}

    def operator(self, params: Mapping[str, str]) -> Operator:
        names = (*self.prop.list_arguments(), *self.aux)
        return _make(
            "Custom",
            self._forward,
            self._infer,
            names,
            self.outputs,
            params,
            self.aux,
            self._gradient,
            self._complete,
            tuple(self.prop.list_outputs()),
        )

    def _complete(self, *ins: TensorType) -> tuple[TensorType | None, ...]:
        given = ins[: self.arguments]
        inputs, _, states = self._shapes_of(given)
        types, _, state_types = self._types_of(given)
        return tuple(map(TensorType, [*inputs, *states], [*types, *state_types]))

    def _infer(self, *ins: TensorType) -> tuple[TensorType, ...]:
        given = ins[: self.arguments]
        return tuple(map(TensorType, self._shapes_of(given)[1], self._types_of(given)[1]))

    def _shapes_of(self, given: Sequence[TensorType]) -> tuple[list[Shape | None], ...]:
        """Return the shapes of inputs, outputs and states that can be inferred. An unknown shape is passed as []."""
        shapes = [t.shape if t.shape and all(isinstance(d, int) for d in t.shape) else () for t in given]
        open_ones = any(not shape and t.shape != () for shape, t in zip(shapes, given, strict=True))
        counts = (self.arguments, self.outputs, len(self.aux))
        try:
            found = self._shapes([[int(d) for d in shape if isinstance(d, int)] for shape in shapes])
        except InferError:
            if open_ones:
                return tuple([None] * count for count in counts)
            raise
        if open_ones and not any(shapes):
            return tuple([None] * count for count in counts)
        return tuple([tuple(shape) if shape or not open_ones else None for shape in part] for part in found)

    def _types_of(self, given: Sequence[TensorType]) -> tuple[list[str | None], ...]:
        """Return the dtypes of inputs, outputs and states that can be inferred. An unknown dtype is passed as None."""
        asked = [None if t.dtype is None else np.dtype(t.dtype).type for t in given]
        try:
            found = self.prop.infer_type(asked)
        except Exception as error:
            if None in asked:
                return [None] * self.arguments, [None] * self.outputs, [None] * len(self.aux)
            raise InferError("data", f"infer_type of the custom operator failed: {error}") from error
        inputs, outputs, *states = found
        names = [[None if t is None else np.dtype(t).name for t in part] for part in (inputs, outputs)]
        aux = states[0] if states else [asked[0]] * len(self.aux)
        return *names, [None if t is None else np.dtype(t).name for t in aux]

    def _shapes(self, shapes: Shapes) -> tuple[Shapes, Shapes, Shapes]:
        try:
            inputs, outputs, *aux = self.prop.infer_shape(shapes)
        except Exception as error:
            raise InferError("data", f"infer_shape of the custom operator failed: {error}") from error
        return inputs, outputs, aux[0] if aux else []

    def _forward(self, xp: Any, /, *data: Any, training: bool, **params: str) -> tuple[Raw, ...]:
        inputs, aux = data[: self.arguments], data[self.arguments :]
        types = self._infer(*(TensorType(x.shape, x.dtype.name) for x in inputs))
        outputs = [np.zeros([int(d) for d in t.shape or () if isinstance(d, int)], t.dtype) for t in types]
        operation = self._create(inputs)
        with autograd.pause(training), _reported("forward"), self._profiled():
            operation.forward(
                is_train=training,
                req=["write"] * self.outputs,
                in_data=_wrap(inputs),
                out_data=_wrap(outputs),
                aux=_wrap(aux),
            )
        return tuple(outputs)

    def _profiled(self, prefix: str = "") -> AbstractContextManager[None]:
        return nullcontext() if profiling.running is None else profiling.running.custom(prefix + self.name)

    def _create(self, inputs: Sequence[Raw]) -> CustomOp:
        """Return the CustomOp for these inputs. Forward and backward share it, because it may store values."""
        key = tuple((x.shape, x.dtype.name) for x in inputs)
        found = self._operations.get(key)
        if found is None:
            flags = [DTYPE_FLAGS[x.dtype.name] for x in inputs]
            found = self.prop.create_operator(cpu(0), [list(x.shape) for x in inputs], flags)
            self._operations[key] = found
        return found

    def _gradient(self, F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        given = (g,) if self.outputs == 1 else tuple(g)
        heads = tuple(given[k] for k in self._heads_read())
        names = tuple(f"input{k}" for k in range(len(heads) + len(ins) + self.outputs))

        def infer(*types: TensorType) -> tuple[TensorType, ...]:
            return types[len(heads) : len(heads) + self.arguments]

        backward = _make("Custom_backward", self._backward, infer, names, self.arguments, {})
        found = F.call(backward, (*heads, *ins, *outs[: self.outputs]), {})
        gradients = [found] if self.arguments == 1 else list(found)
        return (*gradients, *[None] * (len(ins) - self.arguments))

    def _heads_read(self) -> list[int]:
        """Return the positions of the outputs whose gradients backward reads."""
        counts = (self.outputs, self.arguments, self.outputs)
        ends = [sum(counts[: k + 1]) for k in range(len(counts))]
        numbered = [list(range(end - count, end)) for end, count in zip(ends, counts, strict=True)]
        declared = set(self.prop.declare_backward_dependency(*numbered))
        return [k for k in range(self.outputs) if k in declared]

    def _backward(self, xp: Any, /, *data: Any, training: bool) -> tuple[Raw, ...]:
        read = self._heads_read()
        heads, rest = dict(zip(read, data, strict=False)), data[len(read) :]
        inputs, aux, outputs = rest[: self.arguments], rest[self.arguments : -self.outputs], rest[-self.outputs :]
        gradients = [np.zeros_like(x) for x in inputs]
        operation = self._create(inputs)
        with autograd.pause(training), _reported("backward"), self._profiled("_backward_"):
            operation.backward(
                req=["write"] * self.arguments,
                # MXNet hands over arrays without a shape for those that are not read.
                out_grad=_wrap([heads.get(k, np.zeros(())) for k in range(self.outputs)]),
                in_data=_wrap(inputs),
                out_data=_wrap(outputs),
                in_grad=_wrap(gradients),
                aux=_wrap(aux),
            )
        return tuple(gradients)


@contextmanager
def _reported(method: str) -> Iterator[None]:
    """Convert any exception of a user's method to MXNetError: MXNet reports only that it failed."""
    try:
        yield
    except Exception as error:
        raise MXNetError(f"{method} of the custom operator failed: {type(error).__name__}: {error}") from error


def _wrap(raws: Sequence[Raw]) -> list[NDArray]:
    return [NDArray._wrap(raw) for raw in raws]


def _make(
    name: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any],
    inputs: tuple[str, ...],
    outputs: int,
    params: Mapping[str, str],
    aux: tuple[str, ...] = (),
    grad: Callable[..., Any] | None = None,
    complete: Callable[..., Any] | None = None,
    output_names: tuple[str, ...] = (),
) -> Operator:
    return Operator(
        name=name,
        kernel=kernel,
        infer=infer,
        grad=grad,
        doc="Run a custom operator.",
        inputs=inputs,
        optional_inputs=(),
        variadic=False,
        params={key: Param(key, "str", value) for key, value in params.items()},
        reserved=frozenset({"training"}),
        samples=(),
        facts=Facts(unpredictable=True, output_names=output_names),
        aliases=(),
        aux=aux,
        outputs=lambda _: outputs,
        visible=lambda _: outputs,
        active_inputs=lambda _: inputs,
        complete=complete,
        update_aux=None,
        host="its code is the user's, who was told that arrays are numpy's",
        accepted={role: frozenset() for role in ("infer", "grad", "complete", "kernel", "update_aux")},
    )
