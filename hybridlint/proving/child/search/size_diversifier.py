"""Found inputs and arguments made less special: sizes above 1 that differ, and guessed numbers that differ.

Each change is kept only if the eager run accepts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.distinct_numbers import distinct
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.inputs.block_sizes import parameter_sizes
from hybridlint.proving.child.search.chance_sizes import double_sizes, unlike, without_ones
from hybridlint.proving.child.search.input_choice import FoundInputs
from hybridlint.proving.child.specs.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

#: Names of arguments whose 1 is a place or a width, and no number of parts.
_PLACES = re.compile(r"\w*(?:ax[ei]s|dim|index|idx|position|pad(?:ding)?)s?\w*")


class SizeDiversifier(NamedTuple):
    """Makes what was found less special; `taken` returns inputs that the eager run accepts, else None."""

    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None]

    def without_ones(self, found: FoundInputs) -> FoundInputs:
        """Return the inputs with larger sizes in place of 1."""
        return self._first(found, ((found.arguments, inputs) for inputs in without_ones(found.inputs)))

    def unlike(self, found: FoundInputs, block: Any) -> FoundInputs:
        """Return the inputs with sizes that differ from each other and from those of the parameters of `block`."""
        return self._first(found, ((found.arguments, one) for one in unlike(found.inputs, parameter_sizes(block))))

    def arguments(self, found: FoundInputs, cls: Any, called: list[dict[str, str]]) -> FoundInputs:
        """Return `found` with different numbers in guessed constructor arguments.

        `called` has the arguments of real calls.
        """
        built = found.arguments
        if built.within is not None or built.args:
            return found
        given = {name: {call[name] for call in called if name in call} for name in built.kwargs}
        others = distinct(built.kwargs, _defaults(cls, built.kwargs), given)
        return self._first(found, ((ConstructorArguments([], kwargs), found.inputs) for kwargs in others))

    def above_one(self, found: FoundInputs, called: list[dict[str, str]]) -> FoundInputs:
        """Return `found` with 2 for each guessed constructor argument that is 1: one group, or patches of one pixel.

        Fixed sizes of the inputs are doubled where it takes that. `called` has the arguments of real calls.
        """
        if found.arguments.within is not None or found.arguments.args:
            return found
        real = {name for call in called for name in call}
        for name, text in found.arguments.kwargs.items():
            if text == "1" and name not in real and not _PLACES.fullmatch(name):
                arguments = ConstructorArguments([], {**found.arguments.kwargs, name: "2"})
                found = self._first(
                    found, ((arguments, inputs) for inputs in (found.inputs, double_sizes(found.inputs)))
                )
        return found

    def _first(self, found: FoundInputs, others: Iterator[tuple[ConstructorArguments, dict[str, Spec]]]) -> FoundInputs:
        for arguments, inputs in others:
            taken = self.taken(arguments, inputs)
            if taken is not None:
                return taken._replace(only=found.only, repaired=found.repaired)
        return found


def _defaults(cls: Any, kwargs: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults of the other constructor arguments that are numbers."""
    try:
        parameters = guesses.plain_parameters(cls)
    except NotRunError:
        return {}
    numbers = {p.name: p.default for p in parameters if type(p.default) in (int, float)}
    return {name: repr(number) for name, number in numbers.items() if name not in kwargs}
