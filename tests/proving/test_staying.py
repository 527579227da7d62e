"""Proofs of blocks that stay eager by their own choice, and of those that each mode traces anew."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus

Prove = Callable[..., dict[str, ProofOutcome]]

HEAD = """\
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)
        self.step = 0.0

{method}    # hybridlint: shapes(x=("N", 4))
    def hybrid_forward(self, F, x):
        {body}
"""
FADE = "y = self.dense(x) * self.step\n        self.step = self.step + 0.5\n        return y"
MODE = "y = self.dense(x)\n        return y if autograd.is_training() else F.softmax(y)"
EAGER = """\
    def hybridize(self, active=True, **kwargs):
        for child in self._children.values():
            child.hybridize(active, **kwargs)

"""
ANEW = """\
    def forward(self, *args):
        if getattr(self, "_traced_mode", None) != autograd.is_training():
            self._traced_mode = autograd.is_training()
            self._clear_cached_op()
        return super().forward(*args)

"""


def test_a_block_that_stays_eager_is_told_so(prove: Prove) -> None:
    outcome = prove(HEAD.format(method="", body=FADE), HEAD.format(method=EAGER, body=FADE))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason.startswith("eager before = eager after, eagerly and with its children compiled")
    assert "itself it stays eager" in outcome.reason
    notes = {ran.name: ran.note for ran in outcome.variants}
    assert notes["exported and imported"] == "it stays eager by its own `hybridize`"


def test_a_changed_result_of_a_block_that_stays_eager_is_refuted(prove: Prove) -> None:
    after = HEAD.format(method=EAGER, body=FADE.replace("0.5", "0.25"))
    assert prove(HEAD.format(method="", body=FADE), after)["Net"].status is ProofStatus.REFUTED


def test_a_block_that_each_mode_traces_anew_has_no_single_graph(prove: Prove) -> None:
    outcome = prove(HEAD.format(method="", body=MODE), HEAD.format(method=ANEW, body=MODE))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert outcome.reason == "eager before = eager after = compiled after"
    notes = {ran.name: ran.note for ran in outcome.variants}
    assert notes["exported and imported"] == "each mode has a graph of its own"
