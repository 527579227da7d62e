"""Which of the inputs that the eager run takes are meant, where nobody said it.

The first that it takes are, whatever the compiled run makes of them: smaller ones, or ones of 1, are never looked for
so that it agrees. Where it refuses their shapes, inputs that are as likely are looked at: another input with the
shape of what it is added to, larger images and sequences, larger arguments of the constructor, more axes. Where parts
of a list were left out, and compiled they may not be, all are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.realism import flatters
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs import spatial
from hybridlint.proving.child.inputs.specs import Spec, ValueSpec, tensors
from hybridlint.proving.child.runs.setup import shown

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds for other inputs than those that the compiled run refuses.
PATIENCE = 1.0
#: By how much images and sequences are larger.
_GROWN = (4, 8)
#: Sizes and errors that say shapes are at fault, and errors of code that never gets to them.
_SHAPES = re.compile(r"shape|size|broadcast|dimension|[Ii]ncompatible")
_OTHERWISE = ("AttributeError", "TypeError", "NotImplementedError", "NameError", "KeyError")
#: A number that was guessed for an argument, in all that is made of it, and a larger one.
_SMALL, _LARGER = re.compile(r"(?<![\w.])4(?![\w.])"), "32"


class Found(NamedTuple):
    """Arguments and inputs that the eager run takes, with random inputs that it takes and the seconds of a run.

    `only` says for what alone a proof on them holds.
    """

    arguments: Arguments
    inputs: dict[str, Spec]
    flavours: list[int]
    seconds: float
    only: tuple[str, ...] = ()


class Choice(NamedTuple):
    """What choosing needs: whether the compiled run takes inputs, whether the eager one does, and natural shapes."""

    refusal: Callable[[Found], Failure | None]
    taken: Callable[[Arguments, dict[str, Spec]], Found | None]
    natural: Callable[[Found], dict[str, Spec]]
    sizes: Callable[[Mapping[str, Spec]], dict[str, int]]
    first: Callable[[Arguments], Found | None]

    def meant(self, found: Found, rest: Iterator[Found]) -> Found:
        """Return the inputs that are meant: those that were found, unless the compiled run refuses their shapes.

        `rest` are others that the eager run takes, in the order of their likelihood.
        """
        refusal = self.refusal(found)
        if refusal is None:
            return found
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

    def _given(self, found: Found, rest: Iterator[Found]) -> Iterator[Found]:
        """Iterate over inputs with nothing left out: a Symbol cannot be, and programs that compile give all."""
        for other in rest:
            if not flatters(other.inputs) and not any(map(_left_out, other.inputs.values())):
                yield other._replace(only=(*other.only, _instead(found)))

    def _others(self, found: Found, rest: Iterator[Found]) -> Iterator[Found]:
        arguments, inputs = found.arguments, found.inputs
        natural = self.natural(found)
        if natural != inputs:
            yield from self._taken(arguments, natural)
        for factor in _GROWN:
            grown = spatial.grown(inputs, self.sizes(inputs), factor)
            if grown != inputs and not spatial.large(grown):
                yield from self._taken(arguments, grown)
        larger = _larger(arguments)
        if larger is not None:
            built = self.first(larger)
            if built is not None and not flatters(built.inputs):
                yield built
        axes = _axes(inputs)
        for other in rest:
            if not flatters(other.inputs) and _axes(other.inputs) >= axes:
                yield other._replace(only=(*other.only, _instead(found)))

    def _taken(self, arguments: Arguments, inputs: dict[str, Spec]) -> Iterator[Found]:
        taken = self.taken(arguments, inputs)
        if taken is not None:
            yield taken


def _instead(found: Found) -> str:
    return f"such inputs: it takes {shown(found.inputs)} eagerly only"


def _left_out(spec: Spec) -> bool:
    """Whether None stands for a part of an input that is a list."""
    return isinstance(spec, list) and any(
        part.expression == "None" if isinstance(part, ValueSpec) else _left_out(part) for part in spec
    )


def of_shapes(refusal: Failure) -> bool:
    """Whether the compiled run refuses the shapes of inputs, and not the code that they go through."""
    return _SHAPES.search(refusal.sentence) is not None and not refusal.sentence.startswith(_OTHERWISE)


def _axes(inputs: Mapping[str, Spec]) -> int:
    """Return how many axes the array has that has most."""
    return max((len(spec.shape) for spec in tensors(list(inputs.values()))), default=0)


def _larger(arguments: Arguments) -> Arguments | None:
    """Return larger numbers in the place of those that were guessed, of which parts are 1; None without any."""
    if arguments.within is not None or arguments.args:
        return None
    kwargs = {name: _SMALL.sub(_LARGER, text) for name, text in arguments.kwargs.items()}
    return None if kwargs == arguments.kwargs else Arguments([], kwargs)
