"""Comparison of unknown dtypes: whether two tensors surely have the same one, by how they are computed."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Static, Tensor, Value
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text.syntax import walk


def keeps_dtype(node: ast.Call, name: str) -> bool:
    """Whether a function or method returns the dtype of its tensor arguments; false if the call names a dtype."""
    operator = lookup.of_tensors(name)
    chosen = any(keyword.arg in {"dtype", "out_dtype"} for keyword in node.keywords)
    return operator is not None and properties.keeps_dtype(operator) and not chosen


def of_one_dtype(frame: Frame, left: Value, right: Value, nodes: tuple[ast.expr, ast.expr]) -> bool:
    """Whether two tensors surely have the same dtype: both are known, or follow from one same argument."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return False
    if left.type.dtype is not None or right.type.dtype is not None:
        return left.type.dtype == right.type.dtype
    first, second = (_sources(frame, node, frozenset()) for node in nodes)
    return first is not None and first == second and len(first) == 1


def takes_dtype(frame: Frame, node: ast.expr, tensor: str, within: frozenset[str] = frozenset()) -> bool:
    """Whether an expression surely has the dtype of a named tensor, because legacy operators take one dtype only.

    One operand of arithmetic that has it is enough. `within` holds the names whose bindings are being examined.
    """
    if isinstance(node, ast.Name) and node.id == tensor:
        return not _rebound(frame, tensor)
    every: list[ast.expr] = []
    any_: list[ast.expr] = []
    match node:
        case ast.Name(id=name) if name not in within:
            within, every = within | {name}, _values_of(frame, name)
        case ast.Starred(value=ast.Name(id=name)) if name not in within:
            within, every = within | {name}, _appended(frame, name)
        case ast.BinOp(left=left, right=right):
            any_ = [left, right]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            any_ = [inner]
        case ast.Call():
            any_ = _data(frame, node)
    found = [takes_dtype(frame, part, tensor, within) for part in every or any_]
    return bool(found) and (all(found) if every else any(found))


def _data(frame: Frame, call: ast.Call) -> list[ast.expr]:
    """Return the tensors of a call each of which has the dtype of its result; an empty list if that is not clear."""
    match call.func:
        case ast.Attribute(value=receiver, attr=name) as function:
            own = (dotted(function) or ("",))[0] == frame.functions
        case _:
            return []
    if own and lookup.of_numbers(name) is not None:
        return call.args[:2]
    operator = lookup.of_tensors(name)
    if operator is None or not keeps_dtype(call, name):
        return []
    if not own:
        return [receiver]
    alike = operator.variadic or properties.broadcasts(operator)
    return call.args if alike else call.args[:1] if len(operator.inputs) == 1 else []


def _rebound(frame: Frame, name: str) -> bool:
    nodes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Name) and n.id == name)
    stores = sum(not isinstance(n.ctx, ast.Load) for n in nodes)
    given = any(isinstance(n, ast.arg) and n.arg == name for n in walk(frame.function or ast.Pass()))
    return stores + given > 1


def _values_of(frame: Frame, name: str) -> list[ast.expr]:
    """Return the values bound to a name but for numbers; an empty list if the function binds it in another way."""
    nodes = list(walk(frame.function or ast.Pass()))
    stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    made = [n.value for n in nodes if isinstance(n, ast.Assign | ast.AugAssign) and _targets(n) & set(map(id, stores))]
    given = any(isinstance(n, ast.arg) and n.arg == name for n in nodes)
    if given or len(made) != len(stores):
        return []
    return [value for value in made if not isinstance(value, ast.Constant)]


def _appended(frame: Frame, name: str) -> list[ast.expr]:
    """Return what a function appends to a list that it creates empty; an empty list if it uses the list otherwise."""
    nodes = list(walk(frame.function or ast.Pass()))
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    fine: list[ast.expr] = []
    items: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=ast.List(elts=elements)) if target in uses:
                fine.append(target)
                items += elements
            case ast.Call(func=ast.Attribute(value=ast.Name() as used, attr="append"), args=[item]) if used in uses:
                fine.append(used)
                items.append(item)
            case ast.Starred(value=ast.Name() as used) if used in uses:
                fine.append(used)
    return items if len(fine) == len(uses) else []


def _sources(frame: Frame, node: ast.expr, within: frozenset[str]) -> frozenset[str] | None:
    """Return the names of the arguments that determine an expression's dtype; None if anything else determines it."""
    match node:
        case ast.Constant(value=int() | float()):
            return frozenset()
        case ast.Name(id=name):
            return _of_name(frame, name, within)
        case ast.BinOp(left=left, right=right):
            return _all(frame, [left, right], within)
        case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Subscript(value=inner):
            return _sources(frame, inner, within)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name) as function, args=args) if keeps_dtype(node, name):
            own = (dotted(function) or ("",))[0] == frame.functions
            tensors = [a for a in args if not isinstance(frame.seen.value(a), Static)]
            return _all(frame, tensors if own else [receiver, *tensors], within)
    return None


def _all(frame: Frame, nodes: list[ast.expr], within: frozenset[str]) -> frozenset[str] | None:
    found = [_sources(frame, node, within) for node in nodes]
    known = [part for part in found if part is not None]
    return frozenset().union(*known) if len(known) == len(found) else None


def _of_name(frame: Frame, name: str, within: frozenset[str]) -> frozenset[str] | None:
    """Return the names of the arguments that determine the dtype of a name, over all values bound to it."""
    if name in within:
        return frozenset()
    nodes = list(walk(frame.function or ast.Pass()))
    stores = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]
    made = [n.value for n in nodes if isinstance(n, ast.Assign | ast.AugAssign) and _targets(n) & set(map(id, stores))]
    given = any(isinstance(n, ast.arg) and n.arg == name for n in nodes)
    if len(made) != len(stores) or not (given or stores):
        return None
    found = _all(frame, made, within | {name})
    return None if found is None else found | ({name} if given else frozenset())


def _targets(node: ast.Assign | ast.AugAssign) -> set[int]:
    return set(map(id, node.targets if isinstance(node, ast.Assign) else [node.target]))
