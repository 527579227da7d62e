"""The axes of the tensor that a name holds where it is read."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from tests.fixers.bodies import fixed, lines, met


def test_the_axes_behind_a_branch_are_those_of_one_tensor() -> None:
    frame = met("if self.a:\n    x = F.relu(x)\nz = x * 2\nreturn x.reshape((0, -1)) + z")
    nodes = (n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Name) and n.id == "x")
    before, first, second = (
        SizeInference(frame).axes(n) for n in sorted(nodes, key=lambda n: (n.lineno, n.col_offset))[-3:]
    )
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
