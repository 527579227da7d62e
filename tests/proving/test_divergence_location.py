"""The first operator and line where runs part."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import FirstDivergence, ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]

#: Expressions are known to the character from Python 3.11 on; before that it is the line.
exact = pytest.mark.skipif(sys.version_info < (3, 11), reason="positions within a line need Python 3.11")

NET = """
class Net(nn.HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(5)

    def hybrid_forward(self, F, x):
        y = self.dense(x)
        z = {second}
        return {third}
"""
FIRST = 16


def _parting(outcome: ProofOutcome) -> FirstDivergence:
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.parting is not None
    return outcome.parting


@exact
def test_a_subscript_that_selects_outputs_once_compiled(prove: Prove) -> None:
    outcome = prove(NET.format(second="F.relu(y)[0:1]", third="F.broadcast_add(z, y).sum()"))["Net"]
    parting = _parting(outcome)
    assert (parting.row, parting.operator, parting.code) == (FIRST, "subscript", "F.relu(y)[0:1]")
    assert parting.message == "its result has shape (2, 5) instead of (1, 5)"
    assert parting.agreed == 2
    assert str(parting) == (
        "the runs part in line 16 at `F.relu(y)[0:1]`, after 2 calls that agree: "
        "its result has shape (2, 5) instead of (1, 5)"
    )


def test_a_value_that_is_frozen_at_the_trace(prove: Prove) -> None:
    outcome = prove(NET.format(second="y * random.random()", third="F.relu(z)"))["Net"]
    parting = _parting(outcome)
    assert (parting.row, parting.message) == (FIRST, "its result has other values")


def test_a_branch_that_is_frozen_at_the_trace(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                y = F.relu(x)
                if hasattr(x, "list_arguments"):
                    return F.sin(y)
                return F.cos(y)
        """
    )["Net"]
    parting = _parting(outcome)
    assert (parting.row, parting.agreed) == (13, 1)
    assert parting.message == "only this run reaches the line; the other run goes to line 14"


def test_draws_of_a_later_call_in_another_order_are_no_place_of_a_difference(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                first = F.Dropout(x, p=0.5)
                second = F.Dropout(F.relu(x), p=0.3)
                y = F.tanh(x) if autograd.is_training() else F.sigmoid(x)
                return second + first + y
        """
    )["Net"]
    assert (outcome.call or "").endswith("train mode, random inputs 1"), outcome.call
    assert _parting(outcome).code in {"F.tanh(x)", "F.sigmoid(x)", ""}
    assert _parting(outcome).row == 13


def test_a_wrong_fix_is_located_in_the_fixed_text(prove: Prove) -> None:
    after = NET.format(second="F.slice_axis(y, axis=1, begin=0, end=3) * 1.5", third="F.relu(z)").replace(
        "        z =", "        # A comment moves the line.\n        z ="
    )
    outcome = prove(NET.format(second="F.slice_axis(y, axis=1, begin=0, end=3) * 2", third="F.relu(z)"), after)["Net"]
    parting = _parting(outcome)
    assert parting.row == FIRST + 1
    assert parting.message == "its result has other values"
    assert "1.5" in parting.code


def test_a_fix_that_cuts_the_gradient_is_located_at_the_changed_line(prove: Prove) -> None:
    before = NET.format(second="F.relu(y)", third="z * z")
    outcome = prove(before, NET.format(second="F.relu(F.BlockGrad(y))", third="z * z"))["Net"]
    parting = _parting(outcome)
    assert parting.row == FIRST
    assert parting.message == "forward all results agree; its gradient is another one"


def test_sub_blocks_of_the_file_are_looked_into(prove: Prove) -> None:
    outcome = prove(
        """
        class Inner(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x)[0:1]

        class Outer(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def hybrid_forward(self, F, x):
                return self.inner(x).sum()
        """
    )["Outer"]
    assert _parting(outcome).row == 11


def test_the_graph_shows_which_nodes_agree(prove: Prove) -> None:
    graph = prove(NET.format(second="y * random.random()", third="F.relu(z)"))["Net"].graph
    states = {node.operator: node.state for node in graph if node.operator}
    assert states == {"FullyConnected": "agrees", "_mul_scalar": "parts", "relu": ""}
    rows = {node.operator: node.row for node in graph if node.operator}
    assert rows == {"FullyConnected": FIRST - 1, "_mul_scalar": FIRST, "relu": FIRST + 1}


def test_a_proved_block_has_its_graph_too(prove: Prove) -> None:
    graph = prove(NET.format(second="F.relu(y)", third="z * 2"))["Net"].graph
    assert [node.operator for node in graph if node.operator] == ["FullyConnected", "relu", "_mul_scalar"]
    assert {node.state for node in graph} == {"agrees"}


def test_the_graph_has_the_shapes_of_a_call(prove: Prove) -> None:
    outcome = prove(NET.format(second="F.relu(y)[0:1]", third="F.broadcast_add(z, y).sum()"))["Net"]
    shapes = {node.operator: node.shape for node in outcome.graph}
    assert (shapes["FullyConnected"], shapes["broadcast_add"], shapes["sum"]) == ((2, 5), (2, 5), (1,))


def test_a_proof_has_them_too(prove: Prove) -> None:
    outcome = prove(NET.format(second="F.split(y, num_outputs=5, axis=1)", third="F.relu(z[0])"))["Net"]
    assert outcome.status is ProofStatus.PROVED
    shapes = {node.operator: node.shape for node in outcome.graph}
    assert (shapes["FullyConnected"], shapes["SliceChannel"], shapes["relu"]) == ((2, 5), (2, 1), (2, 1))


def test_the_node_at_which_a_graph_cannot_be_run(prove: Prove) -> None:
    outcome = prove(NET.format(second="y + y.mean(axis=1, keepdims=True)", third="F.relu(z)"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    (failing,) = (node for node in outcome.graph if node.state == "parts")
    assert (failing.operator, failing.row, failing.shape) == ("elemwise_add", FIRST, None)
    assert {node.operator: node.shape for node in outcome.graph}["mean"] == (2, 1)
