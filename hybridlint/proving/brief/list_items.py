"""List expressions for constructor arguments that a loop iterates over; their items follow from the loop's body."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.brief.dotted_names import dotted_name
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.build.values.requested_arguments import objects_with

#: Methods of a block that add a child block.
_KEEPING = frozenset(("add", "register_child"))
_LAYER, _LOSS = "nn.Dense(4)", "gluon.loss.L2Loss()"


def items_of(loop: ast.For | ast.comprehension, tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (name, list expression) for the name that a loop iterates over; nothing if its items may be plain numbers.

    `tree` is the function that contains the loop.
    """
    source, target = loop.iter, loop.target
    if isinstance(source, ast.Call) and getattr(source.func, "id", "") == "enumerate" and source.args:
        source = source.args[0]
        target = target.elts[-1] if isinstance(target, ast.Tuple) else target
    name = dotted_name(source)
    if not name:
        return
    if isinstance(target, ast.Tuple) and all(isinstance(part, ast.Name) for part in target.elts):
        parts = [getattr(part, "id", "") for part in target.elts]
        for block in (_LAYER, _LOSS):
            item_texts = [_item(part, tree, block) or _named(part) for part in parts]
            if not all(map(_is_number, item_texts)):
                item = f"({', '.join(item_texts)})"
                yield name, f"[{item}, {item}]"
    elif isinstance(target, ast.Name):
        for block in (_LAYER, _LOSS):
            item = _item(target.id, tree, block)
            if item:
                yield name, f"[{item}, {item}]"


def _item(name: str, tree: ast.AST, block: str) -> str:
    """Return an expression for a list item, guessed from the uses of its variable `name`; "" without a guess.

    An item that is called or added as a child is `block`; one with an attribute such as `begin_state` is a cell.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is(node.value, name):
            known = objects_with(node.attr)
            if known:
                return known[0]
        elif isinstance(node, ast.Call):
            kept = isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING
            if _is(node.func, name) or (kept and any(_is(argument, name) for argument in node.args)):
                return block
    return ""


def _named(name: str) -> str:
    values = guesses.by_name(name)
    return "1" if values == guesses.ANYTHING else values[0]


def _is_number(text: str) -> bool:
    return text.replace(".", "").isdigit()


def _is(node: Any, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
