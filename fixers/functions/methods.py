"""Fixers of method calls on single tensors: another name for the same method, or removal of the call."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, CodeContext, MethodCall, OpCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.toolkit.arguments import arguments, without_argument
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import delete_statement
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import namespace_lacks
from hybridlint.text.edits import Applicability, Fix, FixKind


def transpose(event: AttributeRead) -> Fix | None:
    """Write ``x.T`` as ``x.transpose()``; None for ``getattr(x, "T", default)``, where the author chose the default."""
    if not isinstance(event.node, ast.Attribute):
        return None
    new = expression("{x}.transpose()", x=event.frame.concrete(event.node.value))
    return rewrite(event.frame, event.node, new, Applicability.SAFE)


def method_of_tensor(event: OpCall) -> Fix | None:
    """Write ``nd.square(x)`` as ``x.square()``, which Symbols have too, in functions that get no `F`.

    None for functions that no method of tensors represents, and where more than the tensor is given by position. A
    ``forward`` gets its `F` when its block becomes hybrid.
    """
    frame, node, operator = event.frame, event.node, event.operator
    if isinstance(frame.function, ast.FunctionDef) and frame.function.name == "forward":
        return None
    if frame.functions is not None or event.namespace.root != "nd" or event.namespace.path or operator is None:
        return None
    if (
        not isinstance(node, ast.Call)
        or len(node.args) != 1
        or any(k.arg in {None, "out", "ctx"} for k in node.keywords)
    ):
        return None
    data, value = node.args[0], event.arguments.values[0] if event.arguments.values else None
    if len(operator.inputs) != 1 or lookup.method(event.name) is not operator or not isinstance(value, Tensor):
        return None
    if value.mode != "legacy" or isinstance(data, ast.Starred):
        return None
    given = [frame.concrete(keyword) for keyword in node.keywords]
    new = expression("{x}.{name}({given})", x=frame.concrete(data), name=event.name, given=given)
    fix = rewrite(
        frame, node, new, safe_if(proved_value(frame, value, data)), message=f"Call the method `{event.name}`"
    )
    return None if fix is None else replace(fix, kind=FixKind.PART)


def without_method(event: MethodCall) -> Fix | None:
    """Remove ``x.wait_to_read()``, or write a method of arrays as one that Symbols have too.

    ``reshape_view`` becomes ``reshape``, ``x.tostype(s)`` becomes ``F.cast_storage(x, stype=s)``, and a method of numpy
    mode becomes the function of ``F.np`` of that name.
    """
    if event.name == "wait_to_read":
        return without_statement(event, Applicability.SAFE) or as_none(event, Applicability.SAFE)
    frame, functions, node = event.frame, event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    receiver = frame.concrete(node.func.value)
    if event.name == "reshape_view":
        new = expression("{x}.reshape", x=receiver)
        return rewrite(frame, node.func, new, Applicability.SAFE, message="Call `reshape`")
    if event.name == "tostype" and len(node.args) == 1 and not node.keywords:
        template = "{F}.cast_storage({x}, stype={stype})"
        new = expression(template, F=functions, x=receiver, stype=frame.concrete(node.args[0]))
        return rewrite(frame, node, new, Applicability.SAFE)
    if lookup.function(("np",), event.name) is None or namespace_lacks(("np",), event.name):
        return None
    given = [receiver, *arguments(frame, node)]
    new = expression("{F}.np.{name}({given})", F=functions, name=event.name, given=given)
    return rewrite(frame, node, new, Applicability.SAFE)


def without_keyword(event: MethodCall | OpCall, keyword: str) -> Fix | None:
    """Remove a keyword argument."""
    assert isinstance(event.node, ast.Call)
    place = next((k for k in event.node.keywords if k.arg == keyword), None)
    return None if place is None else remove_argument(event.frame, event.node, place, safe_if(True))


def remove_argument(
    frame: CodeContext, call: ast.Call, part: ast.expr | ast.keyword, applicability: Applicability
) -> Fix | None:
    """Remove one argument of a call with the comma beside it. None where another argument would take its place."""
    if part in call.args[:-1]:
        return None
    new = without_argument(frame, call, part)
    return rewrite(frame, call, new, applicability, message=f"Remove `{frame.source.code(part)}`")


def without_statement(event: MethodCall, applicability: Applicability) -> Fix | None:
    """Remove a call that is a statement of its own."""
    statement = event.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not event.node:
        return None
    return delete_statement(event.frame, statement, applicability, message=f"Remove the call of `{event.name}`")


def as_none(event: MethodCall, applicability: Applicability) -> Fix | None:
    """Write None for a call inside an expression, since None is what the method returns."""
    statement, node = event.frame.statement, event.node
    if not isinstance(node, ast.Call) or (isinstance(statement, ast.Expr | ast.Return) and statement.value is node):
        return None
    return rewrite(event.frame, node, expression("None"), applicability)
