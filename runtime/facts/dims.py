"""Dimensions that may be unknown: integers, or polynomials over named unknown sizes.

Every unknown size is assumed to be at least 1, and an inexact quotient at least 0 (a window that exactly fits has no
second position). Under this assumption two dimensions are proved equal (`same`), proved different (`differ`), or
neither.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, Union

from hybridlint.runtime.facts.records import record

Monomial: TypeAlias = tuple[str, ...]
DimLike: TypeAlias = Union[int, "Dim"]

#: The first names of unknown sizes are not given to any: `in_order` uses them.
_RESERVED = 10
_fresh = itertools.count(_RESERVED)
#: The name of an unknown size, alone or inside the name of a quotient.
_UNKNOWN = re.compile(r"\?\d+")


@record(frozen=True, slots=True)
class Dim:
    """A size that is not a known integer: a sum of integer multiples of products of named sizes."""

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    def named(name: str) -> Dim:
        """Return the unknown size called `name`; equal names are equal sizes."""
        return Dim((((name,), 1),))

    @staticmethod
    def fresh() -> Dim:
        """Return an unknown size that is proved equal only to itself."""
        return Dim.named(fresh_name())

    @property
    def anonymous(self) -> bool:
        """Whether this is a single unknown size about which nothing is known."""
        return len(self.terms) == 1 and self.terms[0][1] == 1 and self.terms[0][0][0].startswith("?")

    def __add__(self, other: DimLike) -> DimLike:
        return _normal([*self.terms, *_terms(other)])

    def __sub__(self, other: DimLike) -> DimLike:
        return _normal([*self.terms, *((m, -c) for m, c in _terms(other))])

    def __rsub__(self, other: int) -> DimLike:
        return _normal([*_terms(other), *((m, -c) for m, c in self.terms)])

    def __mul__(self, other: DimLike) -> DimLike:
        pairs = itertools.product(self.terms, _terms(other))
        return _normal([(tuple(sorted(a + b)), x * y) for (a, x), (b, y) in pairs])

    def __floordiv__(self, other: DimLike) -> DimLike:
        """Return the exact quotient if there is one, else a new named size."""
        if isinstance(other, int):
            if all(c % other == 0 for _, c in self.terms):
                return _normal([(m, c // other) for m, c in self.terms])
        else:
            quotient = _divide(self, other)
            if quotient is not None:
                return quotient
        by = f"({other._spelled(str)})" if isinstance(other, Dim) else str(other)
        return Dim.named(f"({self._spelled(str)})//{by}")

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        return self._spelled(_shown)

    def _spelled(self, name: Callable[[str], str]) -> str:
        """Return the polynomial as text, with the names of its sizes replaced by `name`."""

        def product(monomial: Monomial, factor: int) -> str:
            names = [name(one) for one in monomial]
            return "*".join(([str(factor)] if factor != 1 or not names else []) + names)

        return " + ".join(product(m, c) for m, c in self.terms).replace("+ -", "- ")


def same(left: DimLike, right: DimLike) -> bool:
    """Whether the two sizes are proved equal."""
    return left == right


def differ(left: DimLike, right: DimLike) -> bool:
    """Whether the two sizes are proved different for all values of the unknown sizes."""
    if left == right:
        return False
    if isinstance(left, int) and isinstance(right, int):
        return True
    if _is_free(left) and _is_free(right):
        return False
    gap = left - right
    if isinstance(gap, int):
        return gap != 0
    least = sum(c for m, c in gap.terms if not any(_may_be_none(name) for name in m))
    grows = all(c > 0 for m, c in gap.terms if m)
    falls = all(c < 0 for m, c in gap.terms if m)
    return (grows and least > 0) or (falls and least < 0)


def _is_free(size: DimLike) -> bool:
    """Return whether a size is a positive number or completely unknown."""
    return size.anonymous if isinstance(size, Dim) else isinstance(size, int) and size > 0


def _may_be_none(name: str) -> bool:
    """Return whether a name is a quotient rounded down, the only unknown size that may be 0."""
    return name.startswith("(")


def _shown(name: str) -> str:
    """Return a name as shown to users."""
    return _UNKNOWN.sub("?", name)


def fresh_name() -> str:
    """Return the name of an unknown size that is proved equal only to itself."""
    return f"?{next(_fresh)}"


def moment() -> int:
    """Return the current value of the counter of `fresh_name`, for `made_since`."""
    return next(_fresh)


def made_since(name: str, since: int) -> bool:
    """Return whether `fresh_name` created a name after `moment` returned `since`; 0 includes all names."""
    return name.startswith("?") and int(name[1:]) >= since


def unknowns(name: str) -> tuple[str, tuple[str, ...]]:
    """Return a size's name as shown to users, and the names of the fresh unknown sizes that it consists of.

    A quotient's name may contain several; a declared name ("N") contains none.
    """
    if not (name.startswith("?") or _may_be_none(name)):
        return name, ()
    return _shown(name), tuple(_UNKNOWN.findall(name))


def in_order(shape: Iterable[DimLike]) -> tuple[tuple[DimLike, ...], tuple[str, ...]] | None:
    """Return a shape with its unknown sizes renamed ``?0``, ``?1``, ..., and the old names in that order.

    None if it has too many unknown sizes. The new names sort like the old ones, so that sizes computed from them have
    the same form.
    """
    names = sorted({name for size in shape for name in _unknown_in(size)})
    if len(names) > _RESERVED:
        return None
    new = {name: f"?{number}" for number, name in enumerate(names)}
    return tuple(rename_sizes(size, new.__getitem__) for size in shape), tuple(names)


def put_back(size: DimLike, names: Sequence[str]) -> DimLike:
    """Return a size computed from a shape of `in_order`, with the unknown sizes' old `names` restored."""

    def before(name: str) -> str:
        number = int(name[1:])
        return names[number] if number < len(names) else name

    return rename_sizes(size, before)


def _unknown_in(size: DimLike) -> Iterator[str]:
    if isinstance(size, Dim):
        yield from (name for monomial, _ in size.terms for one in monomial for name in unknowns(one)[1])


def rename_sizes(size: DimLike, name: Callable[[str], str]) -> DimLike:
    """Return a size with its unknown sizes renamed, including those inside quotients."""
    if isinstance(size, int):
        return size

    def whole(old: str) -> str:
        told = not (old.startswith("?") or _may_be_none(old))
        return old if told else _UNKNOWN.sub(lambda unknown: name(unknown[0]), old)

    return _normal([(tuple(sorted(map(whole, monomial))), factor) for monomial, factor in size.terms])


def product(dims: tuple[DimLike, ...]) -> DimLike:
    """Return the product of sizes; 1 for no sizes."""
    result: DimLike = 1
    for dim in dims:
        result = result * dim
    return result


def _terms(value: DimLike) -> tuple[tuple[Monomial, int], ...]:
    if isinstance(value, Dim):
        return value.terms
    return (((), value),) if value else ()


def _normal(terms: list[tuple[Monomial, int]]) -> DimLike:
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, 0) + factor
    kept = sorted((m, c) for m, c in total.items() if c)
    if not kept:
        return 0
    if len(kept) == 1 and kept[0][0] == ():
        return kept[0][1]
    kept.sort(key=lambda term: (-len(term[0]), term[0]))
    return Dim(tuple(kept))


def _divide(numerator: Dim, denominator: Dim) -> DimLike | None:
    """Return the quotient by a single product of names if every term of the numerator contains it, else None."""
    if len(denominator.terms) != 1:
        return None
    monomial, factor = denominator.terms[0]
    result: list[tuple[Monomial, int]] = []
    for names, count in numerator.terms:
        left = list(names)
        for name in monomial:
            if name not in left:
                return None
            left.remove(name)
        if count % factor:
            return None
        result.append((tuple(left), count // factor))
    return _normal(result)
