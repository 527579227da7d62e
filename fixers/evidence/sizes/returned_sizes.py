"""The axes of what a helper returns, in sizes of the code that calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from hybridlint.fixers.evidence.helper_calls import HelperCall
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, axis_of, product
from hybridlint.runtime.facts.records import record

#: A factor that is an axis of a parameter as the helper got it; other names of axes are local to the helper.
_AXIS = re.compile(r"(\w+)\[(-?\d+)\]")


@record(frozen=True, slots=True)
class ReturnedSizes:
    """Translates sizes in a helper into those at the place that calls it.

    `arguments` has the axes of the arguments there, and `size` reads the sizes that are given. The local sizes of the
    call `node` are not those of other calls.
    """

    node: ast.Call
    call: HelperCall
    arguments: Mapping[str, TensorAxes]
    size: Callable[[ast.expr], AxisSize | None]

    def translated(self, found: TensorAxes) -> TensorAxes | None:
        """Return the axes in sizes of the caller; None if one depends on an argument of unknown size."""
        sizes = [self._size(size) for size in found.sizes]
        if any(size is None for size in sizes):
            return None
        last = None if found.last is None else self._size(found.last)
        return TensorAxes(tuple(size for size in sizes if size is not None), found.whole, last)

    def _size(self, size: AxisSize) -> AxisSize | None:
        factors = [self._factor(factor) for factor in size.factors]
        divisors = [self._factor(factor) for factor in size.divisors]
        if any(one is None for one in (*factors, *divisors)):
            return None
        return product(one for one in factors if one) // product(one for one in divisors if one)

    def _factor(self, factor: str) -> AxisSize | None:
        if factor in self.call.parameters:
            given = self.call.given.get(factor)
            return None if given is None else self.size(given)
        axis = _AXIS.fullmatch(factor)
        if axis is not None and axis[1] in self.call.parameters:
            known = axis_of(self.arguments.get(axis[1]), int(axis[2]))
            return known or AxisSize((f"{self._place}{factor}",))
        # A name of the helper's module may be another one where it is called.
        own = factor.isdecimal() or factor.startswith("self.")
        return AxisSize((factor,) if own else (f"{self._place}{factor}",))

    @property
    def _place(self) -> str:
        return f"{self.node.lineno}:{self.node.col_offset}/"
