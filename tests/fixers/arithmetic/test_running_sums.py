"""Running sums: in-place additions in loops whose first step binds the name to its part."""

from __future__ import annotations

import textwrap

import pytest

from tests.fixers.bodies import fixed_text, lines

BLOCKS = """\
from mxnet.gluon import HybridBlock, nn


class Part(HybridBlock):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv1D(4, 1)
        self.other = nn.Conv1D(4, 1)

    def hybrid_forward(self, F, x):
        return self.one(x), self.other(x)


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.layers = nn.HybridSequential()
        for _ in range(3):
            self.layers.add(Part())

    def hybrid_forward(self, F, x):
"""


def whole(body: str) -> str:
    """Return a module whose last block has a body."""
    return f"{BLOCKS}{textwrap.indent(lines(body), ' ' * 8)}\n"


SUMS = {
    "from zero": """
        total = 0
        for layer in self.layers:
            x, part = layer(x)
            total {} part
        return F.concat(total, x, dim=1)
    """,
    "from None": """
        total = None
        for layer in self.layers:
            x, part = layer(x)
            if total is None:
                total = part
            else:
                total {} part  # next
        return F.relu(total)
    """,
    "of each stage": """
        for i in range(2):
            total = None
            for j in range(3):
                out, _ = self.layers[j](x)
                if total is None:
                    total = out
                else:
                    total {} out
            x = total / 3
        return F.tanh(x)
    """,
}


@pytest.mark.parametrize("body", SUMS.values(), ids=SUMS.keys())
def test_running_sums(body: str) -> None:
    before = whole(body.format("+="))
    assert fixed_text(before, unsafe=True) == whole(body.format("= total +"))
    assert fixed_text(before) == before


#: Sums whose array something else holds, so that in-place changes show there.
HELD = {
    "kept each time": """
        total, kept = 0, []
        for layer in self.layers:
            x, part = layer(x)
            total += part
            kept.append(total)
        return F.concat(*kept, dim=1)
    """,
    "a part that is kept": """
        total = None
        kept = []
        for layer in self.layers:
            x, part = layer(x)
            kept.append(part)
            if total is None:
                total = part
            else:
                total += part
        return F.concat(total, *kept, dim=1)
    """,
}


@pytest.mark.parametrize("body", HELD.values(), ids=HELD.keys())
def test_an_array_that_something_else_holds(body: str) -> None:
    assert fixed_text(whole(body), unsafe=True) == whole(body)
