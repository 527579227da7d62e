"""Which statement bound a name last where it is read."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.last_binding import Bound, last_binding
from hybridlint.fixers.evidence.sizes.extents import Extents
from tests.fixers.bodies import fixed, lines, met

LAST = {
    "an argument": ("z = F.relu(x)", Bound.OUTSIDE),
    "the last of two": ("x = y\nx = y + 1\nz = F.relu(x)", "x = y + 1"),
    "one that reads it": ("x = y\nx = F.relu(x)", "x = y"),
    "a branch before": ("if self.a:\n    x = y\nz = F.relu(x)", "if self.a:\n    x = y"),
    "in the branch": ("if self.a:\n    x = y\n    z = F.relu(x)", "x = y"),
    "before the other branch": ("x = y\nif self.a:\n    x = 1\nelse:\n    z = F.relu(x)", "x = y"),
    "a loop's own": (
        "for x in self.parts:\n    z = F.relu(x)",
        "for x in self.parts:\n    z = F.relu(x)",
    ),
    "earlier in the round": ("for k in self.parts:\n    x = y\n    z = F.relu(x)", "x = y"),
    "a round before": ("for k in self.parts:\n    z = F.relu(x)\n    x = y", Bound.OPEN),
    "the loop's own, or a round's": ("for x in self.parts:\n    z = F.relu(x)\n    x = y", Bound.OPEN),
    "in a handler": ("try:\n    x = y\nexcept ValueError:\n    z = F.relu(x)", Bound.OPEN),
    "before a handler": ("x = y\nwith self.scope:\n    z = F.relu(x)", "x = y"),
    "in a comprehension": ("z = [F.relu(x) for x in self.parts]", Bound.OPEN),
}


@pytest.mark.parametrize(("body", "last"), LAST.values(), ids=LAST.keys())
def test_the_last_binding(body: str, last: str | Bound) -> None:
    frame = met(f"{body}\nreturn y")
    assert frame.function is not None
    calls = (n for n in ast.walk(frame.function) if isinstance(n, ast.Call))
    read = next(call.args[0] for call in calls if ast.unparse(call.func) == "F.relu")
    assert isinstance(read, ast.Name)
    found = last_binding(frame, read)
    assert (ast.unparse(found) if isinstance(found, ast.stmt) else found) == last


def test_the_axes_behind_a_branch_are_those_of_one_tensor() -> None:
    frame = met("if self.a:\n    x = F.relu(x)\nz = x * 2\nreturn x.reshape((0, -1)) + z")
    nodes = (n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Name) and n.id == "x")
    before, first, second = (Extents(frame).axes(n) for n in sorted(nodes, key=lambda n: (n.lineno, n.col_offset))[-3:])
    assert first == second != before


LOOPS = {
    "a tensor of a list": (
        """
        parts = []
        for z in [x, y]:
            z1 = z.transpose((0, 2, 1))
            parts.append(z1.reshape((z.shape[0], -1)))
        return F.concat(*parts, dim=1)
        """,
        """
        parts = []
        for z in [x, y]:
            z1 = z.transpose((0, 2, 1))
            parts.append(z1.reshape((0, -1)))
        return F.concat(*parts, dim=1)
        """,
    ),
    "a tensor that a round made": (
        """
        parts = []
        for z in [x, y]:
            w = z.transpose((0, 2, 3, 1))
            b, h, wd, c = w.shape
            parts.append(w.reshape((b, h, wd, 2, -1)).reshape((b, -1, 2)))
        return F.concat(*parts, dim=1)
        """,
        """
        parts = []
        for z in [x, y]:
            w = z.transpose((0, 2, 3, 1))
            parts.append(w.reshape((0, 0, 0, 2, -1)).reshape((0, -1, 2)))
        return F.concat(*parts, dim=1)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), LOOPS.values(), ids=LOOPS.keys())
def test_sizes_of_what_a_loop_is_at(before: str, after: str) -> None:
    assert fixed(lines(before), unsafe=True) == lines(after)
