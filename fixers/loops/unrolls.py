"""Fixers of recurrent cells unrolled over as many steps as a tensor has: they use F.contrib.foreach instead."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import BlockRef, Tensor
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.blocks.parameters import states_by_functions
from hybridlint.fixers.indexing.keys import is_none, literal
from hybridlint.fixers.loops.lists import combine_rows
from hybridlint.fixers.toolkit.names import block_around, free_name
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

#: The parameters of `unroll`.
_PARAMETERS = ("length", "inputs", "begin_state", "layout", "merge_outputs", "valid_length")


@record(frozen=True, slots=True)
class _Unroll:
    """A statement ``outputs, states = cell.unroll(...)`` over all steps of a tensor.

    `outputs` is the name that gets them, None if nothing does. `states` is what gets the states, None if nothing does.
    `axis` and `batch` are the axes of time and of the batch, `begin` the first states, if they are given.
    """

    statement: ast.Assign
    cell: ast.expr
    inputs: ast.Name
    outputs: str | None
    states: ast.expr | None
    axis: int
    batch: int
    begin: ast.expr | None
    merged: bool


def write_unroll(event: AttributeRead, call: ast.Call) -> Fix | None:
    """Write ``cell.unroll(x.shape[1], x)`` as ``F.contrib.foreach(cell, F.swapaxes(x, 0, 1), states)``.

    The cell is a step of foreach as it is: it takes a row and states, and returns an output and new states.
    """
    frame = event.frame
    found = None if frame.functions is None or frame.mode != "legacy" else _read(frame, call)
    if found is None or frame.functions is None:
        return None
    behind = _behind(frame, found)
    after = _used(frame, frame.functions, found, behind)
    if after is None:
        return None
    lines = _written(frame, frame.functions, found)
    message = "Step through the tensor with F.contrib.foreach"
    whole = replace_statements(frame, found.statement, lines, Applicability.UNSAFE, message=message)
    begun = None if found.begin is None else states_by_functions(frame, found.begin)
    return join_fixes(message, [whole, *after, *([begun] if begun is not None else [])], kind=FixKind.STEP)


def _read(frame: CodeContext, call: ast.Call) -> _Unroll | None:
    """Return the cell that a call unrolls; None unless it is a plain cell, unrolled over all steps of its inputs."""
    statement = frame.statement
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "unroll" or not isinstance(statement, ast.Assign):
        return None
    given: dict[str, ast.expr] = dict(zip(_PARAMETERS, call.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    layout, inputs, merge = given.get("layout"), given.get("inputs"), given.get("merge_outputs")
    order = layout.value if isinstance(layout, ast.Constant) else "NTC" if layout is None else None
    targets = _targets(statement, call)
    if order not in {"NTC", "TNC"} or targets is None or not given.keys() <= {*_PARAMETERS} or not _steps(frame, call):
        return None
    axis, batch = order.find("T"), order.find("N")
    if not isinstance(inputs, ast.Name) or not _is_length(given.get("length"), inputs.id, axis):
        return None
    if not isinstance(frame.seen.value(inputs), Tensor) or not (merge is None or isinstance(merge, ast.Constant)):
        return None
    begin, valid = given.get("begin_state"), given.get("valid_length")
    if valid is not None and not is_none(valid):
        return None
    begin = None if begin is None or is_none(begin) else begin
    merged = isinstance(merge, ast.Constant) and merge.value is True
    return _Unroll(statement, call.func.value, inputs, *targets, axis, batch, begin, merged)


def _steps(frame: CodeContext, call: ast.Call) -> bool:
    """Whether the object that is unrolled is a cell, or a stack of cells, that only has each step called."""
    block = frame.seen.value(call.func.value) if isinstance(call.func, ast.Attribute) else None
    layer = layer_of(block) if isinstance(block, BlockRef) else None
    return layer is not None and layer.steps and (layer.unrolls_plainly or layer.holds_others)


def _targets(statement: ast.Assign, call: ast.Call) -> tuple[str | None, ast.expr | None] | None:
    """Return the name of the outputs and the target of the states; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), states])], value=value) if value is call:
            unread = isinstance(states, ast.Name) and states.id == "_"
            return None if name == "_" else name, None if unread else states
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=value, slice=key)) if value is call:
            return (name, None) if literal(key) == 0 else None
    return None


def _is_length(node: ast.expr | None, tensor: str, axis: int) -> bool:
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=key):
            return name == tensor and literal(key) == axis
    return False


def _behind(frame: CodeContext, found: _Unroll) -> list[ast.stmt]:
    block = block_around(frame, found.statement) or []
    return block[block.index(found.statement) + 1 :] if found.statement in block else []


def _used(frame: CodeContext, functions: str, found: _Unroll, behind: Sequence[ast.stmt]) -> list[Fix | None] | None:
    """Return the fixes of reads of the outputs, one tensor after the fix; None for other reads."""
    nodes = [n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name) and n.id == found.outputs]
    if found.merged or found.outputs is None or not any(isinstance(n.ctx, ast.Load) for n in nodes):
        return []
    if sum(not isinstance(n.ctx, ast.Load) for n in nodes) != 1:
        return None
    inside = [n for each in behind for n in walk(each)]
    lasts = [n for n in inside if _is_last(n, found.outputs)]
    if len(lasts) == len(nodes) - 1:
        # The gradient of SequenceLast without lengths ends the process.
        template = "{F}.squeeze({F}.slice_axis({rows}, axis=0, begin=-1, end=None), axis=0)"
        new = expression(template, F=functions, rows=found.outputs)
        return [rewrite(frame, n, new, Applicability.UNSAFE) for n in lasts if isinstance(n, ast.Subscript)]
    return combine_rows(frame, functions, behind, [found.statement], found.outputs)


def _is_last(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=read), slice=key):
            return read == name and literal(key) == -1
    return False


def _written(frame: CodeContext, functions: str, found: _Unroll) -> list[cst.BaseStatement]:
    """Return the statements that make the first states, step through the inputs, and lay out the outputs."""
    cell, data = frame.concrete(found.cell), frame.concrete(found.inputs)
    lines = list[cst.BaseStatement]()
    states: str | cst.BaseExpression = found.states.id if isinstance(found.states, ast.Name) else "_"
    begin: str | cst.BaseExpression
    if found.begin is not None:
        begin = frame.concrete(found.begin)
    else:
        begin = states if states != "_" else free_name(frame, "states")
        template = "{name} = {cell}.begin_state(batch_size={x}.shape[{axis}])"
        lines += statements(template, name=begin, cell=cell, x=data, axis=found.batch)
    if found.states is not None:
        states = frame.concrete(found.states)
    rows = expression("{F}.swapaxes({x}, 0, 1)", F=functions, x=data) if found.axis else data
    lines += statements(
        "{outputs}, {states} = {F}.contrib.foreach({cell}, {rows}, {begin})",
        outputs=found.outputs or "_",
        states=states,
        F=functions,
        cell=cell,
        rows=rows,
        begin=begin,
    )
    if found.merged and found.axis and found.outputs is not None and frame.flow.reads_of(found.outputs):
        lines += statements("{outputs} = {F}.swapaxes({outputs}, 0, 1)", outputs=found.outputs, F=functions)
    return lines
