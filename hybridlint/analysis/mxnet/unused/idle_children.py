"""Children with parameters that no code calls, beside layers whose sizes wait for the first batch."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, ClassRef, Value
from hybridlint.analysis.mxnet.blocks.parameters import has_parameters
from hybridlint.analysis.mxnet.blocks.runtime_layers import layer_of
from hybridlint.analysis.mxnet.classes import BASE_CLASSES, ENTRY
from hybridlint.analysis.mxnet.unused.conditionally_idle import leaving_setting
from hybridlint.analysis.project.instances import Instance, blocks_in, creations
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.text.syntax import branches, each, is_own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Child, ProjectClass, ProjectModule
    from hybridlint.analysis.run.run import AnalysisRun

_FILLING = frozenset({"add", "name_scope"})
#: What may reach a child without writing its attribute: parts of a text, and functions, for whose names a plain search
#: is much faster.
_BY_OTHER_WAYS = ("_children", "__dict__")
_BY_NAME = re.compile(r"\b(?:getattr|vars|eval)\(")
_CALLS = ("getattr(", "vars(", "eval(")


def idle_where(run: AnalysisRun, instance: Instance, child: Child) -> str | None:
    """Return where a child with parameters is never called, while another one's sizes wait for the first batch.

    The first call of the hybridized block infers all sizes from the graph, where this child is not. That is an empty
    text if it is so in all blocks, or the settings of those which code of the file makes; None for other children.
    """
    if child.container is not None or not _is_sole(child.value) or not is_closed(instance.info):
        return None
    where = ""
    if child.attribute in _read_in(instance.info.methods[ENTRY]) or _mentions(instance.info, child.attribute):
        where = leaving_setting(instance.info, child.attribute)
        if not where:
            return None
    return where if lacks_sizes(run, instance, child) else None


def lacks_sizes(run: AnalysisRun, instance: Instance, child: Child) -> bool:
    """Return whether the sizes of an uncalled child stay unknown, while other children wait for the first batch."""
    if _is_conditional(instance.info, child.node):
        return False
    if has_parameters(run, child.value) is not True or _is_shared(run, instance, child):
        return False
    read = _named_in(instance.info.methods[ENTRY])
    others = (other for other in instance.children if other.attribute != child.attribute and other.attribute in read)
    return any(waits(run, other.value) for other in others)


def waits(run: AnalysisRun, value: Value) -> bool:
    """Return whether a block surely has parameters whose sizes the first batch determines."""
    return any(_is_late(run, block) for block in blocks_in(value) if not block.alternatives)


def _is_sole(value: Value) -> bool:
    # Parameters that are given to it are another block's too.
    return isinstance(value, BlockRef) and not value.alternatives and "params" not in value.arguments


def _is_shared(run: AnalysisRun, instance: Instance, child: Child) -> bool:
    """Return whether a child, or a part of it, may be held by another attribute too."""
    others = [other.value for other in instance.children if other.attribute != child.attribute]
    elsewhere = {one for value in others for one in _inside(run, value)}
    own = _inside(run, child.value)
    return None in own or not own.isdisjoint(elsewhere)


def _inside(run: AnalysisRun, value: Value) -> set[ast.AST | None]:
    """Return the calls that built a block and all of its parts; None represents unknown ones."""
    found: set[ast.AST | None] = set()
    for block in blocks_in(value):
        found |= creations(block)
        layer = layer_of(block)
        if block.info is None and layer is not None and layer.holds_others:
            for part in run.blocks.parts.of(block.creation):
                found |= _inside(run, part) if isinstance(part, BlockRef) else {None}
    return found


def is_closed(info: ProjectClass) -> bool:
    """Return whether all code that may call a child of the class's blocks is at hand."""
    bases = {base.rpartition(".")[2] for base in info.foreign_bases}
    return ENTRY in info.methods and bases <= BASE_CLASSES and not _goes_other_ways(info.module.source.text)


@lru_cache(maxsize=64)
def _goes_other_ways(text: str) -> bool:
    return any(way in text for way in _BY_OTHER_WAYS) or (
        any(call in text for call in _CALLS) and _BY_NAME.search(text) is not None
    )


def _mentions(info: ProjectClass, attribute: str) -> bool:
    """Return whether code may call what an attribute of the class's blocks holds."""
    lines = {one.node.name for one in info.lineage}
    for one in info.lineage:
        readers = _readers(one.module.source.tree).get(attribute, frozenset())
        if any(reader is None or reader in lines or _derives(one.module, reader, info) for reader in readers):
            return True
    return False


@lru_cache(maxsize=64)
def _named_in(entry: ast.FunctionDef) -> frozenset[str]:
    """Return the names of all attributes that a method mentions."""
    return frozenset(node.attr for node in each(entry, ast.Attribute))


@lru_cache(maxsize=64)
def _read_in(entry: ast.FunctionDef) -> frozenset[str]:
    """Return the attributes that a method reads, as `_readers` finds them, which looks through the whole file."""
    held = {id(filled) for part in branches(entry) if (filled := _filled(part)) is not None}
    read = (n for n in each(entry, ast.Attribute) if isinstance(n.ctx, ast.Load))
    return frozenset(node.attr for node in read if id(node) not in held)


def _derives(module: ProjectModule, name: str, info: ProjectClass) -> bool:
    found = module.value(name)
    return not isinstance(found, ClassRef) or info in found.info.lineage


@lru_cache(maxsize=64)
def _readers(tree: ast.Module) -> Mapping[str, frozenset[str | None]]:
    """Return for each attribute the classes whose code reads it on self, and None if others may read it."""
    found: dict[str, set[str | None]] = {}
    for statement in tree.body:
        owner = statement.name if isinstance(statement, ast.ClassDef) else None
        held = {id(filled) for part in branches(statement) if (filled := _filled(part)) is not None}
        for node in walk(statement):
            match node:
                case ast.Attribute(attr=attr, ctx=ast.Load()) if id(node) not in held:
                    found.setdefault(attr, set()).add(owner if is_own(node) else None)
                case ast.Constant(value=str() as text) if text.isidentifier():
                    found.setdefault(text, set()).add(None)
    return {name: frozenset(readers) for name, readers in found.items()}


def _filled(node: ast.AST) -> ast.expr | None:
    """Return the block that a call adds a part to, or whose scope it opens, without calling the block."""
    match node:
        case ast.Call(func=ast.Attribute(value=block, attr=name)) if name in _FILLING:
            return block
        case _:
            return None


def _is_conditional(info: ProjectClass, node: ast.AST) -> bool:
    init = info.methods.get("__init__")
    choices = () if init is None else (part for part in branches(init) if isinstance(part, ast.If | ast.Try))
    return init is None or any(inner is node for part in choices for inner in branches(part))


def _is_late(run: AnalysisRun, block: BlockRef) -> bool:
    if block.info is not None:
        return any(waits(run, child.value) for child in instance_of(run, block.info).children)
    layer = layer_of(block)
    if layer is None:
        return False
    if layer.holds_others:
        return any(waits(run, part) for part in run.blocks.parts.of(block.creation))
    return any(0 in shape for shape in layer.parameters.values() if shape is not None)
