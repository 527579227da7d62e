"""Iteration, length and builtins on a tensor as operators."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Concretize, ForeignCall, Frame
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.arithmetic import beside_tensor, surely_tensor
from hybridlint.fixers.broadcasting import with_broadcasting
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.subscripts import literal
from hybridlint.fixers.text import argument, replace, safe_if


def reduction(event: Concretize) -> Fix | None:
    """Write ``sum(x)``, ``max(x)``, ``min(x)`` and ``reduce(add, x)`` as the operator along the first axis."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(node, ast.Call) or not isinstance(event.value, Tensor) or node.keywords:
        return None
    legacy = event.value.mode == "legacy"
    parent = parent_of(event.frame, node)
    match event.how, node.args:
        case ("max" | "min") as name, [left, right] if legacy and not isinstance(right, ast.Starred):
            content = f"{functions}.broadcast_{name}imum({argument(event.frame, left)}, {argument(event.frame, right)})"
            tensors = all(surely_tensor(event.frame, part) for part in (left, right))
            return replace(event.frame, node, content, Applicability.UNSAFE, kept=[left, right]) if tensors else None
        case ("any" | "all") as name, [ast.Name(id=only)] if legacy and isinstance(parent, ast.If | ast.IfExp):
            content = f"{functions}.{'max' if name == 'any' else 'min'}({only} != 0)"
            return replace(event.frame, node, content, Applicability.SAFE)
        case (("list" | "tuple"), [only]) if isinstance(parent, ast.Subscript) and literal(parent.slice) is not None:
            return replace(event.frame, node, argument(event.frame, only), Applicability.SAFE, kept=[only])
        case ("sum" | "max" | "min") as name, [only] if not isinstance(only, ast.GeneratorExp | ast.Starred):
            tensor = only
        case "reduce", [ast.Lambda() as function, tensor] if _adds(function):
            name = "sum"
        case _:
            return None
    namespace = f"{functions}.np" if event.value.mode == "np" else functions
    content = f"{namespace}.{name}({argument(event.frame, tensor)}, axis=0)"
    fix = replace(event.frame, node, content, safe_if(True), kept=[tensor])
    open_shape = legacy and event.value.type.shape is None
    return with_broadcasting(event.frame, node, fix) if fix is not None and open_shape else fix


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
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(event.value, Tensor):
        return None
    flat = len(target.elts) > 1 and all(isinstance(e, ast.Name | ast.Attribute) for e in target.elts)
    if not flat or isinstance(statement.value, ast.Tuple | ast.List):
        return None
    if event.value.mode == "np":
        if not isinstance(statement.value, ast.Name):
            return None
        rows = ", ".join(f"{statement.value.id}[{row}]" for row in range(len(target.elts)))
        return replace(event.frame, statement.value, rows, Applicability.SAFE)
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
    """Write a loop that sums an element-wise term as ``F.sum``, and ``F.stack(*[f(r) for r in x])`` as foreach."""
    functions, value = event.frame.functions, event.value
    if functions is None or not isinstance(value, Tensor) or event.frame.statement is None:
        return None
    summed = _accumulation(event, functions, value)
    if summed is not None:
        return summed
    if value.mode == "np":
        return _stacked(event, functions)
    for call in ast.walk(event.frame.statement):
        match call:
            case ast.Call(func=func, args=[ast.Starred(value=ast.ListComp(elt=body, generators=[loop]))], keywords=[]):
                pass
            case _:
                continue
        if dotted(func) != (functions, "stack") or loop.iter is not event.node or loop.ifs:
            continue
        if not isinstance(loop.target, ast.Name):
            return None
        row = loop.target.id
        step = f"lambda {row}, states: ({argument(event.frame, body)}, states)"
        content = f"{functions}.contrib.foreach({step}, {argument(event.frame, loop.iter)}, [])[0]"
        alone = _names(body) <= {row, functions}
        return replace(event.frame, call, content, safe_if(alone), kept=[body, loop.iter])
    return None


def _stacked(event: Concretize, functions: str) -> Fix | None:
    """Rewrite ``F.np.stack([r * 2 for r in x])``, element-wise arithmetic of rows, as the same of the whole."""
    for call in ast.walk(event.frame.statement or ast.Pass()):
        match call:
            case ast.Call(func=func, args=[ast.ListComp(elt=body, generators=[loop])], keywords=[]):
                pass
            case _:
                continue
        rows, row = loop.iter, loop.target
        if dotted(func) != (functions, "np", "stack") or rows is not event.node or loop.ifs:
            continue
        if not isinstance(rows, ast.Name) or not isinstance(row, ast.Name) or not _element_wise(body, row.id):
            return None
        term = _renamed(event.frame, body, row.id, rows.id)
        content = f"{functions}.np.copy({term})" if isinstance(body, ast.Name) else f"({term})"
        return replace(event.frame, call, content, Applicability.SAFE)
    return None


def _accumulation(event: Concretize, functions: str, value: Tensor) -> Fix | None:
    """Rewrite ``for r in x: total = total + r * r`` as one sum along the first axis."""
    loop = next((n for n in ast.walk(event.frame.statement or ast.Pass()) if isinstance(n, ast.For)), None)
    if loop is None or loop.iter is not event.node or loop.orelse or len(loop.body) != 1:
        return None
    match loop.target, loop.body[0]:
        case (
            ast.Name(id=row),
            ast.Assign(targets=[ast.Name(id=total)], value=ast.BinOp(left=ast.Name(id=same), op=ast.Add(), right=term)),
        ) if total == same:
            pass
        case ast.Name(id=row), ast.AugAssign(target=ast.Name(id=total), op=ast.Add(), value=term):
            pass
        case _:
            return None
    if not isinstance(loop.iter, ast.Name) or not _element_wise(term, row):
        return None
    namespace = f"{functions}.np" if value.mode == "np" else functions
    content = f"{total} = {total} + {namespace}.sum({_renamed(event.frame, term, row, loop.iter.id)}, axis=0)"
    return replace(event.frame, loop, content, Applicability.UNSAFE)


def _element_wise(term: ast.expr, row: str) -> bool:
    """Whether a term is arithmetic of the row and numbers alone, so that it can be done to all rows at once."""
    match term:
        case ast.Name(id=name):
            return name == row
        case ast.BinOp(left=left, right=right):
            return all(isinstance(p, ast.Constant) or _element_wise(p, row) for p in (left, right))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _element_wise(inner, row)
    return False


def _renamed(frame: Frame, term: ast.expr, old: str, new: str) -> str:
    span = frame.source.span(term)
    text = frame.source.text[span.start : span.end]
    places = [frame.source.span(n) for n in ast.walk(term) if isinstance(n, ast.Name) and n.id == old]
    for place in sorted(places, reverse=True):
        text = text[: place.start - span.start] + new + text[place.end - span.start :]
    return text


def _names(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def size_operand(event: ForeignCall) -> Fix | None:
    """Write ``x * np.size(x)`` with the size as a tensor."""
    node, functions = event.node, event.frame.functions
    if functions is None or event.function != "numpy.size" or not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if node.keywords:
        return None
    value = event.arguments.values[0]
    if not isinstance(value, Tensor) or value.mode != "legacy":
        return None
    content = f'{functions}.size_array({argument(event.frame, node.args[0])}).astype("float32")'
    return sized(event.frame, node, content, value)


def _split(functions: str, tensor: str, number: int) -> str:
    return f"{functions}.split({tensor}, num_outputs={number}, axis=0, squeeze_axis=True)"


def _adds(function: ast.Lambda) -> bool:
    names = [a.arg for a in function.args.args]
    match function.body:
        case ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=ast.Name(id=right)):
            return sorted((left, right)) == sorted(names) and left != right
    return False
