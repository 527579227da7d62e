"""Fixer of functions whose backward returns a multiple of the gradient. F.BlockGrad does the same in a graph."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext, ForeignCall
from hybridlint.analysis.model.values import CapturedArray, Tensor
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import ARRAYS, bound_value, dotted_parts, free_name
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.parameters import defaults_of, names_of
from hybridlint.text.syntax import walk

_MESSAGE = "Keep the value with F.BlockGrad, and hand on the gradient by a term that is zero"
#: What keeps the value of a tensor.
_SAME = frozenset({"copy", "identity"})
#: The simple statements in front of which a name can be given to what they compute.
_SIMPLE = (ast.Assign, ast.Return, ast.Expr)


@record(frozen=True, slots=True)
class _Multiple:
    """A multiple of a gradient: `negative` or not, of some `factors`, which are numbers and settings."""

    negative: bool
    factors: tuple[ast.expr, ...] = ()

    @property
    def zero(self) -> bool:
        """Whether no gradient is handed on."""
        return any(literal(factor) == 0 for factor in self.factors)


@record(frozen=True, slots=True)
class _Function:
    """A Function of one input: the result of `forward`, the factor in the result of `backward`, and the settings."""

    given: str
    value: ast.expr
    multiple: _Multiple
    settings: Mapping[str, ast.expr]


def by_block_grad(event: ForeignCall) -> Fix | None:
    """Write ``Reverse(l)(x)``, which turns a gradient round, as ``F.BlockGrad(x) - l * (x - F.BlockGrad(x))``.

    The second term is zero, and hands on the gradient alone: the value stays to the last digit. ``Sign()(x)``, which
    hands it on as it is, becomes ``F.BlockGrad(F.sign(x)) + (x - F.BlockGrad(x))``. Unsafe: a setting may change
    between calls, and infinity less itself is no number.
    """
    frame, node = event.frame, event.node
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        return None
    found = _function(frame, bound_value(frame, node.func))
    if found is None or frame.mode != "legacy":
        return None
    if frame.functions is None:
        return functions_passed(frame)
    argument = node.args[0]
    if isinstance(argument, ast.Name):
        new = _written(frame, frame.functions, found, argument.id)
        return None if new is None else rewrite(frame, node, new, Applicability.UNSAFE, message=_MESSAGE)
    name, statement = free_name(frame, "given"), frame.statement
    new = _written(frame, frame.functions, found, name)
    if new is None or not isinstance(statement, _SIMPLE) or any(isinstance(n, ast.Lambda) for n in walk(statement)):
        return None
    first = statements("{name} = {argument}", name=name, argument=frame.concrete(argument))
    named = insert_statements(frame, first, Applicability.UNSAFE, message=_MESSAGE, before=statement)
    return join_fixes(_MESSAGE, [named, rewrite(frame, node, new, Applicability.UNSAFE)])


def _written(frame: CodeContext, functions: str, found: _Function, x: str) -> cst.BaseExpression | None:
    """Return the operators that have the value and the gradient of a function of the tensor `x`."""
    value = _value(frame, functions, found, x)
    if value is None:
        return None
    same, times = _is_same(found.value, found.given), found.multiple
    if times.zero:
        return expression("{F}.BlockGrad({value})", F=functions, value=value)
    if same and not times.factors and not times.negative:
        return value
    settings = [_setting(factor, found.settings) for factor in times.factors]
    term: cst.BaseExpression = expression("({x} - {F}.BlockGrad({x}))", F=functions, x=x)
    for factor in reversed([frame.concrete(setting) for setting in settings if setting is not None]):
        term = binary(factor, ast.Mult(), term)
    kept = expression("{F}.BlockGrad({value})", F=functions, value=value)
    return binary(kept, ast.Sub() if times.negative else ast.Add(), term)


def _value(frame: CodeContext, functions: str, found: _Function, x: str) -> cst.BaseExpression | None:
    """Return the result of `forward` as operators of F on the tensor `x`; None if it does more."""
    parts: dict[ast.expr, cst.BaseExpression] = {}
    if _is_same(found.value, found.given):
        return expression("{x}", x=x)
    for node in walk(found.value):
        match node:
            case ast.Name(id=name) if name == found.given:
                parts[node] = expression("{x}", x=x)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                if name not in found.settings:
                    return None
                parts[node] = frame.concrete(found.settings[name])
            case ast.Call(func=ast.Attribute(value=space, attr=name)):
                if dotted_parts(space) in ARRAYS:
                    if lookup.function((), name) is None:
                        return None
                    parts[space] = expression("{F}", F=functions)
                elif lookup.of_tensors(name) is None:
                    return None
            case ast.Call() | ast.Subscript() | ast.Lambda() | ast.IfExp() | ast.BoolOp():
                return None
            case _:
                pass
    return concrete_with(frame, found.value, parts)


def _is_same(value: ast.expr, given: str) -> bool:
    """Whether an expression is a tensor as it is: ``x``, ``x.copy()``, ``nd.identity(x)``."""
    match value:
        case ast.Name(id=name):
            return name == given
        case ast.Call(func=ast.Attribute(value=space, attr=name), args=[inner], keywords=[]) if name in _SAME:
            return dotted_parts(space) in ARRAYS and _is_same(inner, given)
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[], keywords=[]) if name in _SAME:
            return _is_same(inner, given)
    return False


def _function(frame: CodeContext, made: ast.expr) -> _Function | None:
    """Return the parts of the function that a call creates, ``Reverse(l)``; None unless the file shows all."""
    match made:
        case ast.Call(func=ast.Name(id=name)):
            owners = [n for n in frame.source.tree.body if isinstance(n, ast.ClassDef) and n.name == name]
        case _:
            return None
    methods = {n.name: n for owner in owners for n in owner.body if isinstance(n, ast.FunctionDef)}
    forward, backward = (_returned(methods.get(name)) for name in ("forward", "backward"))
    if len(owners) != 1 or len(owners[0].bases) != 1 or not methods.keys() <= {"__init__", "forward", "backward"}:
        return None
    settings = _settings(frame, made, methods.get("__init__"))
    if forward is None or backward is None or settings is None:
        return None
    multiple = _multiple(backward[1], backward[0])
    if multiple is None or any(_setting(factor, settings) is None for factor in multiple.factors):
        return None
    return _Function(*forward, multiple, settings)


def _returned(method: ast.FunctionDef | None) -> tuple[str, ast.expr] | None:
    """Return the only argument of a method, and what it returns; None if it does anything else."""
    body = [] if method is None else [n for n in method.body if not _is_text(n)]
    if method is None or len(method.args.args) != 2 or method.args.vararg or method.args.kwonlyargs:
        return None
    match body:
        case [ast.Return(value=ast.expr() as value)]:
            return method.args.args[1].arg, value
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _settings(frame: CodeContext, made: ast.Call, init: ast.FunctionDef | None) -> dict[str, ast.expr] | None:
    """Return the expressions of an instance's attributes, from the call that creates it; None if unknown."""
    if init is None:
        return None if made.args or made.keywords else {}
    names = names_of(init.args)[1:]
    if init.args.vararg or init.args.kwarg or init.args.kwonlyargs or len(made.args) > len(names):
        return None
    given = defaults_of(init.args) | dict(zip(names, made.args, strict=False))
    given |= {keyword.arg or "": keyword.value for keyword in made.keywords}
    if given.keys() != {*names} or not all(_is_setting(frame, value) for value in given.values()):
        return None
    found: dict[str, ast.expr] = {}
    for node in init.body:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Name(id=kept)):
                if kept not in given:
                    return None
                found[name] = given[kept]
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Constant() as one):
                found[name] = one
            case ast.Expr(value=ast.Constant() | ast.Call(func=ast.Attribute(attr="__init__"))):
                pass
            case _:
                return None
    return found


def _is_setting(frame: CodeContext, value: ast.expr) -> bool:
    """Whether an argument is a number, a name or an attribute, and no tensor."""
    plain = literal(value) is not None or isinstance(value, ast.Constant) or dotted_parts(value) is not None
    return plain and not isinstance(frame.seen.value(value), Tensor | CapturedArray)


def _setting(factor: ast.expr, settings: Mapping[str, ast.expr]) -> ast.expr | None:
    """Return a factor of `backward` as the call writes it: a number, or a setting of the function."""
    match factor:
        case ast.Constant(value=int() | float()):
            return factor
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return settings.get(name)
    return None


def _multiple(node: ast.expr, gradient: str) -> _Multiple | None:
    """Return which multiple of a gradient an expression is; None for any other."""
    found = _Multiple(negative=False) if _is_same(node, gradient) else None
    match node:
        case ast.Call(func=ast.Attribute(value=space, attr="zeros_like"), args=[ast.Name()]) if (
            dotted_parts(space) in ARRAYS
        ):
            found = _Multiple(negative=False, factors=(ast.Constant(0),))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            part = _multiple(inner, gradient)
            found = None if part is None else _Multiple(not part.negative, part.factors)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            found = _product(left, right, gradient)
    return found


def _product(left: ast.expr, right: ast.expr, gradient: str) -> _Multiple | None:
    """Return the multiple of a gradient that a product computes, if one factor is a number or setting."""
    reads = [any(isinstance(n, ast.Name) and n.id == gradient for n in walk(side)) for side in (left, right)]
    if reads[0] == reads[1]:
        return None
    inside, factor = (left, right) if reads[0] else (right, left)
    found = _multiple(inside, gradient)
    if found is None:
        return None
    turned = isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.USub)
    if isinstance(factor, ast.UnaryOp) and turned:
        factor = factor.operand
    return _Multiple(found.negative != turned, (factor, *found.factors))
