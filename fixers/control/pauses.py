"""Gradients stopped in a scope of their own, where MXNet must not record the operator that stops them."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Mode
from hybridlint.fixers.toolkit.imports import autograd_module
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

_MESSAGE = "Stop the gradient with BlockGrad, in a scope that eager runs do not record"
#: The name of a tensor whose gradient is stopped, where the code has none for it.
_NAME = "stopped"
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def without_gradient(functions: str, mode: Mode, tensor: cst.BaseExpression) -> cst.BaseExpression:
    """Return a tensor inside ``F.BlockGrad``. In numpy mode it converts to a legacy array and back."""
    of_numpy = "{F}.BlockGrad({x}.as_nd_ndarray()).as_np_ndarray()"
    return expression(of_numpy if mode == "np" else "{F}.BlockGrad({x})", F=functions, x=tensor)


def stopped_in_scope(
    frame: CodeContext, node: ast.expr, inner: ast.expr, mode: Mode, applicability: Applicability
) -> Fix | None:
    """Write ``z = f(x).detach()`` as ``z = f(x)`` and ``with autograd.pause(): z = F.BlockGrad(z)``.

    In a larger expression the tensor gets a name of its own, above the statement. None where that expression may be
    evaluated several times, or not at all.
    """
    found, statement = autograd_module(frame), frame.statement
    if found is None or frame.functions is None or not isinstance(statement, ast.stmt):
        return None
    module, imports = found
    name = _target(statement, node)
    inline = name is None
    if name is None:
        taken = {n.id for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name)}
        if _NAME in taken or not _evaluated_once(frame, statement, node):
            return None
        name = _NAME
    named = isinstance(inner, ast.Name)
    first = [] if named else statements("{name} = {x}", name=name, x=frame.concrete(inner))
    tensor = frame.concrete(inner) if named else expression("{name}", name=name)
    stopped = without_gradient(frame.functions, mode, tensor)
    scope = statements("with {m}.pause():\n    {name} = {x}", m=module, name=name, x=stopped)
    new = [*first, *scope]
    if inline:
        above = insert_statements(frame, new, applicability, message=_MESSAGE, before=statement)
        fix = join_fixes(_MESSAGE, [above, rewrite(frame, node, expression("{name}", name=name), applicability)])
    else:
        fix = replace_statements(frame, statement, new, applicability, message=_MESSAGE)
    return None if fix is None else replace(fix, imports=(*fix.imports, *imports))


def _target(statement: ast.stmt, node: ast.expr) -> str | None:
    """Return the name that a statement binds to an expression alone; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            return name
        case _:
            return None


def _evaluated_once(frame: CodeContext, statement: ast.stmt, node: ast.expr) -> bool:
    """Whether a simple statement evaluates an expression exactly once."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr):
        return False
    outer = parent_of(frame, node)
    while outer is not None and outer is not statement:
        if isinstance(outer, ast.Lambda | ast.IfExp | ast.BoolOp | ast.Compare | ast.comprehension | _COMPREHENSIONS):
            return False
        outer = parent_of(frame, outer)
    return True
