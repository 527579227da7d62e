"""How a forward method's code uses its inputs: as indices (integers), in logarithms (positive numbers), as lists."""

from __future__ import annotations

from typing import Any, NamedTuple

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.inputs.source.input_flow import DEPTH, ForwardedInput, first_layers, passed_on


class Usage(NamedTuple):
    """The names of inputs (and local variables) by how they are used.

    `indices` maps each index to the number of rows of its table, None if unknown. `positive` are arguments of functions
    such as logarithms, `lists` are iterated over, `chosen` are subscripted, and `lengths` are sequence lengths. `parts`
    maps an unpacked list to the names of its items. `absent` are compared with None. `items` maps what is taken apart
    by the places of its items, several of them or that of a loop's counter, to the number of items, 0 if unknown.
    `paired` maps a list to the number of items that a loop pairs with other lists of the block.
    """

    indices: dict[str, int | None]
    positive: set[str]
    lists: set[str]
    parts: dict[str, list[str]]
    absent: set[str]
    chosen: set[str]
    lengths: set[str]
    items: dict[str, int]
    paired: dict[str, int]

    def taken_apart(self, name: str) -> bool:
        """Whether an input is taken apart as a list is, and as the rows of an array can be."""
        return name in self.lists or name in self.parts or name in self.items


def usage(block: Any, function: Any, depth: int = DEPTH) -> Usage:
    """Return how the code of `function`, a method of `block`, uses its inputs; empty if its source is not known.

    Inputs are followed into helper methods and children that they are passed to.
    """
    facts = facts_of(function).inputs
    found = Usage(
        indices=dict.fromkeys(facts.indices),
        positive=set(facts.positive),
        lists=set(facts.lists),
        parts={name: list(names) for name, names in facts.parts.items()},
        absent=set(facts.absent),
        chosen=set(facts.chosen),
        lengths=set(facts.lengths),
        items={name: max(count.of(block) or 0 for count in counts) for name, counts in facts.items.items()},
        paired={},
    )
    for attribute, name in facts.looked_up:
        layer: Any = getattr(block, attribute, None)
        if type(layer).__name__ == "Embedding":
            found.indices[name] = layer.weight.shape[0]
    for name, paired in facts.paired.items():
        known = [number for number in (count.of(block) for count in paired) if number]
        found.paired.update({name: max(known)} if known else {})
    for call in passed_on(block, function) if depth else ():
        _read_passed(call, depth, found)
    return found


def _read_passed(call: ForwardedInput, depth: int, found: Usage) -> None:
    """Add to `found` how a called method, child or layer uses the inputs that it gets."""
    if call.function is None:
        layer: Any = next(first_layers(call.block), None)
        if type(layer).__name__ == "Embedding":
            found.indices.setdefault(call.names[""], layer.weight.shape[0])
        return
    inner = usage(call.block, call.function, depth - 1)
    for argument, name in call.names.items():
        if argument in inner.indices:
            found.indices.setdefault(name, inner.indices[argument])
        if argument in inner.parts:
            found.parts.setdefault(name, inner.parts[argument])
        if argument in inner.items:
            found.items.setdefault(name, inner.items[argument])
        if argument in inner.paired:
            found.paired.setdefault(name, inner.paired[argument])
        for own, others in ((found.lists, inner.lists), (found.chosen, inner.chosen), (found.lengths, inner.lengths)):
            own.update([name] if argument in others else [])
        found.positive.update([name] if argument in inner.positive else [])
