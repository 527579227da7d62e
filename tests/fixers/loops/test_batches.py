"""Sums over the rows of a tensor, computed for all rows at once."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

BATCHED = {
    "a reduction along an axis": ("F.max(row, axis=0)", "F.max(x, axis=1)"),
    "a reduction from the end": ("F.max(row, axis=-1)", "F.max(x, axis=-1)"),
    "a reduction to one number": ("F.mean(row * row)", "F.mean(x * x, axis=0, exclude=True)"),
    "the largest": (
        "F.sum(F.topk(row, k=2, ret_typ='value')) / 2",
        "F.sum(F.topk(x, k=2, ret_typ='value'), axis=0, exclude=True) / 2",
    ),
    "an element-wise function": ("(F.relu(row) * 2 - 1)", "F.relu(x) * 2 - 1"),
    "scores": ("-F.log_softmax(row)", "-F.log_softmax(x)"),
}


@pytest.mark.parametrize(("term", "after"), BATCHED.values(), ids=BATCHED.keys())
def test_summed_at_once(term: str, after: str) -> None:
    body = f"total = 0\nfor row in x:\n    total = total + {term}\nreturn total"
    written = "".join(fixed(body, unsafe=True).split()).replace(",)", ")")
    assert f"total=F.sum({after},axis=0)".replace(" ", "") in written
    assert fixed(body) == body


def test_a_sum_of_sums() -> None:
    body = "total = 0\nfor row in x:\n    total = total + F.sum(row * row)\nreturn total"
    assert fixed(body, unsafe=True) == "total = F.sum(x * x)\nreturn total"


def test_a_total_that_begins_with_a_tensor() -> None:
    body = "total = y\nfor row in x:\n    total = total + F.sum(row * row)\nreturn total"
    assert fixed(body, unsafe=True) == "total = y\ntotal = F.broadcast_add(total, F.sum(x * x))\nreturn total"


OTHERS = {
    "a row beside its sum": "row * F.sum(row, axis=0)",
    "two rows that are multiplied as matrices": "F.dot(row, row)",
    "a child of the block": "self.net(row)",
    "another tensor": "row * y",
    "an axis that is not known": "F.max(row, axis=self.axis)",
    "a parameter that reads the row": "F.topk(row, k=len(row))",
}


@pytest.mark.parametrize("term", OTHERS.values(), ids=OTHERS.keys())
def test_other_terms_are_not_summed_at_once(term: str) -> None:
    body = f"total = 0\nfor row in x:\n    total = total + {term}\nreturn total"
    after = fixed(body, unsafe=True)
    assert "foreach" in after or "axis=0)" not in after.replace(term, "")
