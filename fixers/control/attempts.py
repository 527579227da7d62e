"""Preparatory fixes, which keep the behaviour and enable other fixes: `try` removed, sizes read in place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.control.guards import eager_only
from hybridlint.fixers.control.removals import computes_size
from hybridlint.fixers.evidence.bindings import run_of_stores, stored_for
from hybridlint.fixers.evidence.sizes.extents import Extents
from hybridlint.fixers.evidence.sizes.shape_parts import axis_of_part, part_of_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.coded_reshapes import Coded, coded, reshape_of
from hybridlint.fixers.shapes.likenesses import Likeness, likeness
from hybridlint.fixers.shapes.sizes import number
from hybridlint.fixers.toolkit.comments import comments_in
from hybridlint.fixers.toolkit.names import block_around, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import deleted, joined, restated, taken_out
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

#: The exceptions that reading a Symbol raises; a handler of any other exception has another purpose.
_RAISED = frozenset({"Exception", "AttributeError", "TypeError", "NotImplementedForSymbol", "NotImplementedError"})


def last_resort(frame: Frame) -> Fix | None:
    """Return a fix for a statement that no operator can replace.

    It is a guard for eager runs, or else a preparatory fix: a `try` replaced by its body, or sizes read in place.
    """
    return eager_only(frame) or eager_way(frame) or written_out(frame)


def eager_way(frame: Frame) -> Fix | None:
    """Replace a `try` by its body, if each handler is bare or catches only what reading a Symbol raises."""
    if frame.statement is None or frame.function is None:
        return None
    found = [n for n in walk(frame.function) if isinstance(n, ast.Try) and frame.statement in n.body]
    if not found or found[0].orelse or found[0].finalbody or not all(map(_catches, found[0].handlers)):
        return None
    node = found[0]
    if any(isinstance(part, ast.AugAssign) for statement in node.body for part in walk(statement)):
        # Arrays raise on in-place changes while gradients are recorded.
        return None
    source = frame.source
    if comments_in(source.text[source.span(node.handlers[0]).start : source.span(node).end]):
        return None
    fix = taken_out(frame, node, Applicability.UNSAFE, message="Keep the branch that the eager run takes")
    return None if fix is None else changed(fix, kind=FixKind.STEP)


def written_out(frame: Frame) -> Fix | None:
    """Write ``x.shape[0]`` in place of a name that ``b, c = x.shape`` or ``b = x.shape[0]`` binds.

    If `x` is rebound later, the fix first keeps the original tensor under a new name and reads the sizes of that one.
    """
    statement, function = frame.statement, frame.function
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or function is None:
        return None
    block = block_around(frame, statement)
    if block is None or not isinstance(function, ast.FunctionDef):
        return None
    nodes = [n for n in walk(function) if isinstance(n, ast.Name)]
    read = {n.id for n in nodes if isinstance(n.ctx, ast.Load)}
    stores = [n for n in nodes if not isinstance(n.ctx, ast.Load)]
    following = _following(frame, block, statement)
    behind = {id(n) for each in following for n in walk(each)}
    tensors = {n.id for n in walk(statement.value) if isinstance(n, ast.Name)} - {"len"}
    rebound = {n.id for n in stores if n.id in tensors and id(n) in behind}
    kept = _kept(statement, rebound, {n.id for n in nodes})
    if kept is None:
        return None
    sizes = {name: size for name, size in _sizes(frame, statement, kept).items() if name in read}
    runs = {name: run_of_stores(frame, name) for name in sizes if sum(n.id == name for n in stores) != 1}
    uses = [n for n in nodes if n.id in sizes and isinstance(n.ctx, ast.Load) and _is_given(runs, n, statement)]
    several = None in runs.values()
    hidden = _hidden(function, tensors)
    if several or not uses or any(id(n) not in behind or id(n) in hidden for n in uses) or len(block) == 1:
        return None
    message = "Read the sizes where they are used"
    reshapes = _coded(frame, statement, kept, sizes, behind)
    alike = _alike(frame, sizes, behind)
    coded_sizes = [size for each in reshapes for size in each.reshape.sizes]
    shapes = {id(n) for size in (*coded_sizes, *(s for each in alike for s in each.sizes)) for n in walk(size)}
    uncoded = _in_shapes(function) - shapes
    if _is_quotient(statement.value) and any(id(n) in uncoded for n in uses):
        return None
    derived = _derived(following, nodes, shapes) if len(uses) > 1 else []
    done = shapes | {id(n) for each in derived for n in walk(each)}
    early, late = _parted([n for n in uses if id(n) not in done], [n for n in stores if n.id in kept], following)
    parts = _reads(frame, statement.value, kept, sizes, late)
    if kept and (parts or any(each.like is not None for each in reshapes)):
        new = [line for name in kept for line in statements("{kept} = {name}", kept=kept[name], name=name)]
        removed = restated(frame, statement, new, Applicability.SAFE, message=message)
    else:
        removed = deleted(frame, statement, Applicability.SAFE, message=message)
    parts |= _reads(frame, statement.value, {}, _sizes(frame, statement, {}), early)
    sure = safe_if(*(each.sure for each in reshapes), *(each.sure for each in alike))
    gone = [deleted(frame, each, Applicability.SAFE, message=message) for each in derived]
    written = [rewrite(frame, n, new, sure) for n, new in _composed(frame, parts, [*reshapes, *alike]).items()]
    return joined(message, [removed, *gone, *written], kind=FixKind.STEP)


def _parted(
    uses: Sequence[ast.Name], rebound: Sequence[ast.Name], following: Sequence[ast.stmt]
) -> tuple[list[ast.Name], list[ast.Name]]:
    """Return the uses of sizes before the first statement that rebinds a tensor ends, and those behind it."""
    again = {id(n) for n in rebound}
    first = next((s for s in following if any(id(n) in again for n in walk(s))), None)
    if first is None:
        return [], list(uses)
    before = {id(n) for s in following[: following.index(first)] for n in walk(s)}
    before |= {id(n) for n in walk(first.value)} if isinstance(first, ast.Assign) else set()
    return [n for n in uses if id(n) in before], [n for n in uses if id(n) not in before]


def _is_given(runs: Mapping[str, list[ast.Assign] | None], read: ast.Name, statement: ast.Assign) -> bool:
    """Whether a read has its value of a statement, where others bind the name too."""
    run = runs.get(read.id)
    return run is None or stored_for(run, read) is statement


def _is_quotient(value: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv | ast.Div) for n in walk(value))


def _in_shapes(function: ast.FunctionDef) -> set[int]:
    """Return the ids of the nodes in tuples of a function, where a rounded quotient would be a size of a shape."""
    return {id(n) for part in walk(function) if isinstance(part, ast.Tuple | ast.List) for n in walk(part)}


def _following(frame: Frame, block: list[ast.stmt], statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements that always run after a statement: those of its block, and behind a `with` around it."""
    found = block[block.index(statement) + 1 :]
    scopes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.With) and n.body is block)
    scope = next(scopes, None)
    outer = None if scope is None else block_around(frame, scope)
    return found if scope is None or outer is None else [*found, *_following(frame, outer, scope)]


def _derived(behind: list[ast.stmt], nodes: list[ast.Name], coded_sizes: set[int]) -> list[ast.Assign]:
    """Return the assignments such as ``half = c // 2`` whose names serve as sizes that codes replace, or for nothing.

    `nodes` are the names of the function, `coded_sizes` the ids of the nodes of such sizes.
    """
    found: list[ast.Assign] = []
    for each in behind:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value) if computes_size(value):
                uses = [n for n in nodes if n.id == name and n is not each.targets[0]]
                if all(id(n) in coded_sizes and isinstance(n.ctx, ast.Load) for n in uses):
                    found.append(each)
    return found


def _coded(
    frame: Frame, statement: ast.Assign, kept: dict[str, str], sizes: Mapping[str, object], behind: set[int]
) -> list[Coded]:
    """Return the reshapes to the sizes in `sizes` that codes such as 0 and -1, or reshape_like, can express."""
    read = next((n for n in walk(statement.value) if isinstance(n, ast.Name)), None)
    like = None if read is None else (read, kept.get(read.id, read.id))
    found: list[Coded] = []
    for call in walk(frame.function or ast.Pass()):
        reshape = reshape_of(frame, call) if isinstance(call, ast.Call) and id(call) in behind else None
        if reshape is None:
            continue
        names = {n.id for size in reshape.sizes for n in walk(size) if isinstance(n, ast.Name)}
        new = coded(frame, reshape, like) if names & sizes.keys() else None
        if new is not None:
            found.append(new)
    return found


def _alike(frame: Frame, sizes: Mapping[str, object], behind: set[int]) -> list[Likeness]:
    """Return the tensors made in a shape with sizes in `sizes` that can be made like a tensor of that shape."""
    found: list[Likeness] = []
    for call in walk(frame.function or ast.Pass()):
        if isinstance(call, ast.Call) and id(call) in behind:
            names = {n.id for given in (*call.args, *call.keywords) for n in walk(given) if isinstance(n, ast.Name)}
            new = likeness(frame, call) if names & sizes.keys() else None
            found += [] if new is None else [new]
    return found


def _composed(
    frame: Frame, parts: Mapping[ast.expr, cst.BaseExpression], rewritten: Sequence[Coded | Likeness]
) -> dict[ast.expr, cst.BaseExpression]:
    """Return the outermost nodes to replace, each with its replacement, which includes the inner replacements."""
    done = dict(parts)
    for each in sorted(rewritten, key=lambda each: len(list(walk(each.replaced)))):
        inside = {id(n) for n in walk(each.replaced)}
        within = {part: done.pop(part) for part in [*done] if id(part) in inside}
        done[each.replaced] = each.written(frame, within)
    return done


def _hidden(function: ast.FunctionDef, names: set[str]) -> set[int]:
    """Return the ids of the nodes inside nested functions and comprehensions that rebind one of the names."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    found: set[int] = set()
    for scope in (n for n in walk(function) if isinstance(n, inner) and n is not function):
        parts = list(walk(scope))
        bound = {a.arg for a in parts if isinstance(a, ast.arg)}
        bound |= {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        found |= {id(n) for n in parts} if bound & names else set()
    return found


def _kept(statement: ast.Assign, rebound: set[str], taken: set[str]) -> dict[str, str] | None:
    """Return the names of tensors that are rebound, each with the new name that keeps it.

    None if the statement itself rebinds one, or if a new name is taken.
    """
    stored = {n.id for target in statement.targets for n in walk(target) if isinstance(n, ast.Name)}
    kept = {name: f"{name}_like" for name in sorted(rebound)}
    return None if stored & rebound or taken & set(kept.values()) else kept


def _catches(handler: ast.ExceptHandler) -> bool:
    match handler.type:
        case None:
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _RAISED
        case ast.Tuple(elts=parts):
            return all(
                isinstance(p, ast.Name | ast.Attribute) and ast.unparse(p).rpartition(".")[2] in _RAISED for p in parts
            )
    return False


def _sizes(frame: Frame, statement: ast.Assign, kept: dict[str, str]) -> dict[str, cst.BaseExpression]:
    """Return the names that an assignment binds to sizes, each with the expression that reads the size."""
    target, value = statement.targets[0], statement.value
    match target, value:
        case ast.Tuple(elts=names) | ast.List(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
            pairs = [_one_size(frame, n, v, kept) for n, v in zip(names, values, strict=True)]
            return {name: size for pair in pairs for name, size in pair.items()} if all(pairs) else {}
        case ast.Tuple(elts=names) | ast.List(elts=names), _:
            first, shape = _first_axis(value, len(names))
            if shape is None or not all(isinstance(n, ast.Name) for n in names):
                return {}
            read = _of(frame, shape, kept)
            return {n.id: _axis_of(read, first + axis) for axis, n in enumerate(names) if isinstance(n, ast.Name)}
    return _one_size(frame, target, value, kept)


def _one_size(frame: Frame, target: ast.expr, value: ast.expr, kept: dict[str, str]) -> dict[str, cst.BaseExpression]:
    match target, value:
        case ast.Name(id=name), ast.Subscript(
            value=ast.Attribute(value=ast.Name(), attr="shape") as shape, slice=index
        ) if (axis := literal(index)) is not None:
            return {name: _axis_of(_of(frame, shape, kept), axis)}
        case ast.Name(id=name), ast.Attribute(value=ast.Name(), attr="shape" | "size" | "ndim"):
            return {name: _of(frame, value, kept)}
        case ast.Name(id=name), ast.Subscript() if part_of_shape(value) is not None:
            return {name: _with_kept(frame, value, kept)}
        case ast.Name(id=name), ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=tensor)]):
            return {name: expression("len({tensor})", tensor=kept.get(tensor, tensor))}
        case ast.Name(id=name), ast.BinOp() | ast.Call() if _is_size(frame, value) and _reads_size(value):
            return {name: _with_kept(frame, value, kept)}
    return {}


def _with_kept(frame: Frame, value: ast.expr, kept: dict[str, str]) -> cst.BaseExpression:
    """Return an expression with the new names of the tensors that `kept` holds."""
    read = [n for n in walk(value) if isinstance(n, ast.Name) and n.id in kept]
    parts: dict[ast.expr, cst.BaseExpression] = {n: expression("{x}", x=kept[n.id]) for n in read}
    return concrete_with(frame, value, parts) if parts else frame.concrete(value)


def _reads(
    frame: Frame, value: ast.expr, kept: dict[str, str], sizes: Mapping[str, cst.BaseExpression], uses: list[ast.Name]
) -> dict[ast.expr, cst.BaseExpression]:
    """Return what reads sizes by their names, each with what it reads; ``size[0]`` of a part of a shape whole."""
    found: dict[ast.expr, cst.BaseExpression] = {}
    shape = part_of_shape(value)
    for use in uses:
        outer = parent_of(frame, use, frame.function) if shape is not None else None
        place = literal(outer.slice) if isinstance(outer, ast.Subscript) and outer.value is use else None
        axis = None if place is None else axis_of_part(value, place)
        if axis is None or shape is None or not isinstance(outer, ast.Subscript):
            found[use] = sizes[use.id]
        else:
            found[outer] = _axis_of(_of(frame, shape[0], kept), axis)
    return found


def _is_size(frame: Frame, value: ast.expr) -> bool:
    """Return whether an expression is arithmetic on sizes, which a graph computes, or which codes may stand for."""
    return number(frame, value) is not None or Extents(frame).size(value) is not None


def _reads_size(value: ast.expr) -> bool:
    """Whether arithmetic reads a shape or a length."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "shape") or (isinstance(n, ast.Name) and n.id == "len")
        for n in walk(value)
    )


def _first_axis(value: ast.expr, count: int) -> tuple[int, ast.expr | None]:
    """Return the first axis that ``x.shape`` (0) or ``x.shape[2:]`` (2) reads for some names, and the ``x.shape`` node.

    The node is None for any other expression.
    """
    found = part_of_shape(value)
    if found is None or (found[1] < 0 and found[1] + count > 0):
        return 0, None
    return found[1], found[0]


def _of(frame: Frame, attribute: ast.expr, kept: dict[str, str]) -> cst.BaseExpression:
    """Return ``x.shape``, with the new name of `x` if `kept` holds one."""
    assert isinstance(attribute, ast.Attribute)
    assert isinstance(attribute.value, ast.Name)
    if attribute.value.id not in kept:
        return frame.concrete(attribute)
    return expression("{tensor}.{name}", tensor=kept[attribute.value.id], name=attribute.attr)


def _axis_of(shape: cst.BaseExpression, axis: int) -> cst.BaseExpression:
    return expression("{shape}[{axis}]", shape=shape, axis=axis)
