"""Parameters whose data a pass reads itself: a proof gives them other signs and sizes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.pass_reads import parameters_read

Prove = Callable[..., dict[str, ProofOutcome]]


def test_parameters_are_reached_from_self() -> None:
    function = ast.parse(
        "def hybrid_forward(self, F, x, gate):\n"
        "    if self.gate.data().asscalar() > 0 and self.body.weight.list_data()[0].sum() > 0:\n"
        "        return x * self.scale + gate.data() + self.data() + float(self.gate.data())\n"
    ).body[0]
    assert parameters_read([function]) == [("gate",), ("body", "weight")]


def test_a_branch_on_what_training_may_make_of_a_parameter_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        """
        class Signed(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.alpha = self.params.get("alpha", shape=(1,), init="ones")

            def hybrid_forward(self, F, x, alpha):
                y = F.relu(x) if self.alpha.data().asscalar() > 0 else F.tanh(x)
                return F.broadcast_mul(y, alpha)

        class Gated(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.gate = self.params.get("gate", shape=(1,), init="ones")

            def hybrid_forward(self, F, x, gate):
                if abs(float(self.gate.data().asnumpy()[0])) < 1e-2:
                    return x * 1
                return x + F.broadcast_mul(F.tanh(x), gate)

        class Shaped(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.scale = self.params.get("scale", shape=(1,), init="ones")

            def hybrid_forward(self, F, x, scale):
                return F.broadcast_mul(x, scale) * len(self.scale.data().shape)
        """
    )
    found = {name: (o.status, o.only, (o.call or "").rpartition(", once ")[2]) for name, o in outcomes.items()}
    assert found == {
        "Signed": (ProofStatus.REFUTED, (), "self.alpha is multiplied by -1"),
        "Gated": (ProofStatus.REFUTED, (), "self.gate is multiplied by 0.001"),
        "Shaped": (ProofStatus.PROVED, (), ""),
    }
