"""Fixers of ``for`` statements over the rows of tensors: a nested function of one step, and foreach."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, External, Function, OperatorRef, StaticValue, Tensor
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.fixers.blocks.parameters import states_by_functions
from hybridlint.fixers.loops.lists import combine_rows, is_in_front, remove_lists
from hybridlint.fixers.loops.row_loops import RowLoop, row_loop
from hybridlint.fixers.loops.steps import LoopSteps, RowRead, StepWriter, captured_names, steps_of
from hybridlint.fixers.loops.sums import numbers_made
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.fixers.toolkit.nodes import in_row
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.fixers.toolkit.statements import (
    held_by,
    join_fixes,
    replace_statements,
    statements_with,
    with_comment_behind,
)
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, walk


def statement_foreach(frame: CodeContext, node: ast.AST) -> Fix | None:
    """Write a ``for`` that carries values from step to step, or appends to a list, as foreach.

    `node` is a part of the loop's iterable. The body becomes ``def step(row, states)``, called by
    ``F.contrib.foreach``.
    """
    function = frame.function
    if frame.functions is None or frame.mode != "legacy" or not isinstance(function, ast.FunctionDef):
        return None
    loops = (n for n in walk(function) if isinstance(n, ast.For) and holds(n.iter, node))
    loop = next(loops, None)
    block = None if loop is None or loop.orelse else block_around(frame, loop)
    if loop is None or block is None or block is not function.body or _makes_states(frame, loop):
        # In a nested block (a branch, another loop) the names may hold other values by then.
        return None
    steps = steps_of(frame, node, loop.target, loop.iter, list(loop.body))
    if steps is None:
        return None
    rows = () if steps.rows is not None else [name for name in steps.names if name != steps.counter]
    found = row_loop(frame, loop, block, rebindable=rows)
    if found is None:
        return None
    bound = names_in(loop).stores
    body = [part for part in loop.body if part not in found.filling]
    parts = [*body, *(each.element for each in found.lists)]
    step = [_Stepping(steps.rows or {}).visit(deepcopy(part)) for part in parts]
    along = _carried_along(frame, loop, captured_names(frame.functions, step, {*steps.names, *bound, *found.carried}))
    if along is None:
        return None
    found = replace(found, carried=(*found.carried, *along))
    gathers = _gatherings(frame, frame.functions, block, found)
    return None if gathers is None else _written(frame, frame.functions, steps, found, gathers)


def _makes_states(frame: CodeContext, loop: ast.For) -> bool:
    """Whether a step calls a recurrent layer without states, which MXNet cannot make in a graph of a step."""
    for call in (n for n in walk(loop) if isinstance(n, ast.Call) and len(n.args) == 1 and not n.keywords):
        block = frame.seen.value(call.func)
        layer = layer_of(block) if isinstance(block, BlockRef) else None
        if layer is not None and layer.sequences:
            return True
    return False


def _carried_along(frame: CodeContext, loop: ast.For, names: set[str]) -> list[str] | None:
    """Return the names of outer tensors that each step gets as a state and passes on unchanged.

    foreach sums the gradients of states over the steps, but not of all tensors that a step captures. None if a name may
    hold another value with tensors, such as a list.
    """
    reads = [n for n in walk(loop) if isinstance(n, ast.Name) and n.id in names]
    held = {n.id: frame.seen.value(n) for n in reads}
    if any(
        not isinstance(value, Tensor | Function | StaticValue | OperatorRef | External | BlockRef)
        for value in held.values()
    ):
        return None
    return sorted(name for name, value in held.items() if isinstance(value, Tensor))


def _written(
    frame: CodeContext, functions: str, steps: LoopSteps, found: RowLoop, gathers: Sequence[Fix | None]
) -> Fix | None:
    """Return the statements that define the loop's body as a nested function and call foreach with it."""
    loop = found.node
    lines = [loop.lineno, *(statement.lineno for statement in loop.body)]
    if len({*lines}) < len(lines) or not (found.lists or found.last or found.carried):
        return None
    rows = StepWriter(frame, functions, steps, {}).parts(loop.body)
    if rows is None:
        return None
    names = _Names.free(frame, steps, found)
    new = [_step(frame, steps, found, names, rows), *_calls(frame, functions, steps, found, names)]
    message, unsafe = "Loop with F.contrib.foreach", Applicability.UNSAFE
    fixes = [replace_statements(frame, loop, new, unsafe, message=message)]
    fixes += remove_lists(frame, [each.made for each in found.lists], message)
    fixes += _states_made(frame, found)
    fixes += [each.removed(frame, message) for each in found.sums]
    numbers = numbers_made(frame, functions, found.node, found.carried)
    if numbers is None:
        return None
    fixes += numbers
    fixes += gathers
    return join_fixes(message, fixes)


def _step(
    frame: CodeContext, steps: LoopSteps, found: RowLoop, names: _Names, rows: dict[ast.expr, cst.BaseExpression]
) -> cst.BaseStatement:
    """Return the definition of the nested function ``def step(row, states)`` that computes one step.

    `rows` maps expressions of the loop to what a step has in their place.
    """
    loop = found.node
    for each in found.sums:
        inside = {node: rows.pop(node) for node in [*rows] if holds(each.part, node)}
        rows[each.whole] = concrete_with(frame, each.part, inside) if inside else frame.concrete(each.part)
        rows[each.target] = expression("{name}", name=each.in_step)
    (whole,) = statements_with(frame, [loop], rows)
    body = held_by(whole)
    body[-1] = with_comment_behind(frame, loop.body[-1], body[-1])
    ends = [line for statement, line in zip(loop.body, body, strict=True) if statement in found.filling]
    body = [line for statement, line in zip(loop.body, body, strict=True) if statement not in found.filling]
    renamed = {each.name: each.in_step for each in found.sums}
    values: list[cst.BaseExpression | str] = [renamed.get(name, name) for name in found.last]
    values = [*map(_element, ends), *values]
    returned = _returned(_listed(values or found.carried[:1]), names.kept(found), like=ends)
    return statements(
        """
        def {step}({rows}, {states}):
            {opening}
            {body}
            {returned}
        """,
        step=names.step,
        rows=names.rows,
        states=names.states,
        opening=_opening(steps, found, names),
        body=body,
        returned=returned,
    )[0]


def _returned(
    value: cst.BaseExpression, states: cst.BaseExpression, *, like: Sequence[cst.BaseStatement]
) -> cst.BaseStatement:
    """Return the `return` statement of the nested function, with the comments of the statements that it replaces."""
    new = statements("return {value}, {states}", value=value, states=states)[0]
    lines = [line for line in like if isinstance(line, cst.SimpleStatementLine)]
    if not lines:
        return new
    # The comments behind all but the last of several statements go above the one.
    behind = [line.trailing_whitespace.comment for line in lines[:-1]]
    above = [cst.EmptyLine(comment=comment) for comment in behind if comment is not None]
    above = [*(part for line in lines for part in line.leading_lines), *above]
    return new.with_changes(leading_lines=above, trailing_whitespace=lines[-1].trailing_whitespace)


class _Stepping(ast.NodeTransformer):
    """A transformer that replaces the rows that a loop reads by their names in a step."""

    def __init__(self, rows: Mapping[str, RowRead]) -> None:
        self.rows = rows

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._row(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return self._row(node)

    def _row(self, node: ast.Subscript | ast.Call) -> ast.AST:
        row = self.rows.get(ast.unparse(node))
        return self.generic_visit(node) if row is None else ast.Name(row.name, ast.Load())


def _element(statement: cst.BaseStatement) -> cst.BaseExpression:
    """Return the element in a concrete statement ``rows.append(element)`` or ``rows.insert(0, element)``."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(args=[*_, cst.Arg(value=element)]))]):
            return element
    raise TypeError("only statements that append have an element")


@record(frozen=True, slots=True)
class _Names:
    """New names in the fixed code: the nested function, its parameters, and the stacked values.

    `all_rows` holds a name for the stacked values of each variable that is read after the loop.
    """

    step: str
    rows: str
    states: str
    all_rows: tuple[str, ...]

    @classmethod
    def free(cls, frame: CodeContext, steps: LoopSteps, found: RowLoop) -> _Names:
        """Choose names that the method around the loop does not use; a single row or state keeps its name."""
        taken = {n.id for n in walk(frame.function or found.node) if isinstance(n, ast.Name)}
        rows = steps.names[0] if len(steps.names) == 1 else _free("rows", taken)
        states = found.carried[0] if len(found.carried) == 1 else _free("states", taken)
        return cls(_free("step", taken), rows, states, tuple(_free(f"all_{name}", taken) for name in found.last))

    def kept(self, found: RowLoop) -> cst.BaseExpression:
        """Return the states that the nested function returns and gets again in the next step."""
        return _listed(found.carried if len(found.carried) > 1 else [self.states])


def _opening(steps: LoopSteps, found: RowLoop, names: _Names) -> list[cst.BaseStatement]:
    """Return the first statements of the nested function: ``a, b = rows`` and ``h, c = states``, if several."""
    parts = ((steps.names, names.rows), (found.carried, names.states))
    return [
        line
        for targets, source in parts
        if len(targets) > 1
        for line in statements("{targets} = {source}", targets=in_row(targets), source=source)
    ]


def _calls(
    frame: CodeContext, functions: str, steps: LoopSteps, found: RowLoop, names: _Names
) -> list[cst.BaseStatement]:
    """Return the statements after the nested function: the call of foreach, and reads of its last step."""
    outputs = [*(each.name for each in found.lists), *names.all_rows]
    called = statements(
        "{outputs}, {states} = {F}.contrib.foreach({step}, {data}, {given})",
        outputs=_grouped(outputs or ["_"]),
        states=_grouped(found.carried or ["_"]),
        F=functions,
        step=names.step,
        data=steps.given,
        given=names.kept(found) if found.carried else expression("[]"),
    )
    template = "{name} = {F}.squeeze({F}.slice_axis({rows}, axis=0, begin=-1, end=None), axis=0)"
    for each in found.lists:
        if is_in_front(each.statement):
            called += statements("{rows} = {F}.reverse({rows}, axis=0)", rows=each.name, F=functions)
        if each.made.first is not None:
            parts = [each.made.kept, each.name]
            parts = parts[::-1] if is_in_front(each.statement) else parts
            called += statements("{rows} = {F}.concat({parts}, dim=0)", rows=each.name, F=functions, parts=parts)
    sums = {each.name: each for each in found.sums}
    for name, rows in zip(found.last, names.all_rows, strict=True):
        if name in sums:
            called += sums[name].behind(frame, functions, rows)
        else:
            called += statements(template, name=name, F=functions, rows=rows)
    return called


def _gatherings(
    frame: CodeContext, functions: str, block: Sequence[ast.stmt], found: RowLoop
) -> list[Fix | None] | None:
    """Return the fixes of later calls that combine the list of rows; None if the list has another use."""
    behind = block[block.index(found.node) + 1 :]
    fixes: list[Fix | None] = []
    for each in found.lists:
        more = combine_rows(frame, functions, behind, [found.node, each.made.statement], each.name)
        if more is None:
            return None
        fixes += more
    return fixes


def _states_made(frame: CodeContext, found: RowLoop) -> list[Fix | None]:
    """Return the fixes that create initial states by functions of F, as ``begin_state(func=F.zeros)`` does."""
    reads = [n for n in walk(found.node) if isinstance(n, ast.Name) and n.id in found.carried]
    fixes = [states_by_functions(frame, node) for node in reads]
    return [fix for fix in fixes if fix is not None]


def _listed(parts: Sequence[cst.BaseExpression | str]) -> cst.BaseExpression:
    return expression("{part}", part=parts[0]) if len(parts) == 1 else expression("[{parts}]", parts=parts)


def _grouped(names: Sequence[str]) -> cst.BaseExpression:
    return expression("{name}", name=names[0]) if len(names) == 1 else expression("({names},)", names=names)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
