"""Sequences, as one tensor with a time axis or as a list of steps, and conversions between the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.symbol.symbol import Symbol


@dataclass(frozen=True, slots=True)
class Steps:
    """A sequence: a tensor or list of steps, its operator namespace, time axis and batch size (0: unknown)."""

    value: Any
    F: Any
    axis: int
    batch_size: int


def arrange(length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None) -> Steps:
    """Return the sequence in `layout`: as one tensor if `merge` is true, a list if false, unchanged for None.

    Raises AssertionError if the length differs.
    """
    axis, batch_axis = layout.find("T"), layout.find("N")
    in_axis = axis if in_layout is None else in_layout.find("T")
    tensor = isinstance(inputs, arrays.tensor_types)
    first = inputs if tensor else inputs[0]
    symbolic = isinstance(first, Symbol)
    F = arrays.operator_namespace(symbolic=symbolic)
    if tensor:
        batch_size = 0 if symbolic else inputs.shape[batch_axis]
        if merge is False:
            return Steps(_split(F, inputs, length, in_axis, symbolic), F, axis, batch_size)
    else:
        _check_length(length, len(inputs))
        batch_size = 0 if symbolic else first.shape[batch_axis if batch_axis < axis else batch_axis - 1]
        if merge:
            return Steps(F.stack(*inputs, axis=axis), F, axis, batch_size)
    if tensor and in_axis != axis:
        inputs = F.swapaxes(inputs, dim1=axis, dim2=in_axis)
    return Steps(inputs, F, axis, batch_size)


def mask(F: Any, outputs: Any, length: int, valid_length: Any, axis: int, merge: bool) -> Any:
    """Return outputs with zeros after each example's valid steps."""
    if not isinstance(outputs, arrays.tensor_types):
        outputs = F.stack(*outputs, axis=axis)
    outputs = F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis)
    return outputs if merge else list(F.split(outputs, num_outputs=length, axis=axis, squeeze_axis=True))


def reverse(F: Any, steps: Any, length: int, valid_length: Any) -> list[Any]:
    """Return the steps in reverse order. With `valid_length`, only each example's valid steps are reversed."""
    if valid_length is None:
        return list(reversed(steps))
    turned = F.SequenceReverse(F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True)
    if length == 1:
        return [F.split(turned, num_outputs=1, axis=0, squeeze_axis=True)]
    return list(F.split(turned, num_outputs=length, axis=0, squeeze_axis=True))


def _split(F: Any, inputs: Any, length: int | None, axis: int, symbolic: bool) -> list[Any]:
    if not symbolic:
        _check_length(length, inputs.shape[axis])
        length = inputs.shape[axis]
    parts = F.split(inputs, axis=axis, num_outputs=length, squeeze_axis=1)
    return [parts] if length == 1 else list(parts)


def _check_length(wanted: int | None, found: int) -> None:
    if wanted is not None and wanted != found:
        raise AssertionError(f"the sequence has {found} steps, not {wanted}")
