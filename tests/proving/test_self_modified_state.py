"""What the calls of a block change: a graph keeps what the first call read of it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.brief.writer import module_changes

Prove = Callable[..., dict[str, ProofOutcome]]


def _moved(body: str) -> list[str]:
    return [str(place) for place in module_changes(dedent(body)).of("Net").moved]


def test_what_a_call_stores_and_the_pass_reads() -> None:
    assert _moved(
        """
        CALLS = 0

        class Net(nn.HybridBlock):
            def forward(self, x):
                self.length = x.shape[1]
                self.unread = x.shape[0]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                global CALLS
                CALLS += 1
                self.calls += 1
                self.total = self.total + 1
                self.seen.append(x)
                assert self.asserted > 0
                self.asserted = self.length
                self.width = self._size()
                return x * self.width * CALLS * len(self.seen)

            def _size(self):
                return self.units
        """
    ) == ["self.length", "CALLS", "self.seen", "self.width"]


def test_what_is_traced_anew_at_each_change_is_not_kept() -> None:
    assert (
        _moved(
            """
            class Net(nn.HybridBlock):
                def forward(self, x):
                    if x.shape[1] != self.length:
                        self.length = x.shape[1]
                        self._clear_cached_op()
                    return super().forward(x)

                def hybrid_forward(self, F, x):
                    return x * self.length
            """
        )
        == []
    )


def test_a_proof_that_cannot_tell_the_values_apart_says_so(prove: Prove) -> None:
    outcomes = prove(
        """
        class Long(nn.HybridBlock):
            def forward(self, x):
                self.length = x.shape[1]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                # hybridlint: shapes(x=("N", "T", 3))
                return F.slice_axis(x, axis=1, begin=0, end=32) if self.length > 32 else x * 2

        class Clipped(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.limit = 1e6

            def forward(self, x):
                self.limit = min(self.limit, float(x.abs().max().asscalar()) * 1e4)
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.clip(x, -self.limit, self.limit)

        class Same(nn.HybridBlock):
            def forward(self, x):
                self.axes = len(x.shape)
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.softmax(x, axis=self.axes - 1)
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Long": (ProofStatus.PROVED, ("unchanged self.length",)),
        "Clipped": (ProofStatus.PROVED, ("unchanged self.limit",)),
        "Same": (ProofStatus.PROVED, ()),
    }


def test_numbers_that_go_by_a_decision_and_those_that_do_not() -> None:
    body = """
    class Net(nn.HybridBlock):
        def forward(self, x):
            self.length = x.shape[1]
            self.odd = x.shape[1] % 2
            self.scale = 1.0 if x.shape[0] <= 8 else 0.5
            self.least = min(x.shape[1], 512)
            if x.max() > 100:
                self.large = True
            if self.units is None:
                self.units = x.shape[-1]
            if not hasattr(self, "depth"):
                self.depth = 2
            if x.ndim > 2:
                if self.clip is None:
                    self.clip = -1
            self.state["calls"] += 1
            self.rates[self.length] = 0.5
            return super().forward(x)

        def hybrid_forward(self, F, x):
            x = x * self.length * self.odd * self.scale * self.least * self.large * self.units * self.depth * self.clip
            return x * self.state["calls"] * self.rates[3]
    """
    found = module_changes(dedent(body)).of("Net").moved
    assert {place.name: decided for place, decided in found.items()} == {
        "length": False,
        "odd": True,
        "scale": True,
        "least": True,
        "large": True,
        "units": False,
        "depth": False,
        "clip": False,
        "state": False,
        "rates": False,
    }


def test_a_decision_of_which_the_calls_show_one_outcome_is_a_reserve(prove: Prove) -> None:
    outcomes = prove(
        """
        class Averaged(nn.HybridBlock):
            def forward(self, x):
                self.scale = 1.0 if x.shape[0] <= 8 else 8.0 / x.shape[0]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return x * self.scale

        class Counting(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.state = {"calls": 0}

            def hybrid_forward(self, F, x):
                self.state["calls"] += 1
                return x * 2 if self.state["calls"] < 200 else x

        class Deferred(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.units = None

            def forward(self, x):
                if self.units is None:
                    self.units = 2.0
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return x * self.units
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Averaged": (ProofStatus.PROVED, ("unchanged self.scale",)),
        "Counting": (ProofStatus.PROVED, ("unchanged self.state",)),
        "Deferred": (ProofStatus.PROVED, ()),
    }


def test_an_object_is_stepped_until_its_schedule_begins(prove: Prove) -> None:
    outcome = prove(
        """
        class Curriculum:
            def __init__(self):
                self.seen = 0

            def step(self):
                self.seen += 1

            def weight(self):
                return 0.0 if self.seen < 1000 else 1.0

        class Net(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.curriculum = Curriculum()

            def hybrid_forward(self, F, x):
                return x + self.curriculum.weight() * F.sin(x)
        """
    )["Net"]
    assert outcome.status is ProofStatus.REFUTED
    assert (outcome.call or "").endswith("once self.curriculum.step() is called 1000 times")


def test_what_others_and_hooks_store_on_the_block_and_the_dtype_of_all_calls(prove: Prove) -> None:
    outcomes = prove(
        """
        class Child(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.length = 1

            def hybrid_forward(self, F, x):
                return F.softmax(x) if self.length < 64 else F.relu(x)

        class Parent(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.child = Child()

            def forward(self, x):
                self.child.length = x.shape[1]
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return self.child(x)

        class Hooked(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.long = False
                self.register_forward_pre_hook(self._look)

            @staticmethod
            def _look(block, inputs):
                block.long = inputs[0].shape[1] > 64

            def hybrid_forward(self, F, x):
                return F.softmax(x) if not self.long else F.relu(x)

        class Casting(nn.HybridBlock):
            def forward(self, x):
                self.kind = x.dtype
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.cast(F.relu(F.cast(x, "float32")), self.kind)
        """
    )
    del outcomes["Child"]
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Parent": (ProofStatus.PROVED, ("unchanged Child.length",)),
        "Hooked": (ProofStatus.PROVED, ("unchanged self.long",)),
        "Casting": (ProofStatus.PROVED, ("unchanged self.kind",)),
    }


def test_numbers_and_arrays_of_numpy_are_told_apart_too(prove: Prove) -> None:
    outcomes = prove(
        """
        import numpy as np

        class Largest(nn.HybridBlock):
            def forward(self, x):
                self.limit = x.asnumpy().max() * 1e4
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.clip(x, -1e9, float(self.limit) + 1e6)

        class Averaged(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.mean = np.zeros(2)

            def forward(self, x):
                self.mean = 0.9 * self.mean + 0.1 * float(x.mean().asscalar())
                return super().forward(x)

            def hybrid_forward(self, F, x):
                return F.relu(x) if self.mean.sum() < 50 else x
        """
    )
    assert {name: (o.status, o.only) for name, o in outcomes.items()} == {
        "Largest": (ProofStatus.PROVED, ("unchanged self.limit",)),
        "Averaged": (ProofStatus.PROVED, ("unchanged self.mean",)),
    }
