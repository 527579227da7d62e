"""Calls of children with parameters whose results reach no output of the block: the graph does not hold them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef
from hybridlint.analysis.mxnet.blocks.parameters import has_parameters
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.analysis.mxnet.unused.idle_children import is_closed, lacks_sizes, waits
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.text.syntax import each, is_own, own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Child, ProjectClass
    from hybridlint.analysis.project.instances import Instance
    from hybridlint.analysis.run.run import AnalysisRun


def unused_results(run: AnalysisRun, info: ProjectClass, instance: Instance) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls of children whose result is unused, with the text of the child or its part.

    Only children of unknown sizes count, if other children wait for the first batch, as for idle children.
    """
    entry = info.methods.get(ENTRY)
    if entry is None or not is_closed(info):
        return
    children = {child.attribute: child for child in instance.children if child.container is None}
    mentioned = Counter(node.attr for node in each(info.module.source.tree, ast.Attribute))
    for call, kept in _calls(entry):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        child = children.get(name)
        # It is stored, and read here.
        if child is None or mentioned[name] != 2:
            continue
        if kept is None:
            if lacks_sizes(run, instance, child):
                yield call, f"self.{name}"
            continue
        beside = [other.value for other in instance.children if other is not child and mentioned[other.attribute] > 1]
        yield from ((call, f"self.{name}.{part}") for part in _left_parts(run, child, kept, beside))


def _calls(entry: ast.FunctionDef) -> Iterator[tuple[ast.Call, Set[int] | None]]:
    """Yield the calls of attributes of self with unused results, and the indices of the used results.

    None means that nothing is used. Only calls that each run makes count.
    """
    for at, statement in enumerate(entry.body):
        later = entry.body[at + 1 :]
        match statement:
            case ast.Expr(value=ast.Call(func=function) as call) if is_own(function):
                yield call, None
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function) as call) if is_own(function):
                if not _is_read(name, entry, later):
                    yield call, None
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call(func=function) as call) if is_own(
                function
            ) and all(isinstance(part, ast.Name) for part in parts):
                names = [part.id for part in parts if isinstance(part, ast.Name)]
                kept = {place for place, name in enumerate(names) if _is_read(name, entry, later)}
                if len(kept) < len(names):
                    yield call, kept or None
            case _:
                for node in each(statement, ast.Subscript):
                    match node:
                        case ast.Subscript(
                            value=ast.Call(func=function) as call, slice=ast.Constant(value=int() as place)
                        ):
                            if is_own(function) and place >= 0:
                                yield call, {place}
                        case _:
                            pass


def _is_read(name: str, entry: ast.FunctionDef, later: Sequence[ast.stmt]) -> bool:
    """Return whether later statements may read a name's value before a statement rebinds the name."""
    inner = (*each(entry, ast.Lambda), *each(entry, ast.FunctionDef)[1:])
    if any(_loads(name, node) for node in inner):
        return True
    for statement in later:
        match statement:
            case ast.Assign(targets=targets, value=value):
                if _loads(name, value) or any(_loads(name, target) for target in targets):
                    return True
                if any(name in _bound(target) for target in targets):
                    return False
            case ast.AugAssign(target=ast.Name(id=changed)) if changed == name:
                return True
            case _ if _loads(name, statement):
                return True
            case _:
                continue
    return False


def _loads(name: str, node: ast.AST) -> bool:
    """Return whether a part of the code reads a name, or changes what it holds."""
    changed = {part.target for part in walk(node) if isinstance(part, ast.AugAssign)}
    return any(
        isinstance(part, ast.Name) and part.id == name and (isinstance(part.ctx, ast.Load) or part in changed)
        for part in walk(node)
    )


def _bound(target: ast.expr) -> set[str]:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def _left_parts(run: AnalysisRun, child: Child, kept: Set[int], beside: Sequence[object]) -> Iterator[str]:
    """Yield the children of a child that only serve outputs of it which nothing uses."""
    block = child.value
    if not isinstance(block, BlockRef) or block.info is None or block.alternatives or not is_closed(block.info):
        return
    instance = instance_of(run, block.info)
    used = _attributes_by_output(block.info.methods[ENTRY])
    if used is None or max(kept) >= len(used):
        return
    serving = set().union(*(names for at, names in enumerate(used) if at in kept))
    left = set().union(*used) - serving
    children = {one.attribute: one for one in instance.children if one.container is None}
    late = any(waits(run, children[name].value) for name in serving if name in children)
    late = late or any(isinstance(value, BlockRef) and waits(run, value) for value in beside)
    for name in sorted(left & children.keys()):
        if late and has_parameters(run, children[name].value) is True:
            yield name


def _attributes_by_output(entry: ast.FunctionDef) -> list[set[str]] | None:
    """Return for each output of a method the attributes of self that it depends on; None if unclear.

    The method assigns to names and returns several outputs at its end, and does nothing else.
    """
    made: dict[str, set[str]] = {}
    for statement in entry.body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                used = _used(value, made)
                names = [node.id for target in targets for node in walk(target) if isinstance(node, ast.Name)]
                if any(not isinstance(target, ast.Name | ast.Tuple) for target in targets):
                    return None
                made |= {name: made.get(name, set()) | used for name in names}
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Return(value=ast.Tuple(elts=parts)) if statement is entry.body[-1]:
                return [_used(part, made) for part in parts]
            case _:
                return None
    return None


def _used(node: ast.expr, made: dict[str, set[str]]) -> set[str]:
    """Return the attributes of self that an expression reads, directly or through the names in it."""
    found = {part.attr for part in own(node) if is_own(part)}
    return found.union(*(made.get(part.id, set()) for part in walk(node) if isinstance(part, ast.Name)))
