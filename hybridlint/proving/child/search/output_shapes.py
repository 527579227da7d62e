"""The shapes of a block's outputs, with named sizes. Noise and targets have the shape of an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import PlannedCall, inputs_of
from hybridlint.proving.child.specs.spec import BATCH, Spec

if TYPE_CHECKING:
    _Shape = tuple[int | str, ...]


def shapes_of_outcome(
    world: LoadedModule, cls: Any, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
) -> list[_Shape]:
    """Return the shapes of the arrays that the eager run gives; none if it fails."""
    call = PlannedCall(tuple(sizes.items()), 0, "predict")
    try:
        block = build(world, cls, *arguments)
        result = block(*inputs_of(world, inputs, call))
    except Exception:
        return []
    return list(dict.fromkeys(_named(array.shape, sizes) for array in _arrays(result)))


def _arrays(result: Any) -> Iterator[Any]:
    if isinstance(result, (list, tuple)):
        for part in result:
            yield from _arrays(part)
    elif hasattr(result, "asnumpy") and isinstance(getattr(result, "shape", None), tuple):
        yield result


def _named(shape: tuple[int, ...], sizes: Mapping[str, int]) -> _Shape:
    """Return a shape with the name of each size that only one name has; the batch is the first axis."""
    names = {size: name for name, size in sizes.items() if list(sizes.values()).count(size) == 1}
    first = sizes.get(BATCH)
    return tuple(BATCH if axis == 0 and size == first else names.get(size, size) for axis, size in enumerate(shape))
