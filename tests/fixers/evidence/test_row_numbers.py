"""Whether a key holds row numbers or is a mask."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.row_numbers import are_row_numbers
from tests.fixers.bodies import met, named


@pytest.mark.parametrize(
    ("body", "key", "are"),
    [
        ("idx = self.rows_of(y)\nreturn x[idx]", "idx", True),
        ("t = self.step(y)\nreturn x[t]", "t", True),
        ("z = self.near(y)\nw = F.np.take(y, z, axis=0)\nreturn x[z]", "z", True),
        ("z = self.near(y)\nreturn x[z]", "z", False),
        ("mask = self.near(y)\nreturn x[mask]", "mask", False),
        ("idx = y > 0\nreturn x[idx]", "idx", False),
        ("idx = ~y\nreturn x[idx]", "idx", False),
        ("return x[self.idx]", "self.idx", False),
    ],
)
def test_row_numbers(body: str, key: str, are: bool) -> None:
    frame = met(body)
    assert are_row_numbers(frame, named(frame, key)) is are
