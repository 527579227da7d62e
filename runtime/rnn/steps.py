"""Sequences of symbols: one symbol with a dimension of time, or one symbol for each step."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.symbol import Symbol


def arrange(length: int, inputs: Any, layout: str, merge: bool | None, given: str | None = None) -> tuple[Any, int]:
    """Return a sequence joined (`merge`), in steps, or as it is (None), and the dimension of time in `layout`.

    `given` is the layout that `inputs` has where it is another one. Raises AssertionError for a symbol of several
    outputs and for a list of another length.
    """
    axis = layout.find("T")
    from_axis = axis if given is None else given.find("T")
    if isinstance(inputs, Symbol):
        if merge is False:
            if len(inputs.list_outputs()) != 1:
                raise AssertionError(
                    "unroll doesn't allow grouped symbol as input. Please convert to list first or let unroll handle "
                    "slicing"
                )
            return list(sym.SliceChannel(inputs, axis=from_axis, num_outputs=length, squeeze_axis=1)), axis
    else:
        if length is not None and len(inputs) != length:
            raise AssertionError(f"{len(inputs)} inputs were given for {length} steps")
        if not merge:
            return inputs, axis
        inputs = sym.Concat(*[sym.expand_dims(step, axis=axis) for step in inputs], dim=axis)
        from_axis = axis
    if axis != from_axis:
        inputs = sym.swapaxes(inputs, dim1=axis, dim2=from_axis)
    return inputs, axis
