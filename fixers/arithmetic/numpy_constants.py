"""Fixers of constants that numpy makes inside `hybrid_forward`: the operator that makes the same numbers."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import NumpyArray
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.surface import namespace_lacks
from hybridlint.text import cst
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk

#: Dtypes through which numbers reach the float32 of ``mx.nd.array`` unchanged.
_FLOATS = frozenset({"float", "float32", "float64"})
#: Methods of arrays that give all elements in one row.
_FLAT = frozenset({"flatten", "ravel"})


def from_numpy_array(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``nd.array(np.eye(n))`` as ``F.eye(n)``; a method that numpy runs, as the method of the tensor."""
    call = _innermost(node)
    if call is None or frame.functions is None or frame.mode != "legacy":
        return None
    new = _written(frame, frame.functions, call.args[0], flat=not _is_reshaped(frame, call))
    if new is None:
        return None
    # Numbers computed from several arguments, such as linspace's, may differ in the last digits.
    calls = [n for n in walk(call.args[0]) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    made = next(n for n in calls if not isinstance(n.func.value, ast.Call))  # type: ignore[attr-defined]
    return rewrite(frame, call, new, safe_if(len(made.args) == 1))


def _innermost(node: ast.expr) -> ast.Call | None:
    """Return the call ``mx.nd.array(x)`` inside calls of methods on its result; None if it has other arguments."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    if not isinstance(node, ast.Call) or (dotted_parts(node.func) or ())[-2:] != ("nd", "array"):
        return None
    plain = all(k.arg == "dtype" and _name_of(k.value) == "float32" for k in node.keywords)
    return node if plain and len(node.args) == 1 else None


def _written(frame: CodeContext, functions: str, node: ast.expr, *, flat: bool) -> cst.BaseExpression | None:
    """Return the operators that make what a numpy expression makes. With `flat`, ``ravel()`` is written out too."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=name), keywords=[]):
            return _method(frame, functions, node, inner, name, flat=flat)
        case ast.Call(func=ast.Attribute(attr=name)) if isinstance(frame.seen.value(node), NumpyArray):
            return _made(frame, functions, node, name)
    return None


def _method(
    frame: CodeContext, functions: str, node: ast.Call, inner: ast.Call, name: str, *, flat: bool
) -> cst.BaseExpression | None:
    if name == "astype" and len(node.args) == 1 and _is_float(node.args[0]):
        return _written(frame, functions, inner, flat=flat)
    if name in _FLAT and not node.args:
        array = _written(frame, functions, inner, flat=False)
        return array if array is None or not flat else expression("{x}.reshape((-1,))", x=array)
    if name == "reshape" and node.args and not any(_is_code(n) for arg in node.args for n in walk(arg)):
        array = _written(frame, functions, inner, flat=False)
        shape = [frame.concrete(arg) for arg in node.args]
        template = "{x}.reshape({shape})" if len(shape) == 1 else "{x}.reshape(({shape}))"
        return None if array is None else expression(template, x=array, shape=shape)
    return None


def _made(frame: CodeContext, functions: str, node: ast.Call, name: str) -> cst.BaseExpression | None:
    if not lookup.makes_array(name) or namespace_lacks((), name):
        return None
    if any(k.arg != "dtype" or not _is_float(k.value) for k in node.keywords):
        return None
    if not node.args or any(_is_no_number(n) for arg in node.args for n in walk(arg)):
        return None
    given = [frame.concrete(arg) for arg in node.args]
    return expression("{F}.{name}({given})", F=functions, name=name, given=given)


def _is_reshaped(frame: CodeContext, call: ast.Call) -> bool:
    """Whether the array's ``reshape`` is called directly, so that its shape before does not matter."""
    method = parent_of(frame, call)
    return isinstance(method, ast.Attribute) and method.attr == "reshape"


def _is_code(node: ast.AST) -> bool:
    """Whether a constant in a shape is not a plain size. Tensors read 0 and -1 as codes, numpy reads 0 as a size."""
    return isinstance(node, ast.Constant) and (not isinstance(node.value, int) or node.value <= 0)


def _is_no_number(node: ast.AST) -> bool:
    """Whether an argument may be something other than a number: None, a text or a dtype."""
    named = isinstance(node, ast.Name | ast.Attribute) and _name_of(node).startswith(("float", "int", "uint", "bool"))
    return named or (isinstance(node, ast.Constant) and not isinstance(node.value, int | float))


def _is_float(node: ast.expr) -> bool:
    return _name_of(node) in _FLOATS


def _name_of(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str() as name) | ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
