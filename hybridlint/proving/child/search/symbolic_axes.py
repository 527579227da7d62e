"""Axes that accept other sizes: each gets a named size, so that the rounds of a proof vary it.

A size that every call shares hides code that keeps it, such as a length that the first call stores as a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.search.trial_runs import TrialRunner
from hybridlint.proving.child.specs.spec import GivenSpec, Spec, TensorSpec, names

if TYPE_CHECKING:
    #: An axis: the name of its input, and its number.
    _Axis = tuple[str, int]

#: Names for sizes, and those of the last axes of images.
_NAMES = ("L", "M", "K", "P", "Q", "R", "S", "U", "V", "Z")
_SIDES = ("H", "W")
#: The number of axes of an image.
_IMAGE = 4
#: What is added to a size: an odd number, so that an axis that must be even, or divisible, is not taken for free.
_MORE = 3


class SymbolicSizes(NamedTuple):
    """Inputs with names for the sizes that a block leaves free, and the first two numbers of named sizes."""

    inputs: dict[str, Spec]
    sizes: dict[str, int]
    others: dict[str, int]


def name_free_axes(
    tries: TrialRunner, arguments: ConstructorArguments, inputs: dict[str, Spec], sizes: dict[str, int]
) -> SymbolicSizes:
    """Return the inputs with names for sizes that a block, after a first run, lets vary.

    Axes of one size change together where they can, else each by itself.
    """
    found = SymbolicSizes(inputs, sizes, {})
    for axes in _groups(inputs):
        together = _named(tries, arguments, found, axes)
        if together is not None:
            found = together
            continue
        for axis in axes if len(axes) > 1 else ():
            found = _named(tries, arguments, found, [axis]) or found
    return found


def _groups(inputs: Mapping[str, Spec]) -> Iterator[list[_Axis]]:
    """Yield the axes behind the batch that have equal fixed sizes above 1."""
    groups: dict[int, list[_Axis]] = {}
    for name, spec in inputs.items():
        if isinstance(spec, TensorSpec) and not isinstance(spec, GivenSpec):
            for axis, size in enumerate(spec.shape):
                if axis and isinstance(size, int) and size > 1:
                    groups.setdefault(size, []).append((name, axis))
    yield from groups.values()


def _named(
    tries: TrialRunner, arguments: ConstructorArguments, found: SymbolicSizes, axes: list[_Axis]
) -> SymbolicSizes | None:
    """Return the inputs with one new name for these axes; None without a name, or if the size matters."""
    new = _new_name(found, axes)
    if new is None:
        return None
    inputs, sizes = dict(found.inputs), dict(found.sizes)
    for name, axis in axes:
        spec = inputs[name]
        assert isinstance(spec, TensorSpec)
        sizes[new] = int(spec.shape[axis])
        inputs[name] = spec.reshaped((*spec.shape[:axis], new, *spec.shape[axis + 1 :]))
    other = sizes[new] + _MORE
    works = tries.first_working(arguments, inputs, sizes, [{**sizes, new: other}])
    return SymbolicSizes(inputs, sizes, {**found.others, new: other}) if works else None


def _new_name(found: SymbolicSizes, axes: list[_Axis]) -> str | None:
    taken = {*found.sizes, *names(list(found.inputs.values()))}
    name, axis = axes[0]
    spec = found.inputs[name]
    side = axis - _IMAGE + len(_SIDES) if isinstance(spec, TensorSpec) and len(spec.shape) == _IMAGE else -1
    liked = (_SIDES[side],) if side >= 0 else ()
    return next((other for other in (*liked, *_NAMES) if other not in taken), None)
