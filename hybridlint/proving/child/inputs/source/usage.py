"""How a forward method's source uses its inputs: as indices (integers), in logarithms (positive numbers), as lists."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from hybridlint.proving.child.inputs.initial_states import is_state
from hybridlint.proving.child.inputs.source.input_flow import DEPTH, ForwardedInput, first_layers, passed_on, tree_of
from hybridlint.proving.child.inputs.source.numbered_items import item_counts, least_items, paired_counts
from hybridlint.proving.child.operator_facts import INDEXED, POSITIVE

#: Arguments of operators and recurrent cells that hold sequence lengths.
_LENGTHS = {"valid_length", "sequence_length"}
_MODULES = {"F", "nd", "mx", "npx", "np"}
#: Functions that iterate over their arguments; calls of them may be nested.
_ITERATORS = {"zip", "enumerate", "reversed"}


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
    """Return how the source of `function`, a method of `block`, uses its inputs; empty if there is no source.

    Inputs are followed into helper methods and children that they are passed to.
    """
    found = Usage({}, set(), set(), {}, set(), set(), set(), {}, {})
    tree = tree_of(function)
    if tree is None:
        return found
    for node in ast.walk(tree):
        found.lists.update(_lists(node))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            target = node.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(part, ast.Name) for part in target.elts):
                found.parts[node.value.id] = [getattr(part, "id", "") for part in target.elts]
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.IsNot):
            found.absent.add(node.left.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            key: Any = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
            if not isinstance(key, (ast.Tuple, ast.Slice)):
                found.chosen.add(node.value.id)
        if isinstance(node, ast.Call):
            _read_call(node, block, found)
    states = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg) and is_state(node.arg)]
    for name, count in least_items(tree, states).items():
        # States are lists in every recurrent cell of MXNet; any other name may hold an array of which items are taken.
        found.parts.setdefault(name, [f"{name}{place}" for place in range(count)])
    found.items.update(item_counts(block, tree))
    found.paired.update(paired_counts(block, tree))
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


def _lists(node: ast.AST) -> Iterator[str]:
    """Yield names that are unpacked or iterated over: these are lists, as code seldom iterates over a batch."""
    if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
        yield node.value.id
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _iterated(node.iter)


def _iterated(source: ast.expr) -> Iterator[str]:
    if isinstance(source, ast.Name):
        yield source.id
    elif isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id in _ITERATORS:
        for argument in source.args:
            yield from _iterated(argument)


def _read_call(node: ast.Call, block: Any, found: Usage) -> None:
    if not isinstance(node.func, ast.Attribute):
        return
    called, owner = node.func.attr, node.func.value
    found.lengths.update(
        keyword.value.id for keyword in node.keywords if keyword.arg in _LENGTHS and isinstance(keyword.value, ast.Name)
    )
    if isinstance(owner, ast.Name) and owner.id == "self":
        layer: Any = getattr(block, called, None)
        if type(layer).__name__ == "Embedding" and node.args and isinstance(node.args[0], ast.Name):
            found.indices[node.args[0].id] = layer.weight.shape[0]
        return
    if called in INDEXED:
        name = _argument(node, *INDEXED[called])
        if name:
            found.indices.setdefault(name, None)
    if called in POSITIVE:
        target = node.args[0] if node.args else owner
        if isinstance(target, ast.Name) and target.id not in _MODULES:
            found.positive.add(target.id)


def _argument(node: ast.Call, place: int, keyword: str) -> str:
    named = next((k.value for k in node.keywords if k.arg == keyword), None)
    value = named if named is not None else node.args[place] if len(node.args) > place else None
    return value.id if isinstance(value, ast.Name) else ""
