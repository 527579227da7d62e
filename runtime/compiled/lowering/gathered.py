"""Rows of a value at positions that are computed, such as those of an Embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NoReturn

from hybridlint.runtime.compiled.lowering.values import ArrayValue, CannotLower, Sizes
from hybridlint.runtime.compiled.lowering.views import transpose_value

#: Positions are numbers of float32 in native code, which holds whole numbers up to here.
_MOST_ROWS = 1 << 24
_EMPTY: Final = ArrayValue(())


@dataclass(frozen=True, eq=False, slots=True)
class Gathered(ArrayValue):
    """Rows of a table at positions along its first axis: fractions are cut off, outside positions clipped."""

    table: ArrayValue = _EMPTY
    positions: ArrayValue = _EMPTY

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The table, and the positions."""
        return (self.table, self.positions)

    def _has_halves(self) -> bool:
        """Return whether the table has numbers of float16 alone."""
        return self.table.is_half


class RowPositions:
    """An array of integers that represents a value; it can only be clipped, and used as row indices.

    `last` is the largest after clipping at zero and there; None where nothing has clipped it.
    """

    __slots__ = ("last", "value")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: ArrayValue, last: int | None = None) -> None:
        self.value = value
        self.last = last

    @property
    def shape(self) -> Sizes:
        """The shape of the value for which it stands."""
        return self.value.shape

    def astype(self, dtype: Any, copy: bool = True) -> RowPositions:
        """Return the array itself for another type of integers."""
        if str(dtype) not in {"int32", "int64"}:
            self._refuse()
        return self

    def clipped(self, low: Any, high: Any) -> RowPositions:
        """Return the positions from zero to another one, those outside moved there."""
        if low != 0 or not isinstance(high, int) or self.last is not None:
            self._refuse()
        return RowPositions(self.value, high)

    def taken(self, table: ArrayValue, axis: int = 0) -> ArrayValue:
        """Return the parts of a value at these positions along an axis. Raises CannotLower if some may be outside."""
        rank, own = len(table.shape), len(self.shape)
        if table.predicate or self.last != table.shape[axis] - 1 or table.shape[axis] > _MOST_ROWS:
            self._refuse()
        first = transpose_value(table, (axis, *(k for k in range(rank) if k != axis)))
        found = Gathered((*self.shape, *first.shape[1:]), table=first, positions=self.value)
        return transpose_value(found, (*range(own, own + axis), *range(own), *range(own + axis, own + rank - 1)))

    def _refuse(self, *_: Any) -> NoReturn:
        raise CannotLower("integers inside it")

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()


for _name in (
    *(
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "radd",
        "rsub",
        "rmul",
        "rtruediv",
        "rmod",
    ),
    *("eq", "ne", "lt", "le", "gt", "ge", "neg", "abs", "invert", "bool", "len", "iter", "getitem", "setitem", "array"),
):
    setattr(RowPositions, f"__{_name}__", RowPositions._refuse)
