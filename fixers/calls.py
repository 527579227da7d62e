"""Calls of methods on single tensors: other names for the same, or nothing at all."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import AttributeRead, Frame, MethodCall, OpCall
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.text import argument, delete_statement, operand, replace, safe_if
from hybridlint.runtime import lookup
from hybridlint.runtime.surface import namespace_lacks
from hybridlint.source import Span


def transpose(event: AttributeRead) -> Fix | None:
    """Write ``x.T`` as ``x.transpose()``, and leave ``getattr(x, "T", default)`` to who wrote the default."""
    if not isinstance(event.node, ast.Attribute):
        return None
    content = f"{operand(event.frame, event.node.value)}.transpose()"
    return replace(event.frame, event.node, content, safe_if(True), kept=[event.node.value])


def without_method(event: MethodCall) -> Fix | None:
    """Remove ``x.wait_to_read()`` where it stands alone; call what numpy mode has as a function of ``F.np``."""
    if event.name == "wait_to_read":
        return without_statement(event, Applicability.SAFE) or as_none(event, Applicability.SAFE)
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if event.name == "reshape_view":
        end = event.frame.source.span(node.func).end
        return Fix("Call `reshape`", (Edit(Span(end - len("reshape_view"), end), "reshape"),), Applicability.SAFE)
    if event.name == "tostype" and len(node.args) == 1 and not node.keywords:
        inner, stype = argument(event.frame, node.func.value), event.frame.source.code(node.args[0])
        content = f"{functions}.cast_storage({inner}, stype={stype})"
        return replace(event.frame, node, content, Applicability.SAFE, kept=[node.func.value, node.args[0]])
    if lookup.function(("np",), event.name) is None or namespace_lacks(("np",), event.name):
        return None
    given = [
        argument(event.frame, node.func.value),
        *(event.frame.source.code(p) for p in (*node.args, *node.keywords)),
    ]
    content = f"{functions}.np.{event.name}({', '.join(given)})"
    return replace(event.frame, node, content, Applicability.SAFE, kept=[node.func.value, *node.args])


def without_keyword(event: MethodCall | OpCall, keyword: str) -> Fix | None:
    """Remove a keyword argument."""
    assert isinstance(event.node, ast.Call)
    place = next((k for k in event.node.keywords if k.arg == keyword), None)
    return None if place is None else remove_argument(event.frame, event.node, place, safe_if(True))


def remove_argument(
    frame: Frame, call: ast.Call, part: ast.expr | ast.keyword, applicability: Applicability
) -> Fix | None:
    """Remove one argument of a call with the comma beside it.

    Returns None where a comment stands there, and where another argument would take its place.
    """
    if part in call.args[:-1]:
        return None
    source = frame.source
    parts: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=lambda p: (p.lineno, p.col_offset))
    at = parts.index(part)
    span = source.span(part)
    if at > 0:
        before = source.span(parts[at - 1])
        span = Span(before.end, span.end)
    elif len(parts) > 1:
        span = Span(span.start, source.span(parts[1]).start)
    removed = source.text[span.start : span.end]
    if "#" in removed or removed.count("(") != removed.count(")"):
        return None
    return Fix(f"Remove `{source.code(part)}`", (Edit(span, ""),), applicability)


def without_statement(event: MethodCall, applicability: Applicability) -> Fix | None:
    """Remove a call that stands alone."""
    statement = event.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not event.node:
        return None
    return delete_statement(event.frame, statement, f"Remove the call of `{event.name}`", applicability)


def as_none(event: MethodCall, applicability: Applicability) -> Fix | None:
    """Write None for a call inside of an expression: it is what the method returns."""
    statement, node = event.frame.statement, event.node
    if not isinstance(node, ast.Call) or (isinstance(statement, ast.Expr | ast.Return) and statement.value is node):
        return None
    return replace(event.frame, node, "None", applicability)
