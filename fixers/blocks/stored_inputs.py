"""Fixers of attributes that `forward` computes from the inputs: the graph computes them from the same inputs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from hybridlint.analysis.dataflow.attributes import reads_of, stores_of
from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.events import CodeContext, TraceConstant
from hybridlint.analysis.mxnet.blocks.retracing import PASSED
from hybridlint.fixers.blocks.registered_arguments import entry_of, handed_on, is_taken
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.fixed_values import related_to
from hybridlint.fixers.evidence.settings import NUMBER_FUNCTIONS
from hybridlint.fixers.evidence.unconditional_code import function_around
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.names import class_around, classes_in, free_name
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.statements import delete_statement, insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import each, is_own, walk

#: Functions that compute a number of numbers, and methods of arrays that read one.
_NUMBERS = NUMBER_FUNCTIONS | {"tuple", "asscalar", "item"}
_UNSAFE = Applicability.UNSAFE


@record(frozen=True, slots=True)
class _Stored:
    """An attribute that `forward` stores in its own block, and the value that it computes of the inputs."""

    forward: ast.FunctionDef
    statement: ast.Assign
    value: ast.expr
    #: Which of the numbers in the value it is; None for the whole value.
    part: int | None
    #: For each argument of `forward` in the value, the argument of `hybrid_forward` that gets it.
    passed: Mapping[str, str]


def computed_in_graph(event: TraceConstant) -> Fix | None:
    """Write ``self.length``, which `forward` stores at each call, as ``x.shape[1]``: the graph has the input `x`.

    A helper is handed the input. None unless one statement of `forward`, which hands its arguments on as they are,
    stores the attribute. What nothing reads any more goes.
    """
    frame, node = event.frame, event.node
    owner, method = class_around(frame), function_around(frame.source.tree, node)
    entry = None if owner is None else entry_of(owner)
    if owner is None or entry is None or method not in owner.body or not isinstance(node, ast.Attribute):
        return None
    if ast.unparse(node) != event.source_of_value:
        return None
    if node.attr not in (stored := _stored_for(frame, owner, entry, method)):
        return None
    alone = user_elsewhere(frame.source, [owner.name]) is None
    parts, own = [], [read for name in stored for read in reads_of(method, name)]
    for name, found in stored.items():
        reads = reads_of(method, name)
        if method is entry:
            parts += _in_entry(replace(frame, function=entry), entry, found, reads)
        else:
            parts += _in_helper(frame, owner, method, found, reads)
        parts += _removed(frame, owner, found, own) if alone or name.startswith("_") else []
    message = f"Compute `self.{node.attr}` of the graph's own input"
    fix = join_fixes(message, parts, kind=FixKind.MOVE)
    return None if fix is None else replace(fix, applicability=safe_if(method is entry or alone))


def _stored_for(
    frame: CodeContext, owner: ast.ClassDef, entry: ast.FunctionDef, method: ast.FunctionDef
) -> Mapping[str, _Stored]:
    """Return the attributes that a method reads and `forward` stores, all of them: sizes often stand side by side.

    None are found in a class that others of the file derive from, or that derives from others.
    """
    if any(one is not owner for one in related_to(frame, owner)):
        return {}
    names = sorted({read.attr for read in each(method, ast.Attribute) if is_own(read)})
    found = {name: _stored(frame, owner, entry, name) for name in names}
    return {name: stored for name, stored in found.items() if stored is not None}


def _of_block(frame: CodeContext, owner: ast.ClassDef, nodes: Iterable[ast.Attribute]) -> list[ast.Attribute]:
    """Return the nodes that may name an attribute of a block of this class."""
    others = {id(n) for one in classes_in(frame.source) if one is not owner for n in each(one, ast.Attribute)}
    return [node for node in nodes if id(node) not in others or not is_own(node)]


def _stored(frame: CodeContext, owner: ast.ClassDef, entry: ast.FunctionDef, name: str) -> _Stored | None:
    """Return how `forward` stores an attribute, None if something else does, or if it depends on more than inputs."""
    methods = [n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name in PASSED]
    init = constructor_of(owner)
    first = [] if init is None else stores_of(init, name)
    stores = [n for n in _of_block(frame, owner, stores_of(frame.source.tree, name)) if n not in first]
    if len(methods) != 1 or len(stores) != 1:
        return None
    (forward,), (place,) = methods, stores
    for statement in forward.body:
        match statement:
            case ast.Assign(targets=[target], value=value):
                stored = _part(target, value, place)
                passed = None if stored is None else _passed(forward, entry)
                if stored is not None and passed is not None and _is_of_inputs(stored[0], passed):
                    return _Stored(forward, statement, *stored, passed)
            case _:
                pass
    return None


def _part(target: ast.expr, value: ast.expr, place: ast.Attribute) -> tuple[ast.expr, int | None] | None:
    """Return the value that an assignment gives a place; ``x.shape[0]`` for the first of ``self.n, c = x.shape``."""
    match target, value:
        case _ if target is place:
            return value, None
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            return next(((v, None) for t, v in zip(targets, values, strict=True) if t is place), None)
        case ast.Tuple(elts=targets), _ if place in targets and not any(isinstance(n, ast.Starred) for n in targets):
            return _of_shape(value, targets.index(place))
    return None


def _of_shape(value: ast.expr, number: int) -> tuple[ast.expr, int] | None:
    """Return ``x.shape`` and the axis of a number in it, or in ``x.shape[-2:]``; None for other values."""
    match value:
        case ast.Attribute(attr="shape"):
            return value, number
        case ast.Subscript(value=ast.Attribute(attr="shape") as shape, slice=ast.Slice(lower=lower, step=None)):
            start = 0 if lower is None else literal(lower)
            return None if start is None else (shape, start + number)
    return None


def _passed(forward: ast.FunctionDef, entry: ast.FunctionDef) -> Mapping[str, str] | None:
    """Return which arguments of `hybrid_forward` the arguments of `forward` become; None if that is not plain.

    Arguments that `forward` binds anew are left out.
    """
    calls = [n for n in each(forward, ast.Call) if _goes_on(n.func)]
    if len(calls) != 1 or forward.args.kwonlyargs or calls[0].keywords:
        return None
    names = [argument.arg for argument in entry.args.args[2:]]
    given = [argument.id if isinstance(argument, ast.Name) else "" for argument in calls[0].args]
    own = {argument.arg for argument in forward.args.args[1:] if not flow_of(forward).rebindings_of(argument.arg)}
    pairs = zip(given, names, strict=False)
    return {one: other for one, other in pairs if one in own}


def _goes_on(called: ast.expr) -> bool:
    """Return whether a call calls the base class's method, as ``super().forward`` does."""
    match called:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
            return name in PASSED
    return False


def _is_of_inputs(value: ast.expr, passed: Mapping[str, str]) -> bool:
    """Return whether a value is a number, or numbers, that only the arguments of `forward` decide."""
    called = {id(call.func) for call in each(value, ast.Call)}
    for node in walk(value):
        match node:
            case ast.Name(id=name):
                if name not in (_NUMBERS if id(node) in called else passed):
                    return False
            case ast.Attribute(attr=name) if id(node) in called:
                if name not in _NUMBERS and lookup.of_tensors(name) is None:
                    return False
            case ast.Attribute(attr=name):
                if name not in {"shape", "size", "ndim"}:
                    return False
            case ast.Call(func=ast.Name() | ast.Attribute(), keywords=[]):
                continue
            case ast.Call() | ast.Lambda() | ast.GeneratorExp() | ast.ListComp() | ast.NamedExpr() | ast.Starred():
                return False
    return any(name.id in passed for name in each(value, ast.Name))


def _needed(found: _Stored) -> frozenset[str]:
    """Return the arguments of `hybrid_forward` that have the value."""
    return frozenset(found.passed[n.id] for n in each(found.value, ast.Name) if n.id in found.passed)


def _in_entry(
    frame: CodeContext, entry: ast.FunctionDef, found: _Stored, reads: Sequence[ast.Attribute]
) -> list[Fix | None]:
    """Return the fixes of the reads in `hybrid_forward`: the value, or its name where an argument is bound anew."""
    new = _computed(frame, found, found.passed)
    if not any(flow_of(entry).rebindings_of(name) for name in _needed(found)):
        return [rewrite(frame, read, new, _UNSAFE) for read in reads]
    name = free_name(frame, reads[0].attr.lstrip("_"))
    first = next(n for n in entry.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)))
    kept = insert_statements(frame, statements("{name} = {new}", name=name, new=new), _UNSAFE, message="", before=first)
    return [kept, *(rewrite(frame, read, cst.Name(name), _UNSAFE) for read in reads)]


def _in_helper(
    frame: CodeContext,
    owner: ast.ClassDef,
    helper: ast.FunctionDef,
    found: _Stored,
    reads: Sequence[ast.Attribute],
) -> list[Fix | None]:
    """Return the fixes of the reads in a helper, which `hybrid_forward` hands the input that it needs."""
    needed, entry = _needed(found), entry_of(owner)
    if len(needed) != 1 or entry is None:
        return [None]
    (given,) = needed
    if flow_of(entry).rebindings_of(given):
        return [None]
    name = next((new for new in (given, f"input_{given}") if not is_taken(helper, new)), None)
    if name is None:
        return [None]
    new = _computed(frame, found, dict.fromkeys(found.passed, name))
    parts = handed_on(frame, owner, helper, name, value=given)
    return [*parts, *(rewrite(frame, read, new, _UNSAFE) for read in reads)]


def _computed(frame: CodeContext, found: _Stored, names: Mapping[str, str]) -> cst.BaseExpression:
    """Return the value with the arguments of `forward` renamed by `names`."""
    parts: dict[ast.expr, cst.BaseExpression] = {
        n: cst.Name(names[n.id]) for n in each(found.value, ast.Name) if n.id in names
    }
    value = concrete_with(frame, found.value, parts)
    return value if found.part is None else expression("{value}[{part}]", value=value, part=found.part)


def _removed(frame: CodeContext, owner: ast.ClassDef, found: _Stored, own: Sequence[ast.Attribute]) -> list[Fix | None]:
    """Return the fixes that remove the stores, and a `forward` that does nothing else, if nothing reads them any more.

    `own` are the reads that the fix replaces.
    """
    (target,) = found.statement.targets
    stored = target.elts if isinstance(target, ast.Tuple) else [target]
    stores = set[str]()
    for one in stored:
        if not isinstance(one, ast.Attribute):
            return []
        if any(n not in own for n in _of_block(frame, owner, reads_of(frame.source.tree, one.attr))):
            return []
        stores.add(ast.unparse(one))
    init = constructor_of(owner)
    unread: list[ast.stmt] = [
        n
        for n in (() if init is None else each(init, ast.Assign))
        if {ast.unparse(one) for one in n.targets} <= stores and isinstance(n.value, ast.Constant)
    ]
    only = len(found.forward.body) == 2 and isinstance(found.forward.body[-1], ast.Return)
    unread.append(found.forward if only and not found.forward.decorator_list else found.statement)
    return [delete_statement(frame, one, _UNSAFE, message="") for one in unread]
