"""Eager execution: an operator on arrays is checked, computed and, if recording, put on the tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, current_context, named, platform_at
from hybridlint.runtime.core import inspection, profiling, second_order
from hybridlint.runtime.core.binding import require_inputs
from hybridlint.runtime.core.storage_types import DENSE, is_sparse, kernel_result, result_storage, stored_array
from hybridlint.runtime.core.tape_errors import ASSIGNED
from hybridlint.runtime.core.writes import changing, tell_written
from hybridlint.runtime.facts.registry import Operator, Refusal
from hybridlint.runtime.facts.storage import Fallback
from hybridlint.runtime.facts.types import InferError, TensorType, ValuesInferError
from hybridlint.runtime.platforms import Platform, Raw, platform_of
from hybridlint.runtime.platforms.failed import Failed, of_values, told_by
from hybridlint.runtime.platforms.on_host import kernel_on
from hybridlint.runtime.util import is_np_shape

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

_CHECKED_LIMIT = 20_000
_checked: set[Any] = set()


def type_of(raw: Raw) -> TensorType:
    """Return the type of an array."""
    return TensorType(raw.shape, raw.dtype.name)


def check(op: Operator, raws: Sequence[Raw | None], params: Mapping[str, Any]) -> None:
    """Check that the operator accepts these types and parameters; cached. Raises MXNetError."""
    key: Any = (op, *[None if r is None else (r.shape, r.dtype) for r in raws], *params.values())
    try:
        if key in _checked:
            return
    except TypeError:
        key = None
    try:
        op.infer_types([TensorType() if r is None else type_of(r) for r in raws], params)
    except InferError as error:
        kind = ValueError if isinstance(error, ValuesInferError) else MXNetError
        raise kind(f"Error in operator {op.name}: {error.argument}: {error.reason}") from error
    if key is not None:
        if len(_checked) > _CHECKED_LIMIT:
            _checked.clear()
        _checked.add(key)


def _refuse_unknown(op: Operator, raws: Sequence[Raw | None]) -> None:
    """Raise MXNetError for shapes with sizes of 0, which mean unknown shapes in the legacy interface.

    A backward pass has its shapes from the forward one.
    """
    if autograd.mode.sweeping or is_np_shape():
        return
    for raw in raws:
        if raw is not None and (raw.ndim == 0 or raw.size == 0):
            what = "a size of 0" if raw.ndim else "the shape ()"
            raise MXNetError(
                f"Operator {op.name} inferring shapes failed: without numpy shapes {what} is an unknown one"
            )


def compute(
    op: Operator,
    raws: Sequence[Raw | None],
    params: Mapping[str, Any],
    *,
    training: bool,
    eager: bool = False,
    platform: Platform | None = None,
) -> tuple[Raw, ...]:
    """Run an operator's kernel and return all outputs, including hidden ones. They may share memory with inputs.

    It runs where the arrays are, or on a `platform` that is given. Raises MXNetError if the operator does not accept
    the arrays.
    """
    check(op, raws, params)
    platform = platform or _platform_of(op, raws)
    extra: dict[str, Any] = {}
    if "training" in op.reserved:
        extra["training"] = training
    if "rng" in op.reserved:
        extra["rng"] = platform.generator()
    if "eager" in op.reserved:
        extra["eager"] = eager
    try:
        with platform.computing():
            result = kernel_on(platform, op)(platform.xp, *raws, **params, **extra)
            outputs = result if isinstance(result, tuple) else (result,)
            return tuple(map(platform.xp.asarray, outputs))
    except (ValueError, TypeError, IndexError, MemoryError) as error:
        shapes = ", ".join("none" if r is None else str(r.shape) for r in raws)
        message = f"Error in operator {op.name} on shapes {shapes}: {error}"
        if not of_values(error):
            raise MXNetError(message) from error
        raise LateFailure(message, told_by(error) or MXNetError) from error


def _profiled(op: Operator, raws: Sequence[Raw | None], params: Mapping[str, Any], platform: Platform) -> Any:
    """Run a kernel on the caller's own arrays; the profiler records it where it runs."""
    training = autograd.mode.training
    if profiling.running is None:
        return compute(op, raws, params, training=training, eager=True, platform=platform)
    with profiling.running.operator(op.name):
        return compute(op, raws, params, training=training, eager=True, platform=platform)


def _first_failed(raws: Sequence[Any]) -> Failed | None:
    for raw in raws:
        if type(raw) is Failed:
            return raw
    return None


class LateFailure(MXNetError):
    """The error of an operator whose values are wrong. `kind` is the class that readers of the result get."""

    def __init__(self, message: str, kind: type[Exception]) -> None:
        super().__init__(message)
        self.kind = kind


def _failed(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Mapping[str, Any],
    out: NDArray | Sequence[NDArray] | None,
    array_class: type[NDArray] | None,
    failed: Failed,
    ctx: Context | None = None,
) -> Any:
    """Return the results of a failed operator, or of failed inputs: arrays of the right types."""
    types = op.infer_types([TensorType() if x is None else type_of(x._data) for x in inputs], params)
    if not all(t.known for t in types):
        failed.fail()
    first = next((x for x in inputs if x is not None), None)
    place = first.context if first is not None else ctx or current_context()
    raws: list[Any] = [failed.of(tuple(int(d) for d in t.shape or () if isinstance(d, int)), t.dtype) for t in types]
    if out is not None:
        targets: list[NDArray] = list(out) if isinstance(out, (list, tuple)) else [out]  # type: ignore[list-item]
        for target, raw in zip(targets, raws, strict=False):
            target._data = raw
        return out
    arrays = [(array_class or _array_class())._wrap(raw)._on(place) for raw in raws[: op.visible(params)]]
    return arrays[0] if len(arrays) == 1 else arrays


def _platform_of(op: Operator, raws: Sequence[Raw | None]) -> Platform:
    try:
        return platform_of(raws)
    except MXNetError as error:
        raise MXNetError(f"Operator {op.name} {error}") from error


def invoke(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Mapping[str, Any],
    out: NDArray | Sequence[NDArray] | None = None,
    array_class: type[NDArray] | None = None,
    views: bool = False,
    ctx: Context | None = None,
) -> Any:
    """Run an operator eagerly. Returns the visible output, or a list if there are several.

    `params` are normalized. `out` receives the results in place. With `views`, outputs may share the inputs' memory.
    Without inputs it runs on `ctx`, else where `out` is, else on the current context. Raises MXNetError.
    """
    inputs = require_inputs(op, inputs, params)
    stype = _stored_as(op, inputs, params, out)
    if stype is None:
        return _invoke_stored(op, inputs, params, out, array_class)
    raws = [None if x is None else x._data for x in inputs]
    if (failed := _first_failed(raws)) is not None:
        return _failed(op, inputs, params, out, array_class, failed)
    if not views:
        _refuse_unknown(op, raws)
    first = next((x for x in inputs if x is not None), None)
    place = _place(out, params, ctx) if first is None else first._ctx
    platform = _platform_of(op, raws) if place is None or first is not None else platform_at(place)
    written_to = [raw for raw in raws if raw is not None] if op.writes_inputs else ()
    _tell(changing, written_to)
    try:
        results = _profiled(op, raws, params, platform)
    except LateFailure as error:
        failed = Failed((), "float32", partial(error.kind, str(error)))
        return _failed(op, inputs, params, out, array_class, failed, place)
    _tell(tell_written, written_to)
    visible = op.visible(params)
    if not views:
        with platform.computing():
            results = tuple(platform.owned(r, raws) for r in results)
    node = None
    if autograd.mode.recording and any(x is not None and x._entry is not None for x in inputs):
        node = TapeNode(
            _pull_of(op, inputs, raws, results, params, visible),
            [None if x is None else x._entry for x in inputs],
            visible,
            origin=(op, params, raws),
            updates=op.update_aux is not None,
        )
    if out is None:
        cls = array_class or _array_class() if stype == "default" else stored_array.classes[stype]
        arrays = [cls._wrap(r)._on(place) for r in results[:visible]]
    else:
        arrays = _write(out, results[:visible])
    if node is not None:
        for k, array in enumerate(arrays):
            array._entry = (node, k)
    if inspection.inspector is not None:
        inspection.inspector.made(inputs, arrays, out)
    return arrays[0] if visible == 1 else arrays


def _stored_as(op: Operator, inputs: Sequence[NDArray | None], params: Mapping[str, Any], out: Any) -> str | None:
    """Return the storage of what an operator computes on dense arrays; None if it runs on stored elements."""
    if not _concerns_storage(op, inputs, out):
        return "default"
    found = result_storage(op, inputs, params, out, quiet=autograd.mode.sweeping)
    if isinstance(found, Fallback):
        return found.stype
    return "default" if found == DENSE else None


def _concerns_storage(op: Operator, inputs: Sequence[NDArray | None], out: Any) -> bool:
    """Whether sparse storage is involved, in an input, in `out`, or in the operator's result for dense inputs."""
    for x in inputs:
        if x is not None and x._is_sparse:
            return True
    if out is not None and any(x._is_sparse for x in (out if isinstance(out, (list, tuple)) else (out,))):
        return True
    return op.storage is not None and op.storage.from_dense


def _invoke_stored(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Mapping[str, Any],
    out: Any,
    array_class: type[NDArray] | None,
) -> Any:
    """Run an operator's kernel for sparse storage. The arrays are in main memory then, whatever their context."""
    values = [None if x is None else x._stored if x._is_sparse else x._host for x in inputs]
    check(op, values, params)
    try:
        result = kernel_result(op, values, params)
    except (ValueError, TypeError, IndexError) as error:
        raise MXNetError(f"Error in operator {op.name}: {error}") from error
    first = next(x for x in inputs if x is not None)
    place = first.context
    if out is None:
        cls = array_class if array_class is not None and not array_class._is_sparse else _array_class()
        raw = result if is_sparse(result) else platform_at(place).from_host(result)
        array = stored_array(raw, cls)._on(place if is_sparse(result) else first._ctx)
    else:
        (array,) = _write(out, [result])
    if autograd.mode.recording and any(x is not None and x._entry is not None for x in inputs):
        entries = [None if x is None else x._entry for x in inputs]
        # The tape has the arrays where they are.
        held = [None if x is None else x._stored for x in inputs]
        pull = _pull_of(op, inputs, held, [array._stored], params, 1)
        array._entry = (TapeNode(pull, entries, 1, origin=(op, params, held)), 0)
    if inspection.inspector is not None:
        inspection.inspector.made(inputs, [array], out)
    return array


def _place(out: Any, params: Mapping[str, Any], ctx: Context | None) -> Context | None:
    """Return where an operator without inputs computes."""
    if out is not None:
        target: NDArray = out[0] if isinstance(out, (list, tuple)) else out
        return target.context
    return ctx or named(params.get("ctx")) or current_context()


def _tell(what: Callable[[Raw], None], raws: Sequence[Raw]) -> None:
    for raw in raws:
        what(raw)


@cache
def _array_class() -> type[NDArray]:
    from hybridlint.runtime.ndarray.ndarray import NDArray

    return NDArray


def _write(out: NDArray | Sequence[NDArray], results: Sequence[Raw]) -> list[NDArray]:
    """Copy results into the arrays given as ``out=``."""
    targets: list[NDArray] = list(out) if isinstance(out, (list, tuple)) else [out]  # type: ignore[list-item]
    for target, result in zip(targets, results, strict=True):
        if autograd.mode.recording and target._entry is not None:
            raise MXNetError(ASSIGNED)
        if target.shape != result.shape:
            raise MXNetError(f"out has shape {target.shape}, the result {result.shape}")
        if target.dtype != result.dtype and target._scalars:
            raise MXNetError(
                f"Type inconsistent, Provided = {target._data.dtype}, inferred type = {result.dtype}: numpy mode "
                "writes to arrays of the dtype of the result only"
            )
        target._write(result)
    return targets


def _pull_of(
    op: Operator,
    inputs: Sequence[NDArray | None],
    raws: Sequence[Raw | None],
    results: Sequence[Raw],
    params: Mapping[str, Any],
    visible: int,
) -> autograd.Pull:
    classes = [None if x is None else type(x) for x in inputs]
    entries = [None if x is None else x._entry for x in inputs]
    training, step = autograd.mode.training, autograd.mode.deriving
    aux = [x for x, name in zip(inputs, op.inputs, strict=False) if x is not None and name in op.aux]

    def pull(node: TapeNode, gradients: list[NDArray | None], recorded: bool) -> Sequence[NDArray | Refusal | None]:
        if not recorded or step or second_order.twice(op):
            return derive(node, gradients)
        with autograd.pause(autograd.mode.training):
            found = derive(node, gradients)
        return second_order.seal_gradients(found, gradients, entries, second_order.refusal(op))

    def derive(node: TapeNode, gradients: list[NDArray | None]) -> Sequence[NDArray | Refusal | None]:
        from hybridlint.runtime.ndarray import gradient_namespace
        from hybridlint.runtime.ndarray.ndarray import NDArray

        if op.grad is None:
            raise MXNetError(non_differentiable(op))
        ins = [
            None if c is None or r is None else stored_array(r, NDArray, e)
            for c, r, e in zip(classes, raws, entries, strict=True)
        ]
        if all(r.dtype == bool for r in results[:visible]) and not all(r is None or r.dtype == bool for r in raws):
            # Tests of numbers have zero gradient; what only moves booleans hands the gradient on.
            return [None if x is None else x._filled(0) for x in ins]
        outs = [stored_array(r, NDArray, (node, k) if k < visible else None) for k, r in enumerate(results)]
        # Gradient rules are written for legacy arrays, whatever class the heads have.
        heads = [
            o._filled(0) if g is None else NDArray._wrap(g._data, g._entry) if g._scalars else g
            for g, o in zip(gradients, outs, strict=False)
        ]
        profiled = profiling.running and profiling.running.operator(f"_backward_{op.name.lstrip('_')}")
        with platform_of([r for r in raws if not is_sparse(r)]).computing(), profiled or nullcontext():
            try:
                pulled = op.gradients(
                    gradient_namespace, heads[0] if visible == 1 else tuple(heads), tuple(ins), tuple(outs), params
                )
            except MXNetError:
                if not all(r.dtype == bool for r in results[:visible]):
                    raise
                # Booleans have no arithmetic, so no gradient either.
                return [None if x is None else x._filled(0) for x in ins]
        if op.update_aux is not None and training and autograd.mode.training:
            update_aux(op, raws, results, params, aux)
        return [gradient.of(op.name) if isinstance(gradient, Refusal) else gradient for gradient in pulled]

    return pull


def non_differentiable(op: Operator) -> str:
    """Return the error message for a gradient that does not exist."""
    return f"Operator {op.name} is non-differentiable because it has no gradient"


def update_aux(
    op: Operator, raws: Sequence[Raw | None], results: Sequence[Raw], params: Mapping[str, Any], aux: Sequence[NDArray]
) -> None:
    """Apply new values of the auxiliary states (running statistics). MXNet does so in backward, not in forward."""
    assert op.update_aux is not None
    platform = platform_of(raws)
    with platform.computing():
        new = op.update_aux(platform.xp, tuple(raws), tuple(results), **op.only("update_aux", params))
    for array, value in zip(aux, new, strict=True):
        array._write(value)
