"""Blocks as ``__init__`` leaves them: children, parameters, settings and constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import Literal

from hybridlint.analysis.model.tables import CHANGING
from hybridlint.analysis.model.values import (
    BlockRef,
    Child,
    ContainerValue,
    Hook,
    ParameterRef,
    ProjectClass,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.project.definitions import bound_by
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import branches, each


@record(eq=False)
class Instance:
    """A block in the state that its ``__init__`` leaves."""

    info: ProjectClass
    attributes: dict[str, Value] = field(default_factory=dict)
    #: Whether a call made the object, so that nothing stored on it persists.
    local: bool = False
    #: Whether a module made it at import, for all analyses: what code stores on it since is not known.
    imported: bool = False
    #: Values that ``setattr`` stored under computed names.
    computed: list[Value] = field(default_factory=list)
    #: Whether ``__init__`` takes more steps than the interpreter's limit.
    unfinished: bool = False
    #: Whether that is because the code is nested too deeply.
    too_deep: bool = False
    children: list[Child] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    #: Hooks of the block itself, which run around each of its calls.
    around: list[Hook] = field(default_factory=list)
    #: Blocks that ``self.add(...)`` put into a block that is itself a container.
    added: list[Value] = field(default_factory=list)
    #: The calls that built the blocks registered by means other than an attribute of self; None: unknown ones.
    registered: set[ast.AST | None] = field(default_factory=set)

    @cached_property
    def changing(self) -> frozenset[str]:
        """Attributes that methods store other than ``__init__`` and those that it alone calls.

        A public method may be called from elsewhere too, but makes blocks again where it has made blocks.
        """
        stored = [pair for info in self.info.lineage for pair in info.stored.items() if pair[0] != "__init__"]
        late = {attribute for name, attributes in stored if name not in self._first for attribute in attributes}
        again = {attribute for name, attributes in stored if not name.startswith("_") for attribute in attributes}
        return frozenset(late | {name for name in again if not isinstance(self.attributes.get(name), BlockRef)})

    @cached_property
    def _first(self) -> frozenset[str]:
        """The methods that only ``__init__`` calls, itself or through others of them."""
        readers: dict[str, set[str]] = {}
        for info in self.info.lineage:
            for name, method in info.methods.items():
                for node in each(method, ast.Attribute):
                    if isinstance(node.ctx, ast.Load):
                        readers.setdefault(node.attr, set()).add(name)
        first = {name for info in self.info.lineage for name in info.methods if name in readers}
        while late := {name for name in first if readers[name] - first - {"__init__"}}:
            first -= late
        return frozenset(first - {"__init__"})

    @cached_property
    def refilled(self) -> frozenset[str]:
        """Attributes whose containers other methods change, so that they may differ from the constructor's."""
        names: set[str] = set()
        for info in self.info.lineage:
            for name, method in info.methods.items():
                if name not in info.module.called_by_library:
                    names |= {attr for node in branches(method) for attr in _changed_on_self(node)}
        return frozenset(names)

    @property
    def parameters(self) -> dict[str, ParameterRef]:
        """The parameters that the block declares, by attribute; the traced method gets them under these names."""
        return {name: value for name, value in self.declared.items() if isinstance(value, ParameterRef)}

    @property
    def declared(self) -> dict[str, Value]:
        """Every attribute's value, or the last parameter that any path through ``__init__`` stored in it."""
        return self.attributes | self._parameters

    _parameters: dict[str, Value] = field(default_factory=dict)

    #: The code that stores each parameter, the last by any path.
    declarations: dict[str, ast.AST] = field(default_factory=dict)
    #: The parameter that one side of a conditional expression makes, where the other makes none.
    offered: dict[ast.IfExp, ParameterRef] = field(default_factory=dict)

    def register(self, value: Value) -> None:
        """Record that the blocks in a value are children although no attribute holds them."""
        self.registered |= creations(value)

    def note(self, name: str, value: Value, node: ast.AST) -> None:
        """Record a parameter or child that ``self.name = value`` registers."""
        written = getattr(node, "value", None)
        parameter = self.offered.get(written, value) if isinstance(written, ast.IfExp) else value
        if isinstance(parameter, ParameterRef):
            self._parameters[name] = parameter
            self.declarations[name] = node
        container = _container(value)
        if isinstance(value, BlockRef) or container is not None:
            self.children.append(Child(node, name, value, container))

    def note_filled(self, name: str, value: Value, node: ast.AST) -> None:
        """Record a container attribute that got children only after it was made, unless that is already recorded."""
        container = _container(value)
        if container is not None and not any(child.attribute == name for child in self.children):
            self.children.append(Child(node, name, value, container))


def blocks_in(value: Value) -> list[BlockRef]:
    """Return the blocks in a value: itself, or its elements."""
    if isinstance(value, BlockRef):
        return [value]
    if isinstance(value, ContainerValue):
        inner = (value.each,) if value.items is None else value.items
        return [block for item in inner for block in blocks_in(item)]
    return []


def creations(value: Value) -> set[ast.AST | None]:
    """Return the calls that built the blocks in a value; None represents unknown ones."""
    blocks = [one for block in blocks_in(value) for one in block.alternatives or (block,)]
    return {block.creation for block in blocks}


def class_attribute(info: ProjectClass, name: str) -> Value:
    """Return a class attribute, from the class or its nearest ancestor that binds it."""
    for ancestor in info.lineage:
        for node in ancestor.node.body:
            for bound, value in bound_by(node):
                if bound == name and isinstance(value, ast.expr):
                    return ancestor.module.expression(value, ancestor.node)
    return Unknown()


def is_only_in_class_body(info: ProjectClass, name: str) -> bool:
    """Return whether the body of a class or ancestor binds an attribute, and no statement stores it on an object."""
    bodies = (node for ancestor in info.lineage for node in ancestor.node.body)
    if not any(bound == name for node in bodies for bound, _ in bound_by(node)):
        return False
    trees = (ancestor.module.source.tree for ancestor in info.lineage)
    stores = (n for tree in trees for n in each(tree, ast.Attribute) if not isinstance(n.ctx, ast.Load))
    return not any(n.attr == name for n in stores)


def class_attributes(info: ProjectClass) -> dict[str, Value]:
    """Return the class attributes of a class and its ancestors."""
    found: dict[str, Value] = {}
    for ancestor in reversed(info.lineage):
        for node in ancestor.node.body:
            for name, value in bound_by(node):
                found[name] = (
                    ancestor.module.expression(value, ancestor.node) if isinstance(value, ast.expr) else Unknown()
                )
    return {name: Unknown() if isinstance(v, StaticValue) and v.value is None else v for name, v in found.items()}


def _container(value: Value) -> Literal["list", "dict"] | None:
    # Blocks are put in a set, which has no order, to hide them from registration: shared parts, for example.
    if not isinstance(value, ContainerValue) or value.kind == "set" or not blocks_in(value):
        return None
    return "dict" if value.kind == "dict" else "list"


def _changed_on_self(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="self"), attr=name), ctx=ast.Store()):
            yield name
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr=method)):
            if method in CHANGING:
                yield name
