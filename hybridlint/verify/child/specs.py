"""Inputs of a block: described by shapes with named sizes, made from seeded random numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

#: The name of the size that varies with the batch.
BATCH = "N"
#: The kinds of random values, tried in this order: about zero, within (0, 1), and wider.
FLAVOURS = 3


@dataclass(frozen=True)
class TensorSpec:
    """An array: sizes, of which names vary from round to round; `low` and `high` bound its values.

    With `integers` the values are whole numbers from `low` to `high`, the latter excluded.
    """

    shape: tuple[int | str, ...]
    dtype: str = "float32"
    low: float | None = None
    high: float | None = None
    integers: bool = False

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        kind = "" if self.dtype == "float32" else f" {self.dtype}"
        whole = f" of whole numbers below {self.high:g}" if self.integers and self.high is not None else ""
        return f"({inner}){kind}{whole}"


@dataclass(frozen=True)
class ValueSpec:
    """Something that is no array: a Python expression, evaluated in the user's module."""

    expression: str

    def __str__(self) -> str:
        return self.expression


if TYPE_CHECKING:
    #: An input: an array, a value, or a list of inputs.
    Spec = TensorSpec | ValueSpec | list[Any]
else:
    Spec = object


def spec_from_json(data: Mapping[str, Any]) -> Spec:
    """Read one input as the parent process describes it."""
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
    """Write an input for people."""
    return f"[{', '.join(map(show, spec))}]" if isinstance(spec, list) else str(spec)


def tensors(specs: Sequence[Spec]) -> list[TensorSpec]:
    """Return all arrays among inputs."""
    found: list[TensorSpec] = []
    for spec in specs:
        if isinstance(spec, list):
            found += tensors(spec)
        elif isinstance(spec, TensorSpec):
            found.append(spec)
    return found


def names(specs: Sequence[Spec]) -> list[str]:
    """Return the named sizes in order of their appearance."""
    return list(dict.fromkeys(d for t in tensors(specs) for d in t.shape if isinstance(d, str)))


def with_batch(spec: Spec, size: int) -> Spec:
    """Return an input whose first axis, where it has this size, is the batch."""
    if isinstance(spec, list):
        return [with_batch(item, size) for item in spec]
    if isinstance(spec, TensorSpec) and spec.shape and spec.shape[0] == size:
        return TensorSpec((BATCH, *spec.shape[1:]), spec.dtype, spec.low, spec.high, spec.integers)
    return spec


def make(spec: Spec, sizes: Mapping[str, int], rng: np.random.RandomState, flavour: int, world: World) -> Any:
    """Make one input. Arrays of float dtypes take the values of a flavour where the description gives no bounds."""
    if isinstance(spec, list):
        return [make(item, sizes, rng, flavour, world) for item in spec]
    if isinstance(spec, ValueSpec):
        return eval(spec.expression, dict(world.namespace))
    raw = _values(spec, tuple(sizes.get(d, 3) if isinstance(d, str) else d for d in spec.shape), rng, flavour)
    return world.array(raw, spec.dtype)


def _values(spec: TensorSpec, shape: tuple[int, ...], rng: np.random.RandomState, flavour: int) -> Any:
    if spec.dtype == "bool":
        return rng.randint(0, 2, shape)
    if spec.integers or not spec.dtype.startswith("float"):
        low = 0 if spec.low is None else int(spec.low)
        return rng.randint(low, low + 3 if spec.high is None else int(spec.high), shape)
    if spec.low is not None and spec.high is not None:
        return rng.uniform(spec.low, spec.high, shape)
    if flavour % FLAVOURS == 1:
        return rng.uniform(0.1, 0.9, shape)
    return rng.normal(0.0, 2.0 if flavour % FLAVOURS == 2 else 1.0, shape)


class World:
    """The modules that a user's block lives in: mxnet, and the user's own module as a namespace for expressions."""

    def __init__(self, mx: Any, module: Any) -> None:
        self.mx = mx
        self.namespace: dict[str, Any] = {
            "mx": mx,
            "nd": mx.nd,
            "gluon": mx.gluon,
            "nn": mx.gluon.nn,
            "np": np,
            **vars(module),
        }
        self.numpy_mode = _is_numpy_mode(mx)

    def array(self, raw: Any, dtype: str) -> Any:
        """Return an array of the kind that the user's code works with."""
        maker = self.mx.np.array if self.numpy_mode else self.mx.nd.array
        return maker(raw.astype(dtype), dtype=dtype)


def _is_numpy_mode(mx: Any) -> bool:
    try:
        return bool(mx.util.is_np_array())
    except AttributeError:
        return False
