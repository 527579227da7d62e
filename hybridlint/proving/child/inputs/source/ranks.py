"""Facts about inputs in a forward method's code: their number of dimensions, and the first layer's input.

An input is followed into helper methods and children that it is passed to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.inputs.source.input_flow import DEPTH, first_layers, forward_of, is_layer, passed_on
from hybridlint.proving.child.inputs.source.input_hints import layer_input
from hybridlint.proving.child.specs.spec import TensorSpec

#: The most dimensions of an array whose source says nothing else.
MOST = 9


class Implied(NamedTuple):
    """Implied facts about an input: its least and most dimensions, and specs that its first layer accepts."""

    least: int = 1
    most: int = MOST
    specs: tuple[TensorSpec, ...] = ()

    def both(self, other: Implied) -> Implied:
        """Return what two places imply together."""
        return Implied(max(self.least, other.least), min(self.most, other.most), self.specs or other.specs)


def implied_facts(block: Any, function: Any, depth: int = DEPTH) -> dict[str, Implied]:
    """Return implied facts about the arguments of `function`, a method of `block`; empty without source."""
    found = {name: Implied(least, most) for name, (least, most) in facts_of(function).inputs.ranks.items()}
    for call in passed_on(block, function) if depth else ():
        inner = _of_layers(call.block) if call.function is None else implied_facts(call.block, call.function, depth - 1)
        for argument, name in call.names.items():
            if argument in inner:
                found[name] = found.get(name, Implied()).both(inner[argument])
    return found


def _of_layers(layer: Any) -> dict[str, Implied]:
    """Return the facts that a layer, or the first known layer of a sequence, implies about its input.

    Their name is "".
    """
    for first in first_layers(layer):
        specs = layer_input(first) if is_layer(first) else []
        if specs:
            counts = [len(spec.shape) for spec in specs]
            return {"": Implied(min(counts), MOST if _any_rank(first) else max(counts), tuple(specs))}
        if not is_layer(first):
            inner = list(implied_facts(first, forward_of(first), 1).values())
            return {"": inner[0]} if inner else {}
    return {}


def _any_rank(layer: Any) -> bool:
    return type(layer).__name__ in ("Dense", "Embedding", "BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm")
