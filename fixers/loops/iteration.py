"""Fixers of iteration over a tensor, its length, and builtins on it: operators with the same result."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, Concretize, ForeignCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.broadcasting import used_as_tensor, with_broadcasting
from hybridlint.fixers.arithmetic.python_operators import beside_tensor
from hybridlint.fixers.evidence.carried_dtypes import is_float32
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.evidence.tensors import proved_tensor, proved_value
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.loops.batches import for_all_rows
from hybridlint.fixers.loops.foreach import foreach
from hybridlint.fixers.shapes.sizes import in_its_dtype, name_of, numpy_size, of_axis, of_dimensions, of_elements
from hybridlint.fixers.toolkit.names import block_around, dotted_parts, parent_of
from hybridlint.fixers.toolkit.nodes import in_row
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.fixers.toolkit.templates import statement as assigned
from hybridlint.runtime.facts.lookup import EXTREMES
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: The largest number of rows that a fix writes out one by one.
_MOST_ROWS = 8

#: Builtins that take Python numbers, not tensors of a trace.
_CONVERTING = frozenset({"int", "float", "round", "range"})


def reduction(event: Concretize) -> Fix | None:
    """Write ``sum(x)``, ``max(x)``, ``min(x)`` and ``reduce(add, x)`` as ``F.sum(x, axis=0)`` and the like."""
    node, functions = event.node, event.frame.functions
    if not isinstance(node, ast.Call) or not isinstance(event.value, Tensor) or node.keywords:
        return None
    return _by_method(event, node) if functions is None else _by_operator(event, event.value, functions, node)


def _by_operator(event: Concretize, value: Tensor, functions: str, node: ast.Call) -> Fix | None:
    legacy = value.mode == "legacy"
    parent = parent_of(event.frame, node)
    match event.how, node.args:
        case ("max" | "min") as name, [left, right] if legacy and not isinstance(right, ast.Starred):
            return _of_two(event.frame, functions, node, f"broadcast_{EXTREMES[name]}", (left, right))
        case ("any" | "all") as name, [ast.Name(id=only)] if legacy and isinstance(parent, ast.If | ast.IfExp):
            new = expression("{F}.max({x} != 0)" if name == "any" else "{F}.min({x} != 0)", F=functions, x=only)
            return rewrite(event.frame, node, new, Applicability.SAFE)
        case (("list" | "tuple"), [only]) if isinstance(parent, ast.Subscript) and literal(parent.slice) is not None:
            return rewrite(event.frame, node, event.frame.concrete(only), Applicability.SAFE)
        case ("sum" | "max" | "min") as name, [only] if not _may_be_list(event, name, only):
            tensor = only
        case "reduce", [ast.Lambda() as function, tensor] if _adds(function):
            name = "sum"
        case _:
            return None
    namespace = f"{functions}.np" if value.mode == "np" else functions
    new = expression("{F}.{name}({x}, axis=0)", F=namespace, name=name, x=event.frame.concrete(tensor))
    # Among several equal extremes Python takes the first, and only that one gets a gradient.
    sure = name == "sum" and proved_value(event.frame, value, tensor)
    open_shape = legacy and value.type.shape is None
    return (with_broadcasting if open_shape else rewrite)(event.frame, node, new, safe_if(sure))


def _by_method(event: Concretize, node: ast.Call) -> Fix | None:
    """Write ``sum(x)`` as ``x.sum(axis=0)`` in functions that get no `F`, and only tensors for `x`."""
    frame = event.frame
    if event.how != "sum" or len(node.args) != 1 or not isinstance(frame.seen.value(node.args[0]), Tensor):
        return None
    tensor = node.args[0]
    new = expression("{x}.sum(axis=0)", x=frame.concrete(tensor))
    return rewrite(frame, node, new, safe_if(proved_value(frame, event.value, tensor)))


def _of_two(
    frame: CodeContext, functions: str, node: ast.Call, name: str, operands: tuple[ast.expr, ast.expr]
) -> Fix | None:
    if not all(surely_tensor(frame, part) for part in operands):
        return None
    new = expression("{F}.{name}({parts})", F=functions, name=name, parts=[frame.concrete(part) for part in operands])
    return rewrite(frame, node, new, Applicability.UNSAFE)


def _may_be_list(event: Concretize, name: str, node: ast.expr) -> bool:
    """Whether the reduced value may be a list of tensors, because it is an argument or not surely a tensor.

    A sum of a list runs eagerly and hybridized, so a reported sum is always a sum of a tensor.
    """
    if isinstance(node, ast.GeneratorExp | ast.Starred):
        return True
    value = event.value
    given = isinstance(value, Tensor) and value.origin == "argument" and value.type.shape is None
    return name != "sum" and given and isinstance(node, ast.Name) and not used_as_tensor(event.frame, node.id)


def replace_size(
    frame: CodeContext, node: ast.expr, new: cst.BaseExpression, value: Tensor, *, own: bool = False
) -> Fix | None:
    """Replace a size beside a tensor, a Python number, by the one-element tensor `new`, in an operator that broadcasts.

    `own` says that the size has the dtype of its other operand, which is proved to be a tensor.
    """
    found = beside_tensor(frame, node, new)
    if found is None:
        return None
    other = found[0].right if found[0].left is node else found[0].left
    single = value.type.dtype == "float32" or is_float32(frame, other)
    return rewrite(frame, *found, safe_if(own or single))


def unpack(event: Concretize) -> Fix | None:
    """Write ``a, b = x`` as the outputs of ``F.split``. It assumes that `x` has as many rows as there are names."""
    statement = event.frame.statement
    match statement:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=value):
            pass
        case _:
            return None
    if event.frame.functions is None or not isinstance(event.value, Tensor) or isinstance(value, ast.Tuple | ast.List):
        return None
    if isinstance(target.elts[-1], ast.Starred) and event.value.mode == "legacy":
        return _first_rows(event, event.frame.functions, statement, target)
    if len(target.elts) < 2 or not all(isinstance(e, ast.Name | ast.Attribute) for e in target.elts):
        return None
    if event.value.mode == "np":
        return _rows_of_numpy(event.frame, value, len(target.elts))
    split = split_rows(event.frame.functions, event.frame.concrete(value), len(target.elts))
    rank = event.value.type.rank
    return rewrite(event.frame, value, split, safe_if(rank is not None and rank > 1))


def _rows_of_numpy(frame: CodeContext, value: ast.expr, number: int) -> Fix | None:
    if not isinstance(value, ast.Name):
        return None
    rows = [expression("{x}[{row}]", x=value.id, row=row) for row in range(number)]
    return rewrite(frame, value, in_row(rows), Applicability.SAFE)


def iterate(event: Concretize) -> Fix | None:
    """Write a loop that sums an element-wise term as ``F.sum``, and any other loop over rows as foreach."""
    functions, value = event.frame.functions, event.value
    if functions is None or not isinstance(value, Tensor) or event.frame.statement is None:
        return None
    summed = _accumulation(event, functions, value)
    if summed is not None:
        return summed
    if value.mode == "np":
        return _stacked(event, functions)
    return _counted(event, functions) or _beside_list(event, functions) or foreach(event.frame, event.node)


def _counted(event: Concretize, functions: str) -> Fix | None:
    """Write ``x * sum(1 for _ in x)`` with the number of rows as a one-element tensor."""
    rows = event.node
    for call in walk(event.frame.statement or ast.Pass()):
        match call:
            case ast.Call(
                func=ast.Name(id="sum"), args=[ast.GeneratorExp(elt=ast.Constant(value=1), generators=[loop])]
            ):
                if (
                    loop.iter is rows
                    and isinstance(rows, ast.Name)
                    and not loop.ifs
                    and isinstance(event.value, Tensor)
                ):
                    return replace_size(event.frame, call, of_axis(functions, rows.id, 0), event.value)
    return None


def _beside_list(event: Concretize, functions: str) -> Fix | None:
    """Write ``zip(x, [1., 2.])`` with the first two rows of the tensor as a list in the place of `x`."""
    node = event.node
    if not isinstance(node, ast.Call) or dotted_parts(node.func) != ("zip",) or len(node.args) < 2:
        return None
    tensors = [a for a in node.args if isinstance(a, ast.Name)]
    lists = [a for a in node.args if isinstance(a, ast.List | ast.Tuple)]
    starred = any(isinstance(e, ast.Starred) for part in lists for e in part.elts)
    if len(tensors) != 1 or len(lists) != len(node.args) - 1 or starred:
        return None
    number, name = min(len(part.elts) for part in lists), tensors[0].id
    if not 0 < number <= _MOST_ROWS:
        return None
    rows = [_one_row(functions, name, at) for at in range(number)]
    return rewrite(event.frame, tensors[0], expression("[{rows}]", rows=rows), Applicability.UNSAFE)


def _one_row(functions: str, tensor: str, at: int) -> cst.BaseExpression:
    template = "{F}.squeeze({F}.slice_axis({x}, axis=0, begin={begin}, end={end}), axis=0)"
    return expression(template, F=functions, x=tensor, begin=at, end=at + 1)


def _first_rows(event: Concretize, functions: str, statement: ast.Assign, target: ast.Tuple | ast.List) -> Fix | None:
    """Write ``a, *rest = x`` as ``a =`` the first row of `x`, if nothing reads `rest`."""
    match statement.value, target.elts:
        case ast.Name(id=tensor), [*names, ast.Starred(value=ast.Name(id=rest))] if names:
            pass
        case _:
            return None
    reads = [n.id for n in walk(event.frame.function or statement) if isinstance(n, ast.Name) and n.id == rest]
    if len(reads) != 1 or not all(isinstance(n, ast.Name) for n in names) or len(names) > _MOST_ROWS:
        return None
    left = in_row([n.id for n in names if isinstance(n, ast.Name)])
    right = in_row([_one_row(functions, tensor, at) for at in range(len(names))])
    new = assigned("{names} = {rows}", names=left, rows=right)
    return rewrite(event.frame, statement, new, Applicability.UNSAFE)


def _stacked(event: Concretize, functions: str) -> Fix | None:
    """Write ``F.np.stack([r * 2 for r in x])`` as ``x * 2``, if the element is arithmetic on the row and numbers."""
    for call in walk(event.frame.statement or ast.Pass()):
        match call:
            case ast.Call(func=func, args=[ast.ListComp(elt=body, generators=[loop])], keywords=[]):
                pass
            case _:
                continue
        rows, row = loop.iter, loop.target
        if dotted_parts(func) != (functions, "np", "stack") or rows is not event.node or loop.ifs:
            continue
        if not isinstance(rows, ast.Name) or not isinstance(row, ast.Name) or not _element_wise(body, row.id):
            return None
        term = _renamed(event.frame, body, row.id, rows.id)
        new = expression("{F}.np.copy({x})", F=functions, x=term) if isinstance(body, ast.Name) else term
        return rewrite(event.frame, call, new, Applicability.SAFE)
    return None


def _accumulation(event: Concretize, functions: str, value: Tensor) -> Fix | None:
    """Write ``for r in x: total = total + r * r`` as ``total = total + F.sum(x * x, axis=0)``."""
    loop = next((n for n in walk(event.frame.statement or ast.Pass()) if isinstance(n, ast.For)), None)
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
    if not isinstance(loop.iter, ast.Name):
        return None
    namespace = f"{functions}.np" if value.mode == "np" else functions
    if _element_wise(term, row):
        rows: cst.BaseExpression | None = _renamed(event.frame, term, row, loop.iter.id)
    else:
        rows = for_all_rows(event.frame, term, row, loop.iter.id) if value.mode == "legacy" else None
    if rows is None:
        return None
    whole = "{total} = {total} + {F}.sum({rows}, axis=0)"
    match term:
        case ast.Call(args=[inner], keywords=[], func=ast.Attribute(value=ast.Name(), attr="sum")):
            # The sum of all sums of rows is that of all elements.
            rows, whole = for_all_rows(event.frame, inner, row, loop.iter.id), "{total} = {total} + {F}.sum({rows})"
    message, unsafe = "Sum up the rows at once", Applicability.UNSAFE
    zero = _zero_above(event.frame, loop, total)
    new = statements(whole if zero is None else whole.replace("{total} + ", "", 1), total=total, F=namespace, rows=rows)
    written = replace_statements(event.frame, loop, new, unsafe, message=message)
    return (
        written
        if zero is None
        else join_fixes(message, [delete_statement(event.frame, zero, unsafe, message=message), written])
    )


def _zero_above(frame: CodeContext, loop: ast.For, total: str) -> ast.stmt | None:
    """Return the statement right above a loop that binds the total to 0; None if there is another one."""
    block = block_around(frame, loop) or []
    above = block[block.index(loop) - 1] if loop in block[1:] else None
    match above:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=0)) if name == total:
            return above
    return None


def _element_wise(term: ast.expr, row: str) -> bool:
    """Whether a term is arithmetic on only the row and numbers. Then all rows can be computed at once."""
    match term:
        case ast.Name(id=name):
            return name == row
        case ast.BinOp(left=left, right=right):
            return all(isinstance(p, ast.Constant) or _element_wise(p, row) for p in (left, right))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _element_wise(inner, row)
    return False


def _renamed(frame: CodeContext, term: ast.expr, old: str, new: str) -> cst.BaseExpression:
    name = expression("{name}", name=new)
    return concrete_with(frame, term, {n: name for n in walk(term) if isinstance(n, ast.Name) and n.id == old})


def size_operand(event: ForeignCall) -> Fix | None:
    """Write ``x * np.size(x)``, ``np.ndim(x)`` or ``np.shape(x)[0]`` with the size as a one-element tensor."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    value, tensor = event.arguments.values[0], name_of(node.args[0])
    if not isinstance(value, Tensor) or tensor is None:
        return None
    if event.function == "numpy.shape":
        place = parent_of(event.frame, node)
        return one_size(event.frame, place, tensor, value) if isinstance(place, ast.Subscript) else None
    count = {"numpy.size": of_elements, "numpy.ndim": of_dimensions}.get(event.function)
    if count is None or value.mode != "legacy":
        return None
    return replace_size(event.frame, node, count(functions, tensor), value)


def one_size(frame: CodeContext, place: ast.Subscript, tensor: str, value: Tensor) -> Fix | None:
    """Write ``x / x.shape[0]`` with the size as a one-element tensor; `place` is ``x.shape[0]``."""
    axis = literal(place.slice)
    if axis is None or frame.functions is None:
        return None
    if value.mode == "legacy":
        own = value.type.dtype is None and in_its_dtype(frame, place, tensor)
        return replace_size(frame, place, of_axis(frame.functions, tensor, axis, own=own), value, own=own)
    if axis < -1:
        return None
    return beside_numpy(frame, place, numpy_size(frame.functions, tensor, axis), proved=True)


def beside_numpy(frame: CodeContext, node: ast.expr, new: cst.BaseExpression, *, proved: bool) -> Fix | None:
    """Replace a size beside a tensor of numpy mode, a Python number, by a tensor of integers.

    The result keeps the dtype of a float operand. `proved` says that the size is surely that of a tensor. None if
    Python converts the result, as in ``int(x.shape[0] / 2)``: a tensor could not be converted at the trace.
    """
    parent = parent_of(frame, node)
    if not isinstance(parent, ast.BinOp) or _is_converted(frame, parent):
        return None
    other = parent.right if parent.left is node else parent.left
    held = frame.seen.value(other)
    floats = isinstance(held, Tensor) and (held.type.dtype or "").startswith("float")
    return rewrite(frame, node, new, safe_if(floats, proved or proved_tensor(frame, other)))


def _is_converted(frame: CodeContext, node: ast.AST | None) -> bool:
    while isinstance(node, ast.BinOp | ast.UnaryOp):
        node = parent_of(frame, node)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONVERTING


def split_rows(functions: str, tensor: cst.BaseExpression, number: int) -> cst.BaseExpression:
    """Return the call of ``F.split`` whose outputs are the rows of a tensor."""
    template = "{F}.split({x}, num_outputs={number}, axis=0, squeeze_axis=True)"
    return expression(template, F=functions, x=tensor, number=number)


def _adds(function: ast.Lambda) -> bool:
    names = [a.arg for a in function.args.args]
    match function.body:
        case ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=ast.Name(id=right)):
            return sorted((left, right)) == sorted(names) and left != right
    return False
