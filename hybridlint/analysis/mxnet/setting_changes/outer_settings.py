"""Settings that code around blocks changes: globals, attributes of classes, and those that functions set on a block."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.dataflow.scopes import names_of as scope_names
from hybridlint.analysis.model.values import ProjectObject, StaticValue, Unknown
from hybridlint.analysis.mxnet.classes import CALLED_BY_BLOCKS
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import (
    BEFOREHAND,
    Adjustment,
    called_beforehand,
    drops_graph,
)
from hybridlint.analysis.mxnet.setting_changes.schedules import moved_in
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import each, walk


@record(frozen=True)
class _Change:
    place: ast.AST
    by: str


@record(frozen=True)
class _Changes:
    """Changes that the functions of a file make: to global names, to class attributes, to attributes of arguments."""

    names: Mapping[str, _Change]
    of_classes: Mapping[tuple[str, str], _Change]
    of_objects: Mapping[str, _Change]


def outer_settings(
    info: ClassInfo, instance: ProjectObject, traced: Iterable[ast.FunctionDef | ast.Lambda]
) -> Iterator[Adjustment]:
    """Yield the first read, in a class's own traced functions, of each setting that the code around blocks changes."""
    changes = _changes_in(info.module)
    told: set[str] = set()
    for method in traced if changes.names or changes.of_classes or changes.of_objects else ():
        bound = scope_names(method).bound
        for node in walk(method):
            change = _change_of(info, instance, changes, node, bound)
            if change is not None and isinstance(node, ast.expr) and (text := ast.unparse(node)) not in told:
                told.add(text)
                yield Adjustment(node, text, change.place, change.by)


def _change_of(
    info: ClassInfo, instance: ProjectObject, changes: _Changes, node: ast.AST, bound: Set[str]
) -> _Change | None:
    """Return the change of the setting that an expression reads; None for other expressions."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name not in bound:
            return changes.names.get(name)
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute, ctx=ast.Load()):
            held = instance.attributes.get(attribute)
            alone = isinstance(held, StaticValue | Unknown) and _makers(info.module, attribute) == 1
            return changes.of_objects.get(attribute) if alone and info.makes(attribute) else None
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute, ctx=ast.Load()) if owner not in bound:
            return changes.of_classes.get((owner, attribute))
        case _:
            return None


def _makers(module: ProjectFile, attribute: str) -> int:
    """Return how many classes of a file set an attribute in their own ``__init__``."""
    inits = (module.class_info(node).methods.get("__init__") for node in module.survey.classes)
    return sum(any(attribute == name for name in _own_stores(init)) for init in inits if init is not None)


def _own_stores(method: ast.FunctionDef) -> Iterator[str]:
    for node in each(method, ast.Attribute):
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self":
            yield node.attr


@lru_cache(maxsize=1)
def _changes_in(module: ProjectFile) -> _Changes:
    """Return the changes that functions of a file make. The result for the last file is cached."""
    names: dict[str, _Change] = {}
    of_classes: dict[tuple[str, str], _Change] = {}
    of_objects: dict[str, _Change] = {}
    classes = {node.name for node in module.survey.classes}
    #: What methods of plain classes move on by themselves.
    places = {one.owner: one.places for one in moved_in(module)}
    owners = {id(method): node.name for node in module.survey.classes for method in node.body}
    functions = each(module.source.tree, ast.FunctionDef)
    #: What functions inside of others are given by these.
    around = {id(inner): outer for outer in functions for inner in each(outer, ast.FunctionDef) if inner is not outer}
    for function in functions:
        if not _sets(function) or _runs_inside(module, function) or _drops(module, function):
            continue
        owner = owners.get(id(function))
        by = function.name if owner is None else f"{owner}.{function.name}"
        declared = {name for node in each(function, ast.Global) for name in node.names}
        moving = frozenset(places[owner]) if owner in places and function.args.args[:1] else frozenset()
        for target, place in _moves(function, moving):
            match target:
                case ast.Name(id=name) if name in declared:
                    names.setdefault(name, _Change(place, by))
                case ast.Attribute(value=ast.Name(id="cls"), attr=attribute) if owner is not None:
                    of_classes.setdefault((owner, attribute), _Change(place, by))
                case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in classes:
                    of_classes.setdefault((name, attribute), _Change(place, by))
                case ast.Attribute(value=holder, attr=attribute) if _is_given(
                    function, holder, around.get(id(function))
                ):
                    of_objects.setdefault(attribute, _Change(place, by))
                case _:
                    pass
    return _Changes(names, of_classes, of_objects)


def _sets(function: ast.FunctionDef) -> bool:
    """Return whether a function sets attributes, or global names, of which a cheap look at it tells."""
    targets: list[ast.expr] = [node.target for node in each(function, ast.AugAssign)]
    targets += [target for node in each(function, ast.Assign) for target in node.targets]
    if any(isinstance(target, ast.Attribute) for target in targets) or each(function, ast.Global):
        return True
    return any(isinstance(call.func, ast.Name) and call.func.id == "setattr" for call in each(function, ast.Call))


def _runs_inside(module: ProjectFile, function: ast.FunctionDef) -> bool:
    """Return whether a function runs at a construction, at a trace, or before a block is used."""
    name = function.name
    if name in CALLED_BY_BLOCKS or BEFOREHAND.match(name) is not None:
        return True
    return name in called_beforehand(module) or name in _called_by_name(module)


def _drops(module: ProjectFile, function: ast.FunctionDef) -> bool:
    """Return whether a function, or one of the file that names it, has the block traced again."""
    return drops_graph(function) or function.name in _named_by_dropping(module)


@lru_cache(maxsize=1)
def _named_by_dropping(module: ProjectFile) -> frozenset[str]:
    """Return the names and attributes in those functions of a file that have a block traced again."""
    users = [one for one in each(module.source.tree, ast.FunctionDef) if drops_graph(one)]
    names = {node.id for one in users for node in each(one, ast.Name)}
    return frozenset(names | {node.attr for one in users for node in each(one, ast.Attribute)})


@lru_cache(maxsize=1)
def _called_by_name(module: ProjectFile) -> frozenset[str]:
    """Return the functions that the methods of a file's blocks call by their bare names."""
    blocks = (node for node in module.survey.classes if module.class_info(node).block)
    calls = (call for node in blocks for call in each(node, ast.Call))
    return frozenset(call.func.id for call in calls if isinstance(call.func, ast.Name))


def _moves(function: ast.FunctionDef, moving: Set[str]) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yield the targets that a function sets by its arguments or by their earlier values, with the statement.

    `moving` are the attributes of self that change from call to call.
    """
    given = _moving_names(function, moving)
    yield from ((node.target, node) for node in each(function, ast.AugAssign))
    for node in each(function, ast.Assign):
        parts = {ast.unparse(part) for part in walk(node.value) if isinstance(part, ast.Name | ast.Attribute)}
        for target in node.targets:
            if _reads(node.value, given, moving) or ast.unparse(target) in parts:
                yield target, node
    for call in each(function, ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="setattr"), args=[holder, ast.Constant(value=str() as name), value]):
                if _reads(value, given, moving):
                    yield ast.Attribute(holder, name, ast.Store()), call
            case _:
                pass


def _moving_names(function: ast.FunctionDef, moving: Set[str]) -> set[str]:
    """Return the names of a function that depend on its arguments, by attributes of self or by counts that change."""
    found = {*names_of(function.args)} - {"self", "cls"}
    found |= _counted_outside(function)
    bound = [
        (target.id, node.value)
        for node in each(function, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    while grown := {name for name, value in bound if name not in found and _reads(value, found, moving)}:
        found |= grown
    return found


def _counted_outside(function: ast.FunctionDef) -> set[str]:
    """Return the names from outside a function that it updates by ``+=``, itself or by an item."""
    updated = [node.target for node in each(function, ast.AugAssign)]
    if not updated:
        return set()
    names = scope_names(function)
    items = {one.value.id for one in updated if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name)}
    return {one.id for one in updated if isinstance(one, ast.Name) and one.id in names.declared} | (items - names.bound)


def _reads(node: ast.expr, names: Set[str], moving: Set[str]) -> bool:
    """Return whether an expression reads one of some names, or an attribute of self that changes."""
    return any(
        (isinstance(part, ast.Name) and part.id in names)
        or (isinstance(part, ast.Attribute) and part.attr in moving and ast.unparse(part.value) == "self")
        for part in walk(node)
    )


def _is_given(function: ast.FunctionDef, holder: ast.expr, around: ast.FunctionDef | None) -> bool:
    """Return whether an object is an argument of a function, or an attribute of an argument or of self.

    It may be an argument of the function `around` it.
    """
    root = holder
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or (root is holder and root.id in {"self", "cls"}):
        return False
    arguments = {argument.arg for one in (function, around) if one is not None for argument in one.args.args}
    return root.id in arguments and not flow_of(function).rebindings_of(root.id)
