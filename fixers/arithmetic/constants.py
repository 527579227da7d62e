"""Fixers of literal arrays: operators that make the same constants."""

from __future__ import annotations

import ast
import itertools
import math

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, ContainerValue, NumpyArray, StaticValue, Tensor
from hybridlint.fixers.arithmetic.numpy_constants import from_numpy_array
from hybridlint.fixers.blocks.new_constants import new_constant
from hybridlint.fixers.functions.devices import context_of, is_default
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.literals import literal_value
from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import walk


def from_array(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``mx.nd.array([1., 1.])`` as the operator that makes the same constant, ``F.ones((2,))``.

    An array that no operator makes becomes a constant of the block.
    """
    if not isinstance(node, ast.Call) or frame.functions is None:
        return None
    made = _innermost(node)
    path = dotted_parts(made.func) or ("",)
    if path[-1] != "array" or path[-2:-1] not in {("nd",), (frame.functions,)}:
        return None
    plain = constant(frame, frame.functions, made) or from_numpy_array(frame, node)
    if plain is not None:
        return plain
    setting = of_setting(frame, frame.functions, made)
    sure = setting is not None and setting.applicability is Applicability.SAFE
    return setting if sure else new_constant(frame, node) or setting


def _innermost(node: ast.Call) -> ast.Call:
    """Return the call at the bottom of calls of methods: ``nd.array(x)`` in ``nd.array(x).reshape((1, -1))``."""
    while isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node = node.func.value
    return node


def of_setting(frame: CodeContext, functions: str, node: ast.Call) -> Fix | None:
    """Write ``F.array(self.levels)`` as a concat of one full per number, which parameter files do not hold.

    Safe if the setting is known to be a row of numbers; a table of numbers raises.
    """
    plain = all(k.arg == "ctx" or _is_float32(k) for k in node.keywords)
    device = next((k for k in node.keywords if k.arg == "ctx" and not is_default(k.value)), None)
    match node.args:
        case [ast.Attribute(value=ast.Name(id="self"), attr=name) as setting] if plain:
            pass
        case _:
            return None
    if isinstance(frame.seen.value(setting), Tensor | BlockRef) or _is_array(frame, name):
        return None
    choice = None if device is None else context_of(frame, device.value)
    if device is not None and choice is None:
        return None
    made = expression("{F}.full((1,), number)", F=functions)
    if choice is not None:
        made = expression("{F}.full((1,), number, ctx={ctx})", F=functions, ctx=choice.new)
    template = "{F}.concat(*[{made} for number in {setting}], dim=0)"
    new = expression(template, F=functions, made=made, setting=frame.concrete(setting))
    imports = () if choice is None else choice.imports
    return rewrite(frame, node, new, safe_if(_is_row(frame, setting)), imports=imports)


def _is_row(frame: CodeContext, setting: ast.Attribute) -> bool:
    """Whether a setting is surely a row of numbers, such as ``np.linspace(0, 1, n)`` or ``[i * step for i in ...]``."""
    held = frame.seen.value(setting)
    if isinstance(held, NumpyArray):
        return held.type.rank == 1
    if not isinstance(held, ContainerValue) or held.kind not in {"list", "tuple"}:
        return False
    items = (held.each,) if held.items is None else held.items
    if not items or not all(isinstance(item, StaticValue) for item in items):
        return False
    computed = [isinstance(v, ast.ListComp) and isinstance(v.elt, ast.BinOp) for v in _stored(frame, setting.attr)]
    return computed == [True] or all(isinstance(i, StaticValue) and isinstance(i.value, int | float) for i in items)


def _stored(frame: CodeContext, name: str) -> list[ast.expr]:
    """Return the values that the file assigns to attributes of a name."""
    stores = (n for n in walk(frame.source.tree) if isinstance(n, ast.Assign))
    return [n.value for n in stores if any(isinstance(t, ast.Attribute) and t.attr == name for t in n.targets)]


def _meant(frame: CodeContext, value: ast.expr) -> list[ast.expr]:
    """Return a stored value; for an argument and a constant of the module, also their values."""
    if not isinstance(value, ast.Name):
        return [value]
    tree = frame.source.tree
    functions = (n for n in walk(tree) if isinstance(n, ast.FunctionDef))
    defaults = [made[value.id] for made in (defaults_of(each.args) for each in functions) if value.id in made]
    names = {value.id, *(default.id for default in defaults if isinstance(default, ast.Name))}
    constants = [
        node.value
        for node in (tree.body if isinstance(tree, ast.Module) else ())
        if isinstance(node, ast.Assign) and any(ast.unparse(target) in names for target in node.targets)
    ]
    return [value, *defaults, *constants]


def _is_float32(keyword: ast.keyword) -> bool:
    return keyword.arg == "dtype" and isinstance(keyword.value, ast.Constant) and keyword.value.value == "float32"


def _is_array(frame: CodeContext, name: str) -> bool:
    """Whether the file shows that an attribute holds an array of MXNet, or a table of numbers."""
    made = [meant for value in _stored(frame, name) for meant in _meant(frame, value)]
    paths = [dotted_parts(part.func) or () for value in made for part in walk(value) if isinstance(part, ast.Call)]
    nested = any(isinstance(e, ast.List | ast.Tuple) for v in made if hasattr(v, "elts") for e in v.elts)
    return nested or any({"nd", "params", "reshape"} & set(path) for path in paths)


def constant(frame: CodeContext, functions: str, node: ast.Call) -> Fix | None:
    """Write an array of one repeated number as zeros, ones or full, and one with equal steps as arange."""
    if len(node.args) != 1 or any(k.arg not in {"ctx"} for k in node.keywords):
        return None
    try:
        data = literal_value(node.args[0])
    except ValueError:
        return None
    shape, numbers = _flatten(data)
    if shape is None or not numbers or not all(math.isfinite(number) for number in numbers):
        return None
    new = _filled(functions, shape, numbers) or _stepped(functions, shape, numbers)
    if new is None:
        return None
    sure = safe_if(all(is_default(k.value) for k in node.keywords))
    return rewrite(frame, node, new, sure)


def _filled(functions: str, shape: tuple[int, ...], numbers: list[float]) -> cst.BaseExpression | None:
    if len(set(numbers)) != 1:
        return None
    number = numbers[0]
    if number in {0, 1}:
        name = "ones" if number else "zeros"
        return expression("{F}.{name}(({shape},))", F=functions, name=name, shape=shape)
    return expression("{F}.full(({shape},), {number})", F=functions, shape=shape, number=number)


def _stepped(functions: str, shape: tuple[int, ...], numbers: list[float]) -> cst.BaseExpression | None:
    if len(numbers) < 2 or not all(isinstance(n, int) for n in numbers):
        return None
    step = numbers[1] - numbers[0]
    if step == 0 or any(b - a != step for a, b in itertools.pairwise(numbers)):
        return None
    bounds = [numbers[0], numbers[-1] + step, *([step] if step != 1 else [])]
    new = expression("{F}.arange({bounds})", F=functions, bounds=bounds)
    return new if len(shape) == 1 else expression("{x}.reshape(({shape},))", x=new, shape=shape)


def _flatten(data: object) -> tuple[tuple[int, ...] | None, list[float]]:
    """Return the shape and the numbers of nested lists; the shape is None if the lists are ragged."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        return (), [data]
    if not isinstance(data, list | tuple) or not data:
        return None, []
    parts = [_flatten(part) for part in data]
    shapes = {shape for shape, _ in parts}
    inner = shapes.pop()
    if shapes or inner is None:
        return None, []
    return (len(data), *inner), [number for _, numbers in parts for number in numbers]
