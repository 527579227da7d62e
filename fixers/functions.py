"""Functions that exist in one mode only, as operators or functions that exist in both."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import ForeignCall, MethodCall, OpCall
from hybridlint.analysis.values import Items, Static, Tensor, Value
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.aliases import may_be_aliased
from hybridlint.fixers.arithmetic import beside_tensor
from hybridlint.fixers.calls import remove_argument
from hybridlint.fixers.constants import constant
from hybridlint.fixers.devices import context_of, is_default
from hybridlint.fixers.keys import literal
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.text import argument, factor, replace, safe_if
from hybridlint.runtime import lookup, surface
from hybridlint.source import Span


def from_ndarray_only(event: OpCall) -> Fix | None:
    """Rewrite a call of a function that only nd has."""
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
        operands = f"{argument(event.frame, nodes[0])}, {argument(event.frame, nodes[1])}"
        content = f"{functions}.{operator.facts.broadcast_twin}({operands})"
        return replace(event.frame, node, content, Applicability.SAFE, kept=nodes)
    return _by_name(event, functions, node)


def _by_name(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    match event.name:
        case "empty":
            return _rename(event, node, f"{functions}.zeros", Applicability.SAFE)
        case "concatenate":
            return _concat(event, functions, node)
        case "moveaxis":
            return _moveaxis(event, functions, node)
        case "array":
            return constant(event.frame, functions, node)
    return None


def from_numpy(event: ForeignCall) -> Fix | None:
    """Write ``np.exp(x)`` as ``F.np.exp(x)`` in numpy mode.

    In legacy mode ``F.exp(x)`` is only shown: numpy makes an array of objects of an NDArray, so that no rewrite gives
    what the eager run gave.
    """
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call):
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
    content = f"{functions}.{event.operator.name}({argument(event.frame, node.args[0])})"
    return replace(event.frame, node, content, Applicability.DISPLAY, kept=node.args)


def context_argument(event: OpCall) -> ast.expr | None:
    """Return the context that a creation function is given where sym takes none."""
    place = surface.CONTEXT_PLACES.get(event.name)
    if event.name in surface.NO_CONTEXT and "ctx" in event.arguments.keyword_nodes:
        return event.arguments.keyword_nodes["ctx"]
    if place is None or len(event.arguments.nodes) <= place:
        return None
    node, value = event.arguments.nodes[place], event.arguments.values[place]
    return None if isinstance(value, Static) and isinstance(value.value, str) else node


def without_context(event: OpCall, part: ast.expr) -> Fix | None:
    """Take the context out of a call, or hand it over by its name in eager runs alone."""
    frame, node = event.frame, event.node
    if not isinstance(node, ast.Call):
        return None
    keyword = next((k for k in node.keywords if k.value is part), None)
    if keyword is None and part not in node.args:
        return None
    choice = context_of(frame, part) if event.name not in surface.NO_CONTEXT and part is node.args[-1] else None
    if choice is not None and not is_default(part):
        edits = (*choice.imports, Edit(frame.source.span(part), f"ctx={choice.text}"))
        return Fix("Name the context in eager runs alone", edits, Applicability.SAFE)
    return remove_argument(frame, node, keyword or part, safe_if(is_default(part)))


def add_keyword(event: OpCall | MethodCall, name: str, value: str) -> Fix | None:
    """Add a keyword argument at the end of a call."""
    node = event.node
    if not isinstance(node, ast.Call):
        return None
    source = event.frame.source
    parts: list[ast.expr | ast.keyword] = sorted([*node.args, *node.keywords], key=lambda p: (p.lineno, p.col_offset))
    if not parts:
        close = source.span(node).end - 1
        return Fix(f"Add `{name}={value}`", (Edit(Span(close, close), f"{name}={value}"),), Applicability.SAFE)
    end = source.span(parts[-1]).end
    if isinstance(parts[-1], ast.GeneratorExp):
        return None
    while source.text[end : end + 1] == ")" and end < source.span(node).end - 1:
        end += 1
    return Fix(f"Add `{name}={value}`", (Edit(Span(end, end), f", {name}={value}"),), Applicability.SAFE)


def assign_out(event: OpCall, out: ast.expr) -> Fix | None:
    """Write ``F.relu(x, out=z)`` as ``z = F.relu(x)``, and bind every other name of the array."""
    statement, node = event.frame.statement, event.node
    if not isinstance(out, ast.Name) or not isinstance(node, ast.Call):
        return None
    if not isinstance(statement, ast.Expr) or statement.value is not node:
        return _assign_nested(event, node, out)
    names = [out.id, *sorted(event.frame.aliases - {out.id})]
    part = next((k for k in node.keywords if k.value is out), out)
    removal = remove_argument(event.frame, node, part, Applicability.SAFE)
    if removal is None or not all(name.isidentifier() for name in names) or may_be_aliased(event.frame, out.id):
        return None
    start = event.frame.source.span(statement).start
    edits = (Edit(Span(start, start), f"{' = '.join(names)} = "), *removal.edits)
    operator = event.operator
    if operator is not None and operator.random and "shape" in operator.params.keys() - event.arguments.keywords:
        return _random_out(event, node, out, names)
    return Fix(f"Assign to `{out.id}`", edits, Applicability.SAFE)


def by_position(event: OpCall, order: tuple[str, ...]) -> Fix | None:
    """Give the arguments by position that a call names in this order, and nothing else."""
    node, nodes = event.node, event.arguments.keyword_nodes
    if not order or tuple(nodes) != order or event.arguments.nodes or not isinstance(node, ast.Call):
        return None
    code = event.frame.source.code
    content = f"{code(node.func)}({', '.join(code(part) for part in nodes.values())})"
    return replace(event.frame, node, content, Applicability.SAFE, kept=list(nodes.values()))


def is_blocked(event: OpCall | MethodCall) -> bool:
    """Whether the gradient of the call's result is stopped at once."""
    functions, outer = event.frame.functions, parent_of(event.frame, event.node)
    if isinstance(outer, ast.Attribute) and outer.attr == "as_nd_ndarray":
        call = parent_of(event.frame, outer)
        outer = None if call is None else parent_of(event.frame, call)
    if isinstance(outer, ast.comprehension):
        outer = parent_of(event.frame, outer)
        outer = outer.elt if isinstance(outer, ast.ListComp) else None
    if functions is None or not isinstance(outer, ast.Call):
        return False
    path = dotted(outer.func) or ("",)
    return len(path) == 2 and path[0] == functions and lookup.stops_gradient(path[1])


def blocked_result(event: OpCall | MethodCall) -> Fix | None:
    """Stop the gradient behind an operator that has none."""
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call):
        return None
    code = event.frame.source.code(node)
    if isinstance(event, OpCall) and event.namespace.path[:1] == ("np",):
        content = f"{functions}.BlockGrad({code}.as_nd_ndarray()).as_np_ndarray()"
        return (
            replace(event.frame, node, content, Applicability.UNSAFE, kept=[node]) if event.name == "delete" else None
        )
    content = f"{functions}.BlockGrad({code})"
    if event.name == "histogram":
        content = f"[{functions}.BlockGrad(part) for part in {code}]"
    return replace(event.frame, node, content, Applicability.SAFE, kept=[node])


def one_number(event: OpCall) -> Fix | None:
    """Give a random operator the shape that it has eagerly, and broadcast where it stands beside a tensor."""
    frame, node = event.frame, event.node
    if not isinstance(node, ast.Call) or "size" in event.arguments.keywords:
        return None
    given = ", ".join([*(frame.source.code(part) for part in (*node.args, *node.keywords)), "shape=(1,)"])
    content = f"{frame.source.code(node.func)}({given})"
    outer = parent_of(frame, node)
    if not isinstance(outer, ast.BinOp):
        spreads = isinstance(outer, ast.Call) and (dotted(outer.func) or ("",))[-1].startswith("broadcast_")
        return replace(frame, node, content, safe_if(spreads), kept=[*node.args, *node.keywords])
    found = beside_tensor(frame, node, content)
    if found is None:
        return None
    parent, text = found
    other = parent.right if parent.left is node else parent.left
    return replace(frame, parent, text, Applicability.SAFE, kept=[other, *node.args, *node.keywords])


def _random_out(event: OpCall, node: ast.Call, out: ast.Name, names: list[str]) -> Fix | None:
    """Draw in the shape of the array that was filled."""
    functions = event.frame.functions
    if event.namespace.path != ("random",) or event.name not in {"uniform", "normal"} or functions is None:
        return None
    parameters = ("low", "high") if event.name == "uniform" else ("loc", "scale")
    plain = [a for a in node.args if a is not out]
    bounds = [f"{name}={argument(event.frame, a)}" for name, a in zip(parameters, plain, strict=False)]
    bounds += [event.frame.source.code(k) for k in node.keywords if k.value is not out]
    content = f"{' = '.join(names)} = {functions}.random.{event.name}_like({', '.join([out.id, *bounds])})"
    statement = event.frame.statement
    assert statement is not None
    return replace(event.frame, statement, content, Applicability.SAFE, kept=node.args) if len(plain) < 3 else None


def _assign_nested(event: OpCall, node: ast.Call, out: ast.Name) -> Fix | None:
    """Drop `out` where the call's result is returned at once, and nothing sees the array again."""
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
            twin = lookup.broadcasting(symbol)
            content = f"{functions}.{twin}({argument(event.frame, left)}, {argument(event.frame, right)})"
            return replace(event.frame, node, content, Applicability.SAFE, kept=[left, right])
    elif not any(isinstance(v, Static) for v in event.arguments.values):
        return None
    content = f"{factor(event.frame, left)} {symbol} {factor(event.frame, right)}"
    outer = event.frame.statement
    bare = isinstance(outer, ast.Return | ast.Assign) and outer.value is node
    return replace(event.frame, node, content if bare else f"({content})", Applicability.SAFE, kept=[left, right])


def _floating(event: OpCall, node: ast.Call) -> Fix | None:
    """Write isnan and isfinite with comparisons."""
    if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Name):
        return None
    name = node.args[0].id
    content = {"isnan": f"({name} != {name})", "isfinite": f"(({name} - {name}) == 0)"}.get(event.name)
    return None if content is None else replace(event.frame, node, content, Applicability.SAFE)


def _rename(event: OpCall | ForeignCall, node: ast.Call, target: str, applicability: Applicability) -> Fix:
    return Fix(f"Call `{target}`", (Edit(event.frame.source.span(node.func), target),), applicability)


def _shown_operator(event: ForeignCall, node: ast.Call, name: str) -> Fix | None:
    symbol = None if event.operator is None else event.operator.facts.operator
    if symbol is None or len(node.args) != 2 or node.keywords:
        return None
    content = f"({factor(event.frame, node.args[0])} {symbol} {factor(event.frame, node.args[1])})"
    return replace(event.frame, node, content, Applicability.DISPLAY, kept=node.args)


def _concat(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    if not node.args or any(k.arg != "axis" for k in node.keywords) or len(node.args) > 2:
        return None
    parts = node.args[0]
    axis = node.args[1] if len(node.args) == 2 else next((k.value for k in node.keywords), None)
    dim = "0" if axis is None else event.frame.source.code(axis)
    if isinstance(parts, ast.List | ast.Tuple):
        listed = ", ".join(argument(event.frame, e) for e in parts.elts)
    else:
        listed = f"*{factor(event.frame, parts)}"
    return replace(event.frame, node, f"{functions}.concat({listed}, dim={dim})", Applicability.SAFE, kept=[parts])


def _moveaxis(event: OpCall, functions: str, node: ast.Call) -> Fix | None:
    if len(node.args) != 3 or node.keywords or not isinstance(event.arguments.values[0], Tensor):
        return None
    source, target = literal(node.args[1]), literal(node.args[2])
    if source is None or target is None or min(source, target) < 0:
        return None
    data = argument(event.frame, node.args[0])
    if abs(source - target) == 1:
        content = f"{functions}.swapaxes({data}, {source}, {target})"
        return replace(event.frame, node, content, Applicability.SAFE, kept=[node.args[0]])
    rank = event.arguments.values[0].type.rank
    if rank is None or max(source, target) >= rank:
        return None
    order = [axis for axis in range(rank) if axis != source]
    order.insert(target, source)
    content = f"{functions}.transpose({data}, axes=({', '.join(map(str, order))}))"
    return replace(event.frame, node, content, Applicability.SAFE, kept=[node.args[0]])


def _all_values(values: tuple[Value, ...]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        if isinstance(value, Items):
            found += _all_values(value.items or ())
        else:
            found.append(value)
    return found
