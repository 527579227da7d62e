"""Fixers of functions that only `nd` or only `sym` has, or whose arguments differ: functions that both have."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, ForeignCall, MethodCall, OpCall
from hybridlint.analysis.model.values import ContainerValue, StaticValue, Tensor, Value
from hybridlint.fixers.arithmetic.constants import from_array
from hybridlint.fixers.arithmetic.python_operators import beside_tensor
from hybridlint.fixers.evidence.aliases import may_be_aliased
from hybridlint.fixers.functions.devices import NAMED, context_of, eagerly_on_device, is_default, with_imports
from hybridlint.fixers.functions.methods import remove_argument
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.arguments import (
    argument,
    by_name,
    by_places,
    with_argument,
    with_arguments,
    without_argument,
)
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.nodes import assignment, operator_node
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, surface
from hybridlint.text.edits import Applicability, Fix


def from_ndarray_only(event: OpCall) -> Fix | None:
    """Replace a function that only `nd` has by a common one, such as ``F.empty`` by ``F.zeros``."""
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call) or "out" in event.arguments.keywords:
        return None
    values, nodes = event.arguments.values, event.arguments.nodes
    if event.namespace.path == ("contrib",):
        return _floating(event, node)
    operator = lookup.of_numbers(event.name)
    if operator is not None and operator.facts.operator is not None and len(nodes) == 2:
        return _operator(event, functions, node, operator.facts.operator)
    if operator is not None and len(nodes) == 2 and all(isinstance(v, Tensor) for v in values):
        return _of_two(event.frame, functions, node, operator.facts.broadcast_twin, nodes)
    return _named(event, functions, node)


def _of_two(
    frame: CodeContext, functions: str, node: ast.Call, name: str | None, operands: tuple[ast.expr, ...]
) -> Fix | None:
    parts = [frame.concrete(part) for part in operands]
    new = expression("{F}.{name}({parts})", F=functions, name=name, parts=parts)
    return rewrite(frame, node, new, Applicability.SAFE)


def _named(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    match event.name:
        case "empty":
            return _rename(event, node, f"{functions}.zeros", Applicability.SAFE)
        case "concatenate":
            return _concat(event, functions, node)
        case "moveaxis":
            return _moveaxis(event, functions, node)
        case "array":
            return from_array(event.frame, _with_methods(event.frame, node))
    return None


def _with_methods(frame: CodeContext, node: ast.Call) -> ast.Call:
    """Return a call with the methods that are called on its result: ``F.array(x).reshape((1, -1))``."""
    around = parent_of(frame, node)
    method = None if not isinstance(around, ast.Attribute) else parent_of(frame, around)
    return _with_methods(frame, method) if isinstance(method, ast.Call) and method.func is around else node


def from_numpy(event: ForeignCall) -> Fix | None:
    """Write ``np.exp(x)`` as ``F.np.exp(x)`` in numpy mode.

    In legacy mode ``F.exp(x)`` is only displayed: numpy converts an NDArray to an array of objects, so that no rewrite
    gives the result of the eager run.
    """
    functions, node = event.frame.functions, event.node
    # A name such as `numpy.vectorize()` is that of what a function returned.
    if functions is None or not isinstance(node, ast.Call) or event.function.endswith(")"):
        return None
    package, _, name = event.function.rpartition(".")
    modes = {v.mode for v in _all_values(event.arguments.values) if isinstance(v, Tensor)}
    if modes == {"np"} and package == "numpy" and name not in {"shape", "size", "ndim", "asarray", "array", "sort"}:
        joins = event.operator is not None and event.operator.variadic
        if not joins and _all_values(event.arguments.values) != [*event.arguments.values]:
            return None
        return _rename(event, node, f"{functions}.np.{name}", safe_if(event.operator is not None))
    if event.operator is None or len(node.args) != 1 or node.keywords or len(event.operator.inputs) != 1:
        return _shown_operator(event, node, name)
    if _all_values(event.arguments.values) != [*event.arguments.values]:
        return None
    new = expression("{F}.{name}({x})", F=functions, name=event.operator.name, x=event.frame.concrete(node.args[0]))
    return rewrite(event.frame, node, new, Applicability.DISPLAY)


def context_argument(event: OpCall) -> ast.expr | None:
    """Return the context argument of a creation function if its form in `sym` does not take it."""
    place = surface.CONTEXT_PLACES.get(event.name)
    if event.name in surface.NO_CONTEXT and "ctx" in event.arguments.keyword_nodes:
        return event.arguments.keyword_nodes["ctx"]
    if place is None or len(event.arguments.nodes) <= place:
        return None
    node, value = event.arguments.nodes[place], event.arguments.values[place]
    return None if isinstance(value, StaticValue) and isinstance(value.value, str) else node


def without_context(event: OpCall, part: ast.expr) -> Fix | None:
    """Remove the context from a call, or write it as ``ctx=ctx if F is mx.nd else None``."""
    frame, node = event.frame, event.node
    if not isinstance(node, ast.Call):
        return None
    keyword = next((k for k in node.keywords if k.value is part), None)
    if (keyword is None and part not in node.args) or isinstance(part, ast.Starred):
        return None
    choice = context_of(frame, part) if event.name not in surface.NO_CONTEXT and part is node.args[-1] else None
    if choice is not None and not is_default(part):
        new = with_arguments(frame, node, {part: by_name("ctx", choice.new)})
        return with_imports(choice, rewrite(frame, node, new, Applicability.SAFE, message=NAMED))
    device = None if keyword is None or choice is not None else eagerly_on_device(frame, node, keyword)
    return device or remove_argument(frame, node, keyword or part, safe_if(is_default(part)))


def add_keyword(event: OpCall | MethodCall, name: str, value: float) -> Fix | None:
    """Add a keyword argument, which is a number or a flag, at the end of a call."""
    node = event.node
    if not isinstance(node, ast.Call):
        return None
    new = with_argument(event.frame, node, by_name(name, expression("{value}", value=value)))
    return rewrite(event.frame, node, new, Applicability.SAFE, message=f"Add `{name}={value}`")


def assign_out(event: OpCall, out: ast.expr) -> Fix | None:
    """Write ``F.relu(x, out=z)`` as ``z = F.relu(x)``, and rebind every alias of the array."""
    statement, node = event.frame.statement, event.node
    if not isinstance(out, ast.Name) or not isinstance(node, ast.Call):
        return None
    if not isinstance(statement, ast.Expr) or statement.value is not node:
        return _assign_nested(event, node, out)
    names = [out.id, *sorted(event.frame.aliases - {out.id})]
    part = next((k for k in node.keywords if k.value is out), out)
    if part in node.args[:-1] or not all(name.isidentifier() for name in names) or may_be_aliased(event.frame, out.id):
        return None
    operator = event.operator
    if operator is not None and operator.random and "shape" in operator.params.keys() - event.arguments.keywords:
        return _random_out(event, node, out, names)
    new = assignment(names, without_argument(event.frame, node, part))
    return rewrite(event.frame, statement, new, Applicability.SAFE, message=f"Assign to `{out.id}`")


def by_position(event: OpCall, order: tuple[str, ...]) -> Fix | None:
    """Write ``f(a=x, b=y)`` as ``f(x, y)`` if the keywords are exactly those in `order`."""
    node, nodes = event.node, event.arguments.keyword_nodes
    if not order or tuple(nodes) != order or not isinstance(node, ast.Call) or len(node.keywords) != len(order):
        return None
    if node.args:
        return None
    return rewrite(event.frame, node, by_places(event.frame, node), Applicability.SAFE)


def is_blocked(event: OpCall | MethodCall) -> bool:
    """Whether the call's result is the direct argument of an operator that stops its gradient."""
    functions, outer = event.frame.functions, parent_of(event.frame, event.node)
    if isinstance(outer, ast.Attribute) and outer.attr == "as_nd_ndarray":
        call = parent_of(event.frame, outer)
        outer = None if call is None else parent_of(event.frame, call)
    if isinstance(outer, ast.comprehension):
        outer = parent_of(event.frame, outer)
        outer = outer.elt if isinstance(outer, ast.ListComp) else None
    if functions is None or not isinstance(outer, ast.Call):
        return False
    path = dotted_parts(outer.func) or ("",)
    return len(path) == 2 and path[0] == functions and lookup.stops_gradient(path[1])


def blocked_result(event: OpCall | MethodCall) -> Fix | None:
    """Write an operator without a gradient, ``F.op(x)``, as ``F.BlockGrad(F.op(x))``."""
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call):
        return None
    call = event.frame.concrete(node)
    if isinstance(event, OpCall) and event.namespace.path[:1] == ("np",):
        if event.name != "delete":
            return None
        new = expression("{F}.BlockGrad({call}.as_nd_ndarray()).as_np_ndarray()", F=functions, call=call)
        return rewrite(event.frame, node, new, Applicability.UNSAFE)
    several = "[{F}.BlockGrad(part) for part in {call}]"
    template = several if event.name == "histogram" else "{F}.BlockGrad({call})"
    return rewrite(event.frame, node, expression(template, F=functions, call=call), Applicability.SAFE)


def one_number(event: OpCall) -> Fix | None:
    """Add ``shape=(1,)`` to a call of a random function without a shape: eagerly it returns one number of that shape.

    If the call is an operand of arithmetic with a tensor, the arithmetic becomes an operator that broadcasts.
    """
    frame, node = event.frame, event.node
    if not isinstance(node, ast.Call) or "size" in event.arguments.keywords:
        return None
    new = with_argument(frame, node, by_name("shape", expression("(1,)")))
    outer = parent_of(frame, node)
    if not isinstance(outer, ast.BinOp):
        spreads = isinstance(outer, ast.Call) and (dotted_parts(outer.func) or ("",))[-1].startswith("broadcast_")
        return rewrite(frame, node, new, safe_if(spreads))
    found = beside_tensor(frame, node, new)
    return None if found is None else rewrite(frame, *found, Applicability.SAFE)


def _random_out(event: OpCall, node: ast.Call, out: ast.Name, names: list[str]) -> Fix | None:
    """Write ``F.random.uniform(0, 1, out=z)`` as ``z = F.random.uniform_like(z, low=0, high=1)``."""
    functions = event.frame.functions
    if event.namespace.path != ("random",) or event.name not in {"uniform", "normal"} or functions is None:
        return None
    parameters = ("low", "high") if event.name == "uniform" else ("loc", "scale")
    frame, statement = event.frame, event.frame.statement
    plain = [a for a in node.args if a is not out]
    assert statement is not None
    if len(plain) > len(parameters):
        return None
    bounds = [by_name(name, frame.concrete(a)) for name, a in zip(parameters, plain, strict=False)]
    bounds += [frame.concrete(k) for k in node.keywords if k.value is not out]
    target = f"{functions}.random.{event.name}_like"
    new = expression("{target}({given})", target=target, given=[out.id, *bounds])
    return rewrite(frame, statement, assignment(names, new), Applicability.SAFE)


def _assign_nested(event: OpCall, node: ast.Call, out: ast.Name) -> Fix | None:
    """Write ``return F.relu(x, out=z)`` as ``return F.relu(x)``."""
    statement = event.frame.statement
    if not isinstance(statement, ast.Return) or statement.value is not node:
        return None
    part = next((k for k in node.keywords if k.value is out), out)
    return remove_argument(event.frame, node, part, Applicability.SAFE)


def _operator(event: OpCall, functions: str, node: ast.Call, symbol: str) -> Fix | None:
    left, right = event.arguments.nodes
    tensors = [isinstance(v, Tensor) for v in event.arguments.values]
    if all(tensors):
        first, second = event.arguments.values
        assert isinstance(first, Tensor)
        assert isinstance(second, Tensor)
        same = ast.dump(left) == ast.dump(right) or first.type.provably_equals(second.type)
        if not same:
            return _of_two(event.frame, functions, node, lookup.broadcasting(symbol), (left, right))
    elif not any(isinstance(v, StaticValue) for v in event.arguments.values):
        return None
    new = operator_node(event.frame.concrete(left), symbol, event.frame.concrete(right))
    return rewrite(event.frame, node, new, Applicability.SAFE)


def _floating(event: OpCall, node: ast.Call) -> Fix | None:
    """Write ``isnan(x)`` as ``x != x``, and ``isfinite(x)`` as ``x - x == 0``."""
    if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Name):
        return None
    template = {"isnan": "{x} != {x}", "isfinite": "{x} - {x} == 0"}.get(event.name)
    if template is None:
        return None
    return rewrite(event.frame, node, expression(template, x=node.args[0].id), Applicability.SAFE)


def _rename(event: OpCall | ForeignCall, node: ast.Call, target: str, applicability: Applicability) -> Fix | None:
    new = expression("{target}", target=target)
    return rewrite(event.frame, node.func, new, applicability, message=f"Call `{target}`")


def _shown_operator(event: ForeignCall, node: ast.Call, name: str) -> Fix | None:
    symbol = None if event.operator is None else event.operator.facts.operator
    if symbol is None or len(node.args) != 2 or node.keywords:
        return None
    left, right = (event.frame.concrete(part) for part in node.args)
    return rewrite(event.frame, node, operator_node(left, symbol, right), Applicability.DISPLAY)


def _concat(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    if not node.args or any(k.arg != "axis" for k in node.keywords) or len(node.args) > 2:
        return None
    frame, parts = event.frame, node.args[0]
    axis = node.args[1] if len(node.args) == 2 else next((k.value for k in node.keywords), None)
    dim = 0 if axis is None else frame.concrete(axis)
    elements = parts.elts if isinstance(parts, ast.List | ast.Tuple) else [ast.copy_location(ast.Starred(parts), parts)]
    given = [argument(frame, element) for element in elements]
    new = expression("{F}.concat({given}, dim={dim})", F=functions, given=given, dim=dim)
    return rewrite(frame, node, new, Applicability.SAFE)


def _moveaxis(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    if len(node.args) != 3 or node.keywords or not isinstance(event.arguments.values[0], Tensor):
        return None
    source, target = literal(node.args[1]), literal(node.args[2])
    if source is None or target is None or min(source, target) < 0:
        return None
    data = event.frame.concrete(node.args[0])
    if abs(source - target) == 1:
        new = expression("{F}.swapaxes({data}, {axes})", F=functions, data=data, axes=[source, target])
        return rewrite(event.frame, node, new, Applicability.SAFE)
    rank = event.arguments.values[0].type.rank
    if rank is None or max(source, target) >= rank:
        return None
    order = [axis for axis in range(rank) if axis != source]
    order.insert(target, source)
    new = expression("{F}.transpose({data}, axes=({order},))", F=functions, data=data, order=order)
    return rewrite(event.frame, node, new, Applicability.SAFE)


def _all_values(values: tuple[Value, ...]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if isinstance(value, ContainerValue):
            found += _all_values(value.items or ())
        else:
            found.append(value)
    return found
