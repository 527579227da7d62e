"""Whether inputs are such as people give: sizes of 1, and arrays without a batch, flatter what cannot broadcast."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hybridlint.proving.child.inputs.specs import BATCH, GivenSpec, Spec, TensorSpec, show, tensors

#: Sizes for axes that had one of 1, and for those whose size is that of a parameter: unlike the others in use.
_OTHERS = (6, 7, 9, 11, 13)
#: The size of a batch that errors speak of, and that then stands in the place of other sizes.
_BATCH = 2
#: By how much one side of an image is longer than an equal one.
_LONGER = 1.5
#: Axes that arrays with more of are images.
_IMAGE = 3


def flatters(inputs: Mapping[str, Spec]) -> bool:
    """Whether what fails on all usual inputs may run on these.

    They have sizes of 1, no batch, one axis only, or axes as long as a small batch, which fit each other by chance.
    """
    arrays = tensors(list(inputs.values()))
    if not arrays:
        return False
    if any(spec.shape[1:].count(_BATCH) > 1 for spec in arrays):
        return True
    without_batch = not any(BATCH in spec.shape for spec in arrays)
    return ones(inputs) or without_batch or all(len(spec.shape) < 2 for spec in arrays)


def ones(inputs: Mapping[str, Spec]) -> bool:
    """Whether an input has a size of 1."""
    return any(1 in spec.shape for spec in tensors(list(inputs.values())))


def with_ones(inputs: Mapping[str, Spec]) -> str:
    """Write the inputs that have sizes of 1 for people, an empty string where there are none."""
    return ", ".join(f"{name} {show(spec)}" for name, spec in inputs.items() if ones({name: spec}))


def without_ones(inputs: Mapping[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Iterate over the same inputs with other sizes in the place of 1: all of them, then those of one input only."""
    first = next(iter(tensors(list(inputs.values()))), None)
    if first is None or not ones(inputs):
        return
    changed = {name: _without_ones(spec, first) for name, spec in inputs.items()}
    yield changed
    several = [name for name, spec in changed.items() if spec != inputs[name]]
    if len(several) > 1:
        yield from ({**inputs, name: changed[name]} for name in several)


def _without_ones(spec: Spec, first: TensorSpec) -> Spec:
    if isinstance(spec, list):
        return [_without_ones(item, first) for item in spec]
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return spec
    like = first.shape if len(first.shape) == len(spec.shape) else ()
    shape = list(spec.shape)
    for axis, size in enumerate(shape):
        if size == 1 and axis == 0:
            shape[0] = BATCH
        elif size == 1:
            shape[axis] = like[axis] if like and like[axis] != 1 else _unlike(shape)
    return spec.reshaped(tuple(shape))


def _unlike(taken: Collection[int | str]) -> int:
    sizes: list[int] = [*_OTHERS, *range(17, 19 + 2 * len(taken), 2)]
    return min(size for size in sizes if size not in taken)


def unlike(inputs: Mapping[str, Spec], taken: set[int]) -> Iterator[dict[str, Spec]]:
    """Iterate over the same inputs with other sizes in the place of those that are `taken`, and of equal sides.

    All of them are changed, then those of one size only. Axes of several inputs with the same size keep the same; what
    lists hold goes together.
    """
    sizes = {size for spec in inputs.values() for size in _features(spec)}
    replaced: dict[int, int] = {}
    for size in sorted(sizes & taken):
        replaced[size] = _unlike(sizes | taken | set(replaced.values()))
    ways = [(replaced, True), *(({old: new}, False) for old, new in replaced.items()), ({}, True)]
    seen = [dict(inputs)]
    for sized, longer in ways:
        changed = {name: _changed(spec, sized, longer=longer) for name, spec in inputs.items()}
        if changed not in seen:
            seen.append(changed)
            yield changed


def _features(spec: Spec) -> list[int]:
    """Return the sizes of an array that are neither the batch's nor those of an image."""
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return []
    inner = spec.shape[1:2] if len(spec.shape) > _IMAGE else spec.shape[1:]
    return [size for size in inner if isinstance(size, int) and size > 1]


def _changed(spec: Spec, sizes: Mapping[int, int], *, longer: bool) -> Spec:
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return spec
    last = 2 if len(spec.shape) > _IMAGE else len(spec.shape)
    shape = list(spec.shape)
    for axis, size in enumerate(spec.shape[1:last], 1):
        shape[axis] = sizes.get(size, size) if isinstance(size, int) else size
    if longer and len(shape) > _IMAGE:
        height, width = shape[-2:]
        if isinstance(height, int) and height == width and height > 1:
            shape[-1] = int(height * _LONGER)
    return spec.reshaped(tuple(shape))
