"""Sizes of images and of sequences of them, mended after errors that speak of what layers have made of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import ceil, prod, sqrt
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.inputs.specs import BATCH, Spec, TensorSpec, tensors

if TYPE_CHECKING:
    from collections.abc import Callable

    _Shape = tuple[int | str, ...]
    #: Gives other shapes in the place of one.
    _Change = Callable[[_Shape], Iterator[_Shape]]

_WINDOW = re.compile(
    r"window of (?P<window>\d+) exceeds the input of (?P<left>\d+)(?: padded by (?P<pad>\d+))?"
    r"|kernel size \((?P<kernel>\d+)\) exceeds input \((?P<had>\d+) padded to (?P<padded>\d+)\)"
)
_TOO_LARGE = re.compile(
    r"exceeds (?:the )?input|kernel size .* (?:is larger|exceeds)|window .* larger than|size of 0 is an unknown"
)
#: Sizes of images, and numbers of frames, that networks are made for.
_USUAL, _FRAMES = (32, 64, 96, 112, 128, 224, 256, 299, 480, 512), (16, 32)
#: The largest size of an image, and what one counts for whose size nobody knows.
_LARGEST, _UNKNOWN = 1024, 96
#: Dimensions of an array of images -> the axes that change together: the frames of a clip have a size of their own.
_AXES: dict[int, tuple[tuple[int, ...], ...]] = {3: ((2,),), 4: ((2, 3),), 5: ((3, 4), (2,), (2, 3, 4))}


#: By how much an image grows of which too little is left, and by how much of a pixel it may be too small.
_MORE, _LITTLE = 2.0, 1e-6
#: The parts of an image that are tried in its place.
_PARTS = (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
#: Numbers of an image that is large, with all its channels and frames.
_MANY = 3 * 160 * 160


class Scale(NamedTuple):
    """How sizes of images change: by a factor, and `more`; to that of the smallest where they are to be `square`."""

    factor: float = 1.0
    more: int = 0
    square: bool = False


def scaled(
    inputs: Mapping[str, Spec], sizes: Mapping[str, int], sentence: str, pairs: list[tuple[int, int]]
) -> Iterator[dict[str, Spec]]:
    """Iterate over inputs whose images have the sizes that an error asks for, which says that `pairs` should be equal.

    What a layer makes of an image grows with it: where 4 of 28 are left, it is 7 times as large. A layer without
    strides or padding leaves all but some of it.
    """
    # What has to be equal to something mostly is square; a window does not care.
    scales = [Scale(factor, square=square) for factor in _of_window(sentence) for square in (False, True)]
    found = [Scale(factor) for factor in _of_pairs(pairs) if factor != 1.0] + [Scale(more=b - a) for a, b in pairs]
    scales += [scale._replace(square=square) for scale in found for square in (True, False)]
    for scale in dict.fromkeys(scales):
        yield from _changed(inputs, partial(_scaled, sizes=sizes, scale=scale))


def grown(inputs: Mapping[str, Spec], sizes: Mapping[str, int], factor: int) -> dict[str, Spec]:
    """Return the same inputs with images, and all that has a named size but the batch, larger by a factor."""
    images = next(_changed(inputs, partial(_scaled, sizes=sizes, scale=Scale(factor))), dict(inputs))
    return {name: _grown(spec, sizes, factor) for name, spec in images.items()}


def _grown(spec: Spec, sizes: Mapping[str, int], factor: int) -> Spec:
    if isinstance(spec, list):
        return [_grown(item, sizes, factor) for item in spec]
    if not isinstance(spec, TensorSpec):
        return spec
    named = {size: sizes[size] * factor for size in spec.shape if isinstance(size, str) and size != BATCH}
    return spec.reshaped(tuple(named.get(size, size) if isinstance(size, str) else size for size in spec.shape))


def usual(inputs: Mapping[str, Spec]) -> Iterator[dict[str, Spec]]:
    """Iterate over inputs whose images have sizes that are in use."""
    for frames, size in itertools.product(_FRAMES, _USUAL):
        yield from _changed(inputs, partial(_of_size, frames=frames, size=size))


def smaller(inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> Iterator[dict[str, Spec]]:
    """Iterate over the same inputs with smaller images, the smallest first."""
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
    # What is flattened grows with both sizes of an image.
    yield from (sqrt(new / old) for old, new in known)


def _changed(inputs: Mapping[str, Spec], change: _Change) -> Iterator[dict[str, Spec]]:
    """Iterate over inputs with other shapes: all that hold images, then one of them."""
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
        known = [sizes.get(size, _UNKNOWN) if isinstance(size, str) else size for size in (shape[k] for k in axes)]
        # A size that is all but enough is enough.
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
    """Whether inputs hold images of which already one takes long to run."""
    shapes = [t.shape[1:] for t in tensors(list(inputs.values())) if len(t.shape) in _AXES]
    return any(prod(size for size in shape if isinstance(size, int)) > _MANY for shape in shapes)
