"""Fixers of subscripts that take one element of each row: ``x[F.arange(n), labels]`` becomes ``F.pick``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, Subscript
from hybridlint.analysis.model.values import Tensor, Value
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import parse
from hybridlint.fixers.toolkit.names import array_behind, bound_value, dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, walk

_MESSAGE = "Take one element of each row with an operator"

#: Calls that turn a row of numbers into an array, a list or another dtype.
_WRAPPERS = frozenset({"array", "list"})


def pick_of_rows(event: Subscript, functions: str, keys: list[ast.expr], values: list[Value]) -> Fix | None:
    """Write ``x[nd.arange(n), labels]`` as ``F.pick(x, labels, axis=1, mode='wrap')`` if `x` has two axes.

    With another or an unknown number of axes it is ``F.gather_nd`` of positions that `x` counts itself. Both raise if
    the numbers of rows differ. Unsafe: pick wraps positions behind the end, on which a subscript raises.
    """
    frame, node, data = event.frame, event.node, event.value
    if len(keys) != 2 or not isinstance(node, ast.Subscript) or not isinstance(data, Tensor):
        return None
    counter = _counter(frame, keys[0])
    labels = _labels(frame, keys[1], values[1]) if counter is not None else None
    if counter is None or labels is None:
        return None
    whole, value = labels
    if value.type.rank not in {1, None} or value.type.dtype == "bool":
        return None
    base = frame.concrete(node.value)
    if data.type.rank == 2 or (data.type.rank is None and _is_distribution(frame, node.value)):
        new = expression("{F}.pick({x}, {labels}, axis=1, mode='wrap')", F=functions, x=base, labels=whole)
    elif isinstance(node.value, ast.Name) and not _is_literal(counter):
        row = base if data.type.dtype == "float32" else expression('{x}.astype("float32")', x=base)
        column = whole if value.type.dtype == "float32" else expression('{x}.astype("float32")', x=whole)
        template = "{F}.gather_nd({x}, {F}.stack({F}.contrib.arange_like({row}, axis=0), {column}, axis=0))"
        new = expression(template, F=functions, x=base, row=row, column=column)
    else:
        return None
    gone = [delete_statement(frame, one, Applicability.UNSAFE, message=_MESSAGE) for one in _spent(frame, keys[0])]
    return join_fixes(_MESSAGE, [rewrite(frame, node, new, Applicability.UNSAFE), *gone])


def _counter(frame: CodeContext, key: ast.expr) -> ast.Call | None:
    """Return the call that counts 0, 1, 2, ... in a key such as ``F.arange(n)``, ``list(range(n))`` or their names."""
    node = array_behind(bound_value(frame, key))
    if not isinstance(node, ast.Call):
        return None
    name = (dotted_parts(node.func) or ("",))[-1]
    match node.args:
        case [inner] if name in _WRAPPERS:
            return _counter(frame, inner)
        case [_] | [ast.Constant(value=0), _] if name in {"arange", "range"}:
            moved = any(keyword.arg not in {"ctx", "dtype"} for keyword in node.keywords)
            return None if moved else node
        case [_] if name == "arange_like":
            return node if all(keyword.arg == "axis" for keyword in node.keywords) else None
    return None


def _is_literal(counter: ast.Call) -> bool:
    """Return whether a counter is written with numbers alone, as a graph can count too."""
    return all(literal(part) is not None for part in counter.args)


def _is_distribution(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether a tensor holds a distribution over its last axis, as classes of a row have one."""
    made = bound_value(frame, node)
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute):
        return False
    axis = next((literal(keyword.value) for keyword in made.keywords if keyword.arg == "axis"), -1)
    return made.func.attr.endswith("softmax") and axis in {-1, 1}


def _labels(frame: CodeContext, key: ast.expr, value: Value) -> tuple[cst.BaseExpression, Tensor] | None:
    """Return a key that is a tensor; for ``labels.asnumpy().astype(int)`` the tensor whose numbers it reads."""
    if isinstance(value, Tensor):
        return frame.concrete(key), value
    read = key
    while isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute):
        inner, method = read.func.value, read.func.attr
        held = frame.seen.value(inner)
        if method == "asnumpy" and isinstance(held, Tensor):
            return frame.concrete(inner), held
        if lookup.of_tensors(method) is not lookup.method("astype"):
            return None
        read = inner
    return None


def _spent(frame: CodeContext, key: ast.expr) -> list[ast.stmt]:
    """Return the statements that only bind what the counter of a subscript needs: ``n = len(x)``."""
    gone: list[ast.stmt] = []
    pending, inside = [key], {id(node) for node in walk(key)}
    while pending:
        for name in each(pending.pop(), ast.Name):
            binding = frame.binding(name)
            if binding is None or not binding.is_plain or binding.value is None or binding.statement in gone:
                continue
            read_elsewhere = any(id(use) not in inside for use in frame.uses(binding))
            if not read_elsewhere and binding.statement is not None and _counts_only(frame, binding.value):
                gone.append(binding.statement)
                inside |= {id(node) for node in walk(binding.value)}
                pending.append(binding.value)
    return gone


def _counts_only(frame: CodeContext, value: ast.expr) -> bool:
    """Return whether a value is a size or a row of numbers, which nothing needs that does not read it."""
    return _counter(frame, value) is not None or parse(value) is not None
