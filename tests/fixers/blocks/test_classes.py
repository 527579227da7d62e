"""Classes and children that are not hybrid: their hybrid counterparts."""

from __future__ import annotations

import pytest

from tests.fixers.blocks.test_attributes import HEAD, repaired
from tests.fixers.bodies import lines

CASES = {
    "a method": (
        "class Net(HybridBlock):\n    def forward(self, x):  # data\n        return x * 2",
        "class Net(HybridBlock):\n    def hybrid_forward(self, F, x):  # data\n        return x * 2",
    ),
    "a method with its parameters on lines of their own": (
        "class Net(HybridBlock):\n    def forward(\n        self,  # me\n        x,\n    ):\n        return x * 2",
        "class Net(HybridBlock):\n    def hybrid_forward(\n        self,  # me\n        F,\n        x,\n    ):\n"
        "        return x * 2",
    ),
    "layers": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.act = nn.Lambda("relu")
                self.body = nn.Sequential(  # body
                    prefix="b")

            def hybrid_forward(self, F, x):
                return self.body(self.act(x))
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.act = nn.HybridLambda("relu")
                self.body = nn.HybridSequential(  # body
                    prefix="b")

            def hybrid_forward(self, F, x):
                return self.body(self.act(x))
        """,
    ),
    "the class of a child": (
        """
        class Inner(Block):
            # doubles
            def forward(self, x):
                return x * 2


        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.inner = Inner()

            def hybrid_forward(self, F, x):
                return self.inner(x)
        """,
        """
        class Inner(HybridBlock):
            # doubles
            def hybrid_forward(self, F, x):
                return x * 2


        class Net(HybridBlock):
            def __init__(self):
                super(Net, self).__init__()
                self.inner = Inner()

            def hybrid_forward(self, F, x):
                return self.inner(x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_hybrid(before: str, after: str) -> None:
    assert repaired(before).partition("\n\n\n")[2] == f"{lines(after)}\n"


@pytest.mark.parametrize(
    "before",
    [
        "class Net(HybridBlock):\n    def forward(self, x, F=None):\n        return x if F is None else F(x)\n",
        "class Net(HybridBlock):\n    def forward(self, x):\n        return x * 2\n\n\nNet().forward(nd.ones(1))\n",
    ],
    ids=["F is something else", "called by hand"],
)
def test_refused(before: str) -> None:
    assert repaired(before) == f"{HEAD}{before}"
