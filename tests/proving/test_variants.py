"""The ways in which a block is run: compiled, exported, in float16; and runs that end the process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.call_orders import another_order
from hybridlint.proving.child.runs.casting import cast_block, cast_plan
from hybridlint.proving.child.runs.runs import CallPlan, PlannedCall
from hybridlint.proving.child.runs.variants import EAGER, REORDERED, BlockVersion, Runner
from hybridlint.proving.child.specs.spec import TensorSpec
from hybridlint.runtime.gluon import nn

Prove = Callable[..., dict[str, ProofOutcome]]

NET = """
class Net(nn.HybridBlock):
    def hybrid_forward(self, F, x):
        return {value}
"""
ALL = {
    "compiled": None,
    "static_alloc": None,
    "exported and imported": None,
    "another order": None,
    "float16": None,
}


def _notes(outcome: ProofOutcome) -> dict[str, str | None]:
    return {ran.name: ran.note for ran in outcome.variants}


def test_what_is_proved_was_run_in_every_way(prove: Prove) -> None:
    body = """
    # hybridlint: verify(x=("N", 4), states=[("N", 4), ("N", 4)])
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.body = nn.HybridSequential()
            self.body.add(nn.Dense(6, activation="tanh"), nn.BatchNorm(), nn.Dense(3))

        def hybrid_forward(self, F, x, states):
            y = self.body(x)
            return y, [s * 2 for s in states]
    """
    outcome = prove(body)["Net"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    assert _notes(outcome) == ALL


def test_float16_is_left_out_where_the_eager_block_does_not_take_it(prove: Prove) -> None:
    outcome = prove(NET.format(value="F.dot(x, F.ones((4, 2)))"))["Net"]
    assert outcome.status is ProofStatus.PROVED
    note = _notes(outcome)["float16"]
    assert note is not None
    assert note.startswith("eagerly it fails: MXNetError")
    outcome = prove(NET.format(value="F.exp(x * 100) * 0 + x if False else x * 1e6"))["Net"]
    assert _notes(outcome)["float16"] == "it overflows"


def test_a_fix_that_is_wrong_in_float16_only_is_refuted(prove: Prove) -> None:
    outcome = prove(NET.format(value="x * 2"), NET.format(value="F.broadcast_mul(x, F.ones((1, 1)) * 2)"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.fault
    assert outcome.variant == "float16, eager after the fix"


def test_a_block_that_ends_the_process_once_compiled_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        """
        class Ends(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if hasattr(x, "list_arguments"):
                    os._exit(3)
                return F.relu(x)

        class Endless(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                while hasattr(x, "list_arguments"):
                    pass
                return F.relu(x)

        class Next(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x)
        """,
        timeout=2.0,
    )
    assert [outcome.status for outcome in outcomes.values()] == [
        ProofStatus.REFUTED,
        ProofStatus.REFUTED,
        ProofStatus.PROVED,
    ]
    assert outcomes["Ends"].reason.startswith("compiled: it ended the process with exit status 3")
    assert outcomes["Endless"].reason.startswith("compiled: it took longer than 2 s")
    assert not outcomes["Ends"].fault


def test_a_fix_after_which_the_process_ends_is_at_fault(prove: Prove) -> None:
    outcome = prove(NET.format(value="F.relu(x)"), NET.format(value="F.relu(x) if os._exit(4) else x"))["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.fault
    assert outcome.reason.startswith("eager after the fix: it ended the process with exit status 4")


def test_a_crash_in_float16_costs_float16_only(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if hasattr(x, "asnumpy") and not hasattr(x, "list_arguments") and x.dtype.__name__ == "float16":
                    os.abort()
                return F.relu(x)
        """
    )["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert (_notes(outcome)["float16"] or "").startswith("it crashed with SIG")


def test_a_block_that_takes_float16_eagerly_only_is_proved_in_float32(prove: Prove) -> None:
    """MXNet refuses such a condition too, and says so."""
    outcome = prove(NET.format(value="F.contrib.cond(x.sum() > 0, lambda: x * 2, lambda: x * 3)"))["Net"]
    assert outcome.status is ProofStatus.PROVED
    assert (_notes(outcome)["float16"] or "").startswith("only eagerly it takes float16: ")


def test_a_difference_in_float16_is_located_there(prove: Prove) -> None:
    outcome = prove(
        """
        class Net(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                y = F.relu(x)
                if hasattr(y, "list_arguments"):
                    return y * 2
                return y * (2 if y.dtype.__name__ == "float32" else 3)
        """
    )["Net"]
    assert (outcome.status, outcome.variant) == (ProofStatus.REFUTED, "float16")
    assert outcome.parting is not None
    assert (outcome.parting.row, outcome.parting.agreed) == (13, 1)


def test_a_place_that_cannot_be_looked_for_costs_no_verdict(prove: Prove) -> None:
    outcome = prove(
        NET.format(value="F.relu(x)"),
        NET.format(value="F.sigmoid(x) if not hasattr(x, 'list_arguments') else os._exit(3)"),
    )["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert outcome.reason == "eager after the fix: output has other values"
    assert outcome.parting is None


def test_parameters_of_other_names_are_cast_to_float16() -> None:
    """A converted block may name its parameters otherwise; what training makes of them must round alike."""
    block = nn.HybridSequential(prefix="new_")
    with block.name_scope():
        block.add(nn.Dense(2, in_units=3, use_bias=False))
    block.initialize()
    values, reference = {"old_dense0_weight": np.ones((2, 3), "float32")}, {"old_dense0_weight": "0.weight"}
    plan = cast_block(block, CallPlan({}, (), values, reference, ()), "float16")
    assert {name: value.dtype for name, value in plan.values.items()} == {"old_dense0_weight": np.float16}


def test_a_graph_is_not_blamed_for_what_a_forward_of_the_block_prepares(prove: Prove) -> None:
    outcome = prove(
        """
        class Step(nn.HybridBlock):
            def __init__(self, units=6):
                super().__init__()
                self.dense = nn.Dense(units, flatten=False, in_units=units)

            def forward(self, x):
                return super().forward(x.expand_dims(axis=1))

            def hybrid_forward(self, F, x):
                return F.slice_axis(self.dense(x), axis=1, begin=-1, end=None).reshape((0, -1))
        """
    )["Step"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    notes = {variant.name: variant.note for variant in outcome.variants}
    assert notes["exported and imported"] == "its own `forward` prepares the inputs, which no graph holds"


@pytest.mark.parametrize(
    ("method", "heads"),
    [("__call__", "self, x"), ("forward", "self, x, *args")],
)
def test_a_graph_is_not_blamed_for_what_python_around_it_detaches(prove: Prove, method: str, heads: str) -> None:
    outcome = prove(
        f"""
        class Reader(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(3)

            def {method}({heads}):
                return super().{method}(x.detach() if isinstance(x, nd.NDArray) else x)

            def hybrid_forward(self, F, x):
                return self.dense(x)
        """
    )["Reader"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
    notes = {variant.name: variant.note for variant in outcome.variants}
    assert notes["exported and imported"] == f"its own `{method}` prepares the inputs, which no graph holds"


class Halved(nn.HybridBlock):
    """A layer between two others, each with parameters of float32."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, in_units=4)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return what the layer makes of half the input."""
        return self.dense(x / 2)


def test_a_second_instance_is_cast_like_the_first() -> None:
    world = LoadedModule(mx, sys.modules[__name__])
    calls = another_order([PlannedCall((("N", size),), 0, mode) for size in (2, 3) for mode in ("predict", "train")])
    plan = cast_plan(CallPlan({"x": TensorSpec(("N", 4))}, calls, {}, {}, ()), "float64")
    runner, side = Runner(ConstructorArguments([], {}), __file__), BlockVersion("as it stands", world, Halved, "")
    for variant in (EAGER, REORDERED):
        seen = runner.run(side, variant.double(), plan)
        assert [observation.call for observation in seen] == calls
        assert {call.instance for call in calls} == {0, 1}
        assert all(observation.failure is None for observation in seen), seen
