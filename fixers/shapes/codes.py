"""Codes of reshape for given target sizes: copy an axis, merge two axes, split one in two, infer one."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence
from functools import reduce

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, axis_of, product
from hybridlint.fixers.indexing.keys import literal
from hybridlint.runtime.facts.records import record, replace

#: The size that MXNet infers, in either mode.
INFERRED = -1


@record(frozen=True, slots=True)
class Codes:
    """The numbers of reshape's codes in legacy or in numpy mode."""

    copy: int
    merge: int
    split: int
    #: Copies all axes that are left.
    rest: int


LEGACY = Codes(copy=0, merge=-3, split=-4, rest=-2)
NUMPY = Codes(copy=-2, merge=-5, split=-6, rest=-4)


@record(frozen=True, slots=True)
class ReshapeTarget:
    """A target size of a reshape: its node, and the size that it reads; None for -1.

    `read` says that the node reads the size from a tensor, also where that is known to be a number or a setting.
    """

    node: ast.expr
    extent: AxisSize | None
    read: bool = False

    @property
    def sized(self) -> bool:
        """Whether a graph cannot compute the node."""
        return self.read or (self.extent is not None and self.extent.sized)


Code = int | ast.expr


def codes_for(source: TensorAxes, targets: Sequence[ReshapeTarget], codes: Codes) -> list[Code] | None:
    """Return a code for each target size; a size that is not read from a tensor stays as its node.

    None if no codes fit.
    """
    for exact in (False, True):
        found = _Fit(source, tuple(targets), codes, exact).rest(0, 0, inferred=False)
        if found is not None and _allowed(found, codes):
            return found
    return None


def codes_from_end(source: TensorAxes, targets: Sequence[ReshapeTarget], codes: Codes) -> list[Code] | None:
    """Return codes for the target sizes of a reshape, counted from the last axis; None if none fit.

    Counted from the end, a code for splitting would follow its two parts. Of a tensor of unknown rank the last axis may
    be known; a code for it alone would be an inferred size.
    """
    last = _last_inferred(source, targets)
    turned = [*targets[::-1]] if last is None else [last, *targets[-2::-1]]
    size = axis_of(source, -1)
    tries = [TensorAxes(source.sizes[::-1], whole=True)] if source.whole else []
    tries += [TensorAxes((size,), whole=False)] if size is not None else []
    for axes in tries:
        found = codes_for(axes, turned, codes)
        if found is not None and codes.split not in found and (axes.whole or found[0] == codes.copy):
            return found[::-1]
    return None


def _last_inferred(source: TensorAxes, targets: Sequence[ReshapeTarget]) -> ReshapeTarget | None:
    """Return the last target as the last axis, if it is a -1 that the other sizes make that axis."""
    known = [target.extent for target in targets[:-1] if target.extent is not None]
    if not source.whole or len(targets) < 2 or targets[-1].extent is not None or len(known) + 1 < len(targets):
        return None
    left = product(source.sizes) // product(known)
    return replace(targets[-1], extent=left, read=True) if source.sizes[-1:] == (left,) else None


def two_steps(
    source: TensorAxes, targets: Sequence[ReshapeTarget], codes: Codes
) -> tuple[tuple[Code, ...], ...] | None:
    """Return the codes of two reshapes, which merge three axes or split one in three; None if no codes fit."""
    divided = _first_divided(source, targets, codes)
    if divided is not None or not source.whole:
        return divided
    for at in range(len(source.sizes) - 1):
        merged = (*source.sizes[:at], source.sizes[at] * source.sizes[at + 1], *source.sizes[at + 2 :])
        behind = codes_for(TensorAxes(merged, whole=True), targets, codes)
        if behind is not None:
            ahead: list[Code] = [codes.copy] * at
            return (*ahead, codes.merge, *[codes.copy] * (len(merged) - at - 1)), tuple(behind)
    for at, (first, second) in enumerate(itertools.pairwise(targets)):
        if first.extent is None or second.extent is None or first.sized or second.sized:
            continue
        joined = ReshapeTarget(_product(first.node, second.node), first.extent * second.extent)
        around = [*targets[:at], joined, *targets[at + 2 :]]
        before, sizes = codes_for(source, around, codes), [t.extent for t in around]
        known = tuple(size for size in sizes if size is not None)
        behind = codes_for(TensorAxes(known, whole=True), targets, codes) if len(known) == len(sizes) else None
        if before is not None and behind is not None:
            return tuple(_plain(before)), tuple(behind)
    return None


def _first_divided(
    source: TensorAxes, targets: Sequence[ReshapeTarget], codes: Codes
) -> tuple[tuple[Code, ...], ...] | None:
    """Return the codes of two reshapes that divide the first axis by several settings, of which it consists too.

    In ``(n // (h * w), h, w, -1)`` of an axis `n`, the first reshape splits that, and the second copies the quotient.
    """
    if len(targets) < 3 or not source.sizes or targets[0].extent is None or not targets[0].sized:
        return None
    parts: list[ReshapeTarget] = []
    for target in targets[1:]:
        if target.extent is None or target.sized:
            break
        parts.append(target)
        whole = product(part.extent for part in (targets[0], *parts) if part.extent is not None)
        if whole != source.sizes[0] or len(parts) < 2:
            continue
        behind = _Fit(source, tuple(targets), codes, exact=False).rest(None, 1 + len(parts), inferred=False)
        count = reduce(_product, (part.node for part in parts))
        if behind is not None:
            return (codes.split, INFERRED, count, codes.rest), (codes.copy, *(part.node for part in parts), *behind)
    return None


def _product(left: ast.expr, right: ast.expr) -> ast.expr:
    """Return the product of two sizes that are no sizes of tensors."""
    numbers = literal(left), literal(right)
    if numbers[0] is not None and numbers[1] is not None:
        return ast.Constant(numbers[0] * numbers[1])
    return ast.BinOp(left, ast.Mult(), right)


def _plain(found: Sequence[Code]) -> list[Code]:
    """Return the codes with integers in the place of literal nodes."""
    return [literal(c) or c if isinstance(c, ast.Constant) else c for c in found]


def _allowed(found: Sequence[Code], codes: Codes) -> bool:
    """Whether MXNet accepts the codes: it infers one size, or in legacy mode one of each axis that is split."""
    inferred = sum(code == INFERRED for code in found)
    splits = sum(code == codes.split for code in found)
    return inferred < 2 or (codes is LEGACY and inferred == splits)


@record(frozen=True, slots=True)
class _Fit:
    """The search for codes: the axes of the data, the target sizes, and the codes of the mode."""

    source: TensorAxes
    targets: tuple[ReshapeTarget, ...]
    codes: Codes
    #: Whether -1 is written only for a size that is not an axis of the data.
    exact: bool

    def rest(self, at: int | None, place: int, *, inferred: bool) -> list[Code] | None:
        """Return the codes from target `place` on. `at` is the data's axis there; None if it is not known.

        `inferred` says that an earlier target was already coded as -1.
        """
        if place == len(self.targets):
            done = at is None or not self.source.whole or at == len(self.source.sizes)
            return [] if done else None
        target = self.targets[place]
        if target.extent is None:
            return self._unknown(at, place, inferred=inferred)
        found = None if at is None else self._aligned(at, place, target.extent, inferred=inferred)
        if found is not None:
            return found
        if not target.sized:
            behind = self.rest(None, place + 1, inferred=inferred)
            return None if behind is None else [target.node, *behind]
        behind = None if inferred else self.rest(None, place + 1, inferred=True)
        return None if behind is None else [INFERRED, *behind]

    def _unknown(self, at: int | None, place: int, *, inferred: bool) -> list[Code] | None:
        """Return the codes from target `place`, a -1, on.

        If each later target is one of the data's remaining axes, -1 stands for the axis `at`, or for it and the next.
        If the next target is a setting and the others are the remaining axes, the axis `at` is split in two.
        """
        if inferred:
            return None
        last = place + 1 == len(self.targets)
        following = None if last else self.targets[place + 1]
        plain = following is not None and following.extent is not None and not following.sized
        if at is not None and self.source.whole and plain:
            behind = self.exactly(at + 1, place + 2)
            if behind is not None:
                return [self.codes.split, INFERRED, self.targets[place + 1].node, *behind]
        if last and not self.exact:
            return [INFERRED]
        if at is not None and self.source.whole:
            for count, code in ((1, self.codes.copy), (2, self.codes.merge)):
                behind = self.exactly(at + count, place + 1)
                if behind is not None:
                    return [code, *behind]
        behind = [] if last else self.rest(None, place + 1, inferred=True)
        return None if behind is None else [INFERRED, *behind]

    def exactly(self, at: int, place: int) -> list[Code] | None:
        """Return the codes from target `place` on if these targets are all of the axes from `at` on; else None."""
        if at == len(self.source.sizes) and place == len(self.targets):
            return []
        if at >= len(self.source.sizes) or place >= len(self.targets):
            return None
        target = self.targets[place]
        here = self.source.sizes[at]
        if target.extent is None:
            return None
        if target.extent == here:
            behind = self.exactly(at + 1, place + 1)
            return None if behind is None else [self._kept(target), *behind]
        if at + 1 < len(self.source.sizes) and target.extent == here * self.source.sizes[at + 1]:
            behind = self.exactly(at + 2, place + 1)
            return None if behind is None else [self.codes.merge, *behind]
        return None

    def _kept(self, target: ReshapeTarget) -> Code:
        return self.codes.copy if target.sized else target.node

    def _aligned(self, at: int, place: int, extent: AxisSize, *, inferred: bool) -> list[Code] | None:
        """Return the codes from target `place` on, which is the axis `at`, begins there merged, or splits it."""
        sizes, target = self.source.sizes, self.targets[place]
        if at >= len(sizes):
            return None
        if extent == sizes[at]:
            behind = self.rest(at + 1, place + 1, inferred=inferred)
            return None if behind is None else [self._kept(target), *behind]
        if at + 1 < len(sizes) and extent == sizes[at] * sizes[at + 1]:
            behind = self.rest(at + 2, place + 1, inferred=inferred)
            return None if behind is None else [self.codes.merge, *behind]
        return self._split(at, place, inferred=inferred)

    def _split(self, at: int, place: int, *, inferred: bool) -> list[Code] | None:
        """Return the codes from two targets on into which the axis `at` is split.

        One of the two must be a number or a setting, the other is inferred.
        """
        if place + 1 >= len(self.targets):
            return None
        first, second = self.targets[place], self.targets[place + 1]
        if first.extent is None:
            return None
        if second.extent is None:
            behind = self.exactly(at + 1, place + 2) if self.source.whole and not inferred else None
            fits = behind is not None and not first.sized
        else:
            behind = self.rest(at + 1, place + 2, inferred=inferred)
            both = first.sized and second.sized
            fits = behind is not None and first.extent * second.extent == self.source.sizes[at] and not both
        if not fits or behind is None:
            return None
        split = behind or inferred or self.exact
        number = not first.sized and not second.sized and second.extent is not None
        if number and not split:
            return [first.node, second.node]
        pair: list[Code] = [INFERRED, second.node] if first.sized else [first.node, INFERRED]
        return [self.codes.split, *pair, *behind] if split else pair
