"""The fixer of numbers that are read from tensors to be tested: the test of the tensor itself."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, MethodCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.functions.copies import stop_gradient
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix, FixKind


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
    binding = next((b for b in frame.flow.bindings if b.assigned is node and b.is_plain), None)
    reads: Sequence[ast.expr] = (node,) if binding is None else frame.uses(binding)
    tests = [_is_tested(frame, read) for read in reads]
    if not any(tests) or not all(test or _is_operand(frame, read) for test, read in zip(tests, reads, strict=True)):
        return None
    assert isinstance(event.receiver, Tensor)
    tensor = node.func.value
    new = frame.concrete(tensor) if all(tests) else stop_gradient(frame.functions, event.receiver, frame, tensor)
    fix = rewrite(frame, node, new, Applicability.SAFE)
    return None if fix is None else replace(fix, kind=FixKind.STEP)


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
