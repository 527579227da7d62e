"""Fixer of reshapes that end with the last axes of another tensor, such as ``y.reshape((n, c, *x.shape[2:]))``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.axis_size import TensorAxes, axis_of
from hybridlint.fixers.evidence.sizes.joined_shapes import are_there
from hybridlint.fixers.evidence.sizes.shape_parts import tail_read
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.kept_tails import parts_of
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Fix


@record(frozen=True, slots=True)
class _Tail:
    """A reshape of `data` to a `shape`: the sizes `ahead`, then the axes of `like` from `axis` on."""

    data: ast.expr
    shape: ast.expr
    ahead: tuple[ast.expr, ...]
    like: ast.Name
    axis: int


def other_tail(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Write ``y.reshape((n, c, *x.shape[2:]))`` as reshape_like, where `n` and `c` are the first sizes of `y`.

    What the other axes of `y` are need not be known: they hold as many elements as those of `x`.
    """
    frame = event.frame
    found = _tail(frame, call)
    if found is None or frame.mode == "np" or part_changes(frame, call):
        return None
    kept = next((not guess for guess in (False, True) if _begins(frame, found, guess=guess)), None)
    if kept is None:
        return None
    method = (dotted_parts(call.func) or ("",))[0] != frame.functions
    template = "{x}.reshape_like({like}, {axes})" if method else "{F}.reshape_like({x}, {like}, {axes})"
    axes = "lhs_begin={own}, lhs_end=None, rhs_begin={axis}, rhs_end=None"
    template = template.replace("{axes}", axes)
    data = frame.concrete(found.data)
    new = expression(template, F=frame.functions, x=data, like=found.like.id, own=len(found.ahead), axis=found.axis)
    return rewrite(frame, call, new, safe_if(kept, are_there(frame, found.shape)))


def _tail(frame: CodeContext, call: ast.Call) -> _Tail | None:
    if not isinstance(call.func, ast.Attribute) or lookup.of_tensors(call.func.attr) is not lookup.method("reshape"):
        return None
    given = data_and_rest(call, ("shape",), (dotted_parts(call.func) or ("",))[0] == frame.functions)
    shape = None if given is None else given[1][0]
    if given is None or shape is None:
        return None
    parts = parts_of(shape)
    read = None if len(parts) < 2 else tail_read(parts[-1])
    if read is None or read[1] == 0 or frame.flow.rebindings_of(read[0].id):
        return None
    return _Tail(given[0], shape, tuple(parts[:-1]), *read)


def _begins(frame: CodeContext, found: _Tail, *, guess: bool) -> bool:
    """Whether the data have the sizes ahead as their first axes, and more axes behind these."""
    reader = SizeInference(frame, guess=guess)
    axes = reader.axes(found.data)
    return axes is not None and len(axes.sizes) > len(found.ahead) and _same(reader, axes, found)


def _same(reader: SizeInference, axes: TensorAxes, found: _Tail) -> bool:
    sizes = ((axis_of(axes, place), node) for place, node in enumerate(found.ahead))
    return all(literal(node) == 0 or (own is not None and reader.size(node) == own) for own, node in sizes)
