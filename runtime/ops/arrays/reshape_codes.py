"""The codes that MXNet's reshape accepts in its `shape`, resolved for sizes that may be unknown."""

from __future__ import annotations

from hybridlint.runtime.facts.dims import Dim, DimLike, differ, product
from hybridlint.runtime.facts.types import InferError, Ints, Shape, show_shape
from hybridlint.runtime.ops.type_rules import exact_quotient

_COPY, _INFER, _REST, _MERGE, _SPLIT = 0, -1, -2, -3, -4


class _Reader:
    """Resolves codes one by one, consuming the sizes of the data."""

    def __init__(self, codes: Ints, sizes: Shape) -> None:
        self.codes = list(codes)
        self.left = list(sizes)
        self.sizes = sizes
        self.result: list[DimLike | None] = []

    def resolve(self) -> Shape:
        while self.codes:
            self._step(self.codes.pop(0))
        if self.result.count(None) > 1:
            raise InferError("shape", "only one size can be inferred (-1)")
        if None not in self.result:
            return tuple(d for d in self.result if d is not None)
        hole = self.result.index(None)
        others = [d for d in self.result if d is not None]
        return (*others[:hole], exact_quotient(self.sizes, others, "shape"), *others[hole:])

    def _step(self, code: int) -> None:
        if code > 0:
            self.result.append(code)
            self.left = self.left[1:]
        elif code == _COPY:
            self.result.append(self._next(code))
        elif code == _INFER:
            self.result.append(None)
            self.left = self.left[1:]
        elif code == _REST:
            self.result += self.left
            self.left = []
        elif code == _MERGE:
            self.result.append(self._next(code) * self._next(code))
        elif code == _SPLIT:
            self.result += self._split()
        else:
            raise InferError("shape", f"{code} is not a size or one of the codes 0, -1, -2, -3, -4")

    def _next(self, code: int) -> DimLike:
        if not self.left:
            raise InferError("shape", f"code {code} finds no dimension of {show_shape(self.sizes)}")
        return self.left.pop(0)

    def _split(self) -> list[DimLike]:
        whole = self._next(_SPLIT)
        if len(self.codes) < 2:
            raise InferError("shape", "code -4 needs two sizes after it")
        first, second = self.codes.pop(0), self.codes.pop(0)
        if first == _INFER and second == _INFER:
            raise InferError("shape", "only one of the two sizes after -4 can be inferred")
        if first == _INFER:
            return [exact_quotient([whole], [second], "shape"), second]
        if second == _INFER:
            return [first, exact_quotient([whole], [first], "shape")]
        if differ(whole, first * second):
            raise InferError("shape", f"a dimension of {whole} does not split into {first} and {second}")
        return [first, second]


def resolve(codes: Ints, sizes: Shape, reverse: bool = False) -> Shape:
    """Return the new shape for data of shape `sizes`; with `reverse`, the codes are matched from the last dimension on.

    Raises InferError if a code does not fit, or if the number of elements would change.
    """
    result = _Reader(codes[::-1], sizes[::-1]).resolve()[::-1] if reverse else _Reader(codes, sizes).resolve()
    if differ(product(sizes), product(result)):
        raise InferError("shape", f"{show_shape(sizes)} cannot be reshaped to {show_shape(result)}")
    return result


def resolve_unknown(codes: Ints) -> Shape | None:
    """Return the new shape that follows from the codes alone, for data of unknown rank.

    Sizes that depend on the data are unknown; None if the rank does.
    """
    result: list[DimLike] = []
    left = list(codes)
    while left:
        code = left.pop(0)
        if code == _REST:
            return None
        if code == _SPLIT:
            result += [d if d > 0 else Dim.fresh() for d in left[:2]]
            left = left[2:]
        else:
            result.append(code if code > 0 else Dim.fresh())
    return tuple(result)


def resolve_target(target: Ints, sizes: Shape, keep_highest: bool) -> Shape:
    """Return the shape that reshape's deprecated parameter `target_shape` means for data of shape `sizes`.

    A size of 0 is inferred; with `keep_highest`, the first size is that of the data. Raises InferError if the number of
    elements would change.
    """
    fixed: list[DimLike] = [sizes[0], *target[1:]] if keep_highest else list(target)
    if fixed.count(0) > 1:
        raise InferError("target_shape", "only one size can be inferred (0)")
    others = [d for d in fixed if d != 0]
    result = tuple(exact_quotient(sizes, others, "target_shape") if d == 0 else d for d in fixed)
    if differ(product(sizes), product(result)):
        raise InferError("target_shape", f"{show_shape(sizes)} cannot be reshaped to {show_shape(result)}")
    return result
