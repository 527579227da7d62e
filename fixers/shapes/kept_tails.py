"""Fixers of reshapes that keep the last axes of their data, such as ``x.reshape((-1,) + x.shape[2:])``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.joined_shapes import sizes_of
from hybridlint.fixers.evidence.sizes.shape_parts import tail_read
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.codes import INFERRED, LEGACY
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix

#: The code of legacy reshape that keeps all axes that are left.
_REST = -2
#: An axis of a name that nothing binds in the function.
_AXIS = re.compile(r"(\w+)\[(\d+)\]")


@record(frozen=True, slots=True)
class _Tail:
    """A reshape of `data` that keeps its axes from `axis` on, and gives those before the sizes `ahead`."""

    data: ast.Name
    ahead: tuple[ast.expr, ...]
    axis: int


def kept_tail(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Write ``x.reshape((-1,) + x.shape[2:])`` as ``x.reshape((-3, -2))``, and spread axes with reshape_like.

    What the first sizes are need not be known: they hold as many elements as the axes that they replace.
    """
    frame = event.frame
    found = _tail(frame, call)
    if found is None or frame.mode == "np" or part_changes(frame, call):
        return None
    new = _by_codes(frame, call, found) or _like(frame, call, found)
    return None if new is None else rewrite(frame, call, new, Applicability.SAFE)


def _tail(frame: CodeContext, call: ast.Call) -> _Tail | None:
    if not isinstance(call.func, ast.Attribute) or lookup.of_tensors(call.func.attr) is not lookup.method("reshape"):
        return None
    given = data_and_rest(call, ("shape",), (dotted_parts(call.func) or ("",))[0] == frame.functions)
    if given is None or not isinstance(given[0], ast.Name) or given[1][0] is None:
        return None
    parts = parts_of(given[1][0])
    read = None if not parts else tail_read(parts[-1])
    if read is None or read[0].id != given[0].id or read[1] == 0:
        return None
    return _Tail(given[0], tuple(parts[:-1]), read[1])


def parts_of(shape: ast.expr) -> list[ast.expr]:
    """Return the sizes of a shape that code builds and, last, the tail appended to them; else nothing."""
    match shape:
        case ast.BinOp(left=ahead, op=ast.Add(), right=tail):
            sizes = sizes_of(ahead)
        case ast.Tuple(elts=[*ahead, ast.Starred(value=tail)]):
            sizes = sizes_of(ast.Tuple(ahead, ast.Load()))
        case _:
            return []
    return [] if sizes is None else [*sizes, tail]


def _by_codes(frame: CodeContext, call: ast.Call, found: _Tail) -> cst.BaseExpression | None:
    """Return the reshape with codes: two axes merged, or one split by a setting."""
    reads = [_is_read(frame, node) for node in found.ahead]
    match found.axis, reads:
        case 2, [True]:
            codes: list[int | ast.expr] = [LEGACY.merge]
        case 1, [True, False] | [False, True]:
            pair = zip(found.ahead, reads, strict=True)
            codes = [LEGACY.split, *(INFERRED if read else node for node, read in pair)]
        case _:
            return None
    written = [code if isinstance(code, int) else frame.concrete(code) for code in [*codes, _REST]]
    return _call(frame, call, found, "reshape", expression("({codes},)", codes=written))


def _is_read(frame: CodeContext, node: ast.expr) -> bool | None:
    """Return whether a size is -1 or follows from tensor sizes.

    None for codes, and for 1, which adds an axis.
    """
    number, size = literal(node), SizeInference(frame).size(node)
    if number == INFERRED:
        return True
    return None if number == 1 or size is None else size.sized


def _like(frame: CodeContext, call: ast.Call, found: _Tail) -> cst.BaseExpression | None:
    """Return a reshape_like that spreads the first axis over consecutive axes of another tensor."""
    axes = [_axis(frame, node) for node in found.ahead]
    known = [axis for axis in axes if axis is not None]
    if found.axis != 1 or len(known) < len(axes) or len(known) < 2 or not _in_order(known):
        return None
    template = "{x}, lhs_begin=0, lhs_end=1, rhs_begin={begin}, rhs_end={end}"
    name, begin = known[0]
    rest = expression(f"f({template})", x=name, begin=begin, end=begin + len(known))
    assert isinstance(rest, cst.Call)
    return _call(frame, call, found, "reshape_like", *rest.args)


def _axis(frame: CodeContext, node: ast.expr) -> tuple[str, int] | None:
    """Return the tensor and the axis whose size an expression is, if the name is never rebound; else None."""
    size = SizeInference(frame).size(node)
    axis = _AXIS.fullmatch(size.factors[0]) if size is not None and len(size.factors) == 1 else None
    if size is None or size.divisors or axis is None or frame.flow.rebindings_of(axis[1]):
        return None
    return axis[1], int(axis[2])


def _in_order(axes: Sequence[tuple[str, int]]) -> bool:
    name, begin = axes[0]
    return list(axes) == [(name, begin + k) for k in range(len(axes))]


def _call(
    frame: CodeContext, call: ast.Call, found: _Tail, operator: str, *given: cst.BaseExpression | cst.Arg
) -> cst.BaseExpression:
    """Return a call of an operator on the data in the form of the old call: method or function."""
    arguments = [part if isinstance(part, cst.Arg) else cst.Arg(part) for part in given]
    if (dotted_parts(call.func) or ("",))[0] == frame.functions:
        new = expression("{F}.{name}({x})", F=frame.functions, name=operator, x=frame.concrete(found.data))
    else:
        new = expression("{x}.{name}()", x=frame.concrete(found.data), name=operator)
    assert isinstance(new, cst.Call)
    return new.with_changes(args=[*new.args, *arguments])
