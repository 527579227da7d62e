"""Sequences outside of traced classes that blocks are put into."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.eager.holders import way_to
from hybridlint.fixers.evidence.eager.sequences import MadeSequence, needs_whole, sequence_around


def _made(text: str) -> MadeSequence | None:
    """Return the sequence around the block of the class `Part`."""
    tree = ast.parse(text)
    name = next(n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "Part")
    return sequence_around(way_to(tree, name, by_rows=True))


FUNCTION = """
def net(depth):
    out = nn.HybridSequential({given})
    with out.name_scope():
        out.add(nn.Dense(2), *[Part(k) for k in range(depth)])
    {last}
"""


@pytest.mark.parametrize(("given", "renamed"), [("", True), ("prefix='net_'", False)])
def test_a_function_that_fills_and_returns_one(given: str, renamed: bool) -> None:
    found = _made(FUNCTION.format(given=given, last="return out"))
    assert found is not None
    assert (ast.unparse(found.kind), found.maker, found.renamed) == ("nn.HybridSequential", "net", renamed)


@pytest.mark.parametrize("last", ["return wrap(out)", "out.hybridize()", "other = out"])
def test_a_function_that_does_more_with_it(last: str) -> None:
    assert _made(FUNCTION.format(given="", last=last)) is None


@pytest.mark.parametrize("taker", ["self", "super()"])
def test_a_class_that_is_one(taker: str) -> None:
    text = f"class Net(nn.HybridSequential):\n    def __init__(self):\n        {taker}.add(Part())\n"
    found = _made(text)
    assert found is not None
    assert (ast.unparse(found.kind), found.maker) == ("nn.HybridSequential", "Net")
    assert _made(text.replace("HybridSequential", "HybridBlock")) is None


def test_what_only_compiled_containers_have() -> None:
    assert needs_whole(ast.parse("net.export('net')"))
    assert not needs_whole(ast.parse("net.hybridize()"))
