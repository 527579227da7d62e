"""Fixers of outputs: the list of outputs of an operator, and the outputs that a block returns."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from typing import Any

from hybridlint.analysis.model.events import Binary, CodeContext, Return, Subscript
from hybridlint.analysis.model.values import ContainerValue, Outputs, StaticValue, Tensor, Value
from hybridlint.fixers.evidence.tensors import handled_as_tensor, is_given, is_no_list, met_as_tensor
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import required_inputs, used_as_list
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def refuses_key(event: Subscript) -> bool:
    """Whether a subscript of several outputs raises on a Symbol, and works on a list."""
    if len(event.keys) != 1 or not isinstance(event.value, Outputs):
        return False
    key, count = event.keys[0], _count(event.value)
    if not isinstance(key, ast.Slice):
        known = event.key_values[0]
        if isinstance(known, StaticValue) and known.numpy:
            return True
        number = known.value if isinstance(known, StaticValue) and type(known.value) is int else literal(key)
        return number is not None and number < 0
    lower, upper, step = _bounds(key, event.key_values[0])
    if any(type(n) is int and n < 0 for n in (lower, upper, step)):
        return True
    if count is None or any(type(n) not in {int, type(None)} for n in (lower, upper, step)):
        return False
    # There is no Symbol of zero outputs.
    return max(lower or 0, upper or 0) > count or not range(count)[lower:upper:step]


def _bounds(key: ast.Slice, value: Value) -> tuple[Any, Any, Any]:
    """Return the start, stop and step of a slice; a bound that is not known is returned as its node."""
    if isinstance(value, StaticValue) and isinstance(value.value, slice):
        return value.value.start, value.value.stop, value.value.step
    lower, upper, step = (part if part is None else literal(part) or part for part in (key.lower, key.upper, key.step))
    return lower, upper, step


def select_output(event: Subscript) -> Fix | None:
    """Write ``outs[-1]`` as ``outs[2]`` (of three outputs), or any other key as ``list(outs)[key]``."""
    assert isinstance(event.node, ast.Subscript)
    assert isinstance(event.value, Outputs)
    if event.frame.unrolled and isinstance(event.node.value, ast.Name):
        # Later steps of the loop may have a list of their own under the name.
        return _listed_at_first(event.frame, event.node.value.id)
    count, number = _count(event.value), literal(event.keys[0])
    base = event.frame.concrete(event.node.value)
    if number is not None and count is not None and -count <= number < 0:
        new = expression("{outputs}[{number}]", outputs=base, number=number + count)
    else:
        new = concrete_with(event.frame, event.node, {event.node.value: _list(base)})
    return rewrite(event.frame, event.node, new, Applicability.SAFE)


def _listed_at_first(frame: CodeContext, name: str) -> Fix | None:
    """Make a list of an operator's outputs where a name is bound to them, which other code binds to lists."""
    values = [binding.value for binding in _bindings(frame, name)]
    made = [value for value in values if isinstance(frame.seen.value(value), Outputs)]
    if len(made) != 1 or not isinstance(made[0], ast.Call):
        return None
    return rewrite(frame, made[0], _list(frame.concrete(made[0])), Applicability.SAFE)


def as_list(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write ``outs`` as ``list(outs)``: where its name is assigned, or where it is used."""
    if not isinstance(node, ast.Name):
        return rewrite(frame, node, _list(frame.concrete(node)), Applicability.SAFE)
    bindings = _bindings(frame, node.id)
    if len(bindings) != 1 or not isinstance(bindings[0].value, ast.Call):
        return None
    value = bindings[0].value
    return rewrite(frame, value, _list(frame.concrete(value)), Applicability.SAFE)


def _list(outputs: cst.BaseExpression) -> cst.BaseExpression:
    return expression("list({outputs})", outputs=outputs)


def is_none(event: Binary) -> Fix | None:
    """Write ``outs == None`` as ``outs is None``."""
    node = event.node
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return None
    right = node.comparators[0]
    if not isinstance(right, ast.Constant) or right.value is not None:
        return None
    template = "{outputs} is None" if isinstance(node.ops[0], ast.Eq) else "{outputs} is not None"
    new = expression(template, outputs=event.frame.concrete(node.left))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def returned_expression(event: Return) -> ast.expr | None:
    """Return the expression of a `return` statement, or of the place that represents it."""
    if isinstance(event.node, ast.Return):
        return event.node.value
    return event.node if isinstance(event.node, ast.expr) else None


def list_outputs(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Write a returned generator expression, ``(f(x) for x in y)``, as a list comprehension."""
    if not isinstance(node, ast.GeneratorExp):
        return None
    made = frame.concrete(node)
    assert isinstance(made, cst.GeneratorExp)
    opening = cst.LeftSquareBracket(made.lpar[0].whitespace_after)
    closing = cst.RightSquareBracket(made.rpar[0].whitespace_before)
    return rewrite(frame, node, cst.ListComp(made.elt, made.for_in, opening, closing), Applicability.UNSAFE)


def identity_outputs(event: Return, inputs: Container[int]) -> Fix | None:
    """Write ``return x`` as ``return F.identity(x)`` for each returned input."""
    functions, value = event.frame.functions, returned_expression(event)
    if functions is None or value is None:
        return None
    pairs = [(value, event.value)]
    if isinstance(event.value, ContainerValue) and event.value.items is not None:
        if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(event.value.items):
            return _identities(event, functions, value, event.value.items)
        pairs = list(zip(value.elts, event.value.items, strict=True))
    edits = tuple(edit for fix in _wrapped(event.frame, functions, pairs, inputs) for edit in fix.edits)
    # A hybridized block returns a tuple as a list, so no rewrite gives the same eagerly and hybridized.
    plain = safe_if(not any(_may_be_other(event.frame, node, item) for node, item in pairs))
    applicability = Applicability.DISPLAY if isinstance(value, ast.Tuple) else plain
    return Fix(f"Return `{functions}.identity` of it", edits, applicability) if edits else None


def identity_result(event: Return) -> Fix | None:
    """Write ``return x if mask is None else x * mask`` with ``F.identity`` around the input, or around the result."""
    functions, value = event.frame.functions, returned_expression(event)
    if functions is None or value is None or not isinstance(event.value, Tensor):
        return None
    seen = event.frame.seen
    sides = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    inputs = [one for one in sides if isinstance(known := seen.value(one), Tensor) and known.may_be_input]
    wrapped = [
        rewrite(event.frame, one, _identity(event.frame, functions, one, event.value), Applicability.UNSAFE)
        for one in inputs[:1]
    ]
    return wrapped[0] if len(inputs) == 1 else None


def _may_be_other(frame: CodeContext, node: ast.expr, item: Value) -> bool:
    """Whether a returned argument may be something other than an array, such as a list, at the `return`.

    Uses of the argument in other branches do not show that it is an array here.
    """
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    alone = len(required_inputs(frame)) == 1
    known = any(handled_as_tensor(frame, n) or (alone and is_no_list(frame, n)) for n in names)
    return is_given(item) and not (known and any(met_as_tensor(frame, n, node) for n in names))


def _wrapped(
    frame: CodeContext, functions: str, pairs: Iterable[tuple[ast.expr, Value]], inputs: Container[int]
) -> list[Fix]:
    """Return the fixes that wrap each input's expression; an empty list if one is not a plain expression."""
    fixes: list[Fix] = []
    for node, item in pairs:
        if not isinstance(item, Tensor) or item.identity not in inputs or item.identity is None:
            continue
        fix = None
        if isinstance(node, ast.Name | ast.Subscript | ast.Call):
            fix = rewrite(frame, node, _identity(frame, functions, node, item), Applicability.SAFE)
        if fix is None:
            return []
        fixes.append(fix)
    return fixes


def _identity(frame: CodeContext, functions: str, node: ast.expr, value: Tensor) -> cst.BaseExpression:
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="as_np_ndarray")):
            return expression("{F}.identity({x}).as_np_ndarray()", F=functions, x=frame.concrete(inner))
    template = "{F}.np.copy({x})" if value.mode == "np" else "{F}.identity({x})"
    return expression(template, F=functions, x=frame.concrete(node))


def _identities(event: Return, functions: str, node: ast.expr, items: Sequence[Value]) -> Fix | None:
    """Write ``return outs`` of a list as ``return [F.identity(output) for output in outs]``.

    None for a tuple, which a hybridized block would return as a list.
    """
    assert isinstance(event.value, ContainerValue)
    if event.value.kind != "list" or not all(isinstance(i, Tensor) and i.mode == "legacy" for i in items):
        return None
    name = next(n for n in ("output", "part", "one") if n not in {i.id for i in walk(node) if isinstance(i, ast.Name)})
    template = "[{F}.identity({name}) for {name} in {outputs}]"
    new = expression(template, F=functions, name=name, outputs=event.frame.concrete(node))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def with_input(event: Return) -> Fix | None:
    """Add a zero that depends on an input to a constant output, which keeps its value.

    ``c`` becomes ``F.broadcast_add(c, F.sum(F.zeros_like(x)).astype("float32"))``, as a graph needs an input.
    """
    functions, value = event.frame.functions, returned_expression(event)
    given, sure = _kept_input(event.frame)
    if functions is None or value is None or given is None or not isinstance(event.value, Tensor):
        return None
    constant = event.frame.concrete(value)
    if event.value.mode == "np":
        template = "{constant} + {F}.np.sum({F}.np.zeros_like({x}))"
        new = expression(template, F=functions, constant=constant, x=given)
        return rewrite(event.frame, value, new, Applicability.UNSAFE)
    dtype = _dtype(event.frame, value, event.value)
    if dtype is None:
        return None
    # The input may have another dtype, and no operator adds tensors of different dtypes.
    template = "{F}.broadcast_add({constant}, {F}.sum({F}.zeros_like({x})).astype({dtype}))"
    new = expression(template, F=functions, constant=constant, x=given, dtype=string(dtype))
    return rewrite(event.frame, value, new, safe_if(sure))


def _kept_input(frame: CodeContext) -> tuple[str | None, bool]:
    """Return the name of an input that the function never rebinds, and whether it is surely an array.

    The only input of a block that is called on its own is an array or a list of arrays.
    """
    inputs = required_inputs(frame)
    kept = [name for name in inputs if not frame.flow.rebindings_of(name) and not used_as_list(frame, name)]
    proved = [name for name in kept if handled_as_tensor(frame, name)]
    return next(iter(proved or kept), None), bool(proved) or len(inputs) == 1


def _dtype(frame: CodeContext, node: ast.expr, value: Tensor) -> str | None:
    """Return the dtype of a constant: the inferred one, the dtype argument of its call, or the default."""
    if value.type.dtype is not None:
        return value.type.dtype
    given = [
        k.value
        for part in walk(frame.function or node)
        if isinstance(part, ast.Call)
        for k in part.keywords
        if k.arg == "dtype"
    ]
    if not given:
        return "float32"
    if isinstance(node, ast.Call) and [k.value for k in node.keywords if k.arg == "dtype"] == given:
        return given[0].value if isinstance(given[0], ast.Constant) and isinstance(given[0].value, str) else None
    return None


def _count(value: Outputs) -> int | None:
    return None if value.types is None else len(value.types)


def _bindings(frame: CodeContext, name: str) -> list[ast.Assign]:
    """Return the assignments of a name in the function."""
    if frame.function is None:
        return []
    bindings = frame.flow.rebindings_of(name)
    plain = [b.statement for b in bindings if b.is_plain and isinstance(b.statement, ast.Assign)]
    return plain if len(plain) == len(bindings) else []
