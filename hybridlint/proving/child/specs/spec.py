"""Specs: descriptions of a block's inputs by shapes with named sizes; the arrays made from them hold random values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hybridlint.proving.child.loaded_module import LoadedModule

#: The name of the batch size.
BATCH = "N"
#: The kinds of random values, in the order in which they are tried: around zero, within (0, 1), and wider.
FLAVOURS = 3


@dataclass(frozen=True)
class TensorSpec:
    """The spec of a tensor input: shape, dtype, and the bounds `low` and `high` of its values (None: no bound).

    A size in the shape is a number, or a name whose number varies from round to round, or ``4N``: four times that of N.
    With `integers` the values are integers from `low` up to, but not including, `high`. `single` are axes whose size is
    1 whatever the inputs are.
    """

    shape: tuple[int | str, ...]
    dtype: str = "float32"
    low: float | None = None
    high: float | None = None
    integers: bool = False
    single: frozenset[int] = field(default=frozenset(), compare=False, repr=False)

    def reshaped(self, shape: tuple[int | str, ...]) -> TensorSpec:
        """Return the spec with another shape."""
        return replace(self, shape=shape, single=self.single if len(shape) == len(self.shape) else frozenset())

    def open_ones(self) -> list[int]:
        """Return the axes of size 1 that another size might have."""
        return [axis for axis, size in enumerate(self.shape) if size == 1 and axis not in self.single]

    def cast(self, dtype: str) -> TensorSpec:
        """Return the spec with another dtype."""
        return replace(self, dtype=dtype)

    def values(self, shape: tuple[int, ...], rng: np.random.RandomState, flavour: int) -> Any:
        """Return a numpy array of this shape with random values; `flavour` selects the distribution of floats."""
        if self.dtype == "bool":
            return rng.randint(0, 2, shape)
        if self.integers or not self.dtype.startswith("float"):
            low = 0 if self.low is None else int(self.low)
            return rng.randint(low, low + 3 if self.high is None else int(self.high), shape)
        if self.low is not None and self.high is not None:
            return rng.uniform(self.low, self.high, shape)
        if flavour % FLAVOURS == 1:
            return rng.uniform(0.1, 0.9, shape)
        return rng.normal(0.0, 2.0 if flavour % FLAVOURS == 2 else 1.0, shape)

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        kind = "" if self.dtype == "float32" else f" {self.dtype}"
        whole = f" of whole numbers below {self.high:g}" if self.integers and self.high is not None else ""
        return f"({inner}){kind}{whole}"


@dataclass(frozen=True)
class GivenSpec(TensorSpec):
    """The spec of a tensor that the user gave: flavour 0 is the tensor itself, the others permute its elements.

    For another shape, elements are repeated or left out.
    """

    given: Any = field(default=None, compare=False, repr=False)

    def values(self, shape: tuple[int, ...], rng: np.random.RandomState, flavour: int) -> Any:
        """Return a numpy array of this shape with elements of the given array."""
        raw = self.given
        for axis, size in enumerate(shape):
            if size != raw.shape[axis]:
                raw = np.take(raw, np.arange(size) % raw.shape[axis], axis=axis)
        if flavour == 0:
            return raw
        if self.dtype.startswith("float") and raw.size and (raw == raw.flat[0]).all():
            # Equal elements give the same array in any order, so random values are used.
            return super().values(shape, rng, 1)
        return rng.permutation(raw.ravel()).reshape(raw.shape)


@dataclass(frozen=True)
class ValueSpec:
    """The spec of an input that is no tensor: a Python expression, evaluated in the user's module."""

    expression: str

    def __str__(self) -> str:
        return self.expression


if TYPE_CHECKING:
    #: The spec of an input: of a tensor, of another value, or a list of specs.
    Spec = TensorSpec | ValueSpec | list[Any]
else:
    Spec = object


def spec_from_json(data: Mapping[str, Any]) -> Spec:
    """Return the spec for one input, given as JSON data by the parent process."""
    if "list" in data:
        return [spec_from_json(item) for item in data["list"]]
    if "expression" in data:
        return ValueSpec(data["expression"])
    return TensorSpec(
        tuple(data["shape"]),
        data.get("dtype", "float32"),
        data.get("low"),
        data.get("high"),
        data.get("integers", False),
    )


def show(spec: Spec) -> str:
    """Return a spec as text for the user."""
    return f"[{', '.join(map(show, spec))}]" if isinstance(spec, list) else str(spec)


def tensors(specs: Sequence[Spec]) -> list[TensorSpec]:
    """Return all tensor specs among the specs, including those in lists."""
    found: list[TensorSpec] = []
    for spec in specs:
        if isinstance(spec, list):
            found += tensors(spec)
        elif isinstance(spec, TensorSpec):
            found.append(spec)
    return found


def names(specs: Sequence[Spec]) -> list[str]:
    """Return the names of sizes in the specs, in order of appearance."""
    return list(dict.fromkeys(base(d) for t in tensors(specs) for d in t.shape if isinstance(d, str)))


def base(size: int | str) -> str:
    """Return the name of which a size is a multiple, ``N`` for ``4N``; "" for a number."""
    return size.lstrip("0123456789") if isinstance(size, str) else ""


def number(size: int | str, sizes: Mapping[str, int], default: int = 3) -> int:
    """Return the number of a size: four times that of ``N`` for ``4N``; `default` for a name that `sizes` lacks."""
    if not isinstance(size, str):
        return size
    name = base(size)
    return sizes.get(name, default) * int(size[: len(size) - len(name)] or 1)


def with_batch(spec: Spec, size: int) -> Spec:
    """Return the spec with the batch's name for its first axis, if that axis has the given size; else unchanged."""
    if isinstance(spec, list):
        return [with_batch(item, size) for item in spec]
    if isinstance(spec, TensorSpec) and spec.shape and spec.shape[0] == size:
        return spec.reshaped((BATCH, *spec.shape[1:]))
    return spec


def make(spec: Spec, sizes: Mapping[str, int], rng: np.random.RandomState, flavour: int, world: LoadedModule) -> Any:
    """Return the array, list or value that a spec describes.

    `sizes` has the number of each named size; `flavour` selects the distribution of float arrays without bounds.
    """
    if isinstance(spec, list):
        return [make(item, sizes, rng, flavour, world) for item in spec]
    if isinstance(spec, ValueSpec):
        return world.evaluate(spec.expression)
    raw = spec.values(tuple(number(size, sizes) for size in spec.shape), rng, flavour)
    return world.array(raw, spec.dtype)
