"""Preparatory fixes, which keep the behaviour and enable other fixes: `try` removed, sizes read in place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.dataflow.bindings import Binding, BindingKind, bindings_of_target
from hybridlint.analysis.dataflow.scopes import names_in, names_in_targets, names_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.control.guards import eager_only
from hybridlint.fixers.control.removals import computes_size
from hybridlint.fixers.evidence.sizes.shape_parts import axis_bound, axis_of_part, part_of_shape
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.coded_reshapes import Coded, code_reshape, reshape_of
from hybridlint.fixers.shapes.like_operators import Likeness, likeness
from hybridlint.fixers.shapes.sizes import number
from hybridlint.fixers.toolkit.comments import comments_in
from hybridlint.fixers.toolkit.names import block_around, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes, replace_statements, taken_out
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import each, walk

#: The exceptions that reading a Symbol raises; a handler of any other exception has another purpose.
_RAISED = frozenset({"Exception", "AttributeError", "TypeError", "NotImplementedForSymbol", "NotImplementedError"})


def last_resort(frame: CodeContext) -> Fix | None:
    """Return a fix for a statement that no operator can replace.

    It is a guard for eager runs, or else a preparatory fix: a `try` replaced by its body, or sizes read in place.
    """
    return eager_only(frame) or eager_way(frame) or written_out(frame)


def eager_way(frame: CodeContext) -> Fix | None:
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


@record(frozen=True, slots=True)
class _SizeNames:
    """The names of sizes that a statement binds, and the code that reads them."""

    statement: ast.Assign
    #: The expression that reads the size of each name.
    sizes: Mapping[str, cst.BaseExpression]
    #: The tensors that are rebound later, each with the new name that keeps the original.
    kept: dict[str, str]
    #: The statements that always run after the statement.
    following: Sequence[ast.stmt]
    uses: Sequence[ast.Name]

    @property
    def behind(self) -> set[int]:
        """The ids of the nodes that run after the statement."""
        return {id(n) for statement in self.following for n in walk(statement)}


def written_out(frame: CodeContext) -> Fix | None:
    """Write ``x.shape[0]`` in place of a name that ``b, c = x.shape`` or ``b = x.shape[0]`` binds.

    If `x` is rebound later, the fix first keeps the original tensor under a new name and reads the sizes of that one.
    """
    names = _size_names(frame)
    if names is None:
        return None
    reshapes, alike = _coded(frame, names), _alike(frame, names)
    coded_sizes = [size for new in reshapes for size in new.reshape.sizes] + [
        size for new in alike for size in new.sizes
    ]
    shapes = {id(n) for size in coded_sizes for n in walk(size)}
    uncoded = _in_shapes(frame.function or ast.Pass()) - shapes
    if _is_quotient(names.statement.value) and any(id(n) in uncoded for n in names.uses):
        return None
    return _inlined(frame, names, reshapes, alike, shapes)


def _inlined(
    frame: CodeContext, names: _SizeNames, reshapes: Sequence[Coded], alike: Sequence[Likeness], shapes: set[int]
) -> Fix | None:
    """Return the fix that removes the statement and writes sizes in the place of its names.

    `shapes` are the ids of the nodes of the sizes that the codes and likenesses replace.
    """
    message = "Read the sizes where they are used"
    statement, kept = names.statement, names.kept
    derived = _derived(frame, names.following, shapes) if len(names.uses) > 1 else []
    done = shapes | {id(n) for each in derived for n in walk(each)}
    rebound = [binding.node for name in kept for binding in frame.flow.rebindings_of(name)]
    early, late = _parted([n for n in names.uses if id(n) not in done], rebound, names.following)
    parts = _reads(frame, statement.value, kept, names.sizes, late)
    if kept and (parts or any(each.like is not None for each in reshapes)):
        new = [line for name in kept for line in statements("{kept} = {name}", kept=kept[name], name=name)]
        removed = replace_statements(frame, statement, new, Applicability.SAFE, message=message)
    else:
        removed = delete_statement(frame, statement, Applicability.SAFE, message=message)
    parts |= _reads(frame, statement.value, {}, _sizes(frame, statement, {}), early)
    sure = safe_if(*(new.sure for new in reshapes), *(new.sure for new in alike))
    gone = [delete_statement(frame, each, Applicability.SAFE, message=message) for each in derived]
    written = [rewrite(frame, n, new, sure) for n, new in _composed(frame, parts, [*reshapes, *alike]).items()]
    kind = FixKind.STEP if reshapes or alike or not parts else FixKind.MOVE
    return join_fixes(message, [removed, *gone, *written], kind=kind)


def _size_names(frame: CodeContext) -> _SizeNames | None:
    """Return the names of sizes that a frame's statement binds, if the sizes can be written where they are read."""
    statement, function = frame.statement, frame.function
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    block = block_around(frame, statement)
    if block is None or len(block) == 1 or not isinstance(function, ast.FunctionDef):
        return None
    following = _following(frame, block, statement)
    behind = {id(n) for each in following for n in walk(each)}
    tensors = {n.id for n in walk(statement.value) if isinstance(n, ast.Name)} - {"len"}
    rebound = {name for name in tensors if any(id(b.node) in behind for b in frame.flow.rebindings_of(name))}
    kept = _kept(statement, rebound, {n.id for n in each(function, ast.Name)})
    if kept is None:
        return None
    uses = _uses(frame, statement)
    sizes = _sizes(frame, statement, kept)
    read = {name: size for name, size in sizes.items() if any(use.id == name for use in uses or ())}
    hidden = _hidden(function, tensors)
    if not read or uses is None or any(id(n) not in behind or id(n) in hidden for n in uses):
        return None
    return _SizeNames(statement, read, kept, following, uses)


def _uses(frame: CodeContext, statement: ast.Assign) -> list[ast.Name] | None:
    """Return the reads of the names that a statement binds; None if other code may see or rebind the names."""
    bindings = [b for name in names_in(statement).stores for b in frame.flow.bindings_of(name)]
    uses = [use for b in bindings if b.statement is statement for use in frame.flow.uses(b)]
    stored = {b.node for b in bindings}
    alone = all(frame.flow.binding(use) is not None and use not in stored for use in uses)
    return uses if alone else None


def _parted(
    uses: Sequence[ast.Name], rebound: Sequence[ast.AST], following: Sequence[ast.stmt]
) -> tuple[list[ast.Name], list[ast.Name]]:
    """Return the uses of sizes before the first statement that rebinds a tensor ends, and those behind it."""
    again = {id(n) for n in rebound}
    first = next((s for s in following if any(id(n) in again for n in walk(s))), None)
    if first is None:
        return [], list(uses)
    before = {id(n) for s in following[: following.index(first)] for n in walk(s)}
    before |= {id(n) for n in walk(first.value)} if isinstance(first, ast.Assign) else set()
    return [n for n in uses if id(n) in before], [n for n in uses if id(n) not in before]


def _is_quotient(value: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv | ast.Div) for n in walk(value))


def _in_shapes(function: ast.AST) -> set[int]:
    """Return the ids of the nodes in tuples and lists. A rounded quotient there would be a size of a shape."""
    return {id(n) for part in walk(function) if isinstance(part, ast.Tuple | ast.List) for n in walk(part)}


def _following(frame: CodeContext, block: list[ast.stmt], statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements that always run after a statement: those of its block, and behind a `with` around it."""
    found = block[block.index(statement) + 1 :]
    scopes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.With) and n.body is block)
    scope = next(scopes, None)
    outer = None if scope is None else block_around(frame, scope)
    return found if scope is None or outer is None else [*found, *_following(frame, outer, scope)]


def _derived(frame: CodeContext, behind: Sequence[ast.stmt], coded_sizes: set[int]) -> list[ast.Assign]:
    """Return the assignments such as ``half = c // 2`` whose names are read only as sizes that codes replace.

    `coded_sizes` are the ids of the nodes of such sizes.
    """
    found: list[ast.Assign] = []
    for statement in behind:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value) if computes_size(value):
                alone = len(frame.flow.bindings_of(name)) == 1
                if alone and all(id(read) in coded_sizes for read in frame.flow.reads_of(name)):
                    found.append(statement)
    return found


def _coded(frame: CodeContext, names: _SizeNames) -> list[Coded]:
    """Return the reshapes to the sizes that codes such as 0 and -1, or reshape_like, can express."""
    read = next((n for n in walk(names.statement.value) if isinstance(n, ast.Name)), None)
    like = None if read is None else (read, names.kept.get(read.id, read.id))
    found: list[Coded] = []
    for call in _calls_behind(frame, names):
        reshape = reshape_of(frame, call)
        used = reshape is not None and bool(names_in(*reshape.sizes).reads.keys() & names.sizes.keys())
        new = code_reshape(frame, reshape, like) if reshape is not None and used else None
        if new is not None:
            found.append(new)
    return found


def _alike(frame: CodeContext, names: _SizeNames) -> list[Likeness]:
    """Return the tensors made in a shape with the sizes that can be made like a tensor of that shape."""
    found: list[Likeness] = []
    for call in _calls_behind(frame, names):
        used = names_in(*call.args, *call.keywords).reads.keys() & names.sizes.keys()
        new = likeness(frame, call) if used else None
        found += [] if new is None else [new]
    return found


def _calls_behind(frame: CodeContext, names: _SizeNames) -> list[ast.Call]:
    assert frame.function is not None
    behind = names.behind
    return [call for call in each(frame.function, ast.Call) if id(call) in behind]


def _composed(
    frame: CodeContext, parts: Mapping[ast.expr, cst.BaseExpression], rewritten: Sequence[Coded | Likeness]
) -> dict[ast.expr, cst.BaseExpression]:
    """Return the outermost nodes to replace, each with its replacement, which includes the inner replacements."""
    done = dict(parts)
    for new in sorted(rewritten, key=lambda new: len(list(walk(new.replaced)))):
        inside = {id(n) for n in walk(new.replaced)}
        within = {part: done.pop(part) for part in [*done] if id(part) in inside}
        done[new.replaced] = new.written(frame, within)
    return done


def _hidden(function: ast.FunctionDef, names: set[str]) -> set[int]:
    """Return the ids of the nodes inside nested functions and comprehensions that rebind one of the names."""
    found: set[int] = set()
    for scope in walk(function):
        match scope:
            case ast.FunctionDef() | ast.Lambda() if scope is not function:
                bound = names_of(scope).bound
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                bound = frozenset(names_in_targets(scope))
            case _:
                continue
        found |= {id(n) for n in walk(scope)} if bound & names else set()
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


def _sizes(frame: CodeContext, statement: ast.Assign, kept: dict[str, str]) -> dict[str, cst.BaseExpression]:
    """Return the names that an assignment binds to sizes, each with the expression that reads the size.

    None at all if one of the names is bound to anything else.
    """
    target = statement.targets[0]
    bindings = bindings_of_target(target, BindingKind.ASSIGNMENT, statement, value=statement.value)
    found = {binding.name: _size_read(frame, binding, kept) for binding in bindings}
    return {name: size for name, size in found.items() if size is not None} if None not in found.values() else {}


def _size_read(frame: CodeContext, binding: Binding, kept: dict[str, str]) -> cst.BaseExpression | None:
    """Return the expression that reads the size, or the sizes behind a star, that a binding gives to its name."""
    read = axis_bound(binding)
    if read is not None:
        return _axis_of(_of(frame, read[0], kept), read[1])
    match binding.value:
        case None:
            return _sizes_behind_star(frame, binding, kept)
        case ast.Attribute(value=ast.Name(), attr="shape" | "size" | "ndim") as value:
            return _of(frame, value, kept)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=tensor)]):
            return expression("len({tensor})", tensor=kept.get(tensor, tensor))
        case value:
            computed = isinstance(value, ast.BinOp | ast.Call) and _is_size(frame, value) and _reads_size(value)
            return _with_kept(frame, value, kept) if computed or part_of_shape(value) is not None else None


def _sizes_behind_star(frame: CodeContext, binding: Binding, kept: dict[str, str]) -> cst.BaseExpression | None:
    """Return ``x.shape[1:-1]`` for `m` of ``a, *m, z = x.shape``, if the name is spread wherever it is read."""
    found = None if binding.source is None else part_of_shape(binding.source)
    if found is None or not isinstance(binding.item, tuple):
        return None
    reads = [use for b in frame.flow.bindings_of(binding.name) if b.node is binding.node for use in frame.uses(b)]
    spread = all(isinstance(parent_of(frame, use, frame.function), ast.Starred) for use in reads)
    if not spread or (reads and not isinstance(binding.source, ast.Attribute)):
        return None
    first, end = ("" if not place else str(place) for place in binding.item)
    return expression(f"{{shape}}[{first}:{end}]", shape=_of(frame, found[0], kept))


def _with_kept(frame: CodeContext, value: ast.expr, kept: dict[str, str]) -> cst.BaseExpression:
    """Return an expression with the new names of the tensors that `kept` holds."""
    read = [n for n in walk(value) if isinstance(n, ast.Name) and n.id in kept]
    parts: dict[ast.expr, cst.BaseExpression] = {n: expression("{x}", x=kept[n.id]) for n in read}
    return concrete_with(frame, value, parts) if parts else frame.concrete(value)


def _reads(
    frame: CodeContext,
    value: ast.expr,
    kept: dict[str, str],
    sizes: Mapping[str, cst.BaseExpression],
    uses: list[ast.Name],
) -> dict[ast.expr, cst.BaseExpression]:
    """Return the expressions that read sizes by their names, each with its new expression.

    For ``size[0]`` of a part of a shape it is the whole subscript.
    """
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


def _is_size(frame: CodeContext, value: ast.expr) -> bool:
    """Return whether an expression is arithmetic on sizes, which a graph or codes can express."""
    return number(frame, value) is not None or SizeInference(frame).size(value) is not None


def _reads_size(value: ast.expr) -> bool:
    """Whether arithmetic reads a shape, a length, or a number of elements or axes."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr in {"shape", "size", "ndim"})
        or (isinstance(n, ast.Name) and n.id == "len")
        for n in walk(value)
    )


def _of(frame: CodeContext, attribute: ast.expr, kept: dict[str, str]) -> cst.BaseExpression:
    """Return ``x.shape``, with the new name of `x` if `kept` holds one."""
    assert isinstance(attribute, ast.Attribute)
    assert isinstance(attribute.value, ast.Name)
    if attribute.value.id not in kept:
        return frame.concrete(attribute)
    return expression("{tensor}.{name}", tensor=kept[attribute.value.id], name=attribute.attr)


def _axis_of(shape: cst.BaseExpression, axis: int) -> cst.BaseExpression:
    return expression("{shape}[{axis}]", shape=shape, axis=axis)
