"""What the calls of a block change: a graph keeps what the first call read of it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

from hybridlint.outcome import Outcome, Status
from hybridlint.proving.child.build.settings import Settings
from hybridlint.proving.child.build.stores import parsed

Prove = Callable[..., dict[str, Outcome]]


def _moved(body: str) -> list[str]:
    return [str(place) for place in Settings(parsed(dedent(body))).moved("Net")]


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
        "Long": (Status.PROVED, ("unchanged self.length",)),
        "Clipped": (Status.PROVED, ("unchanged self.limit",)),
        "Same": (Status.PROVED, ()),
    }
