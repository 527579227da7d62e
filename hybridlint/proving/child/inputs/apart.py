"""Found inputs and arguments made less special: sizes above 1 that differ, and guessed numbers that differ.

Each change is kept only if the eager run accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build import guesses
from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.distinct import distinct
from hybridlint.proving.child.compare.input_choice import Found
from hybridlint.proving.child.compare.realism import unlike, without_ones
from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.inputs.owned import parameter_sizes
from hybridlint.proving.child.inputs.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Callable


class Apart(NamedTuple):
    """Makes what was found less special; `taken` returns inputs that the eager run accepts, else None."""

    taken: Callable[[Arguments, dict[str, Spec]], Found | None]

    def without_ones(self, found: Found) -> Found:
        """Return the inputs with larger sizes in place of 1."""
        return self._first(found, ((found.arguments, inputs) for inputs in without_ones(found.inputs)))

    def unlike(self, found: Found, block: Any) -> Found:
        """Return the inputs with sizes that differ from each other and from those of the parameters of `block`."""
        return self._first(found, ((found.arguments, one) for one in unlike(found.inputs, parameter_sizes(block))))

    def arguments(self, found: Found, cls: Any, called: list[dict[str, str]]) -> Found:
        """Return `found` with different numbers in guessed constructor arguments.

        `called` has the arguments of real calls.
        """
        built = found.arguments
        if built.within is not None or built.args:
            return found
        given = {name: {call[name] for call in called if name in call} for name in built.kwargs}
        others = distinct(built.kwargs, _defaults(cls, built.kwargs), given)
        return self._first(found, ((Arguments([], kwargs), found.inputs) for kwargs in others))

    def _first(self, found: Found, others: Iterator[tuple[Arguments, dict[str, Spec]]]) -> Found:
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
