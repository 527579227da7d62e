"""Names that the code of a project adds to objects of libraries: ``mx.nd.double = ...``, ``setattr(mx.nd, ...)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hybridlint.analysis.model.events import AttributeRead, Branch, Concretize, Event, Subscript, TensorStore
from hybridlint.analysis.model.values import External, ModuleFile, Namespace, OperatorRef
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError
from hybridlint.text.syntax import each, is_own

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectModule

#: The function that loads a library of further operators, whose names only running it would tell.
_LOADER = "mxnet.library.load"
#: The names of the classes of Symbols, and what a file contains that stores an attribute on one.
_SYMBOLS = frozenset({"Symbol", "_Symbol"})
_STORE = re.compile(r"\b_?Symbol\s*\.\s*\w+\s*=(?!=)|\bsetattr\(\s*[\w.]*\b_?Symbol\s*,")
#: What a file contains that may add attributes whose names it does not spell, to anything but self.
_SETTING, _LIBRARY, _LOADING = (
    re.compile(r"\bsetattr\b(?!\(self,)"),
    re.compile(r"\blibrary\b"),
    re.compile(r"\bload\b"),
)
#: The special methods that events are about.
_METHODS: Mapping[type[Event], str] = {Subscript: "__getitem__", TensorStore: "__setitem__", Branch: "__bool__"}
_CONVERSIONS = {
    **dict.fromkeys(("iteration", "unpacking", "star", "list", "tuple", "zip", "map", "enumerate"), "__iter__"),
    **{how: f"__{how}__" for how in ("len", "float", "int", "bool", "format", "hash")},
}


def adds_name(module: ProjectModule, name: str) -> bool:
    """Return whether a file or its imports add an attribute of this name, or unknown names, to something."""
    return isinstance(module, ProjectFile) and _adds_name(module, name)


@lru_cache(maxsize=64)
def _adds_name(module: ProjectFile, name: str) -> bool:
    adding = {one for one in _may_add(module, name) if (added := _added_in(one)).open or name in added.names}
    return bool(adding) and not adding.isdisjoint(module.run_by_import())


def has_method(module: ProjectModule, name: str) -> bool:
    """Return whether a class of a file has a method of this name. Then a value with that method may be its object."""
    return isinstance(module, ProjectFile) and any(
        isinstance(node, ast.FunctionDef) and node.name == name for one in module.survey.classes for node in one.body
    )


def is_replaced(module: ProjectModule, event: type[Event], fields: Mapping[str, Any]) -> bool:
    """Return whether a project gives Symbols the method that an event is about: ``Symbol.__getitem__ = take_entry``."""
    if event is AttributeRead:
        name = fields["name"]
    else:
        name = _CONVERSIONS.get(fields["how"], "") if event is Concretize else _METHODS.get(event, "")
    return bool(name) and isinstance(module, ProjectFile) and name in _given_to_symbols(module)


@lru_cache(maxsize=64)
def _given_to_symbols(module: ProjectFile) -> frozenset[str]:
    """Return the names that a file, and the files that it imports itself, store on the class of Symbols.

    A file that never names the class is not parsed for it.
    """
    names = _added_in(module).of_symbols if module.has_match(_STORE, "Symbol") else frozenset[str]()
    loaded = {path: module.project.load(path) for path in module.perhaps_imported_files}
    storing = {path: one for path, one in loaded.items() if one is not None and one.has_match(_STORE, "Symbol")}
    for path in storing.keys() & {*module.imported_files} if storing else ():
        names |= _added_in(storing[path]).of_symbols
    return names


@record(frozen=True, slots=True)
class AddedNames:
    """The attributes that a file stores on anything but self; `open` if it may add others too.

    `of_symbols` are those that it stores on the class of Symbols.
    """

    names: frozenset[str]
    open: bool = False
    of_symbols: frozenset[str] = frozenset()


def _may_add(module: ProjectFile, name: str) -> Iterator[ProjectFile]:
    """Yield modules whose text may add an attribute of this name: all that a file runs, itself included, and others."""
    # What is called is no store.
    spelled = re.compile(rf"\b{re.escape(name)}\b(?!\()")
    return (
        one
        for one in module.perhaps_run_by_import()
        if (name in one.source.text and spelled.search(one.source.text))
        or one.has_match(_SETTING, "setattr")
        or (one.has_match(_LIBRARY, "library") and one.has_match(_LOADING, "load"))
    )


class _Added(WeakKeyDictionary[ProjectFile, AddedNames]):
    """The names that files of a project add, for those that were read for them."""


def _added_in(module: ProjectFile) -> AddedNames:
    known = module.project.shared(_Added)
    if module not in known:
        known[module] = _read_added(module)
    return known[module]


def _read_added(module: ProjectFile) -> AddedNames:
    try:
        module.source.read_leniently()
    except SourceError:
        return AddedNames(frozenset())
    tree = module.source.tree
    stored = [node for node in each(tree, ast.Attribute) if isinstance(node.ctx, ast.Store) and not is_own(node)]
    names = {node.attr for node in stored}
    of_symbols = {node.attr for node in stored if _is_class_of_symbols(node.value)}
    may_add_others = False
    for call in module.survey.calls:
        match call:
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str() as name), _]):
                names.add(name)
                of_symbols |= {name} if _is_class_of_symbols(owner) else set()
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, _, _]) if _is_of_library(module, owner):
                may_add_others = True
            case ast.Call(func=ast.Attribute() as loader) if module.expression(loader) == External(_LOADER):
                may_add_others = True
            case _:
                pass
    return AddedNames(frozenset(names), may_add_others, frozenset(of_symbols))


def _is_class_of_symbols(node: ast.expr) -> bool:
    """Return whether an expression names the class of Symbols: ``mx.sym.Symbol``, ``Symbol``."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in _SYMBOLS


def _is_of_library(module: ProjectFile, owner: ast.expr) -> bool:
    """Return whether an expression names a module or class of a library."""
    value = module.expression(owner)
    return isinstance(value, External | Namespace | OperatorRef) and not isinstance(value, ModuleFile)
