"""The fixer of arrays that a function computes with ``nd`` from numbers alone: the same computed through F."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue
from hybridlint.fixers.toolkit.names import array_behind, dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.surface import namespace_lacks
from hybridlint.text.edits import Applicability, Fix


def computed_through_functions(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``nd.exp(nd.arange(n) * 0.5)`` as ``F.exp(F.arange(n) * 0.5)``, where a name holds it too.

    None unless all of it is computed from numbers by functions of ``nd``, which the graph then computes for itself.
    """
    binding = frame.binding(array_behind(node))
    value = node if binding is None or not binding.is_plain else binding.assigned
    functions = frame.functions
    if functions is None or frame.mode != "legacy" or value is None or not _is_computed(frame, value):
        return None
    rewrites = [_renamed(frame, functions, call) for call in _calls(value)]
    return join_fixes("Compute the array through F", rewrites)


def _renamed(frame: CodeContext, functions: str, call: ast.Call) -> Fix | None:
    name = (dotted_parts(call.func) or ("",))[-1]
    return rewrite(frame, call.func, expression(f"{functions}.{name}"), Applicability.SAFE)


def _calls(node: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls of functions of ``nd`` in an expression that is computed by them."""
    match node:
        case ast.Call(func=function, args=args):
            if _function(function) is not None:
                yield node
            elif isinstance(function, ast.Attribute):
                yield from _calls(function.value)
            for part in args:
                yield from _calls(part)
        case ast.BinOp(left=left, right=right):
            yield from _calls(left)
            yield from _calls(right)
        case ast.UnaryOp(operand=operand):
            yield from _calls(operand)
        case _:
            pass


def _function(node: ast.expr) -> str | None:
    """Return the name of a function of ``nd`` that F has as well."""
    path = dotted_parts(node) or ()
    return path[-1] if path[-2:-1] == ("nd",) and not namespace_lacks((), path[-1]) else None


def _is_computed(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression is an array that functions of ``nd`` compute from numbers."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            plain = all(k.arg not in {None, "ctx", "out", "dtype"} and _is_number(frame, k.value) for k in keywords)
            parts = all(_is_computed(frame, part) or _is_number(frame, part) for part in args)
            name = _function(function)
            if name is not None:
                return plain and parts and (lookup.makes_array(name) or any(_is_computed(frame, a) for a in args))
            method = isinstance(function, ast.Attribute) and lookup.method(function.attr) is not None
            return method and plain and parts and _is_computed(frame, function.value)  # type: ignore[attr-defined]
        case ast.BinOp(left=left, right=right):
            sides = (_is_computed(frame, left), _is_computed(frame, right))
            other = right if sides[0] else left
            return sides in {(True, False), (False, True)} and _is_number(frame, other)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_computed(frame, operand)
        case _:
            return False


def _is_number(frame: CodeContext, node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_number(frame, left) and _is_number(frame, right)
        case ast.UnaryOp(operand=operand):
            return _is_number(frame, operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(_is_number(frame, part) for part in parts)
        case _:
            return isinstance(frame.seen.value(node), StaticValue)
