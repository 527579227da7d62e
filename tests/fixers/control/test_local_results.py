"""Results that a block stores on itself and reads back."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed


def test_a_local_variable_holds_the_result_too() -> None:
    before = "self.weights = F.softmax(x)\nreturn self.weights * 2"
    assert fixed(before) == "weights = self.weights = F.softmax(x)\nreturn weights * 2"


LEFT = {
    "read before": "y = self.weights * 2\nself.weights = F.softmax(x)\nreturn y + self.weights",
    "stored in a branch": "if self.flag:\n    self.weights = F.softmax(x)\nreturn self.weights * 2",
    "changed again": "self.weights = F.softmax(x)\nself.weights = self.weights * 2\nreturn self.weights",
    "a name that is taken": "weights = x * 2\nself.weights = F.softmax(x)\nreturn self.weights * weights",
    "never read": "self.weights = F.softmax(x)\nreturn x * 2",
    "read by name": "self.weights = F.softmax(x)\nreturn self.weights * getattr(self, 'weights')",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_others_are_left(body: str) -> None:
    assert fixed(body) == body
