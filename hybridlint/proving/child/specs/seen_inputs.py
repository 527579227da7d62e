"""Specs made from the inputs that a block received in real calls, for example inside a larger block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, ValueSpec, tensors

#: Names for sizes that change when the sizes of the enclosing block's inputs change.
_NAMES = ("H", "W", "D", "T", "L", "K", "M", "P")


class SeenInputs(NamedTuple):
    """Specs of inputs in call order, and for each call the number of each named size."""

    inputs: list[Spec]
    rounds: list[dict[str, int]]


def seen_inputs(sizes: tuple[Mapping[str, int], Mapping[str, int]], first: Any, second: Any) -> SeenInputs | None:
    """Return specs of the inputs of two calls; None for inputs other than arrays, numbers, texts, lists.

    `first` and `second` are the inputs of each call, in order. Sizes that differ between the calls get names; if
    `second` is None, no size does. `sizes` are the named sizes of the enclosing block's inputs in each call.
    """
    names = _Names((sizes[0].get(BATCH, 0), sizes[1].get(BATCH, 0)))
    try:
        inputs = [_spec(value, value if second is None else second[k], names) for k, value in enumerate(first)]
    except (_UnknownError, AttributeError, IndexError, TypeError):
        return None
    used = {d: names.pairs[d] for t in tensors(inputs) for d in t.shape if isinstance(d, str)}
    return SeenInputs(inputs, [{name: pair[k] for name, pair in used.items()} for k in range(2 if used else 1)])


class _UnknownError(Exception):
    """Raised for an input that no spec can describe."""


class _Names:
    """Names for sizes, identified by the pair of numbers that a size has in the two calls.

    The first axis with the batch's pair in a shape is the batch; a further such axis gets another name.
    """

    def __init__(self, batch: tuple[int, int]) -> None:
        self.batch = batch
        self.pairs: dict[str, tuple[int, int]] = {}

    def shape(self, first: Sequence[int], second: Sequence[int]) -> tuple[int | str, ...]:
        """Return a shape in which sizes that differ between the calls have names."""
        found: list[int | str] = []
        for k, size in enumerate(first):
            found.append(size if size == second[k] else self._name((size, second[k]), BATCH in found))
        return tuple(found)

    def _name(self, pair: tuple[int, int], taken: bool) -> str:
        if pair == self.batch and not taken:
            self.pairs[BATCH] = pair
            return BATCH
        known = [name for name, other in self.pairs.items() if other == pair and name != BATCH]
        left = [name for name in _NAMES if name not in self.pairs]
        if not known and not left:
            raise _UnknownError
        name = (known or left)[0]
        self.pairs[name] = pair
        return name


def _spec(value: Any, other: Any, names: _Names) -> Spec:
    if isinstance(value, (list, tuple)):
        return [_spec(item, other[k], names) for k, item in enumerate(value)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return ValueSpec(repr(value))
    if not hasattr(value, "asnumpy") or len(value.shape) != len(other.shape):
        raise _UnknownError
    return _bounded(names.shape(value.shape, other.shape), value.asnumpy())


def _bounded(shape: tuple[int | str, ...], raw: Any) -> TensorSpec:
    """Return the spec of an array; integer arrays stay integer, and non-negative ones stay non-negative."""
    dtype = str(raw.dtype)
    if not raw.size or not np.isfinite(raw).all():
        return TensorSpec(shape, dtype)
    low, high = float(raw.min()), float(raw.max())
    if low < high and bool((raw == np.floor(raw)).all()):
        return TensorSpec(shape, dtype, low, high + 1, True)
    if 0 <= low < high:
        return TensorSpec(shape, dtype, low, high)
    return TensorSpec(shape, dtype)
