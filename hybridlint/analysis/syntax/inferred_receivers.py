"""Infers the class of a constructor argument: the only plain class of the file with the accessed attribute."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import SelfRef, Unknown, Value
from hybridlint.analysis.project.program import ClassInfo, ProjectFile
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.syntax.constructor_objects import has_foreign_base, object_of
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectModule

#: Kinds of objects that anybody may hand over, whose methods tell nothing.
_COMMON = (list, dict, set, str, int, float, bytes)


def infer_receiver(act: Activation, receiver: Value, name: str) -> SelfRef | None:
    """Return the object that has a method or property, for a receiver that a constructor was given; None for others."""
    given = isinstance(receiver, Unknown) and (receiver.held is not None or act.role.building)
    info = _class_with(act.module, name) if given else None
    if info is None:
        return None
    known = act.run.blocks.presumed
    if info not in known:
        # Its own constructor may ask for it.
        known[info] = None
        scope = Activation(act.run, info.module, None, owner=info, mode=info.mode, role=Role(building=True))
        with act.run.reporting.silently():
            known[info] = object_of(scope, info, info.node)
    return known[info]


def is_telling(name: str) -> bool:
    """Return whether a method's name can identify a class: no container, number or array has such a method."""
    return not (name.startswith("_") or any(hasattr(kind, name) for kind in _COMMON) or lookup.method(name))


def _class_with(module: ProjectModule, name: str) -> ClassInfo | None:
    """Return the plain class of a file that alone has a method of this name."""
    return _plain_methods(module).get(name) if isinstance(module, ProjectFile) and is_telling(name) else None


@lru_cache(maxsize=4)
def _plain_methods(module: ProjectFile) -> Mapping[str, ClassInfo]:
    """Return the methods that one class of a file alone has, if it is a plain one, with that class."""
    found: dict[str, list[ast.ClassDef]] = {}
    for node in module.survey.classes:
        for method in node.body:
            if isinstance(method, ast.FunctionDef):
                found.setdefault(method.name, []).append(node)
    named = {n.attr for n in each(module.source.tree, ast.Attribute)} if found else set()
    alone = {name: module.class_info(nodes[0]) for name, nodes in found.items() if len(nodes) == 1 and name in named}
    return {name: info for name, info in alone.items() if not info.block and not has_foreign_base(info)}
