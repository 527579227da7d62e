"""Modules and classes across files: the meaning of global names, hybrid classes, and method lookup.

Other files are read only when one of their names is looked up, and parsed, once, only if their text contains it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any, TypeGuard, TypeVar

from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.analysis.imports.folder_listings import PACKAGE_FILE
from hybridlint.analysis.imports.source_roots import is_installed
from hybridlint.analysis.imports.statements import ImportStatement, possible_imports, star_imports
from hybridlint.analysis.model.dialect import Dialect
from hybridlint.analysis.model.folding import told_apart
from hybridlint.analysis.model.values import (
    ClassRef,
    ContainerValue,
    External,
    Function,
    MemberOf,
    Mode,
    ModuleFile,
    Namespace,
    ProjectClass,
    ProjectModule,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.project.at_import import at_import
from hybridlint.analysis.project.bindings import count_bindings, declared_global
from hybridlint.analysis.project.builtin_names import builtin
from hybridlint.analysis.project.definitions import definitions
from hybridlint.analysis.project.forwarded_settings import hands_on
from hybridlint.analysis.project.outer_names import OuterNames
from hybridlint.analysis.project.survey import Survey
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.literals import literal_value
from hybridlint.text.source import SourceError, SourceFile
from hybridlint.text.syntax import each

T = TypeVar("T")

#: Larger global containers are not evaluated.
_MOST_PARTS = 16


@record(eq=False)
class ClassInfo:
    """A class of the project: its syntax and its module."""

    node: ast.ClassDef
    module: ProjectFile

    @cached_property
    def bases(self) -> tuple[ClassInfo | str, ...]:
        """The resolved bases: classes whose source is available, and dotted names of others."""
        found = (self.module.resolve_class(base, self.node) for base in self.node.bases)
        return tuple(base for base in found if base is not None)

    @cached_property
    def methods(self) -> Mapping[str, ast.FunctionDef]:
        """The functions of the class's own body."""
        return {n.name: n for n in self.node.body if isinstance(n, ast.FunctionDef)}

    @cached_property
    def stored(self) -> Mapping[str, frozenset[str]]:
        """The attributes of self that each of the class's own methods stores."""
        return {
            name: frozenset(n.attr for n in each(method, ast.Attribute) if _stores_on_self(n))
            for name, method in self.methods.items()
        }

    @cached_property
    def made(self) -> frozenset[str]:
        """The attributes of self that the ``__init__`` of the class or of an ancestor stores."""
        return frozenset(self._made_places)

    def stores(self, name: str) -> int:
        """Return the number of places in the files of a class and its ancestors that bind this attribute.

        If no ``__init__`` stores it, plain names count too: they may be in the body of a class.
        """
        alone = name not in self.made
        return sum(module.binds(name, alone=alone) for module in {info.module for info in self.lineage})

    def makes(self, name: str) -> int:
        """Return the number of places in the ``__init__`` of the class and its ancestors that store an attribute."""
        return self._made_places[name]

    @cached_property
    def _made_places(self) -> Counter[str]:
        methods = (info.methods["__init__"] for info in self.lineage if "__init__" in info.methods)
        return Counter(n.attr for method in methods for n in each(method, ast.Attribute) if _stores_on_self(n))

    def hands_on(self, name: str) -> bool:
        """Return whether an ``__init__`` of the class passes an attribute's value to a call, such as a layer's."""
        known = self._handed.get(name)
        if known is None:
            known = self._handed[name] = any(
                hands_on(info.methods["__init__"], name) for info in self.lineage if "__init__" in info.methods
            )
        return known

    @cached_property
    def _handed(self) -> dict[str, bool]:
        return {}

    @cached_property
    def lineage(self) -> tuple[ClassInfo, ...]:
        """The class and its ancestors whose source is available, nearest first."""
        return tuple(base for base in self._walk(set()) if isinstance(base, ClassInfo))

    @cached_property
    def foreign_bases(self) -> tuple[str, ...]:
        """Dotted names of the ancestors that other libraries define."""
        return tuple(base for base in self._walk(set()) if isinstance(base, str))

    @cached_property
    def mode(self) -> Mode:
        """The mode of tensors in the class: numpy semantics or legacy."""
        own = (base.module.project.dialect.class_mode(base.module.source, base.node) for base in self.lineage)
        return "np" if "np" in own else "legacy"

    @cached_property
    def hybrid(self) -> bool:
        """Whether an ancestor is a class whose blocks can be compiled."""
        is_hybrid = self.module.project.dialect.is_hybrid
        return any(is_hybrid(name) for name in self.foreign_bases)

    @cached_property
    def block(self) -> bool:
        """Whether an ancestor is a class of blocks."""
        is_block = self.module.project.dialect.is_block
        return any(is_block(name) for name in self.foreign_bases)

    def method(self, name: str) -> tuple[ast.FunctionDef, ClassInfo] | None:
        """Return the method and the class that defines it."""
        return self.all_methods.get(name)

    @cached_property
    def all_methods(self) -> Mapping[str, tuple[ast.FunctionDef, ClassInfo]]:
        """The methods of the class and of its ancestors, each with the class that defines it."""
        return {name: (node, info) for info in reversed(self.lineage) for name, node in info.methods.items()}

    def method_after(self, name: str, owner: ProjectClass) -> tuple[ast.FunctionDef, ProjectClass] | None:
        """Return the method that ``super().name`` calls in a method of `owner`."""
        order: tuple[ProjectClass, ...] = self.lineage
        rest = order[order.index(owner) + 1 :] if owner in order else owner.lineage[1:]
        return next(((info.methods[name], info) for info in rest if name in info.methods), None)

    def _walk(self, seen: set[int]) -> Iterator[ClassInfo | str]:
        if id(self) in seen:
            return
        seen.add(id(self))
        yield self
        for base in self.bases:
            if isinstance(base, str):
                yield base
            else:
                yield from base._walk(seen)


@record(eq=False)
class ProjectFile:
    """A file of the project, and the meaning of its global names."""

    source: SourceFile
    project: Project
    _busy: set[str] = field(default_factory=set)
    _values: dict[str, Value | None] = field(default_factory=dict)
    _classes: dict[int, ClassInfo] = field(default_factory=dict)
    _once: dict[str, bool] = field(default_factory=dict)
    _bound: dict[tuple[str, bool], int] = field(default_factory=dict)
    _matches: dict[re.Pattern[str], bool] = field(default_factory=dict)

    @cached_property
    def path(self) -> Path:
        """The file's path with symbolic links resolved."""
        return self.project.files.resolved(self.source.path)

    def has_match(self, pattern: re.Pattern[str], *words: str) -> bool:
        """Return whether a pattern matches somewhere in the text, which is searched once for each pattern.

        Each match contains one of the `words`, if any are given: most texts have none, which takes less to see.
        """
        if pattern not in self._matches:
            text = self.source.text
            may = not words or any(word in text for word in words)
            self._matches[pattern] = may and pattern.search(text) is not None
        return self._matches[pattern]

    @cached_property
    def imported_files(self) -> tuple[Path, ...]:
        """The resolved paths of the files that this file imports, and of the packages around it."""
        try:
            self.source.read_leniently()
        except SourceError:
            return ()
        tree, wanted = self.source.tree, list[tuple[str, int]]()
        wanted += [(alias.name, 0) for node in each(tree, ast.Import) for alias in node.names]
        for node in each(tree, ast.ImportFrom):
            base = node.module or ""
            inner = (f"{base}.{alias.name}".strip(".") for alias in node.names)
            wanted += [(dotted, node.level) for dotted in (base, *inner)]
        return self._located(wanted)

    @cached_property
    def perhaps_imported_files(self) -> tuple[Path, ...]:
        """The `imported_files`, and perhaps more files, found by a search of the text without parsing."""
        named = possible_imports(self.source.text)
        return self.imported_files if named is None else self._located(dict.fromkeys(named))

    def _located(self, wanted: Iterable[tuple[str, int]]) -> tuple[Path, ...]:
        files = self.project.files
        around = (("", depth) for depth, _ in enumerate(files.packages(self.path.parent), 1))
        located = (files.locate(self.path, dotted, level) for dotted, level in (*around, *wanted))
        return tuple(dict.fromkeys(path for path in located if path is not None))

    def run_by_import(self) -> Iterator[ProjectFile]:
        """Yield this file and each file of the project that importing it runs."""
        yield self
        loaded = map(self.project.load, self._run_by_import)
        yield from (module for module in loaded if module is not None)

    def perhaps_run_by_import(self) -> Iterator[ProjectFile]:
        """Yield the files of `run_by_import` and perhaps some more. None is parsed for it."""
        yield self
        loaded = map(self.project.load, self._perhaps_run_by_import)
        yield from (module for module in loaded if module is not None)

    @cached_property
    def _run_by_import(self) -> tuple[Path, ...]:
        return self._reached(lambda module: module.imported_files)

    @cached_property
    def _perhaps_run_by_import(self) -> tuple[Path, ...]:
        return self._reached(lambda module: module.perhaps_imported_files)

    def _reached(self, imported: Callable[[ProjectFile], Iterable[Path]]) -> tuple[Path, ...]:
        waiting, met = [self], {self.path: None}
        while waiting:
            for path in imported(waiting.pop()):
                module = None if path in met else self.project.load(path)
                met[path] = None
                if module is not None:
                    waiting.append(module)
        return tuple(met)[1:]

    @property
    def called_by_library(self) -> frozenset[str]:
        """The methods of a block that the library calls by itself."""
        return self.project.dialect.called_by_library

    @cached_property
    def mode(self) -> Mode:
        """The mode of tensors here, outside of classes: numpy semantics or legacy."""
        return self.project.dialect.mode(self.source)

    def binds(self, name: str, *, alone: bool) -> int:
        """Return the number of places that bind an attribute. With `alone`, count also a name on its own line."""
        if (name, alone) not in self._bound:
            self._bound[name, alone] = count_bindings(self.source.text, name, alone=alone)
        return self._bound[name, alone]

    def sets_once(self, name: str) -> bool:
        """Return whether a global name has only one assignment, or is imported."""
        if name not in self._once:
            found = self.definitions.get(name)
            several = self.binds(name, alone=True) > 1 or declared_global(self.source.text, name)
            self._once[name] = isinstance(found, ImportStatement) or not several
        return self._once[name]

    @cached_property
    def survey(self) -> Survey:
        """The module's classes, functions and calls."""
        return Survey(self.source.tree)

    @cached_property
    def definitions(self) -> Mapping[str, ast.AST | ImportStatement]:
        """The last binding of each global name, conditional code included."""
        try:
            self.source.read_leniently()
            self.project.size += len(self.source.text)
            return definitions(self.source.tree.body)
        except SourceError:
            return {}

    def release(self) -> None:
        """Let go of the source and of all that is known of the file."""
        for info in self._classes.values():
            vars(info).clear()
        vars(self).clear()

    def value(self, name: str) -> Value | None:
        """Return the value of a global name; None if the module does not bind it."""
        if name not in self._values:
            if name in self._busy:
                return Unknown()
            self._busy.add(name)
            self._values[name] = self._find(name)
            self._busy.discard(name)
        return self._values[name]

    def class_info(self, node: ast.ClassDef) -> ClassInfo:
        """Return the record of a class that this module defines."""
        if id(node) not in self._classes:
            self._classes[id(node)] = ClassInfo(node, self)
        return self._classes[id(node)]

    def outer_value(self, node: ast.AST, name: str) -> Value | None:
        """Return the value that a function around a node binds to a name.

        None if the value is unknown or no function binds the name.
        """
        if self._outer_names.is_empty:
            return None
        match self._outer_names.binding(node, name):
            case None:
                return None
            case ImportStatement() as imported:
                return self.project.imported(self, imported)
            case ast.ClassDef() as defined:
                return ClassRef(self.class_info(defined))
            case ast.FunctionDef(decorator_list=[]) as defined:
                return Function(defined, self)
            case _:
                # What it holds depends on the call; it hides what the module binds.
                return Unknown() if name in self.definitions else None

    @cached_property
    def _outer_names(self) -> OuterNames:
        try:
            return OuterNames(self.source.tree, self.source.text)
        except SourceError:
            return OuterNames(ast.Module([], []), "")

    def resolve_class(self, base: ast.expr, within: ast.AST | None = None) -> ClassInfo | str | None:
        """Return the class that an expression names, seen from the functions around a node if one is given."""
        match self.expression(base, within):
            case ClassRef(info=ClassInfo() as info):
                return info
            case External(name=name):
                return name
            case _:
                return None

    def expression(self, node: ast.expr, within: ast.AST | None = None) -> Value:
        """Return the value of a global expression: names, attributes and literals; Unknown for all others.

        Names are seen from the functions around the node `within`, if one is given.
        """
        match node:
            case ast.Name(id=name):
                found = self.outer_value(within, name) if within is not None else None
                found = self.value(name) if found is None else found
                return builtin(name) if found is None else found
            case ast.Attribute(value=base, attr=attr):
                return self.project.attribute(self.expression(base, within), attr)
            case ast.Lambda():
                return Function(node, self)
            case ast.Call() | ast.Compare() | ast.BoolOp():
                return at_import(self, node)
            case ast.UnaryOp(op=ast.Not()):
                return at_import(self, node)
            case ast.Dict() | ast.List() | ast.Tuple():
                return self._display(node)
            case _:
                return _literal(node)

    def _display(self, node: ast.Dict | ast.List | ast.Tuple) -> Value:
        """Return a small global container, for example of functions to choose from."""
        literal = _literal(node)
        parts = node.values if isinstance(node, ast.Dict) else node.elts
        keys = tuple(node.keys) if isinstance(node, ast.Dict) else ()
        names = tuple(key.value for key in keys if isinstance(key, ast.Constant))
        plain = len(names) == len(keys) and not any(isinstance(part, ast.Starred) for part in parts)
        if not isinstance(literal, Unknown) or not plain or not 0 < len(parts) <= _MOST_PARTS:
            return literal
        items = tuple(self.expression(part) for part in parts)
        if isinstance(node, ast.Dict):
            return told_apart(ContainerValue("dict", items, keys=names))
        return told_apart(ContainerValue("list" if isinstance(node, ast.List) else "tuple", items))

    def _find(self, name: str) -> Value | None:
        if name not in self.source.text:
            # Most files that are searched do not contain the name, which their text shows without parsing.
            return self._star(name)
        match self.definitions.get(name):
            case None:
                return self._star(name)
            case ImportStatement() as imported:
                return self.project.imported(self, imported)
            case ast.ClassDef() as node:
                return ClassRef(self.class_info(node))
            case ast.FunctionDef(decorator_list=[]) as node:
                return Function(node, self)
            case ast.FunctionDef() as node:
                return at_import(self, node)
            case ast.expr() as node:
                return self.expression(node)
            case _:
                return Unknown()

    @cached_property
    def _star_imports(self) -> list[ImportStatement]:
        return star_imports(self.source.text)

    def _star(self, name: str) -> Value | None:
        for star in self._star_imports:
            found = self.project.imported(self, replace(star, name=name))
            if not isinstance(found, Unknown | External):
                return found
        return None


class Project:
    """The files that are reachable from the analyzed one."""

    def __init__(self, dialect: Dialect, files: ImportFinder, read: Callable[[Path], bytes]) -> None:
        self.dialect = dialect
        self.files = files
        self._read = read
        #: Whether functions call themselves.
        self.recursive: dict[ast.AST, bool] = {}
        #: Held by the thread that analyzes a file: only one thread at a time resolves names and builds trees.
        self.lock = RLock()
        #: The number of characters of the sources whose trees are in memory.
        self.size = 0
        self._modules: dict[Path, ProjectFile | None] = {}
        self._drafts: list[ProjectFile] = []
        self._shared: dict[type, Any] = {}

    def shared(self, kind: type[T]) -> T:
        """Return the object of this class that the analyses of the project's files share; it begins empty."""
        found: T = self._shared.setdefault(kind, kind())
        return found

    def discard(self, *, in_use: bool = False) -> None:
        """Let go of all files: caches that keep one of them, and with it the project, do not keep the others.

        Modules and classes refer to each other in circles. Unless someone still uses them, these are opened here and
        need no garbage collection, which would take a sixth of a check.
        """
        for module in () if in_use else (*self._modules.values(), *self._drafts):
            if module is not None:
                module.release()
        self._modules.clear()
        self._drafts.clear()
        self._shared.clear()
        self.recursive.clear()

    def module(self, source: SourceFile) -> ProjectFile:
        """Return the module of a source."""
        path = self.files.resolved(source.path)
        known = self._modules.get(path)
        if known is None or known.source is not source:
            known = self._keep(path, source)
        return known

    def draft(self, source: SourceFile) -> ProjectFile:
        """Return the module of a text that a file might hold. Other files still import the file's present text."""
        module = ProjectFile(source, self)
        self._drafts.append(module)
        return module

    def at_hand(self, source: SourceFile) -> SourceFile:
        """Return the source already parsed for this file and text, if there is one; else the given source."""
        known = self._modules.get(self.files.resolved(source.path))
        return known.source if known is not None and known.source.text == source.text else source

    def load(self, path: Path) -> ProjectFile | None:
        """Read a module's file, given by its resolved path; None if it does not exist or cannot be decoded."""
        if path not in self._modules:
            self._modules[path] = None
            with suppress(OSError, SourceError):
                self._keep(path, SourceFile.decode(path, self._read(path)))
        return self._modules[path]

    def _keep(self, path: Path, source: SourceFile) -> ProjectFile:
        module = self._modules[path] = ProjectFile(source, self)
        return module

    def imported(self, module: ProjectModule, imported: ImportStatement) -> Value:
        """Return the value that an import in a module binds."""
        own = self._of_library(module, imported)
        if own is not None:
            return own
        inner = self._submodule(module, imported)
        if inner is not None:
            return inner
        if imported.name is None:
            return self._module(module, imported)
        target = self.files.locate(module.path, imported.module, imported.level)
        found = self.load(target) if target is not None else None
        if found is None:
            return Unknown() if imported.level else self.dialect.external(imported.dotted)
        value = found.value(imported.name)
        return Unknown() if value is None else value

    def _module(self, module: ProjectModule, imported: ImportStatement) -> Value:
        """Return the value that ``import module`` binds: a file of the project, or a module of another library."""
        target = self.files.target(module.path, imported.module, 0)
        if target is None or target.path == module.path or is_installed(target.root):
            return External(imported.module)
        inner = f"{imported.module}.{imported.inner}"
        # A library may be installed under the name of a folder; what it lacks the folder has.
        if target.file is not None or (imported.inner and self.files.locate(module.path, inner, 0) is not None):
            return ModuleFile(str(target.path))
        return External(imported.module)

    def attribute(self, value: Value, name: str) -> Value:
        """Return an attribute of a global value."""
        if isinstance(value, External):
            return self._member(value, name)
        if isinstance(value, Namespace):
            return self.dialect.member(value, name)
        return Unknown()

    def _member(self, value: External, name: str) -> Value:
        if type(value) is External:
            return self.dialect.external(f"{value.name}.{name}")
        if not isinstance(value, ModuleFile):
            return MemberOf(f"{value.name}.{name}", value, name)
        path = Path(value.name)
        found = self.load(path)
        member = found.value(name) if found is not None else None
        if member is None and path.name == PACKAGE_FILE:
            inner = self.files.target(path, name, 1)
            member = None if inner is None else ModuleFile(str(inner.path))
        return Unknown() if member is None else member

    def _of_library(self, module: ProjectModule, imported: ImportStatement) -> Value | None:
        """Return the meaning of an import in the dialect's library; None if it imports something else."""
        folders = self.files.packages(module.path.parent) if imported.level else ()
        packages = tuple(folder.name for folder in folders)
        return self.dialect.imported(packages, imported.module, imported.name, imported.level)

    def _submodule(self, module: ProjectModule, imported: ImportStatement) -> Value | None:
        """Return the module if ``from package import module`` names a file of the project."""
        if imported.name is None:
            return None
        dotted = f"{imported.module}.{imported.name}".strip(".")
        target = self.files.target(module.path, dotted, imported.level)
        if target is None or (target.file is None and not imported.level):
            return None
        return ModuleFile(str(target.path))


def _stores_on_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            return True
        case _:
            return False


def _literal(node: ast.expr) -> Value:
    try:
        return StaticValue(literal_value(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Unknown()
