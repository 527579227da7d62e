"""Calls of a block that its project writes out: what they tell, and what they decide."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.values.callsites import ConstructorCalls
from tests.proving.conftest import construction_of

Prove = Callable[..., dict[str, ProofOutcome]]


class Net:
    """A class whose instances are called."""

    def __init__(self, units: int = 1) -> None: ...


@pytest.mark.parametrize(
    ("text", "arguments", "inputs"),
    [
        ("Net()(nd.ones((2, 3)))", (), ("nd.ones((2, 3))",)),
        ("net = Net(4)\nnet.hybridize()\nnet(nd.ones((2, 3)))", (("units", "4"),), ("nd.ones((2, 3))",)),
        ("def f():\n    net = Net(units=4)\n    x = nd.ones(3)\n    net(x)", (("units", "4"),), ("(nd.ones(3))",)),
        ("def f():\n    net = Net()\n    def g():\n        net(nd.ones(3))", (), ("nd.ones(3)",)),
        ("def f():\n    net = Net()\n    return net\n\nf()(nd.ones(3))", (), ("nd.ones(3)",)),
        (
            "class A:\n    def __init__(self):\n        self.net = Net()\n    def run(self):\n"
            "        self.net(nd.ones(3))",
            (),
            ("nd.ones(3)",),
        ),
        ("net = Net()\nnet(load())", None, None),
        ("net = Net(units)\nnet(nd.ones(3))", None, None),
        ("net = Net()\nnet.hybridize(nd.ones(3))", None, None),
        ("def f(net):\n    net(nd.ones(3))\n\nNet()", None, None),
        ("def f():\n    net = Net()\n    net = other()\n    net(nd.ones(3))", None, None),
    ],
)
def test_calls_whose_arguments_are_known(
    tmp_path: Path, text: str, arguments: tuple[object, ...] | None, inputs: tuple[str, ...] | None
) -> None:
    path = tmp_path / "net.py"
    known = construction_of(path, f"class Net:\n    pass\n\n\n{text}\n")
    calls = ConstructorCalls(known).literal(Net)
    assert [(call.arguments, call.inputs) for call in calls] == ([] if inputs is None else [(arguments, inputs)])


ROWS = """
class Two(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        rows = x if F is nd else F.split(x, axis=0, num_outputs=2, squeeze_axis=True)
        return rows[0] + rows[1]
"""


def test_what_other_sizes_refute_is_proved_for_those_of_the_call(prove: Prove) -> None:
    outcome = prove(f"{ROWS}\ndef demo():\n    return Two()(nd.ones((2, 3)))\n")["Two"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("batches of 2",)), outcome.reason


def test_a_call_is_no_excuse_for_what_it_shows(prove: Prove) -> None:
    text = ROWS.replace("rows[0] + rows[1]", "rows[0] * (1 if F is nd else 2) + rows[1]")
    outcome = prove(f"{text}\ndef demo():\n    return Two()(nd.ones((2, 3)))\n")["Two"]
    assert (outcome.status, outcome.guessed) == (ProofStatus.REFUTED, False)
