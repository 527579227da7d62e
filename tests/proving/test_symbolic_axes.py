"""Sizes that a block leaves free are given several numbers, and settings of 1 are tried as 2."""

from __future__ import annotations

import pytest

from hybridlint.core.proof_outcome import ProofStatus
from tests.proving.conftest import Prove


def test_a_size_that_the_first_call_stores_is_seen_to_be_frozen(prove: Prove) -> None:
    outcome = prove(
        """
        class Pooler(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.steps = None
                self.conv = nn.Conv1D(4, 3, padding=1)

            def forward(self, x):
                self.steps = x.shape[1]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return self.conv(x.transpose((0, 2, 1))).sum(axis=2) / self.steps
        """
    )["Pooler"]
    assert outcome.status is ProofStatus.REFUTED
    assert "L = " in str(outcome.call)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("return x / F.sum(x, axis=1, keepdims=True) if False else F.tanh(x)", "x (N, L)"),
        ("return F.reshape(x, (0, 4, -1))", "x (N, 4)"),
        ("return self.dense(x)", "x (N, 4)"),
    ],
    ids=["any size", "a size that reshapes need", "a size of weights"],
)
def test_only_what_the_block_leaves_free_is_named(prove: Prove, body: str, shown: str) -> None:
    outcome = prove(
        f"""
        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(3)

            def hybrid_forward(self, F, x):
                {body}
        """
    )["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup == f"() on {shown}"


def test_equal_sizes_change_together(prove: Prove) -> None:
    outcome = prove(
        """
        class Both(nn.HybridBlock):
            def hybrid_forward(self, F, first, second):
                return F.abs(first - second)
        """
    )["Both"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup == "() on first (N, L), second (N, L)"


def test_a_layer_that_train_mode_alone_runs_fixes_its_size(prove: Prove) -> None:
    outcome = prove(
        """
        class Helped(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.auxiliary = nn.Dense(4)

            def hybrid_forward(self, F, x):
                extra = self.auxiliary(x).sum() if autograd.is_training() else x.sum()
                return F.broadcast_add(x, extra)
        """
    )["Helped"]
    assert outcome.setup == "() on x (N, 6)"


def test_one_group_is_tried_as_two(prove: Prove) -> None:
    outcome = prove(
        """
        class Shuffle(nn.HybridBlock):
            def __init__(self, groups):
                super().__init__()
                self.groups = groups

            def hybrid_forward(self, F, x):
                return F.reshape(F.swapaxes(F.reshape(x, (0, -4, self.groups, -1, -2)), 1, 2), (0, -3, -2))
        """
    )["Shuffle"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.setup is not None
    assert outcome.setup.startswith("(groups=2) on x (N, ")


def test_an_axis_stays_what_it_is(prove: Prove) -> None:
    outcome = prove(
        """
        class Mean(nn.HybridBlock):
            def __init__(self, axis):
                super().__init__()
                self.axis = axis

            def hybrid_forward(self, F, x):
                return F.mean(x, axis=self.axis)
        """
    )["Mean"]
    assert outcome.setup is not None
    assert outcome.setup.startswith("(axis=1) on x ")
