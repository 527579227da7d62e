"""Shapes read from tensors: reshape codes, and operators that take the tensor itself."""

from __future__ import annotations

import ast

from hybridlint.analysis.describe import subject
from hybridlint.analysis.events import AttributeRead, Frame, MethodCall
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.aliases import part_changes
from hybridlint.fixers.attempts import last_resort
from hybridlint.fixers.calls import remove_argument
from hybridlint.fixers.crops import crop_around
from hybridlint.fixers.iteration import one_size, sized
from hybridlint.fixers.keys import literal
from hybridlint.fixers.leading import leads
from hybridlint.fixers.loops import foreach
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.sized_calls import numpy_positions, with_tensor
from hybridlint.fixers.sizes import axes_in_order, number, parse, parse_all, shaped, whole_number
from hybridlint.fixers.statements import without_unused
from hybridlint.fixers.text import argument, delete_statement, operand, replace, safe_if
from hybridlint.source import Span

_FILLED = {"zeros": "zeros_like", "ones": "ones_like"}
_DESCRIBING = frozenset({"ctx", "dtype", "shape"})


def tuple_argument(event: MethodCall) -> Fix | None:
    """Write ``x.reshape(2, 3)`` as ``x.reshape((2, 3))``."""
    node = event.node
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    source = event.frame.source
    first, last = source.span(node.args[0]), source.span(node.args[-1])
    edits = (Edit(Span(first.start, first.start), "("), Edit(Span(last.end, last.end), ")"))
    return Fix("Write the sizes as a tuple", edits, Applicability.SAFE)


def without_shape(event: AttributeRead) -> Fix | None:
    """Rewrite what reads the shape of a tensor, where an operator or a reshape code does the same."""
    frame, node = event.frame, event.node
    unused = without_unused(event) or _number_of_elements(event)
    if unused is not None or frame.functions is None or event.name != "shape" or not isinstance(node, ast.Attribute):
        return unused or _without_statement(event)
    place = parent_of(frame, node)
    size = _size_operand(event, node) or (None if not isinstance(place, ast.Subscript) else crop_around(frame, place))
    if size is not None:
        return size
    call = _enclosing_call(frame, node)
    if isinstance(event.value, Tensor) and event.value.mode == "np" and call is not None:
        return numpy_positions(event, call) or _without_statement(event)
    if not isinstance(event.value, Tensor) or call is None or frame.statement is None:
        return _without_statement(event)
    return (
        _reshape(event, call, node)
        or _like(event, call, node)
        or with_tensor(event, call)
        or foreach(frame, node)
        or _without_statement(event)
    )


def without_attribute(event: AttributeRead) -> Fix | None:
    """Remove ``ctx=x.context`` and print statements that read what only arrays have."""
    frame, node = event.frame, event.node
    unused = without_unused(event)
    if unused is not None:
        return unused
    call = parent_of(frame, node)
    if isinstance(call, ast.keyword) and call.arg == "ctx":
        outer = parent_of(frame, call)
        if isinstance(outer, ast.Call):
            return remove_argument(frame, outer, call, Applicability.UNSAFE)
    return _without_statement(event)


def _number_of_elements(event: AttributeRead) -> Fix | None:
    """Write ``x / x.size`` with the number of elements as a tensor, and ``x * x.ndim`` with that of dimensions."""
    functions, node, value = event.frame.functions, event.node, event.value
    if functions is None or event.name not in {"size", "ndim"} or not isinstance(value, Tensor):
        return None
    tensor = subject(node)
    if not isinstance(node, ast.Attribute | ast.Call) or not isinstance(tensor, ast.Name):
        return None
    if value.mode == "np":
        sizes = f"{functions}.npx.shape_array({tensor.id})"
        return (
            _numpy_sized(event.frame, node, f"{functions}.npx.shape_array({sizes})[0]", value)
            if event.name == "ndim"
            else None
        )
    inner = tensor.id if event.name == "size" else f"{functions}.shape_array({tensor.id})"
    return sized(event.frame, node, f'{functions}.size_array({inner}).astype("float32")', value)


def _numpy_sized(frame: Frame, node: ast.expr, content: str, value: Tensor) -> Fix | None:
    """Put a size, as a tensor, where it stood as a number beside a tensor of numpy mode."""
    if not isinstance(parent_of(frame, node), ast.BinOp):
        return None
    return replace(frame, node, f'{content}.astype("float32")', safe_if(value.type.dtype == "float32"))


def _size_operand(event: AttributeRead, node: ast.Attribute) -> Fix | None:
    """Write ``x / x.shape[0]`` with the size as a tensor."""
    place, value = parent_of(event.frame, node), event.value
    if not isinstance(place, ast.Subscript) or not isinstance(node.value, ast.Name) or not isinstance(value, Tensor):
        return None
    whole = whole_number(event.frame, place)
    text = number(event.frame, whole)
    if whole is place or text is None or value.mode != "legacy":
        return one_size(event.frame, place, node.value.id, value)
    return sized(event.frame, whole, text, value)


def _enclosing_call(frame: Frame, node: ast.expr) -> ast.Call | None:
    """Return the nearest call around the node that is not a part of an index or of arithmetic on sizes."""
    inner: ast.AST | None = node
    while inner is not None and not isinstance(inner, ast.Call):
        inner = parent_of(frame, inner)
    outer = parent_of(frame, inner) if inner is not None and dotted(inner.func) == ("range",) else None
    return outer if isinstance(outer, ast.Call) and (dotted(outer.func) or ("",))[-1] == "array" else inner


def _reshape(event: AttributeRead, call: ast.Call, node: ast.Attribute) -> Fix | None:
    """Rewrite ``a.reshape((x.shape[0], -1))`` and ``F.reshape(a, shape=...)``."""
    frame = event.frame
    found = _reshape_parts(frame, call)
    if found is None:
        return None
    data, shape = found
    if shape is node:
        return _reshape_like(frame, call, data, node)
    sizes = shape if isinstance(shape, list) else list(shape.elts) if isinstance(shape, ast.Tuple | ast.List) else None
    if sizes is None:
        return None
    codes = None if ast.dump(data) != ast.dump(node.value) else reshape_codes(frame, data, sizes, event.value)
    if codes is None:
        return _permuted(event, call, data, sizes) or _reshape_to_sizes(frame, call, data, sizes)
    text = f"({', '.join(codes)}{',' if len(codes) == 1 else ''})"
    source = frame.source
    if isinstance(shape, list):
        span = Span(source.span(shape[0]).start, source.span(shape[-1]).end)
    else:
        span = source.span(shape)
    if "#" in source.text[span.start : span.end]:
        return None
    return Fix(f"Reshape to `{text}`", (Edit(span, text),), Applicability.SAFE)


def _reshape_like(frame: Frame, call: ast.Call, data: ast.expr, node: ast.Attribute) -> Fix | None:
    """Rewrite ``a.reshape(x.shape)``, whose result shares the memory of `a` eagerly."""
    if part_changes(frame, call):
        return None
    method = (dotted(call.func) or ("",))[0] != frame.functions
    like = argument(frame, node.value)
    content = (
        f"{operand(frame, data)}.reshape_like({like})"
        if method
        else f"{frame.functions}.reshape_like({argument(frame, data)}, {like})"
    )
    return replace(frame, call, content, Applicability.SAFE, kept=[data, node.value])


def _reshape_to_sizes(frame: Frame, call: ast.Call, data: ast.expr, shape: list[ast.expr]) -> Fix | None:
    """Write a reshape to sizes of other tensors with codes, or as reshape_like a tensor of that shape."""
    if frame.functions is None or part_changes(frame, call):
        return None
    sizes = [_copied(data, place) if literal(size) == 0 else size for place, size in enumerate(shape)]
    content = _by_codes(frame, data, sizes)
    sure = Applicability.UNSAFE
    found = None if content is not None else parse_all(sizes)
    if found is not None:
        tensor = axes_in_order(found)
        like = f"{tensor}, lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end={len(found)}"
        like = shaped(frame.functions, found) if tensor is None else like
        content = f"{frame.functions}.reshape_like({argument(frame, data)}, {like})"
        sure = safe_if(all(size.divisor == 1 for size in found))
    return None if content is None else replace(frame, call, content, sure, kept=[data])


def _copied(data: ast.expr, axis: int) -> ast.expr:
    """Return the size that a code 0 stands for."""
    return ast.parse(f"{ast.unparse(data)}.shape[{axis}]", mode="eval").body


def _by_codes(frame: Frame, data: ast.expr, sizes: list[ast.expr]) -> str | None:
    """Return a reshape with a code for each first axis that the data share with a tensor, and numbers behind."""
    axes = [size.plain for node in sizes if (size := parse(node)) is not None and size.plain is not None]
    count = len(axes)
    tensors = {tensor for tensor, _ in axes}
    rest = [literal(node) for node in sizes[count:]]
    ordered = [axis for _, axis in axes] == list(range(count))
    if len(tensors) != 1 or not ordered or any(number is None for number in rest) or rest.count(-1) > 1:
        return None
    if any(number is not None and number < -1 for number in rest) or not leads(frame, data, tensors.pop(), count):
        return None
    codes = [*["0"] * count, *map(str, rest)]
    text = f"({', '.join(codes)}{',' if len(codes) == 1 else ''})"
    return f"{frame.functions}.reshape({argument(frame, data)}, {text})"


def _permuted(event: AttributeRead, call: ast.Call, data: ast.expr, sizes: list[ast.expr]) -> Fix | None:
    """Write a reshape to the tensor's own sizes in another order as reshape_like."""
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    axes = [axis for size in sizes for axis in (_axes(data, size, rank) or (-1,))]
    if sorted(axes) != list(range(len(sizes))) or (rank is not None and rank != len(sizes)):
        return None
    functions, tensor = event.frame.functions, argument(event.frame, data)
    order = f"({', '.join(map(str, axes))})"
    content = f"{functions}.reshape_like({tensor}, {functions}.transpose({tensor}, axes={order}))"
    return replace(event.frame, call, content, safe_if(rank is not None), kept=[data])


def _reshape_parts(frame: Frame, call: ast.Call) -> tuple[ast.expr, ast.expr | list[ast.expr]] | None:
    """Return the tensor and the shape of a reshape: a method's or a function's."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in {"reshape", "Reshape"}:
        return None
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg not in {"shape", "data"} for k in call.keywords):
        return None
    named = next((k.value for k in call.keywords if k.arg == "shape"), None)
    given = list(call.args)
    if isinstance(call.func.value, ast.Name) and call.func.value.id == frame.functions:
        data = given.pop(0) if given else next((k.value for k in call.keywords if k.arg == "data"), None)
    else:
        data = call.func.value
    if data is None or (named is None) == (not given):
        return None
    return data, named if named is not None else given[0] if len(given) == 1 else given


def reshape_codes(frame: Frame, data: ast.expr, sizes: list[ast.expr], value: object) -> list[str] | None:
    """Return the codes for sizes read from the tensor's own shape; one that has no code may be inferred, as -1."""
    rank = value.type.rank if isinstance(value, Tensor) else None
    codes: list[str] = []
    place = 0
    for size in sizes:
        axes = _axes(data, size, rank)
        number = literal(size)
        if axes == (place,):
            codes.append("0")
        elif axes == (place, place + 1):
            codes.append("-3")
        elif number is not None and (number > 0 or number == -1):
            codes.append(str(number))
        elif not _reads_shape(size):
            codes.append(frame.source.code(size))
        else:
            codes.append("?")
        place += len(axes) if axes else 1
    if codes.count("?") + codes.count("-1") > 1:
        return None
    return ["-1" if code == "?" else code for code in codes]


def _axes(data: ast.expr, size: ast.expr, rank: int | None) -> tuple[int, ...] | None:
    """Return the axes whose product a size is."""
    match size:
        case ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=index):
            axis = literal(index)
            if axis is None or ast.dump(tensor) != ast.dump(data):
                return None
            if axis < 0:
                return None if rank is None else (axis + rank,)
            return (axis,)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = _axes(data, left, rank), _axes(data, right, rank)
            return None if first is None or second is None else (*first, *second)
    return None


def _reads_shape(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in {"shape", "size", "ndim"} for part in ast.walk(node))


def _like(event: AttributeRead, call: ast.Call, node: ast.Attribute) -> Fix | None:
    """Rewrite creation in the shape of a tensor, and broadcast_to its shape."""
    frame = event.frame
    path = dotted(call.func)
    if path is None or not isinstance(event.value, Tensor):
        return None
    if path[-1] == "broadcast_to":
        return _broadcast_like(frame, call, node, argument(frame, node.value))
    shape = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "shape"), None)
    namespace = path[:-1] in {(frame.functions,), ("nd",), ("mx", "nd"), ("mxnet", "nd")}
    if not namespace or shape is not node or any(k.arg not in _DESCRIBING | {"val"} for k in call.keywords):
        return None
    return _filled(event, call, node, path[-1])


def _filled(event: AttributeRead, call: ast.Call, node: ast.Attribute, name: str) -> Fix | None:
    """Rewrite zeros, ones and full in the shape of a tensor; a dtype must be the tensor's own."""
    frame, tensor = event.frame, argument(event.frame, node.value)
    assert isinstance(event.value, Tensor)
    plain = {k.arg: k.value for k in call.keywords}
    dtype = plain.get("dtype")
    same_dtype = (
        isinstance(dtype, ast.Attribute) and dtype.attr == "dtype" and ast.dump(dtype.value) == ast.dump(node.value)
    )
    if dtype is not None and not same_dtype:
        return None
    sure = safe_if(same_dtype or event.value.type.dtype == "float32")
    if name in _FILLED and len(call.args) <= 1:
        return replace(frame, call, f"{frame.functions}.{_FILLED[name]}({tensor})", sure, kept=[node.value])
    if name == "full":
        filler = call.args[1] if len(call.args) > 1 else plain.get("val")
        if filler is None or len(call.args) > 2:
            return None
        content = f"({frame.functions}.ones_like({tensor}) * {operand(frame, filler)})"
        return replace(frame, call, content, sure, kept=[node.value, filler])
    return None


def _broadcast_like(frame: Frame, call: ast.Call, node: ast.Attribute, tensor: str) -> Fix | None:
    if not isinstance(call.func, ast.Attribute) or len(call.args) + len(call.keywords) > 2:
        return None
    values = [*call.args, *(k.value for k in call.keywords)]
    if values[-1] is not node:
        return None
    if len(values) == 2 and dotted(call.func.value) == (frame.functions,):
        content = f"{frame.functions}.broadcast_like({argument(frame, values[0])}, {tensor})"
        return replace(frame, call, content, Applicability.SAFE, kept=[values[0], node.value])
    if len(values) == 1:
        content = f"{operand(frame, call.func.value)}.broadcast_like({tensor})"
        return replace(frame, call, content, Applicability.SAFE, kept=[call.func.value, node.value])
    return None


def _without_statement(event: AttributeRead) -> Fix | None:
    """Remove a print; leave a check, and what is only looked at, to eager runs."""
    statement = event.frame.statement
    if (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and dotted(statement.value.func) == ("print",)
    ):
        return delete_statement(event.frame, statement, "Remove the print", Applicability.SAFE)
    return last_resort(event.frame)
