"""Guessed constructor arguments differ from each other, so that ranges are drawn from and widths are told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.child.build.distinct_numbers import distinct
from hybridlint.proving.child.build.values.bounds import order_bounds

Prove = Callable[..., dict[str, ProofOutcome]]

GAIN = """
    import numpy as np

    class Gain(gluon.HybridBlock):
        def __init__(self, {signature}):
            super().__init__()
            {kept}

        def hybrid_forward(self, F, x):
            return x * float(np.random.uniform(self.low, self.high))
"""


def test_an_end_of_a_range_differs_from_the_default_of_the_other() -> None:
    assert order_bounds({"low": "4"}, {"high": "1.0"}) == {"low": "0.5"}
    assert order_bounds({"high": "4"}, {"low": "5"}) == {"high": "10"}


def test_ends_of_a_range_that_are_fields_of_a_settings_object_differ() -> None:
    assert order_bounds({"config.low": "4", "config.high": "4"}) == {"config.low": "4", "config.high": "8"}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("[4, 4]", "[4, 8]"),
        ("(0.5, 0.5)", "(0.25, 0.5)"),
        ("{'low': 4, 'high': 4}", "{'low': 4, 'high': 8}"),
        ("SimpleNamespace(min_db=4, max_db=4)", "SimpleNamespace(min_db=4, max_db=8)"),
        ("{'widths': [4, 4]}", "{'widths': [4, 8]}"),
        ("[nn.Dense(4), nn.Dense(4)]", None),
        ("[1, 1, 1, 1]", None),
        ("(3, 4)", None),
    ],
)
def test_equal_numbers_of_a_guess_are_set_apart(text: str, changed: str | None) -> None:
    found = next(distinct({"a": text}, {}, {}), None)
    assert found == (None if changed is None else {"a": changed})


def test_what_a_real_call_passes_stays() -> None:
    assert next(distinct({"a": "[4, 4]"}, {}, {"a": ["[4, 4]"]}), None) is None


@pytest.mark.parametrize(
    ("signature", "kept"),
    [
        ("span", "self.low, self.high = span"),
        ("span", "self.low, self.high = span[0], span[1]"),
        ("span", "self.low, self.high = (lambda a, b: (a, b))(*span)"),
        ("span", "self.low, self.high = span['low'], span['high']"),
        ("config", "self.low, self.high = config.low, config.high"),
        ("low, high=4", "self.low, self.high = low, high"),
    ],
)
def test_a_range_is_drawn_from_wherever_its_ends_stand(prove: Prove, signature: str, kept: str) -> None:
    outcome = prove(GAIN.format(signature=signature, kept=kept))["Gain"]
    assert outcome.status is ProofStatus.REFUTED, outcome.setup


def test_widths_are_told_apart_where_the_block_accepts_that(prove: Prove) -> None:
    found = prove(
        """
        class Stack(gluon.HybridBlock):
            def __init__(self, widths):
                super().__init__()
                self.body = nn.HybridSequential()
                for width in widths:
                    self.body.add(nn.Dense(width))

            def hybrid_forward(self, F, x):
                return self.body(x)

        class Residual(gluon.HybridBlock):
            def __init__(self, widths):
                super().__init__()
                self.first, self.second = nn.Dense(widths[0]), nn.Dense(widths[1])

            def hybrid_forward(self, F, x):
                return self.first(x) + self.second(x)
        """
    )
    assert found["Stack"].status is found["Residual"].status is ProofStatus.PROVED
    assert "[4, 8]" in str(found["Stack"].setup)
    assert "[4, 4]" in str(found["Residual"].setup)
