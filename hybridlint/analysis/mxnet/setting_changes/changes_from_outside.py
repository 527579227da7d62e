"""Settings that change between calls: by a method of the block, by its parent block, or by a module function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, ProjectObject, SelfRef, StaticValue, Unknown, Value
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS, ENTRY
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import branches, each, is_self, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.run import HookedSetting

#: Names of methods that run before the block is used, or put it back into the state in which it began.
BEFOREHAND = re.compile(
    r"^_*(?:post_)?(?:init|build|make|create|setup|set_up|load|reset|restore|begin|clear|cast|infer)"
)
#: Attributes by which a method drops the graph, or has the block traced again.
_DROPPING = frozenset({"hybridize", "_clear_cached_op", "_cached_graph", "_cached_op", "_active", "register_child"})
#: The methods that run eagerly at each call of a block.
_AT_EACH_CALL = ("__call__", "forward")


@record(frozen=True)
class Adjustment:
    """A read in traced code of a setting that changes later: the expression, its text, and what changes it."""

    read: ast.expr
    name: str
    place: ast.AST
    by: str


@record(frozen=True)
class _Change:
    place: ast.AST
    by: str


def adjustments(
    info: ClassInfo,
    instance: ProjectObject,
    own_traced: Sequence[ast.FunctionDef | ast.Lambda],
    around: Iterable[tuple[ast.FunctionDef, ProjectObject]],
    hooked: Iterable[HookedSetting] = (),
) -> Iterator[Adjustment]:
    """Yield the first read in traced code of each setting that code outside of it changes.

    `own_traced` are the functions in which reads are told; `around` are the methods of other blocks that run eagerly at
    each call, with those blocks; `hooked` are the settings of this class that hooks of whole blocks store.
    """
    traced = {name: method for name, method in reached_methods(info, ENTRY).items() if not _is_setter(method)}
    changes = dict(_outer_changes(info, around)) | {one.name: _Change(one.place, one.by) for one in hooked}
    inner = {one.name: one for one in own_traced if isinstance(one, ast.FunctionDef) and not _is_setter(one)}
    own = dict(_own_changes(info, {**inner, **traced, **reached_methods(info, "__init__")}))
    if own:
        settled = {attr for method in traced.values() for attr, _, _ in stores(method)}
        changes |= {name: change for name, change in own.items() if name not in settled}
    changes = {name: change for name, change in changes.items() if _is_setting(instance.attributes.get(name))}
    if changes:
        through = _through_properties(info, changes) | _through_descriptors(instance, changes)
        yield from _reads(own_traced, changes | through)
    yield from _global_reads(info.module, traced.values())


def own_methods(info: ClassInfo, methods: Iterable[ast.FunctionDef]) -> Iterator[ast.FunctionDef]:
    """Yield the methods that a class defines itself."""
    return (method for method in methods if info.methods.get(method.name) is method)


def drops_graph(function: ast.AST) -> bool:
    """Return whether a function drops a graph, or has a block traced again."""
    return any(attribute.attr in _DROPPING for attribute in each(function, ast.Attribute))


def _is_setting(value: Value | None) -> bool:
    """Return whether an attribute may be a number, a switch or a text, judged by the constructor."""
    return value is None or isinstance(value, StaticValue | Unknown)


def reached_methods(info: ClassInfo, entry: str) -> Mapping[str, ast.FunctionDef]:
    """Return a method and the methods of the same object that it leads to, by name."""
    found: dict[str, ast.FunctionDef] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        known = info.method(name)
        if name in found or known is None:
            continue
        found[name] = known[0]
        waiting += [n.attr for n in each(known[0], ast.Attribute) if is_self(n.value)]
    return found


def _own_changes(info: ClassInfo, inner: Mapping[str, ast.FunctionDef]) -> Iterator[tuple[str, _Change]]:
    """Yield the attributes that methods change which neither the constructor nor the trace calls."""
    methods = [n for one in info.lineage for n in one.node.body if isinstance(n, ast.FunctionDef)]
    late = {attr for method in methods if inner.get(method.name) is not method for attr, _, _ in stores(method)}
    for method in methods:
        at_each_call = method.name == "__call__" or (method.name == "forward" and not info.hybrid)
        if inner.get(method.name) is method or (method.name in CALLED_BY_BLOCKS and not at_each_call):
            continue
        if BEFOREHAND.match(method.name):
            continue
        given = {arg.arg for arg in (*method.args.args[1:], *method.args.kwonlyargs)}
        changes = [
            (attr, _Change(place, f"{info.node.name}.{method.name}"))
            for attr, value, place in stores(method)
            if value is None
            or isinstance(value, ast.Constant)
            or not given.isdisjoint(_names(value))
            or not late.isdisjoint(own_attributes(value))
        ]
        if changes and method.name not in called_beforehand(info.module) and not _drops(info, method):
            yield from changes


@lru_cache(maxsize=1)
def called_beforehand(module: ProjectFile) -> set[str]:
    """Return the names of methods that the file's blocks call at their trace or construction, perhaps on a child.

    The result for the last file is cached, because each of its classes needs it.
    """
    classes = [module.class_info(node) for node in module.survey.classes]
    entries = [(info, name) for info in classes for name in (ENTRY, "__init__") if info.block]
    methods = (method for info, name in entries for method in reached_methods(info, name).values())
    calls = (call for method in methods for call in each(method, ast.Call))
    return {call.func.attr for call in calls if isinstance(call.func, ast.Attribute)} - {"__call__"}


def _outer_changes(
    info: ClassInfo, around: Iterable[tuple[ast.FunctionDef, ProjectObject]]
) -> Iterator[tuple[str, _Change]]:
    """Yield the attributes of a child block that its parent sets or updates at each call."""
    for method, parent in around:
        stored = () if drops_graph(method) else (*each(method, ast.Assign), *each(method, ast.AugAssign))
        for node in stored:
            match node:
                case ast.Assign(targets=[ast.Attribute() as target], value=value) if not isinstance(
                    value, ast.Constant
                ):
                    pass
                case ast.AugAssign(target=ast.Attribute() as target):
                    pass
                case _:
                    continue
            match target:
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=child), attr=attr):
                    if _is_of(parent.attributes.get(child), info):
                        yield attr, _Change(node, f"{parent.info.node.name}.{method.name}")


def eager_methods(info: ClassInfo) -> Iterator[ast.FunctionDef]:
    """Yield the methods of a class that run eagerly at each call.

    So does a `forward` of its own, which may lead to a graph; inside of another block's graph it is traced.
    """
    yield from (info.methods[name] for name in _AT_EACH_CALL if name in info.methods)


def _is_of(value: Value | None, info: ClassInfo) -> bool:
    return isinstance(value, BlockRef) and value.info is info


def _through_properties(info: ClassInfo, changes: Mapping[str, _Change]) -> dict[str, _Change]:
    """Return the properties that give a changed attribute."""
    found: dict[str, _Change] = {}
    for method in (n for one in info.lineage for n in one.node.body if isinstance(n, ast.FunctionDef)):
        if any(isinstance(one, ast.Name) and one.id == "property" for one in method.decorator_list):
            read = [n.attr for n in walk(method) if isinstance(n, ast.Attribute) and n.attr in changes]
            found |= {method.name: changes[read[0]]} if read else {}
    return found


def _through_descriptors(instance: ProjectObject, changes: Mapping[str, _Change]) -> dict[str, _Change]:
    """Return the attributes of the class that compute what they give from a changed attribute of the block."""
    found: dict[str, _Change] = {}
    for name, held in instance.attributes.items():
        known = held.instance.info.method("__get__") if isinstance(held, SelfRef) else None
        owner = known[0].args.args[1].arg if known is not None and len(known[0].args.args) > 1 else None
        for node in each(known[0], ast.Attribute) if known is not None and owner is not None else ():
            if isinstance(node.value, ast.Name) and node.value.id == owner and node.attr in changes:
                found.setdefault(name, changes[node.attr])
    return found


def _is_setter(method: ast.FunctionDef | ast.Lambda) -> bool:
    decorators = getattr(method, "decorator_list", ())
    return any(isinstance(one, ast.Attribute) and one.attr == "setter" for one in decorators)


def _reads(traced: Iterable[ast.FunctionDef | ast.Lambda], changes: Mapping[str, _Change]) -> Iterator[Adjustment]:
    """Yield the first read of each changed attribute in a class's own traced functions, other than calls of it."""
    told: set[str] = set()
    for method in traced:
        if _is_property(method) or _is_setter(method):
            continue
        called = {id(n.func) for n in walk(method) if isinstance(n, ast.Call)}
        for node in walk(method):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=attr, ctx=ast.Load()) if (
                    attr in changes and attr not in told and id(node) not in called
                ):
                    told.add(attr)
                    yield Adjustment(node, f"self.{attr}", changes[attr].place, changes[attr].by)


def _is_property(method: ast.FunctionDef | ast.Lambda) -> bool:
    decorators = getattr(method, "decorator_list", ())
    return any(isinstance(one, ast.Name) and one.id == "property" for one in decorators)


def _global_reads(module: ProjectFile, traced: Iterable[ast.FunctionDef]) -> Iterator[Adjustment]:
    """Yield the first read of each item of a global dict that a function sets to one of its arguments."""
    items = {
        key: _Change(node, function.name)
        for function, key, node in _items_set(module)
        if not any(function is one for one in traced)
    }
    told: set[tuple[str, str]] = set()
    for method in traced if items else ():
        for node in walk(method):
            key = _item(node)
            if key in items and key not in told and isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                told.add(key)
                yield Adjustment(node, ast.unparse(node), items[key].place, items[key].by)


@lru_cache(maxsize=1)
def _items_set(module: ProjectFile) -> tuple[tuple[ast.FunctionDef, tuple[str, str], ast.AST], ...]:
    """Return the items of global dicts that functions of a module set to their arguments.

    Methods are left out. The result for the last module is cached.
    """
    stored = (node for node in each(module.source.tree, ast.Subscript) if isinstance(node.ctx, ast.Store))
    if all(_item(node) is None for node in stored):
        # Most modules set none, which is seen sooner than by looking through each function.
        return ()
    found = (
        (function, key, node)
        for function in module.survey.functions.values()
        for key, node in _set_items(module, function)
    )
    return tuple(each for each in found if "self" not in _names(each[0]))


def _set_items(module: ProjectFile, function: ast.FunctionDef) -> Iterator[tuple[tuple[str, str], ast.AST]]:
    given = {*names_of(function.args)}
    for node in each(function, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value):
                key = _item(target)
                moves = not given.isdisjoint(_names(value)) or _is_scope(function)
                if key is not None and name in module.definitions and moves:
                    yield key, node


def _is_scope(function: ast.FunctionDef) -> bool:
    """Return whether a function is a context manager, which sets things for the code around the blocks' calls."""
    return any(ast.unparse(one).rpartition(".")[2] == "contextmanager" for one in function.decorator_list)


def _item(node: ast.AST) -> tuple[str, str] | None:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
            return name, key
        case _:
            return None


def stores(method: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None, ast.AST]]:
    """Yield the attributes of self that a method stores: name, new value (None for ``+=``), and statement."""
    for node in branches(method):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Attribute) and is_self(target.value):
                        yield target.attr, value, node
            case ast.AugAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=attr)):
                yield attr, None, node


def _drops(info: ClassInfo, method: ast.FunctionDef) -> bool:
    """Return whether a method, or one that it calls, drops the graph, or gives the block new children."""
    for one in _reached_from(info, method):
        for node in branches(one):
            match node:
                case ast.Attribute(attr=attr) if attr in _DROPPING:
                    return True
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self")), *_], value=ast.Call(func=made)):
                    if _is_class(made):
                        return True
    return False


def _reached_from(info: ClassInfo, method: ast.FunctionDef) -> list[ast.FunctionDef]:
    names = [n.attr for n in each(method, ast.Attribute) if is_self(n.value)]
    return [method, *(one for name in names for one in reached_methods(info, name).values())]


def _is_class(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper()


def own_attributes(node: ast.AST) -> set[str]:
    """Return the attributes of self in a node."""
    return {n.attr for n in walk(node) if isinstance(n, ast.Attribute) and is_self(n.value)}


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}
