"""Primes in place of sizes that the code computes. Shape rules, which take numbers, can then be evaluated."""

from __future__ import annotations

from dataclasses import field

from hybridlint.fixers.evidence.sizes.extent import Extent, product
from hybridlint.runtime.facts.records import record

#: Primes that no module names, to be found in what the rules give.
_PRIMES = (1000003, 1000033, 1000037, 1000039)


@record(frozen=True, slots=True)
class Marks:
    """The sizes for which primes stand, by the factor that the prime is in a size."""

    sizes: dict[str, Extent] = field(default_factory=dict)

    def mark(self, size: Extent) -> int | None:
        """Return the prime that stands for a size from now on; None if there is none left."""
        if len(self.sizes) == len(_PRIMES):
            return None
        prime = _PRIMES[len(self.sizes)]
        self.sizes[str(prime)] = size
        return prime

    def size(self, found: Extent) -> Extent:
        """Return a size with its marks replaced by the sizes that they represent."""
        if not self.sizes:
            return found
        above = product(self.sizes.get(factor, Extent((factor,))) for factor in found.factors)
        below = product(self.sizes.get(factor, Extent((factor,))) for factor in found.divisors)
        return above // below
