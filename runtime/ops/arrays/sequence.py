"""Sequences of unequal lengths, padded into one tensor: time along one axis, examples along the other."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.type_rules import require_equal


def _check(data: TensorType, lengths: tuple[TensorType, ...], axis: int) -> None:
    if axis not in {0, 1}:
        raise InferError("axis", f"expected 0 or 1, got {axis}")
    if data.shape is None:
        return
    if len(data.shape) < 2:
        raise InferError("data", f"expected at least 2 dimensions, got {len(data.shape)}")
    for t in lengths:
        if t.shape is not None:
            if len(t.shape) != 1:
                raise InferError("sequence_length", f"expected 1 dimension, got {len(t.shape)}")
            require_equal(data.shape[1 - axis], t.shape[0], "sequence_length", "number of sequences")


def _infer_mask(data: TensorType, *lengths: TensorType, axis: int) -> TensorType:
    _check(data, lengths, axis)
    return data


def _infer_last(data: TensorType, *lengths: TensorType, axis: int) -> TensorType:
    _check(data, lengths, axis)
    if data.shape is None:
        return data
    return data.with_shape((data.shape[1 - axis], *data.shape[2:]))


def _infer_reverse(data: TensorType, *lengths: TensorType, axis: int) -> TensorType:
    if axis != 0:
        raise InferError("axis", f"expected 0, got {axis}")
    return _infer_mask(data, *lengths, axis=axis)


def _active(*, use_sequence_length: bool) -> tuple[str, ...]:
    return ("data", "sequence_length") if use_sequence_length else ("data",)


def _within(xp: Any, data: Any, lengths: Any, axis: int) -> Any:
    """Return a boolean array, broadcastable to the data, of the elements within the length of their sequence."""
    steps, lengths = xp.arange(data.shape[axis]), lengths.astype("int64")
    inside = steps[:, None] < lengths[None, :] if axis == 0 else steps[None, :] < lengths[:, None]
    return inside.reshape(*inside.shape, *(1,) * (data.ndim - 2))


def _mask_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, use_sequence_length: bool, axis: int
) -> tuple[Any, ...]:
    into = F.SequenceMask(g, *ins[1:], use_sequence_length=use_sequence_length, axis=axis)
    return (into, *(None for _ in ins[1:]))


_LENGTHS = [
    sample((3, 2, 2), (2,), use_sequence_length=True, low=1.0, high=3.0),
    sample((3, 2)),
]
_ACROSS = sample((2, 3), (2,), use_sequence_length=True, axis=1, low=1.0, high=3.0)


@op(
    name="SequenceMask",
    infer=_infer_mask,
    active_inputs=_active,
    grad=_mask_grad,
    samples=[*_LENGTHS, _ACROSS],
)
def sequence_mask(
    xp: Any,
    data: Any,
    sequence_length: Any = None,
    /,
    *,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
) -> Any:
    """Replace the elements beyond the length of their sequence by `value`. `axis` is the time axis, 0 or 1."""
    if not use_sequence_length or sequence_length is None:
        return data
    result = data.copy()
    within = _within(xp, data, sequence_length, axis).reshape(data.shape[:2])
    result[~within] = data.dtype.type(value)
    return result


def _last_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, use_sequence_length: bool, axis: int
) -> tuple[Any, ...]:
    into = F._hl_sequence_last_grad(g, *ins, use_sequence_length=use_sequence_length, axis=axis)
    return (into, *(None for _ in ins[1:]))


def _last_place(xp: Any, data: Any, lengths: tuple[Any, ...], axis: int) -> tuple[Any, Any]:
    """Return the subscripts that select the last element of each sequence."""
    examples = xp.arange(data.shape[1 - axis])
    ends = lengths[0].astype("int64") if lengths else xp.full(examples.shape, data.shape[axis])
    steps = xp.maximum(ends - 1, 0)
    return (steps, examples) if axis == 0 else (examples, steps)


@op(
    name="SequenceLast",
    infer=_infer_last,
    active_inputs=_active,
    grad=_last_grad,
    samples=[*_LENGTHS, _ACROSS],
)
def sequence_last(
    xp: Any, data: Any, sequence_length: Any = None, /, *, use_sequence_length: bool = False, axis: int = 0
) -> Any:
    """Return the last element of each sequence: (batch, ...)."""
    lengths = (sequence_length,) if use_sequence_length and sequence_length is not None else ()
    return data[_last_place(xp, data, lengths, axis)]


@op(
    infer=lambda g, data, *lengths: data,
    samples=[sample((2, 2), (3, 2, 2), (2,), use_sequence_length=True, axis=0, low=1.0, high=3.0)],
)
def _hl_sequence_last_grad(
    xp: Any, g: Any, data: Any, sequence_length: Any = None, /, *, use_sequence_length: bool, axis: int
) -> Any:
    """Return the gradient with respect to SequenceLast's data: `g` at the last elements, 0 elsewhere."""
    lengths = (sequence_length,) if use_sequence_length and sequence_length is not None else ()
    into = xp.zeros_like(data)
    into[_last_place(xp, data, lengths, axis)] = g
    return into


def _reverse_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, use_sequence_length: bool
) -> tuple[Any, ...]:
    return (F.SequenceReverse(g, *ins[1:], use_sequence_length=use_sequence_length), *(None for _ in ins[1:]))


@op(
    name="SequenceReverse",
    infer=_infer_reverse,
    active_inputs=_active,
    grad=_reverse_grad,
    samples=_LENGTHS,
)
def sequence_reverse(
    xp: Any, data: Any, sequence_length: Any = None, /, *, use_sequence_length: bool = False, axis: int = 0
) -> Any:
    """Reverse the elements of each sequence within its length. Time is the first axis."""
    if not use_sequence_length or sequence_length is None:
        return data[::-1]
    steps, lengths = xp.arange(data.shape[0])[:, None], sequence_length.astype("int64")[None, :]
    source = xp.where(steps < lengths, lengths - 1 - steps, steps)
    return data[source, xp.arange(data.shape[1])[None, :]]
