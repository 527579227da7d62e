"""Random numbers of Python and numpy: draws and seeds."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import ArgumentsEvent, TraceConstant
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Functions that seed a generator, with the prefix of the names of its draws.
SEEDS = {"random.seed": "random.", "numpy.random.seed": "numpy.random."}


def seed(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call that seeds a generator.

    The library's own draws are operators in the graph, and later calls run them without the seed. A draw in Python
    after a constant seed is a constant.
    """
    if name not in SEEDS:
        if act.node is not None and any(map(_may_draw, walk(act.node))):
            act.emit(TraceConstant, node, source_of_value=name, used=True)
    elif args.values and all(isinstance(v, StaticValue) and v.value is not STATIC_UNKNOWN for v in args.values):
        act.flow.seeded |= {name}
    return StaticValue(None)


def is_seeded(act: Activation, name: str) -> bool:
    """Return whether a random draw follows a constant seed of its generator in the same call of the block."""
    return any(name.startswith(SEEDS[known]) for known in act.flow.seeded)


def draw_result(name: str, args: ArgumentsEvent) -> Value:
    """Return the result of a draw: one of the choices, or a number."""
    pool = args.values[0] if args.values else None
    if name == "random.choice" and isinstance(pool, ContainerValue) and pool.kind != "dict":
        return element(pool)
    if name in {"random.sample", "random.choices"} and isinstance(pool, ContainerValue):
        return ContainerValue("list", None, element(pool))
    return StaticValue(STATIC_UNKNOWN)


def _may_draw(node: ast.AST) -> bool:
    """Return whether an expression names an operator that draws random numbers, or an attribute of the block.

    Calling the attribute may draw random numbers too.
    """
    if not isinstance(node, ast.Attribute):
        return False
    return lookup.draws(node.attr) or (isinstance(node.value, ast.Name) and node.value.id == "self")
