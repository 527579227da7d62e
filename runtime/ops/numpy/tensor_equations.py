"""Linear equations between tensors of any rank, and eigenvalues of matrices that need not be symmetric."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.type_rules import require_equal


def _infer_inverse(a: TensorType, /, *, ind: int) -> TensorType:
    if ind <= 0:
        raise InferError("ind", f"expected a positive number, got {ind}")
    if a.shape is None:
        return a
    require_equal(product(a.shape[:ind]), product(a.shape[ind:]), "a", "as many elements before `ind` as behind it")
    return a.with_shape((*a.shape[ind:], *a.shape[:ind]))


def _inverse_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, ind: int) -> tuple[Any, ...]:
    shape = ins[0].shape
    size = _count(shape[:ind])
    turned = F.transpose(F._np_reshape(outs[0], newshape=(size, size)))
    found = F._npi_matmul(F._npi_matmul(turned, F._np_reshape(g, newshape=(size, size))), turned)
    return (F._np_reshape(found * -1, newshape=tuple(shape)),)


def _count(shape: Any) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


@op(
    infer=_infer_inverse,
    grad=_inverse_grad,
    samples=[sample((2, 2, 4), low=0.5, ind=2), sample((2, 2), low=0.5, ind=1)],
    facts=Facts(numpy_names=("linalg.tensorinv",)),
)
def _npi_tensorinv(xp: Any, a: Any, /, *, ind: int = 2) -> Any:
    """Return the inverse of a tensor as a map from its axes behind `ind` to those before."""
    return xp.linalg.tensorinv(a, ind=ind)


def _to_end(axes: Ints, rank: int) -> tuple[int, ...]:
    """Return the order of axes in which `axes` come last."""
    last = [axis % rank for axis in axes]
    return (*(k for k in range(rank) if k not in last), *last)


def _solution(a: Shape, b: Shape, axes: Ints) -> Shape:
    order = _to_end(axes, len(a))
    return tuple(a[k] for k in order[len(b) - len(a) :])


def _infer_solution(a: TensorType, b: TensorType, /, *, a_axes: Ints) -> TensorType:
    if a.shape is None or b.shape is None:
        return a.with_shape(None)
    found = _solution(a.shape, b.shape, a_axes)
    require_equal(product(found), product(b.shape), "b", "as many elements as the solution")
    return a.with_shape(found)


def _solution_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, a_axes: Ints) -> tuple[Any, ...]:
    a, b = ins
    order = _to_end(a_axes, len(a.shape))
    size = _count(b.shape)
    moved = tuple(a.shape[k] for k in order)
    matrix = F._np_reshape(F.transpose(a, axes=order), newshape=(size, size))
    of_b = F._npi_solve(F.transpose(matrix), F._np_reshape(g, newshape=(size, 1)))
    of_a = F._npi_matmul(of_b, F._np_reshape(outs[0], newshape=(1, size))) * -1
    back = tuple(sorted(range(len(order)), key=order.__getitem__))
    return F.transpose(F._np_reshape(of_a, newshape=moved), axes=back), F._np_reshape(of_b, newshape=tuple(b.shape))


@op(
    infer=_infer_solution,
    grad=_solution_grad,
    samples=[
        sample((2, 2, 4), (2, 2), low=0.5),
        sample((2, 4, 2), (2, 2), low=0.5, a_axes=(1,)),
        sample((3, 3), (3,), low=0.5),
    ],
    facts=Facts(numpy_names=("linalg.tensorsolve",)),
)
def _npi_tensorsolve(xp: Any, a: Any, b: Any, /, *, a_axes: Ints = ()) -> Any:
    """Return the tensor x with ``tensordot(a, x, x.ndim) = b``; the axes `a_axes` of `a` are moved to the end first."""
    return xp.linalg.tensorsolve(a.transpose(_to_end(a_axes, a.ndim)), b).astype(a.dtype, copy=False)


def _infer_eig(a: TensorType, /) -> tuple[TensorType, TensorType]:
    if a.shape is None:
        return a, a
    if len(a.shape) < 2:
        raise InferError("a", f"expected at least 2 dimensions, got {len(a.shape)}")
    require_equal(a.shape[-2], a.shape[-1], "a", "a square matrix")
    return a.with_shape(a.shape[:-1]), a


def _real(*arrays: Any) -> tuple[Any, ...]:
    """Return the real parts of arrays. Raises ValueError if the first has others."""
    if abs(arrays[0].imag).max(initial=0) > 1e-15:
        raise ValueError("Complex eigvals is unsupported in linalg temporary.")
    return tuple(array.real for array in arrays)


@op(
    infer=_infer_eig,
    grad=zero_gradient,
    outputs=2,
    samples=[sample((1, 1)), sample((2, 1, 1))],
    facts=Facts(numpy_names=("linalg.eig",)),
    host="CuPy has no eigenvalues of matrices that are not symmetric",
)
def _npi_eig(xp: Any, a: Any, /) -> tuple[Any, ...]:
    """Return the eigenvalues and eigenvectors of matrices, which must be real."""
    values, vectors = _real(*xp.linalg.eig(a))
    return values.astype(a.dtype), vectors.astype(a.dtype)


@op(
    infer=lambda a, /: _infer_eig(a)[0],
    grad=zero_gradient,
    samples=[sample((1, 1)), sample((2, 1, 1))],
    facts=Facts(numpy_names=("linalg.eigvals",)),
    host="CuPy has no eigenvalues of matrices that are not symmetric",
)
def _npi_eigvals(xp: Any, a: Any, /) -> Any:
    """Eigenvalues of matrices, which must be real."""
    return _real(xp.linalg.eigvals(a))[0].astype(a.dtype)
