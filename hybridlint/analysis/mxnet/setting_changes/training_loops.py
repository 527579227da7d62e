"""Settings that a loop around calls of a block moves on: ``for epoch in range(9): net.alpha = epoch / 9; net(x)``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.values import ClassRef, ProjectObject, StaticValue, Unknown
from hybridlint.analysis.mxnet.setting_changes.changes_from_outside import Adjustment, drops_graph
from hybridlint.analysis.mxnet.setting_changes.settings_of_parts import makers
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import branches, each, is_own, walk


@record(frozen=True)
class _Setting:
    """A loop's store of an attribute: its statement, its function, and the object's class if that is plain."""

    place: ast.AST
    by: str
    owner: ast.ClassDef | None


def set_by_loops(
    info: ClassInfo, instance: ProjectObject, traced: Iterable[ast.FunctionDef | ast.Lambda]
) -> Iterator[Adjustment]:
    """Yield the first read in a class's traced functions of each setting that a loop around its calls updates.

    If the class of the object is not plain, no other class of the file has such a setting.
    """
    settings = _settings(info.module)
    told: set[str] = set()
    for node in (n for method in traced if settings for n in each(method, ast.Attribute)):
        if not is_own(node) or not isinstance(node.ctx, ast.Load) or node.attr in told or not info.makes(node.attr):
            continue
        if not isinstance(instance.attributes.get(node.attr), StaticValue | Unknown):
            continue
        alone = makers(info.module, node.attr) == {info.node}
        for found in settings.get(node.attr, ()):
            if found.owner is info.node or (found.owner is None and alone):
                told.add(node.attr)
                yield Adjustment(node, f"self.{node.attr}", found.place, found.by)
                break


@lru_cache(maxsize=1)
def _settings(module: ProjectFile) -> Mapping[str, Sequence[_Setting]]:
    """Return the settings that loops of a file set on the objects that they call; cached for the last file."""
    found: dict[str, list[_Setting]] = {}
    blocks = [node for node in module.survey.classes if module.class_info(node).block]
    # What methods of blocks set, others look at: they may run at a trace.
    methods = {id(method) for node in blocks for method in node.body}
    for function in (module.source.tree, *each(module.source.tree, ast.FunctionDef)):
        loops: list[ast.For | ast.While] = [*each(function, ast.For), *each(function, ast.While)]
        if id(function) in methods or not loops:
            continue
        inner = [one for kind in (ast.FunctionDef, ast.ClassDef) for one in each(function, kind) if one is not function]
        inside = {id(part) for one in inner for kind in (ast.For, ast.While) for part in each(one, kind)}
        by = function.name if isinstance(function, ast.FunctionDef) else "the module"
        for loop in loops:
            if id(loop) in inside or drops_graph(loop):
                continue
            for root, attribute, place in _moved(loop):
                owner = None if root is None else _class_of(module, function, root)
                found.setdefault(attribute, []).append(_Setting(place, by, owner))
    return found


def _moved(loop: ast.For | ast.While) -> Iterator[tuple[str | None, str, ast.AST]]:
    """Yield the attributes of called objects that a loop sets anew in its steps, with the statement.

    With each comes the name of the object that has the attribute, None if it is a part of a called object.
    """
    bound = set(names_in(loop).stores)
    called = {_root(call.func) for call in each(loop, ast.Call) if isinstance(call.func, ast.Name) or is_own(call.func)}
    called -= bound
    for node in branches(loop) if called else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=holder, attr=attribute) as target], value=value):
                parts = {ast.unparse(part) for part in walk(value) if isinstance(part, ast.Attribute)}
                moves = ast.unparse(target) in parts or _reads(value, bound)
            case ast.AugAssign(target=ast.Attribute(value=holder, attr=attribute)):
                moves = True
            case _:
                continue
        if moves and _root(holder) in called:
            yield (holder.id if isinstance(holder, ast.Name) else None), attribute, node


def _root(node: ast.expr) -> str:
    """Return the name, or attribute of self, of which an expression is a part: "net" of ``net.body[0].rate``."""
    while isinstance(node, ast.Attribute | ast.Subscript) and not is_own(node):
        node = node.value
    return ast.unparse(node)


def _reads(node: ast.expr, names: Set[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in walk(node))


def _class_of(module: ProjectFile, function: ast.AST, name: str) -> ast.ClassDef | None:
    """Return the file's class whose object a name holds; None if the class is not plain."""
    made = _bound_in(function, name) or _bound_in(module.source.tree, name)
    if len(made) != 1 or not isinstance(made[0], ast.Call) or not isinstance(made[0].func, ast.Name):
        return None
    found = module.value(made[0].func.id)
    return found.info.node if isinstance(found, ClassRef) else None


def _bound_in(scope: ast.AST, name: str) -> list[ast.expr]:
    """Return the values that assignments inside of a scope bind to a name."""
    nodes = (n for n in each(scope, ast.Assign) if any(isinstance(t, ast.Name) and t.id == name for t in n.targets))
    return [node.value for node in nodes]
