"""The argument for `F`, added to a hybrid_forward that lacks it."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward({before}):
        return {result}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("self, x", "self, F, x"),
        ("self, x: object = None", "self, F, x: object = None"),
        ("self, x, y", "self, F, x, y"),
        (
            "self,  # of the model\n                       x",
            "self,  # of the model\n                       F,\n                       x",
        ),
    ],
)
def test_the_argument_stands_behind_self(before: str, after: str) -> None:
    text = fixed_text(NET.format(before=before, result="x * 2"), unsafe=True)
    assert "".join(text.split()) == "".join(NET.format(before=after, result="x * 2").split())


def test_a_body_that_has_another_meaning_for_the_name_is_left_alone() -> None:
    text = NET.format(before="self, x", result="F.relu(x)")
    assert fixed_text(text, unsafe=True) == text


def test_it_is_no_safe_fix_because_callers_of_the_method_leave_it_out_too() -> None:
    text = NET.format(before="self, x", result="x * 2")
    assert fixed_text(text) == text
