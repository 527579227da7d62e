"""Numbers that a block changes in each call: `forward` computes them and hands them to the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import lines

HEAD = "import math\nfrom mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
INIT = """class Net(HybridBlock):
    def __init__(self, rate=0.9, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.calls = 0
        self.dense = nn.Dense(3)

"""

CASES = {
    "a method that counts and computes": (
        """
        def weight(self):
            self.calls += 1
            return min(1.0, self.calls / 10)

        def hybrid_forward(self, F, x, y):
            return self.dense(x) + self.weight() * F.relu(y)
        """,
        """
        def forward(self, x, y):
            return super().forward(x, y, nd.array([self.weight()], ctx=x.context))

        def weight(self):
            self.calls += 1
            return min(1.0, self.calls / 10)

        def hybrid_forward(self, F, x, y, weight):
            return self.dense(x) + F.broadcast_mul(weight, F.relu(y))
        """,
    ),
    "a change after the last use": (
        """
        def step(self):
            self.calls = self.calls + 1

        def hybrid_forward(self, F, x):
            y = self.dense(x) / (self.calls + 1)
            self.step()
            return y
        """,
        """
        def forward(self, x):
            calls = self.calls
            self.step()
            return super().forward(x, nd.array([calls], ctx=x.context))

        def step(self):
            self.calls = self.calls + 1

        def hybrid_forward(self, F, x, calls):
            y = F.broadcast_div(self.dense(x), calls + 1)
            return y
        """,
    ),
    "two uses, and a function that no operator computes": (
        """
        def hybrid_forward(self, F, x):
            self.calls += 1
            y = self.dense(x) / self.calls
            return y * round(self.calls * self.rate)
        """,
        """
        def forward(self, x):
            self.calls += 1
            return super().forward(
                x, nd.array([self.calls], ctx=x.context), nd.array([round(self.calls * self.rate)], ctx=x.context)
            )

        def hybrid_forward(self, F, x, calls, calls_2):
            y = F.broadcast_div(self.dense(x), calls)
            return F.broadcast_mul(y, calls_2)
        """,
    ),
    "a count before a number under a name, and two of one statement": (
        """
        def bump(self):
            self.calls += 1
            return self.calls

        def hybrid_forward(self, F, x):
            y = self.dense(x) * self.bump()
            rate = self.calls + 1
            z = F.relu(y) * rate
            return z * self.bump() + F.relu(z) * self.calls
        """,
        """
        def forward(self, x):
            bump = self.bump()
            rate = self.calls + 1
            return super().forward(
                x,
                nd.array([bump], ctx=x.context),
                nd.array([rate], ctx=x.context),
                nd.array([self.bump()], ctx=x.context),
                nd.array([self.calls], ctx=x.context),
            )

        def bump(self):
            self.calls += 1
            return self.calls

        def hybrid_forward(self, F, x, bump, rate, bump_2, calls):
            y = F.broadcast_mul(self.dense(x), bump)
            z = F.broadcast_mul(F.relu(y), rate)
            return F.broadcast_mul(z, bump_2) + F.broadcast_mul(F.relu(z), calls)
        """,
    ),
    "one number in two places": (
        """
        def hybrid_forward(self, F, x):
            self.calls += 1
            y = self.dense(x) / self.calls
            return y * (1 - 1 / self.calls)
        """,
        """
        def forward(self, x):
            self.calls += 1
            return super().forward(x, nd.array([self.calls], ctx=x.context))

        def hybrid_forward(self, F, x, calls):
            y = F.broadcast_div(self.dense(x), calls)
            return F.broadcast_mul(y, 1 - 1 / calls)
        """,
    ),
    "a change in one mode, and a name for what it decides": (
        """
        def hybrid_forward(self, F, x):
            if autograd.is_training():
                self.calls += 1
            share = math.exp(-self.calls * self.rate)
            y = self.dense(x)
            return share * y + (1 - share) * F.relu(y)
        """,
        """
        def forward(self, x):
            if autograd.is_training():
                self.calls += 1
            share = math.exp(-self.calls * self.rate)
            return super().forward(x, nd.array([share], ctx=x.context))

        def hybrid_forward(self, F, x, share):
            y = self.dense(x)
            return F.broadcast_mul(share, y) + F.broadcast_mul(1 - share, F.relu(y))
        """,
    ),
}

#: What no number for each call says: a branch, a size, what tensors decide, and what is not computed in each call.
KEPT = {
    "a branch": """
        def hybrid_forward(self, F, x):
            self.calls += 1
            if self.calls > 3:
                return x
            return self.dense(x)
    """,
    "a property that reads it too": """
        @property
        def share(self):
            return self.calls / 10

        def hybrid_forward(self, F, x):
            self.calls += 1
            return self.dense(x) * self.calls + F.relu(x) * self.share
    """,
    "a list of arrays, which has no device": """
        def hybrid_forward(self, F, x):
            self.calls += 1
            return self.dense(F.concat(*x)) * self.calls
    """,
    "how often": """
        def hybrid_forward(self, F, x):
            self.calls += 1
            return F.tile(x, reps=(self.calls, 1))
    """,
    "what a tensor decides": """
        def hybrid_forward(self, F, x):
            self.calls = self.calls + x.mean()
            return self.dense(x) * self.calls
    """,
    "what is computed for each of several": """
        def weight(self):
            self.calls += 1
            return self.calls

        def hybrid_forward(self, F, x):
            return F.concat(*[self.dense(x) * self.weight() for _ in range(3)])
    """,
    "what runs a child": """
        def weight(self, x):
            self.calls += 1
            return self.dense(x) * self.calls

        def hybrid_forward(self, F, x):
            return self.weight(x)
    """,
}


def repaired(body: str, *, more: str = "", unsafe: bool = True) -> FixOutcome:
    text = "\n".join(f"    {line}".rstrip() for line in lines(body).splitlines())
    source = SourceFile(Path("net.py"), f"{HEAD}{INIT}{text}\n{more}")
    return fix_source(source, analyze_file, unsafe=unsafe)


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_the_graph_is_handed_the_number(before: str, after: str) -> None:
    found = repaired(before).source.text.partition(INIT)[2]
    assert found == "\n".join(f"    {line}".rstrip() for line in lines(after).splitlines()) + "\n"


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_other_state_stays(body: str) -> None:
    assert "def forward" not in repaired(body).source.text


def test_a_part_of_another_block_is_traced_with_it() -> None:
    body = next(iter(CASES.values()))[0]
    more = (
        "\n\nclass Outer(HybridBlock):\n    def __init__(self):\n        super().__init__()\n        self.net = Net()\n"
    )
    assert "def forward" not in repaired(body, more=more).source.text


def test_the_numbers_of_python_are_rounded_on_the_way() -> None:
    """Python computes with 64 bits, and an array of MXNet has 32: the fix is unsafe."""
    body = next(iter(CASES.values()))[0]
    assert "def forward" not in repaired(body, unsafe=False).source.text
