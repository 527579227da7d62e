"""Checks and changes of unrealistic inputs: sizes of 1, or no batch, can hide mismatched shapes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hybridlint.proving.child.specs.spec import BATCH, GivenSpec, Spec, TensorSpec, names, show, tensors

#: Numbers to replace sizes of 1 and sizes equal to a parameter's; no other sizes in use are equal to them.
_OTHERS = (6, 7, 9, 11, 13)
#: The batch size used here; an array axis may equal it by chance.
_BATCH = 2
#: Factor by which one side of a square image is made longer.
_LONGER = 1.5
#: Arrays with more axes than this are images.
_IMAGE = 3


def flatters(inputs: Mapping[str, Spec]) -> bool:
    """Whether shapes may fit each other only by chance, so that a proof on these inputs says little.

    That is so for sizes of 1, inputs without a batch, inputs of one axis only, or several axes as long as the batch.
    """
    arrays = tensors(list(inputs.values()))
    if not arrays:
        return False
    if any(spec.shape[1:].count(_BATCH) > 1 for spec in arrays):
        return True
    without_batch = BATCH not in names(arrays)
    return ones(inputs) or without_batch or all(len(spec.shape) < 2 for spec in arrays)


def ones(inputs: Mapping[str, Spec]) -> bool:
    """Whether an input has a size of 1 that might be another."""
    return any(spec.open_ones() for spec in tensors(list(inputs.values())))


def with_ones(inputs: Mapping[str, Spec]) -> str:
    """Return the inputs that have sizes of 1 as text for the user, "" if there are none.

    Those that no input can avoid are among them: a proof says all that it rests on.
    """
    return ", ".join(
        f"{name} {show(spec)}" for name, spec in inputs.items() if any(1 in t.shape for t in tensors([spec]))
    )


def without_ones(inputs: Mapping[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with other sizes in place of 1: in all inputs, then in one input at a time."""
    first = next(iter(tensors(list(inputs.values()))), None)
    if first is None or not ones(inputs):
        return
    changed = {name: _without_ones(spec, first) for name, spec in inputs.items()}
    yield changed
    several = [name for name, spec in changed.items() if spec != inputs[name]]
    if len(several) > 1:
        yield from ({**inputs, name: changed[name]} for name in several)


def double_sizes(inputs: Mapping[str, Spec]) -> dict[str, Spec]:
    """Return the inputs with twice the fixed sizes behind their first axes, so that they can be halved."""
    return {name: _doubled(spec) for name, spec in inputs.items()}


def _doubled(spec: Spec) -> Spec:
    if isinstance(spec, list):
        return [_doubled(item) for item in spec]
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return spec
    behind = (2 * size if isinstance(size, int) else size for size in spec.shape[1:])
    return spec.reshaped((*spec.shape[:1], *behind))


def _without_ones(spec: Spec, first: TensorSpec) -> Spec:
    if isinstance(spec, list):
        return [_without_ones(item, first) for item in spec]
    if not isinstance(spec, TensorSpec) or isinstance(spec, GivenSpec):
        return spec
    like = first.shape if len(first.shape) == len(spec.shape) else ()
    shape = list(spec.shape)
    for axis in spec.open_ones():
        if axis == 0:
            shape[0] = BATCH
        else:
            shape[axis] = like[axis] if like and like[axis] != 1 else _unlike(shape)
    return spec.reshaped(tuple(shape))


def _unlike(taken: Collection[int | str]) -> int:
    sizes: list[int] = [*_OTHERS, *range(17, 19 + 2 * len(taken), 2)]
    return min(size for size in sizes if size not in taken)


def unlike(inputs: Mapping[str, Spec], taken: set[int]) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs` without feature sizes that are in `taken`, and without square images.

    First all of them are changed, then one size at a time. Axes of several inputs that have the same size keep equal
    sizes, and the items of a list change together.
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
    """Return the numeric sizes above 1 of a tensor's axes except the first axis and those of an image."""
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
