"""Whether the first axes of an expression are as long as those of a tensor."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.leading_axes import leads
from tests.fixers.bodies import met

LEADS = [
    ("return x", 2),
    ("return x * 2", 2),
    ("return -F.relu(x)", 2),
    ("z = F.exp(x)\nreturn z.clip(0, 1)", 2),
    ("return x.sum(axis=2)", 2),
    ("return F.softmax(x)", 2),
    ("return self.net(x)", 1),
    ("return F.broadcast_add(x, 1)", 1),
    ("return x + y.expand_dims(axis=0)", 1),
    ("z = F.exp(x)\nw = z * 2\nreturn w", 2),
]
MAY_NOT = [
    ("return y", 1),
    ("return x.sum(axis=0)", 1),
    ("return x.sum(axis=1)", 2),
    ("return x.reshape((-1,))", 1),
    ("return self.net(x)", 2),
    ("return x + y", 1),
    ("return F.broadcast_add(x, y)", 1),
    ("if self.training:\n    z = F.exp(x)\nelse:\n    z = y\nreturn z", 1),
    ("x = y\nreturn x", 1),
    ("return F.transpose(x)", 1),
]


def _leads(body: str, count: int) -> bool:
    frame = met(f"a = x * y\n{body}")
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    return leads(frame, frame.statement.value, "x", count)


@pytest.mark.parametrize(("body", "count"), LEADS)
def test_the_axes_of_the_tensor(body: str, count: int) -> None:
    assert _leads(body, count)


@pytest.mark.parametrize(("body", "count"), MAY_NOT)
def test_axes_that_may_be_others(body: str, count: int) -> None:
    assert not _leads(body, count)
