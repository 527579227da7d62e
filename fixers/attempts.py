"""Steps that other fixes need, and that keep what the code does: ways out of `try`, sizes read where they are used."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Frame
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.guards import eager_only
from hybridlint.fixers.names import block_around
from hybridlint.fixers.statements import dedented
from hybridlint.fixers.text import line_of, lost_comments, operand
from hybridlint.source import Span

#: What reading of a Symbol raises; a handler of anything else has another purpose.
_RAISED = frozenset({"Exception", "AttributeError", "TypeError", "NotImplementedForSymbol", "NotImplementedError"})


def last_resort(frame: Frame) -> Fix | None:
    """Return what can be done about a statement that no operator replaces: guard it, or take a step towards a fix."""
    return eager_only(frame) or eager_way(frame) or written_out(frame)


def eager_way(frame: Frame) -> Fix | None:
    """Take the body of a `try` out of it, whose handler only Symbols ever reach."""
    if frame.statement is None or frame.function is None:
        return None
    found = [n for n in ast.walk(frame.function) if isinstance(n, ast.Try) and frame.statement in n.body]
    if not found or found[0].orelse or found[0].finalbody or not all(map(_catches, found[0].handlers)):
        return None
    node = found[0]
    source = frame.source
    handlers = Span(source.span(node.body[-1]).end, source.span(node).end)
    if lost_comments(frame, handlers, []):
        return None
    end = Edit(handlers, "")
    return dedented(frame, node, [end], "Take the way of the eager run", Applicability.UNSAFE, tentative=True)


def written_out(frame: Frame) -> Fix | None:
    """Write ``x.shape[0]`` where a name is used that ``b, c = x.shape`` or ``b = x.shape[0]`` has bound."""
    statement, function = frame.statement, frame.function
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or function is None:
        return None
    sizes = _sizes(frame, statement.targets[0], statement.value)
    block = block_around(frame, statement)
    if not sizes or block is None or not isinstance(function, ast.FunctionDef):
        return None
    tensor = _tensor(statement.value)
    nodes = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    stores = [n for n in nodes if not isinstance(n.ctx, ast.Load)]
    behind = {id(n) for following in block[block.index(statement) + 1 :] for n in ast.walk(following)}
    uses = [n for n in nodes if n.id in sizes and isinstance(n.ctx, ast.Load)]
    rebound = any(n.id == tensor and id(n) in behind for n in stores)
    several = any(sum(n.id == name for n in stores) != 1 for name in sizes)
    if rebound or several or not uses or any(id(n) not in behind or not _plain(frame, n) for n in uses):
        return None
    source = frame.source
    line, own = line_of(frame, statement), source.span(statement)
    if source.text[line.start : own.start].strip() or source.text[own.end : line.end].strip() or len(block) == 1:
        return None
    edits = (Edit(line, ""), *(Edit(source.span(n), sizes[n.id]) for n in uses))
    return Fix("Read the sizes where they are used", edits, Applicability.SAFE, tentative=True)


def _catches(handler: ast.ExceptHandler) -> bool:
    match handler.type:
        case None:
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _RAISED
        case ast.Tuple(elts=parts):
            return all(
                isinstance(p, ast.Name | ast.Attribute) and ast.unparse(p).rpartition(".")[2] in _RAISED for p in parts
            )
    return False


def _sizes(frame: Frame, target: ast.expr, value: ast.expr) -> dict[str, str]:
    """Return the names that an assignment binds to sizes, with what they stand for."""
    match target, value:
        case ast.Tuple(elts=names) | ast.List(elts=names), ast.Attribute(value=ast.Name(), attr="shape"):
            if not all(isinstance(n, ast.Name) for n in names):
                return {}
            text = operand(frame, value)
            return {n.id: f"{text}[{axis}]" for axis, n in enumerate(names) if isinstance(n, ast.Name)}
        case ast.Name(id=name), ast.Subscript(
            value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()
        ):
            return {name: operand(frame, value)}
        case ast.Name(id=name), ast.Attribute(value=ast.Name(), attr="shape" | "size" | "ndim"):
            return {name: operand(frame, value)}
        case ast.Name(id=name), ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return {name: operand(frame, value)}
    return {}


def _tensor(value: ast.expr) -> str:
    names = [n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n.id != "len"]
    return names[0]


def _plain(frame: Frame, use: ast.Name) -> bool:
    """Whether a name stands where its text can be replaced: not in an f-string."""
    return frame.source.code(use) == use.id
