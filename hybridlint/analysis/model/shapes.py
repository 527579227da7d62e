"""The shapes of two operands: whether they may differ, are meant to be broadcast, or are proved incompatible."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.shape_provenance import crossing, rank_change
from hybridlint.analysis.model.values import ShapeProvenance, Tensor, Value
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.infer import broadcast_shapes, unify_dtypes, unify_shapes
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import InferError, Shape, TensorType, unknown_shape
from hybridlint.text.syntax import walk

#: The origins of a block's own weights.
_LEARNT = frozenset({"parameter", "weights"})
#: The number of calls and operators, one in another, that are followed to what the code gave a size of 1.
_DEEPEST = 8
#: An operand: its expression and its value.
Operand = tuple[ast.expr, Value]


def may_differ(left: Tensor, right: Tensor) -> bool:
    """Return whether two shapes are unrelated and may differ, so that one operand may be meant to be broadcast.

    False for two results of layers without further evidence: added to each other, as in residual blocks, they
    mostly have equal shapes.
    """
    related = left.lineage is not None and right.lineage is not None and left.lineage.related(right.lineage)
    if related or left.type.shape == right.type.shape is not None:
        return False
    if left.type.shape is not None and right.type.shape is not None:
        return not _are_vectors(left.type.shape, right.type.shape)
    changed = any(t.lineage is not None and set(t.lineage.steps) - {"raised"} for t in (left, right))
    changed = changed or any(1 in (t.type.shape or ()) for t in (left, right))
    return changed or "parameter" in {left.origin, right.origin} or left.origin == right.origin == "argument"


def _are_vectors(left: Shape, right: Shape) -> bool:
    """Return whether both shapes have one dimension of unknown size: such as a number for each row of a batch."""
    return len(left) == len(right) == 1 and all(isinstance(size, Dim) for size in (*left, *right))


def merged_type(left: Tensor, right: Tensor) -> TensorType:
    """Return the type of an element-wise result of two tensors, with shapes broadcast where they differ."""
    return TensorType(_merged_shape(left, right), unify_dtypes(left.type, right.type))


def _merged_shape(left: Tensor, right: Tensor) -> Shape | None:
    shapes = [t for t in (left, right) if t.type.shape is not None]
    if len(shapes) == 1 and (1 in (shapes[0].type.shape or ()) or shapes[0].origin in _LEARNT):
        # An eager run broadcasts it over the other one.
        return None
    spread = left.mode == "np" or left.type.provably_differs(right.type) or _may_spread(left, right)
    merge = broadcast_shapes if spread else unify_shapes
    try:
        return merge(left.type.shape, right.type.shape, "rhs")
    except InferError:
        return None


def _may_spread(left: Tensor, right: Tensor) -> bool:
    """Return whether a dimension of size 1 meets one of unknown size, to which an eager run broadcasts it."""
    pairs = zip(reversed(left.type.shape or ()), reversed(right.type.shape or ()), strict=False)
    return any(1 in pair and any(isinstance(size, Dim) for size in pair) for pair in pairs)


def is_as_given(value: Value) -> bool:
    """Return whether a value is an argument of its function whose sizes nothing shows."""
    if not isinstance(value, Tensor) or value.origin != "argument" or value.optional:
        return False
    return all(isinstance(size, Dim) and size.anonymous for size in value.type.shape or ())


def look_alike(left: Tensor, right: Tensor) -> bool:
    """Return whether two unknown shapes are probably equal: of one rank without a 1, or derived in the same way."""
    shapes = left.type.shape, right.type.shape
    if None not in shapes:
        return len(shapes[0] or ()) == len(shapes[1] or ()) and not any(1 in (shape or ()) for shape in shapes)
    if left.lineage is None or right.lineage is None or shapes != (None, None):
        return False
    return left.lineage.steps == right.lineage.steps


def is_deliberate_broadcast(frame: CodeContext, left: Operand, right: Operand) -> bool:
    """Return whether the code itself gave only one operand a size of 1, and the operands are unrelated.

    The author of ``x * mask.expand_dims(-1)`` means to apply the mask along a whole dimension of `x`, and the author of
    ``a.expand_dims(1) + b.expand_dims(2)`` means all pairs of elements. An argument of the function may
    have its size of 1 for other reasons.
    """
    (left_node, a), (right_node, b) = left, right
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return False
    if a.lineage is None or b.lineage is None or a.lineage.related(b.lineage):
        return False
    if (a.lineage.mixed and _is_number(b)) or (b.lineage.mixed and _is_number(a)):
        # A sum over unknown things may be a number too.
        return False
    if "divided" in {*a.lineage.steps[:1], *b.lineage.steps[:1]}:
        return False
    if _has_one(a) and _has_one(b):
        return crossing(a.lineage, b.lineage)
    widened = _widened(frame, left_node, a), _widened(frame, right_node, b)
    if (_is_sum(a) and not _is_several(frame, b)) or (_is_sum(b) and not _is_several(frame, a)):
        return False
    return (widened[0] and not _widens(frame, right_node)) or (widened[1] and not _widens(frame, left_node))


def _widens(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression adds a new axis with ``expand_dims`` that its result may still have.

    For a sum or product of tensors, both operands must: otherwise the new axis is broadcast.
    """
    match node:
        case ast.BinOp(left=left, right=right) if _are_tensors(frame, left, right):
            return _widens(frame, left) and _widens(frame, right)
        case ast.Call(func=ast.Attribute(attr=name), args=[left, right]) if name.startswith("broadcast_"):
            return _widens(frame, left) and _widens(frame, right)
        case _:
            return any(isinstance(n, ast.Attribute) and n.attr == "expand_dims" for n in walk(node))


def _are_tensors(frame: CodeContext, *nodes: ast.expr) -> bool:
    return all(isinstance(frame.seen.value(node), Tensor) for node in nodes)


def _widened(frame: CodeContext, node: ast.expr, tensor: Tensor, depth: int = 0) -> bool:
    """Return whether the last shape change of an operand, made in this function, gave it a dimension of size 1."""
    if tensor.lineage is not None and tensor.lineage.mixed:
        return False
    if tensor.lineage is not None and tensor.lineage.steps[-1:] in {("added",), ("scalar",)}:
        return not isinstance(node, ast.Name) or not _is_given(frame.function, node.id)
    if tensor.origin == "constant" and 1 in (tensor.type.shape or ()):
        return True
    match node:
        case ast.Call(func=ast.Attribute(attr="reshape")):
            return 1 in (tensor.type.shape or ())
        case ast.Name() if _is_spread(tensor.type.shape or ()):
            made = _bound_above(frame.function, node)
            return made is not None and not isinstance(made, ast.Name) and _widened(frame, made, tensor, depth)
        case ast.Call() | ast.BinOp() if _is_spread(tensor.type.shape or ()) and depth < _DEEPEST:
            return _is_made_of_widened(frame, node, depth + 1)
    return False


def _is_made_of_widened(frame: CodeContext, node: ast.Call | ast.BinOp, depth: int) -> bool:
    """Return whether a call or an operator keeps the sizes of 1 that the code gave to its operands.

    Examples are a sigmoid of ``y.reshape((0, -1, 1, 1))``, its halves, ``1 + scale``, and a function of the file that
    returns it.
    """
    match node:
        case ast.BinOp(left=left, right=right):
            operands = [left, right]
        case ast.Call(func=ast.Attribute(value=receiver), args=arguments):
            operands = [receiver, *arguments]
        case _:
            operands = node.args
    for operand in operands:
        value = frame.seen.value(operand)
        if isinstance(value, Tensor) and _is_spread(value.type.shape or ()) and _widened(frame, operand, value, depth):
            return True
    function = _own_function(frame, node) if isinstance(node, ast.Call) else None
    if function is None or function is frame.function:
        return False
    within = replace(frame, function=function)
    results = [n.value for n in walk(function) if isinstance(n, ast.Return) and n.value is not None]
    values = [(result, frame.seen.value(result)) for result in results]
    return bool(values) and all(
        isinstance(value, Tensor) and _widened(within, at, value, depth) for at, value in values
    )


def _own_function(frame: CodeContext, call: ast.Call) -> ast.FunctionDef | None:
    """Return the function of the file, or the method of the class, that a call names; None for others."""
    holder: ast.AST | None = None
    match call.func:
        case ast.Name(id=name):
            holder = frame.source.tree
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            holder = next((n for n in frame.source.tree.body if _is_class(n, frame.class_name)), None)
    body = holder.body if isinstance(holder, ast.Module | ast.ClassDef) else []
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _is_class(node: ast.stmt, name: str | None) -> bool:
    return isinstance(node, ast.ClassDef) and node.name == name


def _is_spread(shape: Shape) -> bool:
    """Return whether a shape holds one number, or has a size of 1 on several axes.

    It is then neither a column nor a row.
    """
    return shape == (1,) or shape.count(1) > 1


def _bound_above(function: ast.AST | None, node: ast.Name) -> ast.expr | None:
    """Return the value that the last assignment above a name gives to it; None if there is no such."""
    found = [
        n
        for n in walk(function or ast.Pass())
        if isinstance(n, ast.Assign) and n.lineno < node.lineno
        for target in n.targets
        if _binds(target, n.value, node.id)
    ]
    return max(found, key=lambda n: n.lineno).value if found else None


def _binds(target: ast.expr, value: ast.expr, name: str) -> bool:
    """Return whether an assignment gives a name its value, or one of several that a call returns."""
    names = target.elts if isinstance(target, ast.Tuple) and isinstance(value, ast.Call) else [target]
    return any(isinstance(one, ast.Name) and one.id == name for one in names)


def _is_given(function: ast.AST | None, name: str) -> bool:
    """Return whether a name is an argument of a function, or of a nested one, and is never reassigned."""
    scopes = (n for n in walk(function or ast.Pass()) if isinstance(n, ast.FunctionDef | ast.Lambda))
    bindings = [binding for scope in scopes for binding in flow_of(scope).bindings_of(name)]
    return bool(bindings) and all(binding.kind is BindingKind.PARAMETER for binding in bindings)


def _is_number(tensor: Tensor) -> bool:
    """Return whether a tensor is one number."""
    return tensor.type.shape == (1,) or (tensor.lineage is not None and tensor.lineage.steps[-1:] == ("scalar",))


def _is_sum(tensor: Tensor) -> bool:
    """Return whether a tensor is one number that was computed from all of another tensor."""
    return tensor.lineage is not None and tensor.lineage.steps[-1:] == ("scalar",)


def _is_several(frame: CodeContext, tensor: Tensor) -> bool:
    """Return whether a tensor surely has more than one element."""
    reshaped = tensor.lineage is not None and bool(set(tensor.lineage.steps) - {"scalar"})
    if reshaped or tensor.origin == "argument" or any(isinstance(size, Dim) for size in tensor.type.shape or ()):
        return True
    return _has_shape_of_argument(frame, tensor)


def _has_shape_of_argument(frame: CodeContext, tensor: Tensor) -> bool:
    """Return whether a tensor was computed from two tensors one of which is an argument: ``F.square(pred - label)``.

    What is computed from one alone may be a number, such as twice a count.
    """
    if tensor.lineage is None or tensor.lineage.steps or not tensor.lineage.equal_roots or frame.function is None:
        return False
    names = (frame.seen.value(n) for n in walk(frame.function) if isinstance(n, ast.Name))
    arguments = (value for value in names if isinstance(value, Tensor) and value.origin == "argument")
    return any(one.lineage is not None and one.lineage.related(tensor.lineage) for one in arguments)


def _has_one(tensor: Tensor) -> bool:
    """Return whether a tensor has a dimension of size 1, or may have one by the steps of its lineage."""
    steps = () if tensor.lineage is None else tensor.lineage.steps
    return bool({"added", "reduced", "narrowed", "single", "scalar"} & set(steps)) or 1 in (tensor.type.shape or ())


def scale_beside_data(left: Value, right: Value) -> str | None:
    """Return why an operator without broadcasting fails for a parameter such as (1, C) and data of unknown shape.

    The size of 1 shows that the parameter is meant to be broadcast. None if there is no such parameter.
    """
    for scale, data in ((left, right), (right, left)):
        if not isinstance(scale, Tensor) or not isinstance(data, Tensor) or scale.origin not in _LEARNT:
            continue
        if data.origin not in {*_LEARNT, "constant", "element"} and _declared_to_broadcast(scale.type, data):
            return f"a parameter of shape {scale.type} is meant to be broadcast"
    return None


def _declared_to_broadcast(scale: TensorType, data: Tensor) -> bool:
    if data.type.shape is None:
        # Data has a batch axis, which a vector of parameters lacks.
        vector = scale.shape is not None and len(scale.shape) == 1
        whole = data.lineage is not None and not {"dropped", "scalar", "cut"} & set(data.lineage.steps)
        batched = data.origin == "argument" or (data.origin == "operator" and whole and _is_wide(data))
        return (vector and whole) or (batched and 1 in (scale.shape or ()))
    pairs = zip(scale.shape or (), data.type.shape, strict=False)
    return any(a == 1 and isinstance(b, Dim) for a, b in pairs)


def _is_wide(data: Tensor) -> bool:
    """Return whether nothing made a dimension of a tensor 1, judging by its lineage."""
    return data.lineage is not None and not data.lineage.mixed and not _has_one(data)


def mismatch(left: Tensor, right: Tensor) -> str | None:
    """Return why an operator without broadcasting fails for two tensors; None if nothing indicates it.

    Their shapes are proved to differ, or one is a parameter declared to be broadcast.
    """
    if left.type.provably_equals(right.type):
        return None
    return proven_difference(left, right) or scale_beside_data(left, right)


def proven_difference(left: Tensor, right: Tensor) -> str | None:
    """Return why two shapes differ for every input of the block, apart from sizes of 1; None without a proof."""
    if left.type.provably_differs(right.type):
        return f"shapes {left.type} and {right.type} are different"
    for one, other in ((left, right), (right, left)):
        least = one.lineage.least if one.lineage and one.type.shape is None and not one.lineage.steps else 0
        if 0 < (other.type.rank or 0) < least:
            return f"one has {least} dimensions at least, the other {other.type.rank}"
    rank = left.type.rank or right.type.rank
    told = of_rank(left, left.type, rank), of_rank(right, right.type, rank)
    lasts = {features(left), features(right)}
    if None in (left.type.shape, right.type.shape) and 1 in lasts and max(size or 0 for size in lasts) > 1:
        return f"the last sizes {features(left)} and {features(right)} are different"
    if told[0].provably_differs(told[1]):
        return f"shapes {told[0]} and {told[1]} are different, and so are those of another number of dimensions"
    return conflict(left, right) or possible_difference(*told)


def of_rank(value: Value, known: TensorType, rank: int | None = None) -> TensorType:
    """Return a known type, or one of `rank` dimensions with the sizes that were made of them just before."""
    shape = known.shape or (unknown_shape(rank) if rank else None)
    if not shape or not isinstance(value, Tensor) or value.type.shape is not None:
        return known
    last, single = features(value), single_axis(value.lineage)
    if not last and (single is None or not -len(shape) <= single < len(shape)):
        return known
    sizes = list(shape)
    if last:
        sizes[-1] = last
    if single is not None and -len(shape) <= single < len(shape):
        sizes[single] = 1
    return known.with_shape(tuple(sizes))


def single_axis(lineage: ShapeProvenance | None) -> int | None:
    """Return the axis that one indexing, reduction or insertion made size 1; None if more steps shaped the tensor."""
    made = lineage is not None and lineage.steps in {("added",), ("reduced",), ("narrowed",)}
    return lineage.axis if made and lineage is not None else None


def features(value: Value) -> int | None:
    """Return the last size of a tensor: 0 if only that a layer made it is known, None for others."""
    if not isinstance(value, Tensor):
        return None
    if value.type.shape:
        last = value.type.shape[-1]
        return last if isinstance(last, int) else None
    return None if value.lineage is None else value.lineage.features


def possible_difference(left: TensorType, right: TensorType) -> str | None:
    """Return why two shapes that broadcast are different; None if they may be equal with sizes of 1.

    (1, N) and (M, 1) are equal only if N and M are 1, and so are (N, N) and (N, 1): the N of both is no size of 1.
    """
    if left.shape is None or right.shape is None or len(left.shape) != len(right.shape):
        return None
    pairs = list(zip(left.shape, right.shape, strict=True))
    wider = any(a == 1 and isinstance(b, Dim) for a, b in pairs)
    longer = any(b == 1 and isinstance(a, Dim) for a, b in pairs)
    shared = {a for a, b in pairs if a == b and isinstance(a, Dim)}
    repeated = any((a in shared and b == 1) or (b in shared and a == 1) for a, b in pairs)
    return f"shapes {left} and {right} broadcast" if (wider and longer) or repeated else None


def conflict(left: Value, right: Value) -> str | None:
    """Return why two shapes that derive from the same shape differ; None if they are unrelated or may be equal."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor) or left.lineage is None or right.lineage is None:
        return None
    a, b = left.lineage, right.lineage
    if not a.related(b):
        return None
    if a.steps == b.steps:
        return "each has a dimension of size 1 where the other has all" if crossing(a, b) else None
    if _rows_and_number(a, b) or _rows_and_number(b, a):
        return "one has a number for each row, and the other is one number"
    shorter, longer = sorted((a.steps, b.steps), key=len)
    same = next((i for i, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), len(shorter))
    if same < len(shorter):
        return _unlike(shorter[same:], longer[same:])
    extra = longer[same:]
    if "single" in extra:
        return "one is a layer's only output for each row of the other" if extra == ("single",) else None
    if "scalar" in extra[-1:]:
        return "one is a number computed from the other"
    if "scalar" in extra:
        return None
    rank = sum(map(rank_change, extra))
    if rank > 0:
        return "one has a dimension more than the other"
    if rank < 0:
        return "one has a dimension less than the other"
    single = set(extra) <= {"reduced", "narrowed"} or _put_back(extra)
    return "one is the other reduced to size 1 along an axis" if single else None


def _unlike(left: Sequence[str], right: Sequence[str]) -> str | None:
    """Return a sentence saying that the ranks differ, by one shape's extra steps; None if they may be equal."""
    if {"scalar", "single"} & {*left, *right} or sum(map(rank_change, left)) == sum(map(rank_change, right)):
        return None
    return "one has more dimensions than the other"


def _rows_and_number(rows: ShapeProvenance, number: ShapeProvenance) -> bool:
    """Return whether one shape lost a dimension after its first, and the other is the same tensor as a number."""
    kept = rows.steps[-1:] == ("dropped",) and rows.axis is not None and rows.axis > 0
    return kept and number.steps == (*rows.steps[:-1], "scalar")


def _put_back(steps: Sequence[str]) -> bool:
    """Return whether the steps sum or squeeze dimensions away, and then add as many of size 1."""
    single = dropped = added = 0
    for step in steps:
        if step in {"reduced", "narrowed"} and not added:
            single += 1
        elif step == "squeezed" and single:
            single, dropped = single - 1, dropped + 1
        elif step == "dropped" and not added:
            dropped += 1
        elif step == "added" and dropped:
            dropped, added = dropped - 1, added + 1
        else:
            return False
    return added > 0 and not dropped
