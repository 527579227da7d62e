"""Children with parameters that no code calls, beside layers whose sizes wait for the first batch."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import Block, Value
from hybridlint.analysis.mxnet.bundled import layer_of
from hybridlint.analysis.mxnet.classes import BASE_CLASSES, ENTRY
from hybridlint.analysis.mxnet.parameters import has_parameters
from hybridlint.analysis.project.instances import Instance, blocks_in
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.text.syntax import branches

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Child, ProjectClass
    from hybridlint.analysis.run.run import Run

#: What may reach a child without writing its attribute.
_BY_OTHER_WAYS = re.compile(r"_children|__dict__|\b(?:getattr|vars|eval)\(")


def is_idle(run: Run, instance: Instance, child: Child) -> bool:
    """Return whether a child with parameters is never called, while another one's sizes wait for the first batch.

    The first call of the hybridized block infers all sizes from the graph, where this child is not.
    """
    if child.container is not None or not _is_sole(child.value) or not _is_closed(instance.info):
        return False
    if _mentions(instance.info, child.attribute) or _is_conditional(instance.info, child.node):
        return False
    if has_parameters(run, child.value) is not True:
        return False
    others = (other for other in instance.children if other.attribute != child.attribute)
    return any(_mentions(instance.info, other.attribute) and waits(run, other.value) for other in others)


def waits(run: Run, value: Value) -> bool:
    """Return whether a block surely has parameters whose sizes the first batch determines."""
    return any(_is_late(run, block) for block in blocks_in(value) if not block.alternatives)


def _is_sole(value: Value) -> bool:
    return isinstance(value, Block) and not value.alternatives


def _is_closed(info: ProjectClass) -> bool:
    """Return whether all code that may call a child of the class's blocks is at hand."""
    bases = {base.rpartition(".")[2] for base in info.foreign_bases}
    text = info.module.source.text
    return ENTRY in info.methods and bases <= BASE_CLASSES and not _BY_OTHER_WAYS.search(text)


def _mentions(info: ProjectClass, attribute: str) -> bool:
    """Return whether a file of the class or its ancestors names an attribute anywhere but where it is stored."""
    word = re.compile(rf"\.{attribute}\b(?!\s*=[^=]|\.(?:add|name_scope)\()|[\"']{attribute}[\"']")
    return any(word.search(one.module.source.text) for one in info.lineage)


def _is_conditional(info: ProjectClass, node: ast.AST) -> bool:
    init = info.methods.get("__init__")
    choices = () if init is None else (part for part in branches(init) if isinstance(part, ast.If | ast.Try))
    return init is None or any(inner is node for part in choices for inner in branches(part))


def _is_late(run: Run, block: Block) -> bool:
    if block.info is not None:
        return any(waits(run, child.value) for child in instance_of(run, block.info).children)
    layer = layer_of(block)
    if layer is None:
        return False
    if layer.holds_others:
        return any(waits(run, part) for part in run.blocks.parts.of(block.creation))
    return any(0 in shape for shape in layer.parameters.values() if shape is not None)
