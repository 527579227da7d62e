"""A gradient of zeros updates the statistics of layers that keep some."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from tests.fixers.bodies import met


@pytest.mark.parametrize(
    "body", ["return F.BatchNorm(x, y, y, y, y)", "self.norm = nn.BatchNorm()", "return self.given(x)"]
)
def test_a_layer_with_statistics_may_be_behind(body: str) -> None:
    assert may_update_statistics(met(body))


@pytest.mark.parametrize("body", ["return x.relu()", "return F.Dropout(x, p=0.5)", "return F.LayerNorm(x, y, y)"])
def test_no_layer_with_statistics_is_behind(body: str) -> None:
    assert not may_update_statistics(met(body))
