"""Joining tensors along an axis, and splitting them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.facts.deferred_shapes import waits, when_result_known
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import normal_axis, unify_dims, unify_dtypes, unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.storage.structure import CONCAT
from hybridlint.runtime.ops.type_rules import exact_quotient, one_dtype, require_equal


def _infer_concat(*data: TensorType, dim: int) -> TensorType:
    dtype = one_dtype(*data, argument="data")
    shapes = [t.shape for t in data if t.shape is not None]
    if not shapes:
        return TensorType(None, dtype)
    result = shapes[0]
    axis = normal_axis(dim, len(result), "dim")
    for shape in shapes[1:]:
        result = _merged(result, shape, axis)
    if len(shapes) < len(data):
        return TensorType((*result[:axis], Dim.fresh(), *result[axis + 1 :]), dtype)
    total: DimLike = 0
    for shape in shapes:
        total = total + shape[axis]
    return TensorType((*result[:axis], total, *result[axis + 1 :]), dtype)


def _merged(left: Shape, right: Shape, axis: int) -> Shape:
    """Return the more precise of two shapes that must agree except along `axis`. Raises InferError if they do not."""
    if len(left) != len(right):
        raise InferError("data", f"{len(left)} and {len(right)} dimensions cannot be joined")
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        if k != axis:
            require_equal(a, b, "data", f"sizes along dimension {k} must agree")
    return tuple(a if k == axis else unify_dims(a, b) for k, (a, b) in enumerate(zip(left, right, strict=True)))


def _complete_concat(*data: TensorType, dim: int) -> tuple[TensorType, ...]:
    """Complete the sizes of each input, except the one along `dim`, from those of the others."""
    shapes = [t.shape for t in data if t.shape is not None]
    dtype = unify_dtypes(*data)
    if not shapes:
        return tuple(t.with_dtype(dtype) for t in data)
    axis = normal_axis(dim, len(shapes[0]), "dim")
    merged = shapes[0]
    for shape in shapes[1:]:
        merged = _merged(merged, shape, axis)
    return tuple(TensorType(_along(merged, t.shape, axis), dtype) for t in data)


def _along(merged: Shape, shape: Shape | None, axis: int) -> Shape:
    return (*merged[:axis], Dim.fresh() if shape is None else shape[axis], *merged[axis + 1 :])


def _concat_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, dim: int) -> tuple[Any, ...]:
    return tuple(F._hl_part(g, *ins, dim=dim, index=k) for k in range(len(ins)))


@op(
    name="Concat",
    aliases=("concat", "_sparse_concat"),
    storage=CONCAT,
    infer=_infer_concat,
    complete=_complete_concat,
    grad=_concat_grad,
    facts=Facts(numpy_names=("concatenate",), of_all_rows=("reshape", {"shape": (-3, -2)})),
    samples=[sample((2, 1), (2, 3)), sample((2, 3), (1, 3), (2, 3), dim=0), sample((2, 2, 1), (2, 2, 2), dim=-1)],
)
def concat(xp: Any, /, *data: Any, dim: int = 1, out: Any = None) -> Any:
    """Join tensors along an existing axis."""
    return xp.concatenate(data, axis=dim, out=out)


@op(
    name="_rnn_param_concat",
    infer=_infer_concat,
    grad=_concat_grad,
    samples=[sample((2,), (3,), dim=0)],
)
def rnn_param_concat(xp: Any, /, *data: Any, dim: int = 1) -> Any:
    """Join the parameters of a recurrent layer into one vector."""
    return xp.concatenate(data, axis=dim)


def _part_of(tensors: Sequence[Any], dim: int, index: int) -> tuple[Any, ...]:
    """Return the subscript that selects the part of ``tensors[1 + index]`` in the concatenation of ``tensors[1:]``."""
    axis = dim % tensors[0].ndim
    start = sum(t.shape[axis] for t in tensors[1 : 1 + index])
    return (*(slice(None),) * axis, slice(start, start + tensors[1 + index].shape[axis]))


def _part_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, dim: int, index: int) -> tuple[Any, ...]:
    parts = [g if k == index else F.zeros_like(x) for k, x in enumerate(ins[1:])]
    return (F.Concat(*parts, dim=dim), *(None for _ in ins[1:]))


@op(
    infer=lambda *tensors, index: tensors[1 + index],
    grad=_part_grad,
    samples=[sample((2, 4), (2, 1), (2, 3), dim=1, index=1)],
)
def _hl_part(xp: Any, /, *tensors: Any, dim: int, index: int) -> Any:
    """Return the part of the first tensor that belongs to input `index` of concat; the inputs are the other tensors.

    It is the gradient of concat with respect to that input.
    """
    return tensors[0][_part_of(tensors, dim, index)]


@waits(when_result_known)
def _infer_stack(*data: TensorType, axis: int) -> TensorType:
    shape = data[0].shape
    for t in data[1:]:
        shape = unify_shapes(shape, t.shape, "data")
    dtype = one_dtype(*data, argument="data")
    if shape is None:
        return TensorType(None, dtype)
    place = normal_axis(axis, len(shape) + 1)
    return TensorType((*shape[:place], len(data), *shape[place:]), dtype)


def _stack_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: int) -> tuple[Any, ...]:
    if len(ins) == 1:
        return (F.reshape_like(g, ins[0]),)
    return tuple(F.SliceChannel(g, num_outputs=len(ins), axis=axis, squeeze_axis=True))


@op(
    infer=_infer_stack,
    grad=_stack_grad,
    facts=Facts(numpy_names=("stack",), of_all_rows=("identity", {})),
    samples=[sample((2, 3), (2, 3)), sample((2, 3), (2, 3), (2, 3), axis=-1), sample((2,), axis=1)],
)
def stack(xp: Any, /, *data: Any, axis: int = 0, out: Any = None) -> Any:
    """Join tensors of one shape along a new axis."""
    return xp.stack(data, axis=axis, out=out)


#: More parts than memory has room for, each with its own array.
_MOST_PARTS = 1_000_000


def _infer_split(data: TensorType, *, num_outputs: int, axis: int, squeeze_axis: bool) -> tuple[TensorType, ...]:
    if num_outputs < 1:
        raise InferError("num_outputs", f"expected at least 1, got {num_outputs}")
    if num_outputs > _MOST_PARTS:
        raise InferError("num_outputs", f"expected at most {_MOST_PARTS:,}, got {num_outputs}")
    if data.shape is None:
        return (data,) * num_outputs
    axis = normal_axis(axis, len(data.shape))
    size = exact_quotient([data.shape[axis]], [num_outputs], "num_outputs")
    if squeeze_axis:
        require_equal(1, size, "squeeze_axis", "size of each part")
    part = data.with_shape((*data.shape[:axis], *(() if squeeze_axis else (size,)), *data.shape[axis + 1 :]))
    return (part,) * num_outputs


def _joined(F: Any, g: Any, count: int, axis: int, squeezed: bool) -> Any:
    heads = (g,) if count == 1 else tuple(g)
    return F.stack(*heads, axis=axis) if squeezed else F.Concat(*heads, dim=axis)


@op(
    name="SliceChannel",
    aliases=("split",),
    infer=_infer_split,
    grad=lambda F, g, ins, outs, *, num_outputs, axis, squeeze_axis: (_joined(F, g, num_outputs, axis, squeeze_axis),),
    outputs=lambda *, num_outputs: num_outputs,
    facts=Facts(numpy_names=("split",)),
    samples=[
        sample((2, 4), num_outputs=2),
        sample((2, 3, 2), num_outputs=3, axis=1, squeeze_axis=True),
        sample((4, 2), num_outputs=2, axis=-2),
        sample((2, 3), num_outputs=1),
    ],
    method="split",
)
def slice_channel(
    xp: Any, data: Any, /, *, num_outputs: int, axis: int = 1, squeeze_axis: bool = False
) -> tuple[Any, ...]:
    """Split the data along an axis into equal parts; with `squeeze_axis`, parts of size 1 lose the axis."""
    parts = xp.split(data, num_outputs, axis)
    return tuple(part.squeeze(axis) for part in parts) if squeeze_axis else tuple(parts)


def _starts(indices: Ints, sections: int) -> int:
    return sections or len(indices)


def _infer_split_v2(
    data: TensorType, *, indices: Ints, axis: int, squeeze_axis: bool, sections: int
) -> tuple[TensorType, ...]:
    if sections:
        return _infer_split(data, num_outputs=sections, axis=axis, squeeze_axis=squeeze_axis)
    if data.shape is None:
        return (data.with_shape(None),) * len(indices)
    axis = normal_axis(axis, len(data.shape))
    ends: list[DimLike] = [*indices[1:], data.shape[axis]]
    sizes = [end - start for start, end in zip(indices, ends, strict=True)]
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise InferError("indices", f"{indices} do not rise to the size {data.shape[axis]}")
    before, after = data.shape[:axis], data.shape[axis + 1 :]
    return tuple(data.with_shape((*before, *(() if squeeze_axis else (s,)), *after)) for s in sizes)


@op(
    name="_split_v2",
    infer=_infer_split_v2,
    grad=lambda F, g, ins, outs, *, indices, axis, squeeze_axis, sections: (
        _joined(F, g, _starts(indices, sections), axis, squeeze_axis),
    ),
    outputs=lambda *, indices, sections: _starts(indices, sections),
    samples=[
        sample((2, 4), indices=(0, 1, 3)),
        sample((4, 2), indices=(), sections=2, axis=0),
        sample((2, 2), indices=(0, 1), axis=1, squeeze_axis=True),
    ],
)
def split_v2(
    xp: Any,
    data: Any,
    /,
    *,
    indices: Ints,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: int = 0,
) -> tuple[Any, ...]:
    """Split the data along an axis at the positions `indices`, of which the first is 0, or into equal `sections`."""
    parts = xp.split(data, sections or list(indices[1:]), axis)
    return tuple(part.squeeze(axis) for part in parts) if squeeze_axis else tuple(parts)
