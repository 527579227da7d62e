"""Parts of an axis that begin and end at shares of its own size, ``fold = c // 8``, ``x[:, fold : 2 * fold]``."""

from __future__ import annotations

import ast
from math import gcd, lcm, prod

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.syntax import each, walk


@record(frozen=True, slots=True)
class Share:
    """A number of equal parts of an axis, which has `count` of them, times as many as a `setting` says."""

    number: int
    count: int = 1
    setting: str | None = None


@record(frozen=True, slots=True)
class SharedPart:
    """The equal parts of an axis from `begin` up to `end`, the last one where that is None."""

    axis: int
    begin: int
    end: int | None
    count: int
    setting: str | None

    @property
    def single(self) -> bool:
        """Whether this is one part: one output of ``F.split``, which is a list for two parts and more.

        Code that takes a part from the middle divides an axis in two at least.
        """
        end = self.count if self.end is None and self.setting is None else self.end
        return end is not None and end - self.begin == 1

    def of(self, functions: str, data: cst.BaseExpression) -> cst.BaseExpression:
        """Return this part of a tensor, whole along all other axes.

        Where it is several parts, the axis is split in two, of which the first counts them. MXNet's ``slice`` takes no
        more than five axes; ``slice_axis`` does.
        """
        if self.single:
            template = "{F}.split({x}, num_outputs={count}, axis={axis})[{begin}]"
            return expression(template, F=functions, x=data, count=self._written(), axis=self.axis, begin=self.begin)
        part = "{F}.slice_axis({F}.reshape({x}, ({split},)), axis={axis}, begin={begin}, end={end})"
        template = f"{{F}}.reshape({part}, ({{merged}},))"
        split, merged = [*[0] * self.axis, -4, self._written(), -1, -2], [*[0] * self.axis, -3, -2]
        return expression(
            template, F=functions, x=data, split=split, axis=self.axis, begin=self.begin, end=self.end, merged=merged
        )

    def _written(self) -> int | cst.BaseExpression:
        if self.setting is None:
            return self.count
        setting = expression("{setting}", setting=self.setting)
        return setting if self.count == 1 else binary(expression("{n}", n=self.count), ast.Mult(), setting)


def shared_part(
    frame: CodeContext, data: ast.expr, axis: int, begin: ast.expr | None, end: ast.expr | None
) -> SharedPart | None:
    """Return the part of a named tensor between two bounds that are shares of its axis.

    An operator divides an axis into parts of one size, where the code rounds: fixes by it are unsafe. None for bounds
    that are no shares, or read no size of a tensor, and in code that takes no part from the middle, ``n : 2 * n``: half
    of an axis alone may be rounded.
    """
    reader = SizeInference(frame)
    bounds = [None if bound is None or literal(bound) == 0 else bound for bound in (begin, end)]
    given = [bound for bound in bounds if bound is not None]
    size = axis_of(reader.axes(data), axis) if axis >= 0 else None
    if not given or size is None or not all(map(reader.reads_tensor, given)) or not _has_middle_part(reader):
        return None
    shares = [None if bound is None else _share(reader, bound, size) for bound in bounds]
    if any(share is None for share, bound in zip(shares, bounds, strict=True) if bound is not None):
        return None
    found = [share for share in shares if share is not None]
    count, setting = lcm(*(share.count for share in found)), found[0].setting
    first, last = (None if share is None else share.number * (count // share.count) for share in shares)
    if any(share.setting != setting for share in found) or (last is not None and last <= (first or 0)):
        return None
    if setting is None and (max(first or 0, last or 0) > count or not may_be_divided(frame, data, axis, count)):
        return None
    whole = last == count and setting is None
    return SharedPart(axis, first or 0, None if whole else last, count, setting)


def _has_middle_part(reader: SizeInference) -> bool:
    """Whether the function cuts a part that ends at a multiple of the size where it begins, as for groups."""
    for key in each(reader.frame.function or ast.Pass(), ast.Slice):
        if key.lower is None or key.upper is None or not reader.reads_tensor(key.lower):
            continue
        begin, end = reader.size(key.lower), reader.size(key.upper)
        times = None if begin is None or end is None else end // begin
        if times is not None and times.factors and not times.divisors and all(f.isdecimal() for f in times.factors):
            return True
    return False


def _share(reader: SizeInference, bound: ast.expr, size: AxisSize) -> Share | None:
    """Return which share of a size a bound is; None if it is no number of equal parts of it."""
    known = reader.size(bound)
    share = None if known is None else known // size
    if share is None or not share.divisors or not all(factor.isdecimal() for factor in share.factors):
        return None
    names = tuple(factor for factor in share.divisors if not factor.isdecimal())
    setting = _setting(reader, AxisSize(names)) if names else None
    if names and setting is None:
        return None
    number, count = prod(map(int, share.factors)), prod(int(f) for f in share.divisors if f.isdecimal())
    common = gcd(number, count)
    return Share(number // common, count // common, setting)


def _setting(reader: SizeInference, size: AxisSize) -> str | None:
    """Return the attribute of the block, or the argument, by which the function calls a number; None if none does."""
    for node in walk(reader.frame.function or ast.Pass()):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Load()):
                pass
            case ast.Name(id=name) if not reader.frame.flow.rebindings_of(name):
                pass
            case _:
                continue
        if not isinstance(reader.frame.seen.value(node), Tensor) and reader.size(node) == size:
            return ast.unparse(node)
    return None


def may_be_divided(frame: CodeContext, data: ast.expr, axis: int, count: int) -> bool:
    """Return whether a number of parts may divide the size of an axis. An unknown size may be divisible."""
    held = frame.seen.value(data)
    shape = held.type.shape if isinstance(held, Tensor) else None
    known = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    return not isinstance(known, int) or known % count == 0
