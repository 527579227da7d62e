"""Calls in other orders, and what a module keeps beside its blocks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.module_snapshot import ModuleSnapshot
from hybridlint.proving.child.runs.call_orders import another_order
from hybridlint.proving.child.runs.runs import MODES, PlannedCall

Prove = Callable[..., dict[str, ProofOutcome]]
SMALL, LARGE, BATCH = (("N", 2), ("T", 5)), (("N", 3), ("T", 7)), (("N", 5), ("T", 5))


def test_another_order_trains_first_goes_to_other_sizes_and_to_a_second_instance_and_comes_back() -> None:
    calls = [PlannedCall(sizes, flavour, mode) for sizes in (SMALL, LARGE) for flavour in (0, 1) for mode in MODES]
    found = another_order(calls)
    assert [(call.mode, call.sizes, call.instance) for call in found] == [
        ("train", SMALL, 0),
        ("predict", SMALL, 0),
        ("predict", LARGE, 0),
        ("train", LARGE, 0),
        ("train", SMALL, 1),
        ("predict", SMALL, 1),
        ("predict", SMALL, 0),
        ("predict", BATCH, 0),
        ("train", BATCH, 0),
    ]
    assert len(set(found)) == len(found)
    assert str(found[4]) == "call 5 of another order, a second instance, N = 2, T = 5, train mode, random inputs 1"


def test_modes_that_did_not_run_are_in_no_order() -> None:
    found = another_order([PlannedCall(SMALL, 0, "predict")])
    assert [(call.mode, call.instance) for call in found] == [("predict", 0), ("predict", 1), ("predict", 0)]


def test_what_a_module_keeps_gets_its_first_value_again() -> None:
    module: Any = ModuleType("net")
    source = (
        "from functools import lru_cache\n"
        "masks, count = {'a': [1]}, 0\n"
        "class Net:\n    total = 0\n    def call(self, seen=[]):\n        seen.append(1)\n        return seen\n"
        "class Settings:\n    def __init__(self):\n        self.scale = 1\n"
        "settings = Settings()\n"
        "@lru_cache\ndef cached(x):\n    return object()\n"
    )
    exec(source, module.__dict__)
    state = ModuleSnapshot(module)
    masks, first = module.masks, module.cached(1)
    masks["b"], module.count, module.made, module.Net.total, module.Net.more = 2, 3, 4, 5, 6
    masks["a"].append(2)
    module.Net().call()
    module.settings.scale = 7
    state.restore()
    assert module.masks is masks
    assert masks == {"a": [1]}
    assert (module.count, module.Net.total, module.settings.scale) == (0, 0, 1)
    assert not hasattr(module, "made")
    assert not hasattr(module.Net, "more")
    assert module.Net().call() == [1]
    assert module.cached(1) is not first


def test_what_only_a_second_instance_changes_shows_in_another_order(prove: Prove) -> None:
    outcomes = prove(
        """
        class Counted(nn.HybridBlock):
            count = 0

            def __init__(self):
                super().__init__()
                Counted.count += 1

            def hybrid_forward(self, F, x):
                return x * Counted.count

        class Own(nn.HybridBlock):
            count = 0

            def __init__(self):
                super().__init__()
                Own.count += 1
                self.number = 3.0

            def hybrid_forward(self, F, x):
                return x * self.number
        """
    )
    assert outcomes["Counted"].status is ProofStatus.REFUTED
    assert outcomes["Counted"].variant == "another order"
    assert outcomes["Counted"].call == "call 7 of another order, N = 2, L = 4, predict mode, random inputs 1"
    assert outcomes["Own"].status is ProofStatus.PROVED


def test_what_trains_first_and_freezes_its_mode_is_refuted(prove: Prove) -> None:
    outcome = prove(
        """
        SEEN = []

        class Late(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if not SEEN or SEEN[0] == "train":
                    SEEN.insert(0, "train" if autograd.is_training() else "predict")
                return 2 * x if SEEN[0] == "train" else x * 1
        """
    )["Late"]
    assert (outcome.status, outcome.variant) == (ProofStatus.REFUTED, "another order")


def test_what_one_run_leaves_in_the_module_is_not_met_by_the_next(prove: Prove) -> None:
    outcome = prove(
        """
        MASKS = {}

        class Masked(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                if "mask" not in MASKS:
                    MASKS["mask"] = F.ones((1,))
                return F.broadcast_mul(x, MASKS["mask"])
        """
    )["Masked"]
    assert outcome.status is ProofStatus.PROVED, outcome.reason
