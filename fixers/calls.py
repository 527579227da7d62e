"""Calls of methods and functions on single tensors: other names for the same, or nothing at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.events import AttributeRead, Concretize, ForeignCall, Frame, MethodCall, OpCall, TraceConstant
from hybridlint.analysis.values import Tensor, Value
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.arithmetic import beside_tensor, of_one_dtype
from hybridlint.fixers.names import dotted, named_operand, parent_of
from hybridlint.fixers.numbers import number
from hybridlint.fixers.text import argument, delete_statement, operand, replace, safe_if
from hybridlint.runtime.registry import find
from hybridlint.runtime.surface import namespace_lacks
from hybridlint.source import Span

#: Functions that make an array of nothing but a shape and scalars.
CREATIONS = frozenset({"zeros", "ones", "full", "arange", "eye", "linspace"})

#: Functions that broadcast as nd's and not as sym's.
_BROADCAST_EAGERLY = frozenset({"maximum", "minimum", "power"})


def transpose(event: AttributeRead) -> Fix | None:
    """Write ``x.T`` as ``x.transpose()``."""
    assert isinstance(event.node, ast.Attribute)
    content = f"{operand(event.frame, event.node.value)}.transpose()"
    return replace(event.frame, event.node, content, safe_if(True), kept=[event.node.value])


def read_from_parameter(event: AttributeRead) -> Fix | None:
    """Write ``weight.shape`` as ``self.weight.shape``."""
    node = event.node
    if (
        not isinstance(node, ast.Attribute)
        or not isinstance(node.value, ast.Name)
        or event.name not in {"shape", "dtype"}
    ):
        return None
    function = event.frame.function
    if not isinstance(function, ast.FunctionDef) or function.name != "hybrid_forward":
        return None
    self_name = function.args.args[0].arg
    return replace(event.frame, node, f"{self_name}.{node.value.id}.{event.name}", safe_if(True))


def blocked_scalar(event: MethodCall) -> Fix | None:
    """Write ``x.sum().asscalar()`` as ``F.BlockGrad(x.sum())``, where it is an operand of tensor arithmetic."""
    assert isinstance(event.node, ast.Call)
    assert isinstance(event.node.func, ast.Attribute)
    if event.name == "asnumpy" and isinstance(event.receiver, Tensor) and event.receiver.mode == "legacy":
        text = operand(event.frame, event.node.func.value)
        single = event.receiver.type.shape == (1,)
        return number(event.frame, event.node, text, single=single) or _without_print(event)
    if event.name not in {"asscalar", "item"} or event.arguments.nodes:
        return _without_print(event)
    return _blocked(event.frame, event.node, event.node.func.value, event.receiver)


def blocked_number(event: Concretize) -> Fix | None:
    """Write ``float(x.sum())`` as ``F.BlockGrad(x.sum())``, where it is an operand of tensor arithmetic.

    ``int(x.sum())`` is cut to its integer part.
    """
    node = event.node
    if not isinstance(node, ast.Call) or len(node.args) != 1:
        return None
    if event.how == "bool" and isinstance(parent_of(event.frame, node), ast.If | ast.IfExp | ast.While):
        return replace(event.frame, node, operand(event.frame, node.args[0]), Applicability.SAFE, kept=node.args)
    if event.how not in {"float", "int"}:
        return None
    return _blocked(event.frame, node, node.args[0], event.value, truncated=event.how == "int")


def without_copy(event: MethodCall) -> Fix | None:
    """Write ``x.copy()`` as an identity, and a move to a device as the tensor itself."""
    functions = event.frame.functions
    if functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    inner = event.node.func.value
    if event.name == "copy" and event.receiver.mode == "np":
        content = f"{functions}.np.copy({argument(event.frame, inner)})"
    elif event.name == "as_np_ndarray" and event.receiver.mode == "legacy":
        content = f"{functions}.identity({argument(event.frame, inner)}).as_np_ndarray()"
    elif event.name in {"copy", "as_in_context", "as_nd_ndarray"} and event.receiver.mode == "legacy":
        content = f"{functions}.identity({argument(event.frame, inner)})"
    elif event.name == "copyto" and event.receiver.mode == "legacy":
        return _copied(event, functions, inner)
    else:
        return None
    return replace(event.frame, event.node, content, safe_if(event.name != "as_in_ctx"), kept=[inner])


def _copied(event: MethodCall, functions: str, inner: ast.expr) -> Fix | None:
    """Write ``x.copyto(mx.cpu())`` as an identity, and ``return x.copyto(y)`` too: it returns `y` as it is then."""
    node, statement = event.node, event.frame.statement
    assert isinstance(node, ast.Call)
    if len(event.arguments.values) != 1 or node.keywords:
        return None
    content = f"{functions}.identity({argument(event.frame, inner)})"
    target = event.arguments.values[0]
    path = dotted(node.args[0].func) if isinstance(node.args[0], ast.Call) else None
    if path is not None and path[-1] in {"cpu", "gpu", "cpu_pinned", "cpu_shared", "Context"}:
        return replace(event.frame, node, content, Applicability.UNSAFE, kept=[inner])
    returned = isinstance(statement, ast.Return) and not isinstance(parent_of(event.frame, node), ast.Call)
    if isinstance(target, Tensor) and returned and isinstance(node.args[0], ast.Name) and target.identity is not None:
        return replace(event.frame, node, content, Applicability.UNSAFE, kept=[inner])
    return None


def block_gradient(event: MethodCall) -> Fix | None:
    """Write ``x.detach()`` as ``F.BlockGrad(x)``; remove ``x.attach_grad()`` where it stands alone."""
    if event.name != "detach":
        unsafe = Applicability.UNSAFE
        if _reads_gradients(event.frame) or event.name != "attach_grad":
            return None
        return _without_statement(event, unsafe) or _as_none(event, unsafe)
    functions = event.frame.functions
    if functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    inner = event.node.func.value
    content = stopped(functions, event.receiver, event.frame, inner)
    return replace(event.frame, event.node, content, safe_if(True), kept=[inner])


def _reads_gradients(frame: Frame) -> bool:
    """Whether the function uses the gradients that it computes: without them it is another function."""
    nodes = ast.walk(frame.function) if frame.function is not None else ()
    return any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in nodes)


def stopped(functions: str, value: Tensor, frame: Frame, node: ast.expr) -> str:
    """Return the expression without its gradient; numpy mode has the operator for legacy arrays only."""
    if value.mode == "np":
        return f"{functions}.BlockGrad({operand(frame, node)}.as_nd_ndarray()).as_np_ndarray()"
    return f"{functions}.BlockGrad({argument(frame, node)})"


def without_method(event: MethodCall) -> Fix | None:
    """Remove ``x.wait_to_read()`` where it stands alone; call what numpy mode has as a function of ``F.np``."""
    if event.name == "wait_to_read":
        return _without_statement(event, Applicability.SAFE) or _as_none(event, Applicability.SAFE)
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if event.name == "reshape_view":
        end = event.frame.source.span(node.func).end
        return Fix("Call `reshape`", (Edit(Span(end - len("reshape_view"), end), "reshape"),), Applicability.SAFE)
    if event.name == "tostype" and len(node.args) == 1 and not node.keywords:
        inner, stype = argument(event.frame, node.func.value), event.frame.source.code(node.args[0])
        content = f"{functions}.cast_storage({inner}, stype={stype})"
        return replace(event.frame, node, content, Applicability.SAFE, kept=[node.func.value, node.args[0]])
    if event.name not in {"any", "all", "broadcast_to"}:
        return None
    given = [
        argument(event.frame, node.func.value),
        *(event.frame.source.code(p) for p in (*node.args, *node.keywords)),
    ]
    content = f"{functions}.np.{event.name}({', '.join(given)})"
    return replace(event.frame, node, content, Applicability.SAFE, kept=[node.func.value, *node.args])


def without_keyword(event: MethodCall | OpCall, keyword: str) -> Fix | None:
    """Remove a keyword argument."""
    assert isinstance(event.node, ast.Call)
    place = next((k for k in event.node.keywords if k.arg == keyword), None)
    return None if place is None else remove_argument(event.frame, event.node, place, safe_if(True))


def remove_argument(
    frame: Frame, call: ast.Call, part: ast.expr | ast.keyword, applicability: Applicability
) -> Fix | None:
    """Remove one argument of a call with the comma beside it. Returns None where a comment stands there."""
    source = frame.source
    parts: list[ast.expr | ast.keyword] = sorted([*call.args, *call.keywords], key=lambda p: (p.lineno, p.col_offset))
    at = parts.index(part)
    span = source.span(part)
    if at > 0:
        before = source.span(parts[at - 1])
        span = Span(before.end, span.end)
    elif len(parts) > 1:
        span = Span(span.start, source.span(parts[1]).start)
    removed = source.text[span.start : span.end]
    if "#" in removed or removed.count("(") != removed.count(")"):
        return None
    return Fix(f"Remove `{source.code(part)}`", (Edit(span, ""),), applicability)


def through_namespace(event: OpCall) -> Fix | None:
    """Write ``mx.nd.relu(x)`` as ``F.relu(x)``."""
    if not isinstance(event.node, ast.Call) or event.namespace.root not in {"nd", "np", "npx"}:
        return None
    name = event.name
    if event.namespace.root == "nd" and name in _BROADCAST_EAGERLY and event.namespace.path == ():
        tensors = sum(isinstance(value, Tensor) for value in event.arguments.values)
        name = f"broadcast_{name}" if tensors == 2 else name
    return _through_namespace(event.frame, event.node, event.namespace.root, event.namespace.path, name)


def creation(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``mx.nd.ones(shape)`` as ``F.ones(shape)``; None where the expression is no such call."""
    if not isinstance(node, ast.Call):
        return None
    path = dotted(node.func)
    if path is None or "nd" not in path[:-1]:
        return None
    inner = path[path.index("nd") + 1 : -1]
    if path[-1] not in CREATIONS and inner != ("random",):
        return None
    return _through_namespace(frame, node, "nd", inner, path[-1])


def argument_of_parameter(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``self.weight.data()`` as ``weight``, where `hybrid_forward` has that argument."""
    function = frame.function
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(), attr=name), attr="data"), args=[], keywords=[]
        ):
            pass
        case _:
            return None
    if not isinstance(function, ast.FunctionDef) or name not in {a.arg for a in function.args.args}:
        return None
    return replace(frame, node, name, safe_if(not _rebinds(function, name)))


def states_by_functions(frame: Frame, node: ast.expr) -> Fix | None:
    """Write ``cell.begin_state(n)`` as ``cell.begin_state(n, func=F.zeros)``, where a name was bound to it once."""
    function = frame.function
    if not isinstance(node, ast.Name) or function is None or frame.functions is None or frame.mode != "legacy":
        return None
    stores = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == node.id and n.lineno < node.lineno]
    made = [n for n in ast.walk(function) if isinstance(n, ast.Assign) and n.targets[0] in stores]
    match made:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="begin_state")) as call)]:
            pass
        case _:
            return None
    if any(k.arg in {"func", "ctx", None} for k in call.keywords):
        return None
    end = frame.source.span(call).end - 1
    before = frame.source.text[:end].rstrip()
    text = f"func={frame.functions}.zeros" if before.endswith(("(", ",")) else f", func={frame.functions}.zeros"
    return Fix(f"Make the states with {frame.functions}.zeros", (Edit(Span(end, end), text),), Applicability.SAFE)


def parameter_scalar(event: TraceConstant) -> Fix | None:
    """Write ``x * self.weight.data().sum().asscalar()`` with the argument, whose gradient is stopped as it was."""
    frame, node, functions = event.frame, event.node, event.frame.functions
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="asscalar" | "asnumpy" as how), args=[]):
            pass
        case _:
            return None
    reads = [c for c in ast.walk(inner) if isinstance(c, ast.Call) and argument_of_parameter(frame, c) is not None]
    if functions is None or len(reads) != 1:
        return None
    read = reads[0]
    assert isinstance(read.func, ast.Attribute)
    assert isinstance(read.func.value, ast.Attribute)
    whole, part = frame.source.span(inner), frame.source.span(read)
    text = frame.source.text[whole.start : part.start] + read.func.value.attr + frame.source.text[part.end : whole.end]
    if how == "asnumpy":
        return number(frame, node, text, single=False)
    found = beside_tensor(frame, node, f"{functions}.BlockGrad({text})")
    return None if found is None else replace(frame, found[0], found[1], Applicability.UNSAFE)


def block_copy(event: ForeignCall) -> Fix | None:
    """Write ``copy.deepcopy(x)`` as ``F.BlockGrad(x)``, which is what it does eagerly."""
    functions = event.frame.functions
    if (
        functions is None
        or not isinstance(event.node, ast.Call)
        or event.function not in {"copy.copy", "copy.deepcopy"}
    ):
        return None
    nodes = event.arguments.nodes
    if len(nodes) != 1 or not isinstance(event.arguments.values[0], Tensor):
        return None
    content = stopped(functions, event.arguments.values[0], event.frame, nodes[0])
    return replace(event.frame, event.node, content, safe_if(True), kept=nodes)


def _through_namespace(frame: Frame, node: ast.Call, root: str, path: tuple[str, ...], name: str) -> Fix | None:
    functions = frame.functions
    if functions is None or (root == "nd" and namespace_lacks(path, name)):
        return None
    given = {k.arg for k in node.keywords}
    if "out" in given:
        return None
    prefix = (functions,) if root == "nd" else (functions, root)
    target = ".".join((*prefix, *path, name))
    known = find(name) is not None or name in CREATIONS | _BROADCAST_EAGERLY or path == ("random",)
    span = frame.source.span(node.func)
    edits = [Edit(span, target)]
    for keyword in node.keywords:
        if keyword.arg == "ctx":
            removal = remove_argument(frame, node, keyword, Applicability.SAFE)
            if removal is None:
                return None
            edits += removal.edits
    return Fix(f"Call `{target}`", tuple(edits), safe_if(known, "ctx" not in given or name in CREATIONS))


def _blocked(frame: Frame, node: ast.expr, inner: ast.expr, value: Value, *, truncated: bool = False) -> Fix | None:
    functions = frame.functions
    if functions is None or not isinstance(value, Tensor):
        return None
    parent = parent_of(frame, node)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in {"float", "int"}:
        # The conversion around it is told of itself.
        used = isinstance(parent_of(frame, parent), ast.BinOp) or named_operand(frame)
        return replace(frame, node, argument(frame, inner), Applicability.UNSAFE, kept=[inner]) if used else None
    content = stopped(functions, value, frame, inner)
    if truncated:
        content = f"{functions}.np.trunc({content})" if value.mode == "np" else f"{functions}.trunc({content})"
    if isinstance(parent, ast.Call) and value.mode == "legacy":
        return _full(frame, functions, parent, node, content)
    if not isinstance(parent, ast.BinOp) and not (isinstance(parent, ast.Assign) and named_operand(frame)):
        return None
    sure = safe_if(isinstance(parent, ast.BinOp) and of_one_dtype(parent))
    beside = beside_tensor(frame, node, content) if value.mode == "legacy" and isinstance(parent, ast.BinOp) else None
    if beside is None:
        return replace(frame, node, content, sure, kept=[inner])
    other = beside[0].right if beside[0].left is node else beside[0].left
    return replace(frame, *beside, sure, kept=[inner, other])


def _full(frame: Frame, functions: str, call: ast.Call, node: ast.expr, content: str) -> Fix | None:
    """Write ``F.full(shape, x.sum().asscalar())`` as ones times the tensor of one element."""
    if dotted(call.func) != (functions, "full") or len(call.args) != 2 or call.args[1] is not node or call.keywords:
        return None
    shape = argument(frame, call.args[0])
    text = f"{functions}.broadcast_mul({functions}.ones({shape}), {content})"
    return replace(frame, call, text, Applicability.UNSAFE, kept=[call.args[0]])


def _without_print(event: MethodCall) -> Fix | None:
    """Remove a statement that prints what the method reads."""
    statement = event.frame.statement
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    if dotted(statement.value.func) != ("print",):
        return None
    return delete_statement(event.frame, statement, "Remove the print", Applicability.SAFE)


def _without_statement(event: MethodCall, applicability: Applicability) -> Fix | None:
    statement = event.frame.statement
    if not isinstance(statement, ast.Expr) or statement.value is not event.node:
        return None
    return delete_statement(event.frame, statement, f"Remove the call of `{event.name}`", applicability)


def _as_none(event: MethodCall, applicability: Applicability) -> Fix | None:
    """Write None for a call inside of an expression: it is what the method returns."""
    statement, node = event.frame.statement, event.node
    if not isinstance(node, ast.Call) or (isinstance(statement, ast.Expr | ast.Return) and statement.value is node):
        return None
    return replace(event.frame, node, "None", applicability)


def _rebinds(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in _nodes(function))


def _nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for statement in function.body:
        yield from ast.walk(statement)
