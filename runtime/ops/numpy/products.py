"""Products of arrays in numpy mode: dot, matmul, tensordot and einsum."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.infer import broadcast_shapes, normal_axis, unify_dims
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.numpy.promotion import is_float
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal


def _one_float(*ins: TensorType) -> str | None:
    dtype = one_dtype(*ins, argument="b")
    if dtype is not None and not (is_float(dtype) and dtype != "float16"):
        raise InferError("a", f"expected float32 or float64, got {dtype}")
    return dtype


def _contracted(a: Shape, b: Shape, a_axes: Ints, b_axes: Ints) -> Shape:
    """Return the shape of a product summed over pairs of axes. Raises InferError where sizes differ."""
    left = [normal_axis(k, len(a), "a_axes_summed") for k in a_axes]
    right = [normal_axis(k, len(b), "b_axes_summed") for k in b_axes]
    for i, j in zip(left, right, strict=True):
        require_equal(a[i], b[j], "b", "size to sum over")
    kept = [d for k, d in enumerate(a) if k not in left] + [d for k, d in enumerate(b) if k not in right]
    return tuple(kept)


def _contraction_grads(F: Any, g: Any, a: Any, b: Any, a_axes: Ints, b_axes: Ints) -> tuple[Any, Any]:
    """Return the gradients of both operands of a product summed over pairs of axes.

    Each is the product of `g` and the other operand, summed over the axes that the latter keeps.
    """
    left, right = len(a.shape), len(b.shape)
    i, j = tuple(k % left for k in a_axes), tuple(k % right for k in b_axes)
    free_a = tuple(k for k in range(left) if k not in i)
    free_b = tuple(k for k in range(right) if k not in j)
    kept = len(free_a)
    from_a = tuple(range(kept))
    from_b = tuple(range(kept, kept + len(free_b)))
    of_a = F._npi_tensordot(g, b, a_axes_summed=from_b, b_axes_summed=free_b)
    of_b = F._npi_tensordot(g, a, a_axes_summed=from_a, b_axes_summed=free_a)
    order_a = (*free_a, *(axis for _, axis in sorted(zip(j, i, strict=True))))
    order_b = (*free_b, *(axis for _, axis in sorted(zip(i, j, strict=True))))
    return F._np_transpose(of_a, axes=_inverse(order_a)), F._np_transpose(of_b, axes=_inverse(order_b))


def _inverse(order: Ints) -> Ints | None:
    return tuple(sorted(range(len(order)), key=order.__getitem__)) or None


def _infer_tensordot(a: TensorType, b: TensorType, /, *, a_axes_summed: Ints, b_axes_summed: Ints) -> TensorType:
    dtype = _one_float(a, b)
    if a.shape is None or b.shape is None:
        return TensorType(None, dtype)
    if len(a_axes_summed) != len(b_axes_summed):
        raise InferError("b_axes_summed", "as many axes on both sides are summed")
    return TensorType(_contracted(a.shape, b.shape, a_axes_summed, b_axes_summed), dtype)


@op(
    infer=_infer_tensordot,
    grad=lambda F, g, ins, outs, *, a_axes_summed, b_axes_summed: _contraction_grads(
        F, g, ins[0], ins[1], a_axes_summed, b_axes_summed
    ),
    samples=[
        sample((2, 3, 4), (4, 3, 5), a_axes_summed=(1, 2), b_axes_summed=(1, 0)),
        sample((2, 3), (4, 3), a_axes_summed=(-1,), b_axes_summed=(-1,)),
        sample((2,), (3,), a_axes_summed=(), b_axes_summed=()),
    ],
)
def _npi_tensordot(xp: Any, a: Any, b: Any, /, *, a_axes_summed: Ints, b_axes_summed: Ints) -> Any:
    """Product of two arrays, summed over pairs of axes."""
    return xp.asarray(xp.tensordot(a, b, (a_axes_summed, b_axes_summed)))


def _paired(a: Any, axes: int) -> tuple[Ints, Ints]:
    rank = len(a)
    return tuple(range(rank - axes, rank)), tuple(range(axes))


def _infer_tensordot_int(a: TensorType, b: TensorType, /, *, axes: int) -> TensorType:
    dtype = _one_float(a, b)
    if a.shape is None or b.shape is None:
        return TensorType(None, dtype)
    if axes > min(len(a.shape), len(b.shape)):
        raise InferError("axes", f"{axes} axes of {len(a.shape)} and {len(b.shape)} dimensions")
    return TensorType(_contracted(a.shape, b.shape, *_paired(a.shape, axes)), dtype)


@op(
    infer=_infer_tensordot_int,
    grad=lambda F, g, ins, outs, *, axes: _contraction_grads(F, g, ins[0], ins[1], *_paired(ins[0].shape, axes)),
    samples=[sample((2, 3, 4), (3, 4, 5), axes=2), sample((2,), (3,), axes=0)],
    facts=Facts(numpy_names=("tensordot",)),
)
def _npi_tensordot_int_axes(xp: Any, a: Any, b: Any, /, *, axes: int) -> Any:
    """Product of two arrays, summed over the last axes of one and the first of the other."""
    return xp.asarray(xp.tensordot(a, b, axes))


def _dot_axes(a: Shape, b: Shape) -> tuple[Ints, Ints]:
    return (-1,), ((-1,) if len(b) == 1 else (-2,))


def _infer_dot(a: TensorType, b: TensorType, /) -> TensorType:
    dtype = _one_float(a, b)
    if a.shape is None or b.shape is None:
        return TensorType(None, dtype)
    if not a.shape or not b.shape:
        return TensorType(a.shape or b.shape, dtype)
    return TensorType(_contracted(a.shape, b.shape, *_dot_axes(a.shape, b.shape)), dtype)


def _dot_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    a, b = ins
    if len(a.shape) and len(b.shape):
        return _contraction_grads(F, g, a, b, *_dot_axes(a.shape, b.shape))
    return F._hl_sum_to(F._npi_multiply(g, b), a), F._hl_sum_to(F._npi_multiply(g, a), b)


def _complete_sum(a: TensorType, b: TensorType, /) -> tuple[TensorType, TensorType]:
    """Complete the size that the product sums over in each input's type from the other's."""
    if not a.shape or not b.shape:
        return a, b
    (last,), (row,) = _dot_axes(a.shape, b.shape)
    size, place = unify_dims(a.shape[last], b.shape[row]), len(b.shape) + row
    shape = (*b.shape[:place], size, *b.shape[place + 1 :])
    return a.with_shape((*a.shape[:-1], size)), b.with_shape(shape)


@op(
    infer=_infer_dot,
    complete=_complete_sum,
    grad=_dot_grad,
    samples=[
        sample((2, 3), (3, 4)),
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((), (2, 3)),
        sample((2, 3), (4, 3, 2)),
    ],
    facts=Facts(numpy_names=("dot",)),
)
def _np_dot(xp: Any, a: Any, b: Any, /) -> Any:
    """Return the product of two arrays over the last axis of `a` and the second-to-last axis of `b`."""
    return xp.asarray(xp.dot(a, b))


def _matrices(a: Shape, b: Shape) -> tuple[Shape, Shape]:
    """Return the shapes for a matrix product: a vector becomes a row or a column. Raises InferError for scalars."""
    if not a or not b:
        raise InferError("a", "a matrix product needs at least one dimension")
    return (1, *a) if len(a) == 1 else a, (*b, 1) if len(b) == 1 else b


def _infer_matmul(a: TensorType, b: TensorType, /) -> TensorType:
    dtype = _one_float(a, b)
    if a.shape is None or b.shape is None:
        return TensorType(None, dtype)
    left, right = _matrices(a.shape, b.shape)
    require_equal(left[-1], right[-2], "b", "size to sum over")
    batch = broadcast_shapes(left[:-2], right[:-2]) or ()
    rows: tuple[DimLike, ...] = () if len(a.shape) == 1 else (left[-2],)
    columns: tuple[DimLike, ...] = () if len(b.shape) == 1 else (right[-1],)
    return TensorType((*batch, *rows, *columns), dtype)


def _matmul_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    a, b = ins
    left, right = _matrices(tuple(a.shape), tuple(b.shape))
    wide_a, wide_b = F._np_reshape(a, newshape=left), F._np_reshape(b, newshape=right)
    batch = broadcast_shapes(left[:-2], right[:-2]) or ()
    head = F._np_reshape(g, newshape=(*batch, left[-2], right[-1]))
    of_a = F._npi_matmul(head, F.SwapAxis(wide_b, dim1=-1, dim2=-2))
    of_b = F._npi_matmul(F.SwapAxis(wide_a, dim1=-1, dim2=-2), head)
    return F.reshape_like(F._hl_sum_to(of_a, wide_a), a), F.reshape_like(F._hl_sum_to(of_b, wide_b), b)


@op(
    infer=_infer_matmul,
    complete=_complete_sum,
    grad=_matmul_grad,
    samples=[
        sample((2, 3), (3, 4)),
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((5, 2, 3), (3, 4)),
        sample((2, 1, 2, 3), (4, 3, 2)),
    ],
    facts=Facts(operator="@", numpy_names=("matmul",)),
)
def _npi_matmul(xp: Any, a: Any, b: Any, /) -> Any:
    """Matrix product, with broadcasting of the dimensions before the last two."""
    return xp.asarray(xp.matmul(a, b))


def _explicit(subscripts: str) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result of an einsum.

    Without "->", the result has the labels that occur once, in alphabetical order.
    """
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:
        labels = left.replace(",", "").replace(".", "")
        right = "..." * ("..." in left) + "".join(c for c in sorted(set(labels)) if labels.count(c) == 1)
    return left.split(","), right


def _infer_einsum(*data: TensorType, subscripts: str) -> TensorType:
    dtype = one_dtype(*data, argument="data")
    terms, result = _explicit(subscripts)
    if len(terms) != len(data):
        raise InferError("subscripts", f"{len(terms)} operands in {subscripts!r}, {len(data)} given")
    if any(t.shape is None for t in data) or "..." in subscripts:
        return TensorType(_einsum_ellipsis(data, terms, result), dtype)
    sizes: dict[str, DimLike] = {}
    for t, term in zip(data, terms, strict=True):
        if len(term) != len(t.shape or ()):
            raise InferError("subscripts", f"{term!r} does not fit {len(t.shape or ())} dimensions")
        for label, size in zip(term, t.shape or (), strict=True):
            if sizes.get(label, 1) == 1:
                sizes[label] = size
            elif size != 1:
                require_equal(sizes[label], size, "data", f"sizes of {label}")
    missing = set(result) - set(sizes)
    if missing:
        raise InferError("subscripts", f"{sorted(missing)} in the result only")
    return TensorType(tuple(sizes[label] for label in result), dtype)


def _einsum_ellipsis(data: tuple[TensorType, ...], terms: list[str], result: str) -> Shape | None:
    if any(t.shape is None or not all(isinstance(d, int) for d in t.shape) for t in data):
        return None
    batch: Shape = ()
    sizes: dict[str, DimLike] = {}
    for t, term in zip(data, terms, strict=True):
        head, dots, tail = term.partition("...")
        shape = t.shape or ()
        middle = shape[len(head) : len(shape) - len(tail)] if dots else ()
        batch = broadcast_shapes(batch, middle) or ()
        sizes.update(zip(head, shape, strict=False))
        sizes.update(zip(tail, shape[len(shape) - len(tail) :], strict=False))
    head, dots, tail = result.partition("...")
    missing = {*head, *tail} - set(sizes)
    if missing:
        raise InferError("subscripts", f"{sorted(missing)} in the result only")
    return (*(sizes[c] for c in head), *(batch if dots else ()), *(sizes[c] for c in tail))


def _spelled_out(terms: list[str], result: str, ranks: list[int]) -> tuple[list[str], str]:
    """Return einsum's labels with unused letters in place of each ``...``."""
    widths = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    used = set("".join(terms) + result)
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in used]
    labels = "".join(free[: max(widths, default=0)])
    full = [t.replace("...", labels[len(labels) - w :]) for t, w in zip(terms, widths, strict=True)]
    return full, result.replace("...", labels)


def _einsum_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, subscripts: str) -> tuple[Any, ...]:
    terms, result = _spelled_out(*_explicit(subscripts), [len(x.shape) for x in ins])
    found = []
    for k, (x, term) in enumerate(zip(ins, terms, strict=True)):
        # Labels that only this operand has were summed: ones represent their sizes.
        others = [(y, t) for i, (y, t) in enumerate(zip(ins, terms, strict=True)) if i != k]
        once = "".join(dict.fromkeys(term))
        ones = F.ones_like(x) if once == term else F._npi_einsum(F.ones_like(x), subscripts=f"{term}->{once}")
        rule = ",".join([result, *(t for _, t in others), once]) + "->" + once
        part = F._npi_einsum(g, *(y for y, _ in others), ones, subscripts=rule)
        if once != term:
            # The operand was read along a diagonal only.
            part = F._hl_on_diagonals(part, x, labels=term)
        found.append(F.reshape_like(F._hl_sum_to(part, x), x))
    return tuple(found)


@op(infer=lambda data, like, /: like, grad=None, samples=[sample((3,), (3, 3), labels="ii")])
def _hl_on_diagonals(xp: Any, data: Any, like: Any, /, *, labels: str) -> Any:
    """Return zeros in the shape of `like` with `data` where the indices of equal labels are equal."""
    result = xp.zeros(like.shape, data.dtype)
    xp.einsum(f"{labels}->{''.join(dict.fromkeys(labels))}", result)[...] = data
    return result


@op(
    infer=_infer_einsum,
    grad=_einsum_grad,
    samples=[
        sample((2, 3), (3, 4), subscripts="ij,jk->ik"),
        sample((2, 3), subscripts="ij->j"),
        sample((2, 3), (2, 3), subscripts="ij,ij"),
        sample((2, 3, 4), (4, 5), subscripts="...i,ij->...j"),
    ],
    facts=Facts(numpy_names=("einsum",)),
)
def _npi_einsum(xp: Any, /, *data: Any, subscripts: str = "", optimize: int = 0) -> Any:
    """Sum products by labels of dimensions."""
    return xp.asarray(xp.einsum(subscripts, *data)).astype(data[0].dtype, copy=False)
