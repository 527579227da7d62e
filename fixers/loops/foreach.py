"""Fixers of loops over the rows of tensors: F.contrib.foreach."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.loops.lists import combine_rows
from hybridlint.fixers.loops.row_reductions import gathering
from hybridlint.fixers.loops.statement_loops import statement_foreach
from hybridlint.fixers.loops.steps import LoopSteps, StepWriter, captured_names, steps_of
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, walk

_Comprehension = ast.ListComp | ast.GeneratorExp


def foreach(frame: CodeContext, node: ast.AST) -> Fix | None:
    """Write ``[f(row) for row in x]``, or a ``for`` statement over rows, as ``F.contrib.foreach``.

    `node` is a part of the loop's iterable. A comprehension must stand in a call that combines its rows.
    """
    functions = frame.functions
    if functions is None or frame.mode != "legacy" or frame.statement is None:
        return None
    for inner in walk(frame.statement):
        if isinstance(inner, _Comprehension) and len(inner.generators) == 1:
            generator = inner.generators[0]
            if holds(generator.iter, node):
                return _comprehension(frame, functions, node, inner, generator)
    return statement_foreach(frame, node)


def _comprehension(
    frame: CodeContext,
    functions: str,
    event: ast.AST,
    node: ast.ListComp | ast.GeneratorExp,
    generator: ast.comprehension,
) -> Fix | None:
    steps = steps_of(frame, event, generator.target, generator.iter, [node.elt])
    new = None if steps is None or generator.ifs else write_foreach(frame, functions, steps, node.elt)
    if new is None:
        return None
    whole = gathering(frame, functions, node)
    if whole is None:
        return _named_rows(frame, functions, node, new)
    return rewrite(frame, whole.call, whole.of(new), Applicability.UNSAFE)


def _named_rows(frame: CodeContext, functions: str, node: ast.expr, new: cst.BaseExpression) -> Fix | None:
    """Write ``rows = [f(row) for row in x]`` as foreach, if later code only combines the rows."""
    block = None if frame.statement is None else block_around(frame, frame.statement)
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) as statement if value is node and block is not None:
            behind = block[block.index(statement) + 1 :]
            gathers = combine_rows(frame, functions, behind, [statement], name)
        case _:
            return None
    if gathers is None:
        return None
    return join_fixes("Loop with F.contrib.foreach", [rewrite(frame, node, new, Applicability.UNSAFE), *gathers])


def write_foreach(frame: CodeContext, functions: str, steps: LoopSteps, element: ast.expr) -> cst.BaseExpression | None:
    """Return ``F.contrib.foreach(lambda row, states: (..., states), x, [])[0]`` for an expression of each row.

    None if a lambda cannot compute the expression.
    """
    taken = {n.id for n in walk(element) if isinstance(n, ast.Name)}
    own = {*steps.names, *(steps.rows or {})}
    if not taken & (own | _row_names(steps)) or captured_names(functions, [element], own | _row_names(steps)):
        return None
    row = steps.names[0] if len(steps.names) == 1 else next(n for n in ("rows", "parts", "step") if n not in taken)
    several = len(steps.names) > 1
    names = enumerate(steps.names if several else ())
    renamed = {name: expression("{row}[{at}]", row=row, at=at) for at, name in names}
    output = StepWriter(frame, functions, steps, renamed).write(element)
    if output is None:
        return None
    states = next(n for n in ("states", "nothing", "_") if n not in {*taken, row})
    template = "{F}.contrib.foreach(lambda {row}, {states}: ({output}, {states}), {data}, [])[0]"
    return expression(template, F=functions, row=row, states=states, output=output, data=steps.given)


def _row_names(steps: LoopSteps) -> set[str]:
    """Return the names in the loop's expressions for a row, such as `x` and `i` in ``x[i]``.

    The row replaces these expressions, so that the step does not capture their names.
    """
    trees = [ast.parse(text, mode="eval") for text in steps.rows or {}]
    return {n.id for tree in trees for n in walk(tree) if isinstance(n, ast.Name)}
