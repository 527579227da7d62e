"""Whether no compiled run of a block is right, so that nothing is lost where it stays eager."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from hybridlint.analysis.model.events import (
    CodeContext,
    Event,
    ScopeEvent,
    SideEffect,
    TraceConstant,
)
from hybridlint.analysis.model.values import (
    BlockRef,
    CapturedArray,
    ContainerValue,
    Outputs,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.evidence.eager.first_data import keeps_first_data
from hybridlint.fixers.evidence.eager.holders import Holder
from hybridlint.fixers.evidence.eager.state_reads import reads_state
from hybridlint.fixers.evidence.eager.traces_that_raise import raises_at
from hybridlint.fixers.evidence.properties import properties_read
from hybridlint.fixers.evidence.tensors import is_hybrid, is_layer
from hybridlint.fixers.evidence.unconditional_code import (
    always_runs,
    called_beside,
    entry_of,
    function_around,
    functions_leading_to,
    runs_in_each_call,
    wrappers_of,
)
from hybridlint.fixers.toolkit.class_hierarchy import methods_of
from hybridlint.fixers.toolkit.names import values_bound
from hybridlint.text.parameters import names_of, required_of
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import holds, walk

#: Effects on state that Python keeps between calls.
_STATE = frozenset({"attribute", "append", "global", "nonlocal"})


def is_never_right_compiled(event: Event, reached: Sequence[Holder]) -> bool:
    """Return whether every call runs the event's code and the compiled result would always be wrong.

    True for Python's random draws, for state that each call changes and reads, and for code that raises at each trace.
    False for a scope of autograd, because a graph without it may be right in one mode, and for code that only some
    settings or modes reach.
    """
    frame = event.frame
    if isinstance(event, ScopeEvent) or not all(one.done or _calls_part_each_time(frame, one) for one in reached):
        return False
    match event:
        case SideEffect():
            if keeps_first_data(frame, event.node):
                return True
            return event.kind in _STATE and event.carried and _is_stored_and_read(event, event.target)
        case TraceConstant(source_of_value=source) if source.startswith("self."):
            return keeps_first_data(frame, event.node) or _is_stored_and_read(event, source)
        case TraceConstant():
            return event.used and runs_in_each_call(frame, event.node)
        case _:
            return runs_in_each_call(frame, event.node) and raises_at(event)


def suits_own_graphs(frame: CodeContext, owner: ast.ClassDef) -> bool:
    """Return whether a class computes the same if each block that it calls has its own graph.

    Such a block takes tensors in the same structure at each call, and returns none of them unchanged. The values that
    the caller passes are assumed to fit.
    """
    if _some_block_returns_its_input(frame.source):
        return False
    methods = [n for n in owner.body if isinstance(n, ast.FunctionDef)]
    calls = (n for method in methods if method.name != "__init__" for n in walk(method) if isinstance(n, ast.Call))
    return all(_suits(frame, owner, call) for call in calls if _is_block(frame, owner, call))


@lru_cache(maxsize=1)
def _some_block_returns_its_input(source: SourceFile) -> bool:
    """Return whether a traced method or a lambda of a file may return an argument as it is.

    Measured: compiled by itself, such a block raises or passes wrong gradients in training.
    """
    entries = [n for n in walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == ENTRY]
    lambdas = (n for n in walk(source.tree) if isinstance(n, ast.Lambda) and isinstance(n.body, ast.Name))
    return any(map(_returns_argument, entries)) or any(n.body.id in names_of(n.args) for n in lambdas)  # type: ignore[attr-defined]


def _returns_argument(entry: ast.FunctionDef) -> bool:
    given = {*names_of(entry.args)}
    for node in walk(entry):
        if isinstance(node, ast.Return) and node.value is not None:
            parts = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
            names = {part.id for part in parts if isinstance(part, ast.Name)} & given
            if any(not _is_bound_before(entry, name, node) for name in names):
                return True
    return False


def _is_bound_before(entry: ast.FunctionDef, name: str, place: ast.Return) -> bool:
    """Return whether each call binds a name anew before a statement."""
    stores = (n for n in walk(entry) if isinstance(n, ast.Assign) and _binds_name(n, name))
    return any(store.lineno < place.lineno and always_runs(entry, store) for store in stores)


def _is_block(frame: CodeContext, owner: ast.ClassDef, call: ast.Call) -> bool:
    """Return whether a call may call a child block."""
    if isinstance(frame.seen.value(call.func), BlockRef):
        return True
    match call.func:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name not in methods_of(frame.source.tree, owner)
    return False


def _suits(frame: CodeContext, owner: ast.ClassDef, call: ast.Call) -> bool:
    given = [frame.seen.value(part.value if isinstance(part, ast.Starred) else part) for part in call.args]
    own = {part.identity for value in given for part in _tensors(value) if part.identity is not None}
    returned = [part for part in _tensors(frame.seen.value(call)) if part.identity in own]
    if len(call.args) == 1 and not call.keywords and _takes_tensor(frame, call.func, call.args[0]):
        return not returned
    fixed = all(_is_same_kind(frame, part) or _is_list_kept(owner, call, part) for part in call.args)
    return fixed and not call.keywords and not returned


def _takes_tensor(frame: CodeContext, block: ast.expr, given: ast.expr) -> bool:
    """Return whether a block raises eagerly too where its only argument is no tensor.

    Operators of a layer do, and any hybrid block for a number, as a sum that starts with 0 may be.
    """
    held = frame.seen.value(block)
    made = values_bound(frame, given)
    summed = bool(made) and all(isinstance(value, ast.Constant | ast.BinOp) for value in made)
    return is_layer(held) or (summed and is_hybrid(held))


def _is_fixed(value: Value) -> bool:
    """Return whether a value is a tensor, or a list of tensors, in each call."""
    match value:
        case Tensor(optional=optional):
            return not optional
        case ContainerValue(kind="list" | "tuple", items=items, each=each):
            return all(map(_is_fixed, (each,) if items is None else items))
    return isinstance(value, Outputs | CapturedArray)


def _is_same_kind(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an argument is a tensor, or a list of fixed length, in each call that the class decides."""
    if isinstance(node, ast.List):
        return all(_is_same_kind(frame, part) for part in node.elts)
    inner = node.value if isinstance(node, ast.Starred) else node
    return _is_fixed(frame.seen.value(inner)) or _is_handed_on(frame, node)


def _is_handed_on(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an unknown name holds an argument or the result of a call, not a kept state."""
    if not isinstance(node, ast.Name) or not isinstance(frame.seen.value(node), Unknown):
        return False
    function = function_around(frame.source.tree, node)
    if function is None:
        return False
    stores = [n.value for n in walk(function) if isinstance(n, ast.Assign) and _binds_name(n, node.id)]
    given = bool(stores) or node.id in required_of(function.args)
    return given and all(isinstance(value, ast.Call) for value in stores)


def _is_list_kept(owner: ast.ClassDef, call: ast.Call, node: ast.expr) -> bool:
    """Return whether an attribute of self holds a list at a call, because earlier code replaces None by a list."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            pass
        case _:
            return False
    stores = [n for n in walk(owner) if isinstance(n, ast.Assign) and any(map(_names_it(name), n.targets))]
    values = [n.value for n in stores if not (isinstance(n.value, ast.Constant) and n.value.value is None)]
    made = (n for n in walk(owner) if isinstance(n, ast.If) and n.lineno < call.lineno and _fills(n, name))
    listed = bool(values) and all(isinstance(value, ast.List | ast.ListComp) for value in values)
    return listed and (len(values) == len(stores) or any(made))


def _fills(node: ast.If, name: str) -> bool:
    """Return whether a statement is ``if self.name is None: self.name = ...``."""
    match node.test, node.body:
        case (
            ast.Compare(left=ast.Attribute(attr=asked), ops=[ast.Is()], comparators=[ast.Constant(value=None)]),
            [ast.Assign(targets=[target])],
        ):
            return asked == name and _names_it(name)(target)
    return False


def _names_it(name: str) -> Callable[[ast.expr], bool]:
    return lambda node: isinstance(node, ast.Attribute) and node.attr == name and ast.unparse(node.value) == "self"


def _binds_name(node: ast.Assign, name: str) -> bool:
    parts = (part for target in node.targets for part in walk(target))
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def _tensors(value: Value) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, ContainerValue):
        for item in (*(value.items or ()), value.each):
            yield from _tensors(item)


def _calls_part_each_time(frame: CodeContext, holder: Holder) -> bool:
    """Return whether each call of a class calls the part through which something is reached; the first has none."""
    if holder.part is None:
        return True
    entry = entry_of(holder.node)
    if entry is None:
        return False
    calls = [n for n in walk(entry) if isinstance(n, ast.Call) and _calls(frame, n, holder)]
    return bool(calls) and all(always_runs(entry, call) for call in calls)


def _calls(frame: CodeContext, call: ast.Call, holder: Holder) -> bool:
    assert holder.part is not None
    block = frame.seen.value(call.func)
    if isinstance(block, BlockRef) and any(_is_kind(one, holder.part) for one in block.known):
        return True
    if isinstance(block, Unknown) and _is_block(frame, holder.node, call):
        # A block that its constructor is given, which may be the part.
        return True
    return isinstance(call.func, ast.Attribute) and call.func.attr in holder.containers


def _is_kind(block: BlockRef, part: ast.ClassDef) -> bool:
    return block.info is not None and any(one.node is part for one in block.info.lineage)


def _is_stored_and_read(event: Event, target: str) -> bool:
    """Return whether each call stores state, and computes something with it."""
    frame = event.frame
    if not runs_in_each_call(frame, _with_other_branch(frame, event.node, target)):
        return False
    functions = list(_run_with(frame, functions_leading_to(frame, attribute=target.startswith("self."))))
    return any(_stores(each, target) for each in functions) and any(reads_state(each, target) for each in functions)


def _with_other_branch(frame: CodeContext, node: ast.AST, target: str) -> ast.AST:
    """Return the outermost `if` around a node whose branches all store state, the node itself if there is none."""
    if frame.function is None:
        return node
    ifs = (n for n in walk(frame.function) if isinstance(n, ast.If) and _is_store(n, target))
    return next((n for n in ifs if holds(n, node)), node)


def _run_with(frame: CodeContext, functions: Iterable[ast.AST]) -> Iterator[ast.FunctionDef]:
    """Yield functions, and what always runs with each of them: methods and properties of the same class.

    The ``forward`` around a traced method runs with it, and so do other methods of an object whose method is among the
    functions.
    """
    owner = next(
        (n for n in walk(frame.source.tree) if isinstance(n, ast.ClassDef) and n.name == frame.class_name), None
    )
    methods = {n.name: n for n in (owner.body if owner is not None else ()) if isinstance(n, ast.FunctionDef)}
    waiting = [one for one in functions if isinstance(one, ast.FunctionDef)]
    waiting += [method for caller, call, method in called_beside(frame) if always_runs(caller, call)]
    for one in waiting:
        yield one
        if one.name == ENTRY:
            waiting += [method for method in wrappers_of(frame.source.tree, one) if method not in waiting]
        read = properties_read(frame.source.tree, frame.class_name, one)
        waiting += [method for node, method in read if method not in waiting and always_runs(one, node)]
        for call in walk(one):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if name in methods:
                    if methods[name] not in waiting and always_runs(one, call):
                        waiting.append(methods[name])


def _stores(function: ast.FunctionDef, target: str) -> bool:
    """Return whether each call of a function stores state, or changes the container that holds it."""
    statements = (n for n in walk(function) if isinstance(n, ast.stmt))
    return any(_is_store(node, target) and always_runs(function, node) for node in statements)


def _is_store(node: ast.stmt, target: str) -> bool:
    """Return whether a statement stores state or changes its container; an `if` does that if all its branches do."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=places)]):
            return any(ast.unparse(place) == target for place in places)
        case ast.Assign(targets=[ast.Subscript(value=place)]) | ast.AugAssign(target=ast.Subscript(value=place)):
            return ast.unparse(place) == target
        case ast.Assign(targets=[place]) | ast.AugAssign(target=place):
            return ast.unparse(place) == target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held))):
            return ast.unparse(held) == target
        case ast.If(body=body, orelse=orelse):
            return all(any(_is_store(each, target) for each in block) for block in (body, orelse))
    return False
