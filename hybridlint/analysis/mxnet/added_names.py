"""Names that the code of a project adds to objects of libraries: ``mx.nd.double = ...``, ``setattr(mx.nd, ...)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import External, ModuleFile, Namespace, OperatorRef
from hybridlint.analysis.project.program import Module
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import each, is_own

if TYPE_CHECKING:
    from pathlib import Path

    from hybridlint.analysis.model.values import ProjectModule

#: The function that loads a library of further operators, whose names only running it would tell.
_LOADER = "mxnet.library.load"


def adds_name(module: ProjectModule, name: str) -> bool:
    """Return whether a file, or a file that it imports, adds an attribute of this name to something, or any names."""
    return isinstance(module, Module) and any(added.open or name in added.names for added in _added_around(module))


def has_method(module: ProjectModule, name: str) -> bool:
    """Return whether a class of a file has a method of this name, so that a value with it may be such an object."""
    return isinstance(module, Module) and any(
        isinstance(node, ast.FunctionDef) and node.name == name for one in module.survey.classes for node in one.body
    )


@record(frozen=True, slots=True)
class AddedNames:
    """The attributes that a file stores on anything but self; `open` if it may add others too."""

    names: frozenset[str]
    open: bool = False


def _added_around(module: Module) -> Iterator[AddedNames]:
    """Yield the added names of a file and of each file of the project that importing it runs."""
    waiting, met = [module], {module.path}
    while waiting:
        current = waiting.pop()
        yield _added_in(current)
        for path in _imported_by(current):
            loaded = None if path in met else module.project.load(path)
            met.add(path)
            if loaded is not None:
                waiting.append(loaded)


def _imported_by(module: Module) -> Iterator[Path]:
    """Yield the files that a file imports, and those of the packages around it."""
    files = module.project.files
    wanted = [("", depth) for depth, _ in enumerate(files.packages(module.path.parent), 1)]
    wanted += [(alias.name, 0) for node in each(module.source.tree, ast.Import) for alias in node.names]
    for node in each(module.source.tree, ast.ImportFrom):
        base = node.module or ""
        wanted += [(dotted, node.level) for dotted in (base, *(f"{base}.{one.name}".strip(".") for one in node.names))]
    located = (files.locate(module.path, dotted, level) for dotted, level in wanted)
    yield from (path for path in located if path is not None)


@lru_cache(maxsize=16)
def _added_in(module: Module) -> AddedNames:
    tree = module.source.tree
    stored = (node for node in each(tree, ast.Attribute) if isinstance(node.ctx, ast.Store) and not is_own(node))
    names = {node.attr for node in stored}
    for call in module.survey.calls:
        match call:
            case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str() as name), _]):
                names.add(name)
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, _, _]) if _is_of_library(module, owner):
                return AddedNames(frozenset(names), open=True)
            case ast.Call(func=ast.Attribute() as loader) if module.expression(loader) == External(_LOADER):
                return AddedNames(frozenset(names), open=True)
            case _:
                pass
    return AddedNames(frozenset(names))


def _is_of_library(module: Module, owner: ast.expr) -> bool:
    """Return whether an expression names a module or class of a library."""
    value = module.expression(owner)
    return isinstance(value, External | Namespace | OperatorRef) and not isinstance(value, ModuleFile)
