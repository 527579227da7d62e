"""Unknown sizes of a graph, and what becomes known of them: a size that one operator settles is settled everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.runtime.facts.dims import Dim, DimLike

if TYPE_CHECKING:
    from hybridlint.runtime.facts.types import Shape


class Unknowns:
    """Equations between sizes, solved as they come."""

    def __init__(self) -> None:
        self._solved: dict[str, DimLike] = {}

    def equate(self, old: Shape | None, new: Shape | None, *, evenly: bool = False) -> None:
        """Learn that two shapes are one. With `evenly` several unknowns of one equation have the same value."""
        if old is None or new is None or len(old) != len(new):
            return
        for left, right in zip(old, new, strict=True):
            self._equate(self.settle(left), self.settle(right), evenly)

    def settle(self, dim: DimLike) -> DimLike:
        """Return a size with everything that is known of its parts."""
        if isinstance(dim, int):
            return dim
        if dim.anonymous:
            return self._settled(dim)
        if not any(name in self._solved for names, _ in dim.terms for name in names):
            return dim
        total: DimLike = 0
        for names, factor in dim.terms:
            product: DimLike = factor
            for name in names:
                product = product * self._settled(Dim.named(name))
            total = total + product
        return total

    def _settled(self, dim: Dim) -> DimLike:
        """Return the known value of a size, and cache it, because long graphs have long chains of equal sizes."""
        name = dim.terms[0][0][0]
        found = self._solved.get(name)
        if found is None:
            return dim
        self._solved[name] = settled = self.settle(found)
        return settled

    def settle_shape(self, shape: Shape | None) -> Shape | None:
        """Return a shape with everything that is known of its sizes."""
        return None if shape is None else tuple(map(self.settle, shape))

    def _equate(self, old: DimLike, new: DimLike, evenly: bool) -> None:
        if old == new:
            return
        if isinstance(new, Dim) and isinstance(old, Dim):
            # The newer unknown is named by the older one, so that names do not change from round to round.
            if new.anonymous and not _holds(old, new):
                self._solved[new.terms[0][0][0]] = old
            elif old.anonymous and not _holds(new, old):
                self._solved[old.terms[0][0][0]] = new
        elif isinstance(new, Dim) and isinstance(old, int):
            self._solve(new, old, evenly)
        elif isinstance(old, Dim) and isinstance(new, int):
            self._solve(old, new, evenly)

    def _solve(self, dim: Dim, value: int, evenly: bool) -> None:
        """Solve a linear equation for its only unknown, where the result is a size."""
        rest = value - sum(factor for names, factor in dim.terms if not names)
        unknown = [(names, factor) for names, factor in dim.terms if names]
        if any(len(names) != 1 for names, _ in unknown) or (len(unknown) > 1 and not evenly):
            return
        total = sum(factor for _, factor in unknown)
        if total and rest % total == 0 and rest // total > 0:
            self._solved.update({names[0]: rest // total for names, _ in unknown})


def _holds(dim: Dim, part: Dim) -> bool:
    return any(part.terms[0][0][0] in names for names, _ in dim.terms)
