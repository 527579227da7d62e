"""Repairs of image, clip and sequence sizes, after errors about arrays that layers computed from such inputs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import ceil, prod, sqrt
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, base, number, tensors

if TYPE_CHECKING:
    from collections.abc import Callable

    _Shape = tuple[int | str, ...]
    #: Yields the shapes to try in place of the given one.
    _Change = Callable[[_Shape], Iterator[_Shape]]

_WINDOW = re.compile(
    r"window of (?P<window>\d+) exceeds the input of (?P<left>\d+)(?: padded by (?P<pad>\d+))?"
    r"|kernel size \((?P<kernel>\d+)\) exceeds input \((?P<had>\d+) padded to (?P<padded>\d+)\)"
)
_TOO_LARGE = re.compile(
    r"exceeds (?:the )?input|kernel size .* (?:is larger|exceeds)|window .* larger than|size of 0 is an unknown"
)
#: Image sizes and numbers of frames that networks are commonly built for.
_USUAL, _FRAMES = (32, 64, 96, 112, 128, 224, 256, 299, 480, 512), (16, 32)
#: The largest size of an image, and the size that is assumed if it is not known.
_LARGEST, _UNKNOWN = 1024, 96
#: Number of axes of an array of images -> groups of axes that change together; the frames of a clip can change alone.
_AXES: dict[int, tuple[tuple[int, ...], ...]] = {3: ((2,),), 4: ((2, 3),), 5: ((3, 4), (2,), (2, 3, 4))}


#: Factor by which an image grows if too little of it is left, and the tolerance in pixels.
_MORE, _LITTLE = 2.0, 1e-6
#: Factors for smaller images.
_PARTS = (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
#: Least number of values in a large image, including its channels and frames.
_MANY = 3 * 160 * 160
#: The least number that a named size represents.
_LEAST = 5


class Scale(NamedTuple):
    """A change of an image's height and width: times `factor`, plus `more` pixels; `square` makes them equal."""

    factor: float = 1.0
    more: int = 0
    square: bool = False


def scale_images(
    inputs: Mapping[str, Spec], sizes: Mapping[str, int], sentence: str, pairs: list[tuple[int, int]]
) -> Iterator[dict[str, Spec]]:
    """Yield inputs with images resized as an error demands; `pairs` are sizes that it says should be equal.

    The output of a layer grows with the image: if 4 of the required 28 are left, the image is made 7 times as large. A
    layer without strides or padding removes a constant number of pixels instead.
    """
    # A size that must equal another one is mostly that of a square image; a window fits any image that is large enough.
    scales = [Scale(factor, square=square) for factor in _of_window(sentence) for square in (False, True)]
    found = [Scale(factor) for factor in _of_pairs(pairs) if factor != 1.0] + [Scale(more=b - a) for a, b in pairs]
    scales += [scale._replace(square=square) for scale in found for square in (True, False)]
    for scale in dict.fromkeys(scales):
        yield from _changed(inputs, partial(_scaled, sizes=sizes, scale=scale))


def enlarge_inputs(inputs: Mapping[str, Spec], sizes: Mapping[str, int], factor: int) -> dict[str, Spec]:
    """Return the inputs with all images, and all other named sizes except the batch, multiplied by `factor`."""
    images = next(_changed(inputs, partial(_scaled, sizes=sizes, scale=Scale(factor))), dict(inputs))
    return {name: _grown(spec, sizes, factor) for name, spec in images.items()}


def _grown(spec: Spec, sizes: Mapping[str, int], factor: int) -> Spec:
    if isinstance(spec, list):
        return [_grown(item, sizes, factor) for item in spec]
    if not isinstance(spec, TensorSpec):
        return spec
    named = {size: number(size, sizes) * factor for size in spec.shape if base(size) not in ("", BATCH)}
    return spec.reshaped(tuple(named.get(size, size) if isinstance(size, str) else size for size in spec.shape))


def usual(inputs: Mapping[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with images of common sizes."""
    for frames, size in itertools.product(_FRAMES, _USUAL):
        yield from _changed(inputs, partial(_of_size, frames=frames, size=size))


def smaller(inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> Iterator[dict[str, Spec]]:
    """Yield the inputs with smaller images, the smallest first."""
    for factor in _PARTS:
        yield from itertools.islice(_changed(inputs, partial(_scaled, sizes=sizes, scale=Scale(factor))), 1)


def _of_window(sentence: str) -> Iterator[float]:
    match = _WINDOW.search(sentence)
    if match and match["window"]:
        left = int(match["left"]) + 2 * int(match["pad"] or 0)
        yield int(match["window"]) / left if left else _MORE
    elif match:
        yield int(match["kernel"]) / int(match["padded"])
    elif _TOO_LARGE.search(sentence):
        yield _MORE


def _of_pairs(pairs: Sequence[tuple[int, int]]) -> Iterator[float]:
    known = [(old, new) for old, new in pairs if old > 0]
    yield from (new / old for old, new in known)
    # The length of a flattened image grows with both of its sides.
    yield from (sqrt(new / old) for old, new in known)


def _changed(inputs: Mapping[str, Spec], change: _Change) -> Iterator[dict[str, Spec]]:
    """Yield inputs with shapes changed by `change`: first those of all image inputs together, then of one at a time."""
    found = {name: list(_reshaped(spec, change)) for name, spec in inputs.items()}
    several = {name: specs for name, specs in found.items() if specs}
    for k in range(max(map(len, several.values()), default=0)):
        changed = {name: specs[min(k, len(specs) - 1)] for name, specs in several.items()}
        yield {**inputs, **changed}
        if len(changed) > 1:
            yield from ({**inputs, name: spec} for name, spec in changed.items())


def _reshaped(spec: Spec, change: _Change) -> Iterator[Spec]:
    if isinstance(spec, list):
        items = [list(_reshaped(item, change)) for item in spec]
        yield from ([item[k] for item in items] for k in range(min(map(len, items), default=0)))
    elif isinstance(spec, TensorSpec) and len(spec.shape) in _AXES and BATCH not in spec.shape[2:]:
        yield from (spec.reshaped(shape) for shape in change(spec.shape) if shape != spec.shape)


def _scaled(shape: _Shape, *, sizes: Mapping[str, int], scale: Scale) -> Iterator[_Shape]:
    for axes in _AXES[len(shape)]:
        known = [number(shape[k], sizes, _UNKNOWN) for k in axes]
        # A size within the tolerance of the required one is enough.
        found = [ceil(size * scale.factor - _LITTLE) + scale.more for size in known]
        if max(found) <= _LARGEST and min(found) > 0:
            yield _with(shape, axes, [min(found)] * len(found) if scale.square else found)


def _of_size(shape: _Shape, *, frames: int, size: int) -> Iterator[_Shape]:
    if len(shape) == 5:
        yield (*shape[:2], frames, size, size)
    elif frames == _FRAMES[0]:
        yield (*shape[:2], *[size] * (len(shape) - 2))


def _with(shape: _Shape, axes: Sequence[int], sizes: Sequence[int]) -> _Shape:
    changed = {axis: sizes[k] for k, axis in enumerate(axes)}
    return tuple(changed.get(k, size) for k, size in enumerate(shape))


def large(inputs: Mapping[str, Spec]) -> bool:
    """Whether an input has so many values per item (pixels times channels and frames) that a run takes long."""
    shapes = [t.shape[1:] for t in tensors(list(inputs.values()))]
    return any(prod(size if isinstance(size, int) else _LEAST for size in shape) > _MANY for shape in shapes)


def elements(inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> int:
    """Return the number of elements of all arrays among the inputs; `sizes` has the number of each named size."""
    shapes = (spec.shape for spec in tensors(list(inputs.values())))
    return sum(prod(number(size, sizes, _LEAST) for size in shape) for shape in shapes)
