"""Primes in place of sizes that the code computes. Shape rules, which take numbers, can then be evaluated."""

from __future__ import annotations

from dataclasses import field

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, product
from hybridlint.runtime.facts.records import record

#: Primes that no module names, to be found in what the rules give.
_PRIMES = (1000003, 1000033, 1000037, 1000039)


@record(frozen=True, slots=True)
class PrimeMarks:
    """The sizes for which primes stand, by the factor that the prime is in a size."""

    sizes: dict[str, AxisSize] = field(default_factory=dict)

    def mark(self, size: AxisSize) -> int | None:
        """Return the prime that represents a size from now on; None if there is none left."""
        if len(self.sizes) == len(_PRIMES):
            return None
        prime = _PRIMES[len(self.sizes)]
        self.sizes[str(prime)] = size
        return prime

    def size(self, found: AxisSize) -> AxisSize:
        """Return a size with its marks replaced by the sizes that they represent."""
        if not self.sizes:
            return found
        above = product(self.sizes.get(factor, AxisSize((factor,))) for factor in found.factors)
        below = product(self.sizes.get(factor, AxisSize((factor,))) for factor in found.divisors)
        return above // below
