"""The fixer of numbers that are read from tensors to be tested: the test of the tensor itself."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, MethodCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.functions.copies import stop_gradient
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind

_REDUCTIONS = {"any": "max", "all": "min"}


def tested_tensor(event: MethodCall) -> Fix | None:
    """Write ``if x.sum().asscalar() > 0:`` as ``if x.sum() > 0:``, a step before the branch becomes ``F.where``.

    So too where a name holds the number, which is tested or computed with and nothing else. Eagerly an array of one
    element is as true as its number.
    """
    frame, node = event.frame, event.node
    receiver = isinstance(event.receiver, Tensor) and event.receiver.mode == "legacy"
    if event.name not in {"asscalar", "item"} or not receiver or frame.functions is None:
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args or node.keywords:
        return None
    whole = _as_float(frame, node)
    binding = next((b for b in frame.flow.bindings if b.assigned is whole and b.is_plain), None)
    reads: Sequence[ast.expr] = (whole,) if binding is None else frame.uses(binding)
    tests = [_is_tested(frame, read) for read in reads]
    if not any(tests) or not all(test or _is_operand(frame, read) for test, read in zip(tests, reads, strict=True)):
        return None
    assert isinstance(event.receiver, Tensor)
    tensor = node.func.value
    new = frame.concrete(tensor) if all(tests) else stop_gradient(frame.functions, event.receiver, frame, tensor)
    fix = rewrite(frame, whole, new, Applicability.SAFE)
    return None if fix is None else replace(fix, kind=FixKind.STEP)


def _as_float(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return ``float(...)`` around an expression, which changes nothing in a test, or else the expression."""
    match parent_of(frame, node):
        case ast.Call(func=ast.Name(id="float"), args=[_], keywords=[]) as call:
            return call
    return node


def tested_array(event: MethodCall) -> Fix | None:
    """Write ``if (x.asnumpy() < 0).any():`` as ``if F.max(x < 0):``, a step before the branch becomes ``F.where``.

    ``np.isnan(x.asnumpy())`` is ``x != x``, and what is finite gives 0 less itself.
    """
    frame, node = event.frame, event.node
    held = isinstance(event.receiver, Tensor) and event.receiver.mode == "legacy"
    if event.name != "asnumpy" or not held or frame.functions is None or not isinstance(node, ast.Call):
        return None
    found = _of_elements(frame, node)
    whole = None if found is None else _reduced(frame, found[0])
    if found is None or whole is None or not _is_tested(frame, whole[0]):
        return None
    new = expression("{F}.{name}({test})", F=frame.functions, name=whole[1], test=found[1])
    fix = rewrite(frame, whole[0], new, Applicability.UNSAFE)
    return None if fix is None else replace(fix, kind=FixKind.STEP)


def _of_elements(frame: CodeContext, node: ast.Call) -> tuple[ast.expr, cst.BaseExpression] | None:
    """Return the test of each element of ``x.asnumpy()``, and the same of the tensor."""
    assert isinstance(node.func, ast.Attribute)
    tensor = node.func.value
    match parent_of(frame, node):
        case ast.Compare(left=left, ops=[_], comparators=[ast.Constant()]) as test if left is node:
            return test, concrete_with(frame, test, {node: frame.concrete(tensor)})
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name), args=[_], keywords=[]) as test:
            template = _template(name) if isinstance(tensor, ast.Name) else None
            return None if template is None else (test, expression(template, x=frame.concrete(tensor)))
    return None


def _template(test: str) -> str | None:
    """Return a test of numpy as one of a tensor, None for other functions."""
    match test:
        case "isnan":
            return "{x} != {x}"
        case "isfinite":
            return "{x} - {x} == 0"
    return None


def _reduced(frame: CodeContext, test: ast.expr) -> tuple[ast.expr, str] | None:
    """Return the call of ``any`` or ``all`` on a test of each element, and the operator that does the same."""
    match parent_of(frame, test):
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name), args=[_], keywords=[]) as call:
            pass
        case ast.Attribute(attr=name) as method:
            outer = parent_of(frame, method)
            if not isinstance(outer, ast.Call) or outer.args or outer.keywords:
                return None
            call = outer
        case _:
            return None
    operator = _REDUCTIONS.get(name)
    return None if operator is None else (call, operator)


def _is_tested(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether a value is only compared or negated in the test of a branch, which does not raise."""
    statement, inner = frame.flow.statement_at(node), node
    while True:
        parent = parent_of(frame, inner, within=statement)
        match parent:
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                inner = parent
            case ast.If(test=test):
                return test is inner and not isinstance(parent.body[-1], ast.Raise)
            case ast.IfExp(test=test):
                return test is inner
            case _:
                return False


def _is_operand(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether a value is an operand of arithmetic."""
    return isinstance(parent_of(frame, node, within=frame.flow.statement_at(node)), ast.BinOp)
