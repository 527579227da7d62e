"""Registration of families of element-wise operators; the modules beside this one list the operators.

The arithmetic of an operator is a `Compute`, ``(xp, *arrays, out) -> array``, or the name of a function of the array
module. `out` may be one of the arrays, so a compute must not read an array again after it has written to `out`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.infer import broadcast_shapes, complete_same_shape, same_shape
from hybridlint.runtime.facts.registry import Facts, Sample, op, sample, zero_gradient
from hybridlint.runtime.facts.storage import POINTWISE, Storage
from hybridlint.runtime.facts.types import InferError, TensorType

Compute: TypeAlias = Callable[..., Any]
#: ``(F, g, x, y) -> gradient`` of ``y = f(x)``.
UnaryGrad: TypeAlias = Callable[[Any, Any, Any, Any], Any]
#: ``(F, g, l, r, y) -> (gradient, gradient)`` of ``y = f(l, r)``.
BinaryGrad: TypeAlias = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any]]
#: ``(F, g, x, y, s) -> gradient`` of ``y = f(x, s)`` for a number s.
ScalarGrad: TypeAlias = Callable[[Any, Any, Any, Any, float], Any]


def through_float(compute: Compute) -> Compute:
    """Return a compute that works on integers in float64 and truncates the result to their dtype, as MXNet does."""

    def compute_any(xp: Any, *operands: Any) -> Any:
        *arrays, out = operands
        dtype = dtype_of(*arrays)
        if dtype.kind == "f":
            return compute(xp, *arrays, out)
        wide = [a.astype("float64") if hasattr(a, "astype") else a for a in arrays]
        return store(xp, compute(xp, *wide, None).astype(dtype), out)

    return compute_any


def native(name: str) -> Compute:
    """Return a compute that calls this function of the array module; for functions that keep integer dtypes."""

    def compute(xp: Any, *operands: Any) -> Any:
        *arrays, out = operands
        return getattr(xp, name)(*arrays, out=out)

    return compute


def as_number(name: str) -> Compute:
    """Return a compute that calls this predicate of the array module and returns 0 or 1 in the operands' dtype."""

    def compute(xp: Any, *operands: Any) -> Any:
        *arrays, out = operands
        if out is not None:
            return getattr(xp, name)(*arrays, out=out)
        return getattr(xp, name)(*arrays).astype(dtype_of(*arrays))

    return compute


def dtype_of(*operands: Any) -> Any:
    """Return the dtype of the first operand that is an array; the others may be Python numbers."""
    return next(a.dtype for a in operands if hasattr(a, "dtype"))


def store(xp: Any, result: Any, out: Any) -> Any:
    """Return a result, copied into `out` unless `out` is None."""
    if out is None:
        return result
    xp.copyto(out, result)
    return out


@reversed_by(same)
def numeric(*ins: TensorType) -> TensorType:
    """Return the output type for inputs of one shape and one dtype. Raises InferError if they differ or are bool."""
    check_dtypes(*ins)
    return same_shape(*ins)


def numeric_broadcast(lhs: TensorType, rhs: TensorType, /) -> TensorType:
    """Return the output type for two inputs of one dtype, broadcast. Raises InferError if they do not fit."""
    check_dtypes(lhs, rhs)
    return TensorType(broadcast_shapes(lhs.shape, rhs.shape), lhs.dtype or rhs.dtype)


def complete_numeric_broadcast(lhs: TensorType, rhs: TensorType, /) -> tuple[TensorType, ...]:
    """Complete the dtype of each input from the other. Broadcasting determines no unknown shape."""
    dtype = lhs.dtype or rhs.dtype
    return lhs.with_dtype(dtype), rhs.with_dtype(dtype)


def check_dtypes(*ins: TensorType) -> None:
    """Raise InferError if dtypes differ or are bool, which MXNet's arithmetic rejects."""
    known = [t.dtype for t in ins if t.dtype is not None]
    if "bool" in known:
        raise InferError("data" if len(ins) == 1 else "lhs", "arithmetic on dtype bool is not supported")
    if len(set(known)) > 1:
        raise InferError("rhs", f"expected dtype {known[0]}, got {next(d for d in known if d != known[0])}")


def unary(
    name: str,
    doc: str,
    compute: str | Compute,
    grad: UnaryGrad | None = None,
    *,
    domain: tuple[float, float] = (-2.0, 2.0),
    numpy_names: tuple[str, ...] | None = None,
    aliases: tuple[str, ...] = (),
    sparse: bool = True,
    distinct: bool = True,
    method: str | None = None,
    differentiable_twice: bool = False,
) -> None:
    """Register an operator of one array. Without `grad`, its gradient is zero.

    `compute` may name a function of the array module, called in floating point. `domain` bounds the drawn samples.
    `sparse` adds the operator's name in ``F.sparse``, where it keeps sparse storage if 0 stays 0.
    `distinct` states that no other operator computes the same
    function.
    """
    function = through_float(native(compute)) if isinstance(compute, str) else compute

    def kernel(xp: Any, data: Any, /, *, out: Any = None) -> Any:
        return function(xp, data, out)

    known = (compute,) if isinstance(compute, str) and numpy_names is None else (numpy_names or ())
    low, high = domain
    _register(
        kernel,
        name,
        doc,
        infer=numeric,
        grad=zero_gradient if grad is None else lambda F, g, ins, outs: (grad(F, g, ins[0], outs[0]),),
        samples=[sample((2, 3), low=low, high=high), sample((4,), low=low, high=high, dtypes=("int32",))],
        facts=Facts(numpy_names=known, distinct=distinct),
        method=method,
        differentiable_twice=differentiable_twice,
        aliases=(*aliases, f"_sparse_{name}") if sparse else aliases,
        storage=POINTWISE if sparse else None,
    )


def binary(
    strict: str,
    broadcast: str,
    doc: str,
    compute: Compute,
    grad: BinaryGrad | None = None,
    *,
    symbol: str | None = None,
    low: float = -2.0,
    numpy_names: tuple[str, ...] = (),
    functions: tuple[str, ...] = (),
    strict_aliases: tuple[str, ...] = (),
    broadcast_aliases: tuple[str, ...] = (),
    differentiable_twice: bool = False,
    shares_gradient: bool = False,
    storage: Storage | None = None,
    broadcast_storage: Storage | None = None,
) -> None:
    """Register two operators of two arrays: `strict` for equal shapes, and `broadcast`.

    Without `grad`, the gradients are zero. `symbol` is the Python operator that calls the strict one on Symbols;
    `functions` are the functions of ``nd`` and ``sym`` that also accept numbers. `differentiable_twice` and
    `shares_gradient` are about the strict one.
    """

    def pairs(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        assert grad is not None
        return grad(F, g, ins[0], ins[1], outs[0])

    def summed(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(F._hl_sum_to(d, x) for d, x in zip(pairs(F, g, ins, outs), ins, strict=True))

    def strict_kernel(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
        return compute(xp, lhs, rhs, out)

    def broadcast_kernel(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
        return compute(xp, lhs, rhs, out)

    integers = ("int32", "int32")
    _register(
        strict_kernel,
        strict,
        f"{doc}; the arrays have one shape.",
        infer=numeric,
        complete=complete_same_shape,
        grad=zero_gradient if grad is None else pairs,
        samples=[sample((2, 3), (2, 3), low=low), sample((7,), (7,), low=1, dtypes=integers)],
        facts=Facts(
            operator=symbol,
            broadcast_twin=broadcast,
            numpy_names=numpy_names,
            functions=functions,
            shares_gradient=shares_gradient,
        ),
        aliases=strict_aliases,
        differentiable_twice=differentiable_twice,
        storage=storage,
    )
    _register(
        broadcast_kernel,
        broadcast,
        f"{doc}, with broadcasting.",
        infer=numeric_broadcast,
        complete=complete_numeric_broadcast,
        grad=zero_gradient if grad is None else summed,
        samples=[
            sample((2, 3), (1, 3), low=low),
            sample((2, 1, 3), (2, 4, 1), low=low),
            sample((2, 3), (3,), low=low),
            sample((2, 3), (2, 1), low=1, dtypes=integers),
        ],
        facts=Facts(),
        aliases=broadcast_aliases,
        storage=broadcast_storage,
    )


def scalar(
    name: str,
    doc: str,
    compute: Compute,
    grad: ScalarGrad | None = None,
    *,
    reflected: bool = False,
    low: float = -2.0,
    second: float = 0.0,
    differentiable_twice: bool = False,
    storage: Storage | None = None,
) -> None:
    """Register an operator of an array and a number; with `reflected`, the number is the left operand.

    Without `grad`, the gradient is zero. An integer array truncates the number to its own dtype, unless `is_int` is
    false: then the result is float64. A bool array becomes int64 or float64. `second` is the number in a second sample.
    """

    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
        # A Python float that half precision cannot hold would widen the result in numpy 1.
        number: Any = float(scalar) if data.dtype.itemsize != 2 else data.dtype.type(scalar)
        if data.dtype.kind != "f":
            data = data.astype(scalar_dtype(data.dtype.name, is_int), copy=False)
            number = float(scalar) if data.dtype.kind == "f" else xp.asarray(scalar).astype("int64").astype(data.dtype)
        return compute(xp, number, data, out) if reflected else compute(xp, data, number, out)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, scalar: float) -> tuple[Any, ...]:
        assert grad is not None
        return (grad(F, g, ins[0], outs[0], scalar),)

    _register(
        kernel,
        name,
        doc,
        infer=_infer_scalar,
        grad=zero_gradient if grad is None else gradient,
        samples=[
            sample((2, 3), low=low, scalar=1.5),
            sample((2, 3), low=low, scalar=second),
            sample((5,), low=1, high=4, dtypes=("int32",), scalar=2.5),
            sample((5,), low=1, high=4, dtypes=("int32",), scalar=2.5, is_int=False),
        ],
        aliases=(_camel(name, reflected),),
        differentiable_twice=differentiable_twice,
        storage=storage,
    )


@reversed_by(same)
def _infer_scalar(data: TensorType, /, *, is_int: bool) -> TensorType:
    return data if data.dtype is None else data.with_dtype(scalar_dtype(data.dtype, is_int))


def _camel(name: str, reflected: bool) -> str:
    """Return the older spelling of an operator's name in MXNet: ``_RMinusScalar`` for ``_rminus_scalar``."""
    words = name[2 if reflected else 1 :].split("_")
    return ("_R" if reflected else "_") + "".join(word.capitalize() for word in words)


def scalar_dtype(dtype: str, is_int: bool) -> str:
    """Return the dtype of an array combined with a Python number; `is_int` is whether the number is an integer."""
    if dtype.startswith("float"):
        return dtype
    if not is_int:
        return "float64"
    return "int64" if dtype == "bool" else dtype


def _register(kernel: Callable[..., Any], name: str, doc: str, *, samples: list[Sample], **definition: Any) -> None:
    kernel.__name__ = name
    kernel.__doc__ = doc
    op(samples=samples, pointwise=True, **definition)(kernel)
