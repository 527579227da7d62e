"""Inputs that may be lists or arrays: the code leaves this open, and the compiled run depends on it.

Eagerly the rows of an array are unpacked, gone through and counted as the items of a list are. A graph has no rows: a
block that is right for lists fails, or differs, for arrays. What tells the kind is a docstring, a name of recurrent
states, a plural where the items are unpacked or gone through, and what a larger block passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.initial_states import is_state
from hybridlint.proving.child.inputs.source.documented_inputs import documented_specs, says_list
from hybridlint.proving.child.inputs.source.usage import Usage, usage
from hybridlint.proving.child.search.input_choice import FoundInputs, as_arrays, lists_alone
from hybridlint.proving.child.specs.signatures import forward_of
from hybridlint.proving.child.specs.spec import Spec, TensorSpec
from hybridlint.text.plurals import is_plural

if TYPE_CHECKING:
    from collections.abc import Callable

#: Numbers of items that are tried where the code does not tell it.
_ITEMS = (2, 3)
#: The beginnings of what a Symbol raises whose rows are taken.
_OF_ROWS = ("IndexError", "TypeError", "ValueError: not enough values to unpack")


class AmbiguousKinds(NamedTuple):
    """Tells which inputs of a block may be lists as well as arrays.

    `taken` returns inputs that the eager run accepts, else None; `refusal` returns the compiled run's failure on them.
    """

    block: Any
    taken: Callable[[ConstructorArguments, dict[str, Spec]], FoundInputs | None]
    refusal: Callable[[FoundInputs], Failure | None]

    def open(self, found: FoundInputs, refusal: Failure | None) -> str | None:
        """Return the name of an input of `found` whose kind decides whether the compiled run agrees, None if none does.

        `refusal` is the failure of the compiled run on `found`.
        """
        used = usage(self.block, forward_of(self.block))
        if refusal is None:
            return next((name for name in found.inputs if self._list_or_array(found, name, used)), None)
        if not refusal.sentence.startswith(_OF_ROWS):
            return None
        arrays = [n for n, spec in found.inputs.items() if isinstance(spec, TensorSpec) and used.taken_apart(n)]
        return next((name for name in arrays if is_plural(name) or self.as_list(found, name) is not None), None)

    def subscripted(self, found: FoundInputs) -> Iterator[tuple[str, FoundInputs]]:
        """Yield the arrays whose items the code takes like a list's, each with inputs that have a list there.

        Eager and compiled runs take these lists.
        """
        used = usage(self.block, forward_of(self.block))
        for name, spec in found.inputs.items():
            if isinstance(spec, TensorSpec) and (name in used.chosen or used.taken_apart(name)):
                listed = self.as_list(found, name)
                if listed is not None:
                    yield name, listed

    def _list_or_array(self, found: FoundInputs, name: str, used: Usage) -> bool:
        """Return whether an array may be meant where the inputs have a list."""
        spec = found.inputs[name]
        if not isinstance(spec, list) or not used.taken_apart(name) or self._is_list(name, used):
            return False
        return any(self.taken(found.arguments, {**found.inputs, name: array}) for array in as_arrays(spec))

    def _is_list(self, name: str, used: Usage) -> bool:
        plural = is_plural(name) and name not in used.items
        return plural or is_state(name) or says_list(self.block, forward_of(self.block), name)

    def as_list(self, found: FoundInputs, name: str) -> FoundInputs | None:
        """Return the inputs with a list in place of an array, if eager and compiled runs take one; else None."""
        used = usage(self.block, forward_of(self.block))
        if documented_specs(self.block, forward_of(self.block), [name]):
            return None
        counts = [count] if (count := used.items.get(name) or len(used.parts.get(name, ()))) else _ITEMS
        for count in counts:
            listed = self.taken(found.arguments, {**found.inputs, name: [found.inputs[name]] * count})
            if listed is not None and self.refusal(listed) is None:
                return listed._replace(only=(*found.only, lists_alone(name)))
        return None
