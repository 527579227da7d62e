"""Where a class puts the blocks that it makes."""

from __future__ import annotations

import ast
import textwrap

import pytest

from hybridlint.fixers.evidence.eager.places_of_blocks import containers_of
from hybridlint.text.syntax import children, walk


def put(body: str) -> set[str] | None:
    """Return the containers of the only `Part` in the body of an `__init__`."""
    tree = ast.parse(f"def __init__(self):\n{textwrap.indent(body, '    ')}")
    parents = {id(child): node for node in walk(tree) for child in children(node)}
    (name,) = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "Part")
    way: list[ast.AST] = [name]
    while id(way[-1]) in parents:
        way.append(parents[id(way[-1])])
    return containers_of(way)


OWN = [
    "self.part = Part()",
    "self.a, self.part = nn.Dense(2), Part(3)",
    "self.part = Part() if on else None",
    "self.part: Part_ = Part()",
    "self.register_child(Part())",
    "self.add(Part())",
    "setattr(self, 'part', Part())",
    "part = Part()\nself.register_child(part)",
    "part = Part()\nself.part = part",
    "self.parts = [Part() for _ in range(3)]",
    "self.parts.append(Part())",
]
CONTAINED = [
    "self.stages.add(Part())",
    "self.stages.add(*[Part() for _ in range(3)])",
    "part = Part()\nself.stages.add(part)",
    "stages = nn.HybridSequential()\nstages.add(Part())\nself.stages = stages",
    "parts = []\nparts.append(Part())\nself.stages.add(*parts)",
]
ELSEWHERE = [
    "self.net = Net(Part())",
    "outer.add(Part())",
    "part = Part()\nouter(part)",
    "self.make(Part)",
    "stages = nn.HybridSequential()\nstages.add(Part())\nself.outer.add(stages)",
    "self.stages.insert(0, Part())",
    "return Part()",
]


@pytest.mark.parametrize("body", OWN)
def test_a_child_of_self(body: str) -> None:
    assert put(body) == set()


@pytest.mark.parametrize("body", CONTAINED)
def test_a_part_of_a_container(body: str) -> None:
    assert put(body) == {"stages"}


@pytest.mark.parametrize("body", ELSEWHERE)
def test_anywhere(body: str) -> None:
    assert put(body) is None
