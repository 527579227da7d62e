"""Children read from a block: ``for layer in self.layers``, ``self.net[0]``, ``net._children``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, ContainerValue, ProjectObject, Unknown, Value
from hybridlint.analysis.mxnet.blocks.networks import is_of_network
from hybridlint.runtime.facts.abstract.layers import layer_of_any
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hybridlint.analysis.run.run import AnalysisRun

#: With more kinds of children than this, their results are not distinguished.
_MOST_KINDS = 8


def parts_of(run: AnalysisRun, block: BlockRef) -> tuple[Value, ...]:
    """Return the values that its class or other code added to a block; empty if they are unknown.

    A value added in a loop or on one path is listed once for each time that the interpreter met the call, so positions
    mean nothing.
    """
    own = run.blocks.instances.get(block.info) if block.info is not None else None
    return (*run.blocks.parts.of(block.creation), *(own.added if own is not None else ()))


def any_child(run: AnalysisRun, block: BlockRef) -> BlockRef:
    """Return a block that represents an arbitrary child of another block."""
    if is_of_network(block.layer):
        return block
    return any_of(parts_of(run, block), block.hybrid)


def any_child_of_self(instance: ProjectObject) -> BlockRef:
    """Return a block that represents an arbitrary child of the analyzed block."""
    held = (child.value for child in instance.children if child.container is None)
    # Only the number of blocks registered by other means is known.
    known = instance.registered <= {block.creation for block in instance.added if isinstance(block, BlockRef)}
    return any_of((*held, *instance.added) if known else (), None)


def any_of(parts: Iterable[Value], hybrid: bool | None) -> BlockRef:
    """Return a block that means any of the given values; an unknown block if a value is unknown."""
    kinds: list[BlockRef] = []
    for part in parts:
        if not isinstance(part, BlockRef) or not (part.layer or part.alternatives):
            return BlockRef("", hybrid)
        for one in part.alternatives or (part,):
            same = next((at for at, kind in enumerate(kinds) if _same_class(kind, one)), None)
            if same is None:
                kinds.append(one)
            else:
                kinds[same] = _merged(kinds[same], one)
    if len(kinds) == 1:
        return kinds[0]
    return BlockRef("", hybrid, alternatives=tuple(kinds) if len(kinds) <= _MOST_KINDS else ())


def _same_class(left: BlockRef, right: BlockRef) -> bool:
    """Return whether two blocks have one class and differ at most in settings; containers also differ in children."""
    layer = layer_of_any(left.layer)
    holds_others = layer is not None and layer.holds_others
    return left.layer == right.layer and left.info is right.info and not holds_others


def _merged(left: BlockRef, right: BlockRef) -> BlockRef:
    """Return the join of two blocks of one class, with the settings on which they agree."""
    names = left.arguments.keys() | right.arguments.keys()
    agreed = {
        name: left.arguments[name] if left.arguments.get(name) == right.arguments.get(name) else Unknown()
        for name in names
    }
    return replace(left, arguments=agreed)


def flatten_blocks(values: Iterable[Value]) -> list[Value]:
    """Return the blocks added to another one, with lists among the arguments flattened."""
    found: list[Value] = []
    for value in values:
        found += (
            [value] if not isinstance(value, ContainerValue) else (value.each,) if value.items is None else value.items
        )
    return found
