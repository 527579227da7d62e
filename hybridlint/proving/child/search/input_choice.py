"""The choice among guessed inputs that the eager run accepts: those that the block is probably meant for.

The first accepted inputs are used, even if the compiled run gives other results. Smaller sizes, or sizes of 1, are
never searched for in order to make the compiled run agree. If the compiled run rejects the shapes, equally likely
inputs are tried: an input with the shape of the array that it is added to, larger images and sequences, larger
constructor arguments, more axes. If optional parts of a list were left out and the compiled run needs them, all parts
are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.runs.setup import inputs_text
from hybridlint.proving.child.search.chance_sizes import flatters
from hybridlint.proving.child.specs.spec import Spec, TensorSpec, ValueSpec, tensors

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds to search for other inputs when the compiled run rejects the first ones.
PATIENCE = 1.0
#: Factors by which images and sequences are enlarged.
_GROWN = (4, 8)
#: Messages about shapes, and messages from code that fails before shapes matter.
_SHAPES = re.compile(r"shape|size|broadcast|dimension|[Ii]ncompatible")
_NOT_OF_SHAPES = ("AttributeError", "TypeError", "NotImplementedError", "NameError", "KeyError")
#: Matches the guessed number 4 in a constructor argument; a larger number to replace it with.
_SMALL, _LARGER = re.compile(r"(?<![\w.])4(?![\w.])"), "32"


def lists_alone(name: str) -> str:
    """Return the restriction of a proof to lists for an input that may be an array eagerly."""
    return f"lists: an array in place of `{name}` runs eagerly too"


def numbers_alone(name: str) -> str:
    """Return the restriction of a proof to numbers for a constructor's argument that eagerly may be an array too."""
    return f"numbers as `{name}`: eagerly an array runs too"


class FoundInputs(NamedTuple):
    """Constructor arguments and inputs that the eager run accepts.

    `flavours` are the kinds of random values that it accepts, `seconds` is the time of a run. `only` lists the
    restrictions of a proof on these inputs. `repaired` is True if their shapes come from an error or from the graph.
    """

    arguments: ConstructorArguments
    inputs: dict[str, Spec]
    flavours: list[int]
    seconds: float
    only: tuple[str, ...] = ()
    repaired: bool = False


def as_arrays(spec: Spec) -> Iterator[TensorSpec]:
    """Yield arrays with rows like the items of a list: as many rows, or a batch; none for other specs."""
    if isinstance(spec, list) and spec and isinstance(spec[0], TensorSpec) and all(part == spec[0] for part in spec):
        yield spec[0].reshaped((len(spec), *spec[0].shape))
        if spec[0].shape:
            yield spec[0]


class InputChoice(NamedTuple):
    """The choice among guessed inputs, and the functions that it calls.

    `refusal` returns the compiled run's failure, None if it accepts the inputs; `taken` returns inputs that the eager
    run accepts, else None; `natural` infers shapes from the first input; `sizes` returns a number for each named size;
    `first` returns the first accepted inputs for constructor arguments.
    """

    refusal: Callable[[FoundInputs], Failure | None]
    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None]
    natural: Callable[[FoundInputs], dict[str, Spec]]
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]]
    first: Callable[[ConstructorArguments], FoundInputs | None]

    def chosen(self, found: FoundInputs, rest: Iterator[FoundInputs]) -> FoundInputs:
        """Return the inputs to use: `found`, unless the compiled run rejects their shapes.

        `rest` are other inputs that the eager run accepts, the likeliest first.
        """
        refusal = self.refusal(found)
        if refusal is None:
            return self._or_arrays(found)
        left_out = any(map(_left_out, found.inputs.values()))
        if not left_out and not of_shapes(refusal):
            return found
        deadline = now() + PATIENCE
        for other in self._given(found, rest) if left_out else self._others(found, rest):
            if now() > deadline:
                break
            if self.refusal(other) is None:
                return other
        return found

    def _or_arrays(self, found: FoundInputs) -> FoundInputs:
        """Return `found`, restricted to the lists among its inputs in whose place the eager run takes an array too.

        Eagerly the rows of an array are gone through as the items of a list are; a Symbol has one row, itself.
        """
        for name, spec in found.inputs.items():
            if any(self.taken(found.arguments, {**found.inputs, name: array}) for array in as_arrays(spec)):
                found = found._replace(only=(*found.only, lists_alone(name)))
        return found

    def _given(self, found: FoundInputs, rest: Iterator[FoundInputs]) -> Iterator[FoundInputs]:
        """Yield inputs without None in lists. A Symbol cannot be None, so compiled programs pass all items."""
        for other in rest:
            if not flatters(other.inputs) and not any(map(_left_out, other.inputs.values())):
                yield other._replace(only=(*other.only, _instead(found)))

    def _others(self, found: FoundInputs, rest: Iterator[FoundInputs]) -> Iterator[FoundInputs]:
        arguments, inputs = found.arguments, found.inputs
        natural = self.natural(found)
        if natural != inputs:
            yield from self._taken(arguments, natural)
        for factor in _GROWN:
            grown = spatial_sizes.enlarge_inputs(inputs, self.sizes(inputs), factor)
            if grown != inputs and not spatial_sizes.large(grown):
                yield from self._taken(arguments, grown)
        larger = _larger(arguments)
        if larger is not None:
            built = self.first(larger)
            if built is not None and not flatters(built.inputs):
                yield built
        axes = axes_of(inputs)
        for other in rest:
            if not flatters(other.inputs) and axes_of(other.inputs) >= axes:
                yield other._replace(only=(*other.only, _instead(found)))

    def _taken(self, arguments: ConstructorArguments, inputs: dict[str, Spec]) -> Iterator[FoundInputs]:
        taken = self.taken(arguments, inputs)
        if taken is not None:
            yield taken


def _instead(found: FoundInputs) -> str:
    return f"such inputs: it takes {inputs_text(found.inputs)} eagerly only"


def _left_out(spec: Spec) -> bool:
    """Whether an input is a list, possibly nested, with None as an item."""
    return isinstance(spec, list) and any(
        part.expression == "None" if isinstance(part, ValueSpec) else _left_out(part) for part in spec
    )


def of_shapes(refusal: Failure) -> bool:
    """Whether the compiled run fails because of the shapes of the inputs, and not because of the code."""
    return _SHAPES.search(refusal.sentence) is not None and not refusal.sentence.startswith(_NOT_OF_SHAPES)


def axes_of(inputs: Mapping[str, Spec]) -> int:
    """Return the largest number of axes among the tensor inputs."""
    return max((len(spec.shape) for spec in tensors(list(inputs.values()))), default=0)


def _larger(arguments: ConstructorArguments) -> ConstructorArguments | None:
    """Return constructor arguments with 32 in place of the guessed number 4, None if no argument contains it."""
    if arguments.within is not None or arguments.args:
        return None
    kwargs = {name: _SMALL.sub(_LARGER, text) for name, text in arguments.kwargs.items()}
    return None if kwargs == arguments.kwargs else ConstructorArguments([], kwargs)
