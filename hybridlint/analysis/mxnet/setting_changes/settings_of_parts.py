"""Settings that a block sets at each call on parts of what it calls: ``for one in self.net.layers: one.rate = r``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache

from hybridlint.analysis.model.values import ProjectObject, StaticValue, Unknown
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import (
    Adjustment,
    drops_graph,
    eager_methods,
    stores,
)
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import branches, each, is_own, walk


@record(frozen=True)
class _Setting:
    """Where a class sets an attribute of parts of its network, and the method that does so."""

    owner: ast.ClassDef
    place: ast.AST
    by: str


def settings_of_parts(
    info: ClassInfo, instance: ProjectObject, traced: Iterable[ast.FunctionDef | ast.Lambda]
) -> Iterator[Adjustment]:
    """Yield the first read, in a class's own traced functions, of each setting that a block around it may set.

    The block need not be known to have this one as a part: no other class of the file has such a setting.
    """
    settings = _settings(info.module)
    told: set[str] = set()
    for node in (n for method in traced if settings for n in each(method, ast.Attribute)):
        found = settings.get(node.attr) if is_own(node) and isinstance(node.ctx, ast.Load) else None
        if found is None or node.attr in told or found.owner is info.node:
            continue
        held = instance.attributes.get(node.attr)
        alone = makers(info.module, node.attr) - {found.owner} == {info.node}
        if alone and info.makes(node.attr) and isinstance(held, StaticValue | Unknown):
            told.add(node.attr)
            yield Adjustment(node, f"self.{node.attr}", found.place, found.by)


@lru_cache(maxsize=1)
def _settings(module: ProjectFile) -> Mapping[str, _Setting]:
    """Return the settings that the file's blocks set on parts of the objects they call; cached for the last file."""
    found: dict[str, _Setting] = {}
    for node in module.survey.classes:
        info = module.class_info(node)
        for method in eager_methods(info) if info.block else ():
            for name, place in () if drops_graph(method) else _set_on_parts(method, _moved(info)):
                found.setdefault(name, _Setting(node, place, f"{node.name}.{method.name}"))
    return found


def _moved(info: ClassInfo) -> set[str]:
    """Return the attributes that the methods of a block which run at each call move on."""
    return {
        name
        for method in eager_methods(info)
        for name, value, _ in stores(method)
        if not isinstance(value, ast.Constant)
    }


def _set_on_parts(method: ast.FunctionDef, moved: Set[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the attributes of parts of called objects that a method sets to a value that depends on the call."""
    parts = _names_of_parts(method, _called(method))
    given = {argument.arg for argument in (*method.args.args[1:], *method.args.kwonlyargs)}
    for node in branches(method):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=holder, attr=name)], value=value):
                moves = _moves(value, given, moved)
            case ast.AugAssign(target=ast.Attribute(value=holder, attr=name)):
                moves = True
            case _:
                continue
        if moves and _is_part(holder, parts):
            yield name, node


def _called(method: ast.FunctionDef) -> set[str]:
    """Return the names that a method calls, and the called attributes of self with a leading dot."""
    called = {_name(call.func) for call in each(method, ast.Call)} - {""}
    for node in each(method, ast.Assign):
        if any(_name(target) in called for target in node.targets) and is_own(node.value):
            called.add(_name(node.value))
    return called


def _name(node: ast.expr) -> str:
    """Return a name, or an attribute of self with a dot before it; an empty text for other expressions."""
    if is_own(node):
        return f".{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _names_of_parts(method: ast.FunctionDef, called: Set[str]) -> set[str]:
    """Return the names, and attributes of self, that hold what a method calls, or parts of it."""
    found = set(called)
    while True:
        grown = {
            name for loop in each(method, ast.For) if _holds_part(loop.iter, found) for name in _bound(loop.target)
        }
        for node in each(method, ast.Assign):
            grown |= {name for target in node.targets if _is_part(node.value, found) for name in _bound(target)}
        if grown <= found:
            return found
        found |= grown


def _bound(target: ast.expr) -> Iterator[str]:
    yield from (name.id for name in walk(target) if isinstance(name, ast.Name))


def _holds_part(iterated: ast.expr, parts: Set[str]) -> bool:
    """Return whether an iteration goes over parts, and not over parameters."""
    match iterated:
        case ast.Call(func=ast.Name(), args=args):
            return any(_holds_part(one, parts) for one in args)
        case ast.Call(func=ast.Attribute(value=holder, attr="values" | "items"), args=[]):
            return _is_part(holder, parts)
        case _:
            return _is_part(iterated, parts)


def _is_part(node: ast.expr, parts: Set[str]) -> bool:
    """Return whether an expression is what a name or attribute in `parts` holds, or an attribute or item of it."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if is_own(node):
            return f".{node.attr}" in parts
        node = node.value
    return isinstance(node, ast.Name) and node.id in parts


def _moves(value: ast.expr, given: Set[str], moved: Set[str]) -> bool:
    """Return whether a value depends on an argument of the call, or on an attribute that calls change."""
    return any(
        (isinstance(node, ast.Name) and node.id in given) or (is_own(node) and node.attr in moved)
        for node in walk(value)
    )


def makers(module: ProjectFile, name: str) -> set[ast.ClassDef]:
    """Return the classes of a file whose own ``__init__`` sets an attribute."""
    inits = ((node, module.class_info(node).methods.get("__init__")) for node in module.survey.classes)
    return {node for node, init in inits if init is not None and any(name == made for made, _, _ in stores(init))}
