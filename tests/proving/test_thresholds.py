"""The numbers with which a block compares a setting: a proof changes it to them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent
from types import SimpleNamespace

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.changed_settings import ChangedSettings
from hybridlint.proving.brief.stores import parse_stores
from hybridlint.proving.brief.thresholds import direction
from hybridlint.proving.child.brief.changes import Setting
from hybridlint.proving.child.changes.change import beyond, thresholds

Prove = Callable[..., dict[str, ProofOutcome]]


@pytest.mark.parametrize(
    ("value", "numbers", "way", "found"),
    [
        (0, [50], 0, [50, 51, 49]),
        (0, [50], 1, [50, 51, 49]),
        (60, [50], 1, [110]),
        (60, [50], -1, [50, 51, 49]),
        (0.5, [0.9], 0, [0.9, 1.9, 0.9 - 1, 1.4]),
        (3, [], 0, []),
    ],
)
def test_values_at_and_on_both_sides_of_a_number(
    value: float, numbers: list[float], way: int, found: list[float]
) -> None:
    assert beyond(value, numbers, way) == pytest.approx(found)


@pytest.mark.parametrize(
    ("code", "way"),
    [
        ("self.n += 1", 1),
        ("self.n -= 1", -1),
        ("self.n = 1", 0),
        ("self.n *= 2", 0),
        ("self.n += 1; self.n = 0", 0),
        ("self.m += 1", 0),
    ],
)
def test_a_counter_only_goes_one_way(code: str, way: int) -> None:
    tree = ast.parse(f"class Net:\n    def __init__(self): self.n = 0\n    def step(self): {code}\n")
    assert direction(tree, lambda node: getattr(node, "attr", "") == "n") == way


def test_numbers_are_literals_attributes_and_globals() -> None:
    body = """
    STATE = {"epoch": 0}

    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            if self.epoch > self.start and not self.kind == "late":
                x = x * min(self.rate, LIMIT)
            if STATE["epoch"] // 30 > 2:
                x = x * self.epoch
            return x * 7
    """
    known = ChangedSettings(parse_stores(dedent(body)))
    owner, constants = SimpleNamespace(start=12, kind="early", rate=0.5), {"LIMIT": 0.9}
    numbers = {Setting("epoch"): [12], Setting("rate"): [0.9], Setting("epoch", "STATE", key=True): [2, 30]}
    for place, expected in {**numbers, Setting("start"): []}.items():
        assert thresholds(known.numbers("Net", place), owner, constants) == expected


def test_a_schedule_that_begins_late_is_refuted(prove: Prove) -> None:
    outcomes = prove(
        """
        STATE = {"epoch": 0}
        WARM = 200

        def set_epoch(epoch):
            STATE["epoch"] = epoch

        class OfGlobal(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return F.relu(x) if STATE["epoch"] >= WARM else x * 2

        class OfMethod(nn.HybridBlock):
            def __init__(self, start=50):
                super().__init__()
                self.start, self.epoch = start, 0

            def set_epoch(self, epoch):
                self.epoch = epoch

            def hybrid_forward(self, F, x):
                return F.relu(x) if self.epoch >= self.start else x * 2

        class Stepped(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.step = 0

            def advance(self):
                self.step += 1

            def hybrid_forward(self, F, x):
                return x * 0.5 ** (self.step // 30)
        """
    )
    found = {name: (o.status, (o.call or "").rpartition(", once ")[2]) for name, o in outcomes.items()}
    assert found == {
        "OfGlobal": (ProofStatus.REFUTED, "STATE['epoch'] is changed from 0 to 200"),
        "OfMethod": (ProofStatus.REFUTED, "self.epoch is changed from 0 to 50"),
        "Stepped": (ProofStatus.REFUTED, "self.advance() is called 100 times"),
    }


def test_a_counter_comes_to_where_the_block_asks_for_it(prove: Prove) -> None:
    outcomes = prove(
        """
        class WarmUp(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def hybrid_forward(self, F, x):
                self.calls += 1
                return F.relu(x) if self.calls > 100 else x * 2

        class Logging(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def hybrid_forward(self, F, x):
                self.calls += 1
                if self.calls % 100 == 0:
                    print(self.calls)
                return F.relu(x)
        """
    )
    assert outcomes["WarmUp"].status is ProofStatus.REFUTED
    assert (outcomes["WarmUp"].call or "").endswith("once self.calls has come to 100")
    assert (outcomes["Logging"].status, outcomes["Logging"].only) == (ProofStatus.PROVED, ())


def test_a_number_that_made_no_difference_where_nothing_compares_it_stays_a_reserve(prove: Prove) -> None:
    outcome = prove(
        """
        def late(epoch):
            return epoch > 1000

        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.epoch = 0

            def set_epoch(self, epoch):
                self.epoch = epoch

            def hybrid_forward(self, F, x):
                return F.relu(x) if late(self.epoch) else x * 2
        """
    )["Net"]
    assert (outcome.status, outcome.only) == (ProofStatus.PROVED, ("unchanged self.epoch",))
