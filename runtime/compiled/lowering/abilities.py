"""The abilities of an engine: element types of arrays, functions of elements, and powers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hybridlint.runtime.compiled.lowering.gathered import Gathered
from hybridlint.runtime.compiled.lowering.values import ArrayValue, CannotLower, Map, Number


@dataclass(frozen=True, slots=True)
class Abilities:
    """The element types that arrays may have, the functions of elements by name, and the exponents of powers.

    Arithmetic is that of float32, whatever the element types are.
    """

    dtypes: frozenset[str]
    functions: frozenset[str]
    #: Whether there is code for a power: its exponent, or None for one that is not known before.
    power: Callable[[float | None], bool]
    #: Whether rows at positions that are computed can be taken, and so arrays of integers be read.
    gathers: bool = False

    def require(self, results: Iterable[ArrayValue], checked: set[ArrayValue]) -> None:
        """Raise CannotLower for a value that the results need and that there is no code for.

        Those in `checked` have been asked about; the others are added.
        """
        waiting = [value for value in results if value not in checked]
        while waiting:
            value = waiting.pop()
            if value in checked:
                continue
            if isinstance(value, Map):
                self._require(value)
            if isinstance(value, Gathered) and not self.gathers:
                raise CannotLower("positions that are computed")
            checked.add(value)
            waiting += [source for source in value.sources if source not in checked]

    def _require(self, value: Map) -> None:
        if value.function == "power":
            exponent = value.arguments[1]
            if not self.power(exponent.number if isinstance(exponent, Number) else None):
                raise CannotLower("a power that is no product")
        elif value.function not in self.functions:
            raise CannotLower(f"the function {value.function}")
