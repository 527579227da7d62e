"""Iteration, length and builtins on a tensor as operators."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Concretize, Frame
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.arithmetic import beside_tensor
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.text import argument, replace, safe_if


def reduction(event: Concretize) -> Fix | None:
    """Write ``sum(x)``, ``max(x)``, ``min(x)`` and ``reduce(add, x)`` as the operator along the first axis."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(node, ast.Call) or not isinstance(event.value, Tensor) or node.keywords:
        return None
    match event.how, node.args:
        case ("sum" | "max" | "min") as name, [only] if not isinstance(only, ast.GeneratorExp | ast.Starred):
            tensor = only
        case "reduce", [ast.Lambda() as function, tensor] if _adds(function):
            name = "sum"
        case _:
            return None
    namespace = f"{functions}.np" if event.value.mode == "np" else functions
    content = f"{namespace}.{name}({argument(event.frame, tensor)}, axis=0)"
    return replace(event.frame, node, content, safe_if(True), kept=[tensor])


def length(event: Concretize) -> Fix | None:
    """Write ``x * len(x)`` with the size as a tensor; None where the length is not an operand beside a tensor."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if not isinstance(event.value, Tensor) or not isinstance(node.args[0], ast.Name):
        return None
    name = node.args[0].id
    if event.value.mode == "np":
        content = f'{functions}.npx.shape_array({name})[0].astype("float32")'
        beside = parent_of(event.frame, node)
        if not isinstance(beside, ast.BinOp):
            return None
        return replace(event.frame, node, content, safe_if(event.value.type.dtype == "float32"))
    return sized(event.frame, node, axis_size(functions, name, 0), event.value)


def axis_size(functions: str, tensor: str, axis: int) -> str:
    """Return the size of an axis as a tensor of one element."""
    end = axis + 1 if axis != -1 else None
    return (
        f'{functions}.slice_axis({functions}.shape_array({tensor}), axis=0, begin={axis}, end={end}).astype("float32")'
    )


def sized(frame: Frame, node: ast.expr, content: str, value: Tensor) -> Fix | None:
    """Put a size, as a tensor of one element, where it stood as a number beside a tensor."""
    found = beside_tensor(frame, node, content)
    if found is None:
        return None
    parent, text = found
    other = parent.right if parent.left is node else parent.left
    return replace(frame, parent, text, safe_if(value.type.dtype == "float32"), kept=[other])


def unpack(event: Concretize) -> Fix | None:
    """Write ``a, b = x`` with F.split, which as many rows as names make right."""
    statement, functions = event.frame.statement, event.frame.functions
    if functions is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if (
        not isinstance(target, ast.Tuple | ast.List)
        or not isinstance(event.value, Tensor)
        or event.value.mode != "legacy"
    ):
        return None
    if any(isinstance(e, ast.Starred) for e in target.elts) or len(target.elts) < 2:
        return None
    split = _split(functions, argument(event.frame, statement.value), len(target.elts))
    rank = event.value.type.rank
    return replace(event.frame, statement.value, split, safe_if(rank is not None and rank > 1), kept=[statement.value])


def spread(event: Concretize) -> Fix | None:
    """Write ``*x`` with F.split, for the number of rows that the shape tells."""
    functions = event.frame.functions
    starred = event.node
    node = starred.value if isinstance(starred, ast.Starred) else starred
    if functions is None or not isinstance(event.value, Tensor) or event.value.mode != "legacy":
        return None
    shape = event.value.type.shape
    if (
        shape is None
        or len(shape) < 2
        or not isinstance(shape[0], int)
        or shape[0] < 2
        or not isinstance(node, ast.Name)
    ):
        return None
    split = _split(functions, argument(event.frame, node), shape[0])
    return replace(event.frame, node, split, Applicability.UNSAFE, kept=[node])


def iterate(event: Concretize) -> Fix | None:
    """Write ``F.stack(*[f(r) for r in x])`` as ``F.contrib.foreach``."""
    functions, value = event.frame.functions, event.value
    if functions is None or not isinstance(value, Tensor) or value.mode != "legacy" or event.frame.statement is None:
        return None
    for call in ast.walk(event.frame.statement):
        match call:
            case ast.Call(
                func=func,
                args=[
                    ast.Starred(
                        value=ast.ListComp(
                            elt=body, generators=[ast.comprehension(target=ast.Name(id=row), iter=tensor, ifs=[])]
                        )
                    )
                ],
                keywords=[],
            ) if dotted(func) == (functions, "stack") and tensor is event.node:
                lambda_text = f"lambda {row}, states: ({argument(event.frame, body)}, states)"
                content = f"{functions}.contrib.foreach({lambda_text}, {argument(event.frame, tensor)}, [])[0]"
                return replace(event.frame, call, content, Applicability.UNSAFE, kept=[body, tensor])
    return None


def _split(functions: str, tensor: str, number: int) -> str:
    return f"{functions}.split({tensor}, num_outputs={number}, axis=0, squeeze_axis=True)"


def _adds(function: ast.Lambda) -> bool:
    names = [a.arg for a in function.args.args]
    match function.body:
        case ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=ast.Name(id=right)):
            return sorted((left, right)) == sorted(names) and left != right
    return False
