"""Expressions without side effects: fixes may leave them out."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.harmless_code import is_harmless
from tests.fixers.bodies import met

HARMLESS = [
    "x + 1",
    "x.mean()",
    "x.asnumpy()",
    "(x > 0).asnumpy().all()",
    "'%s' % x.shape",
    "'{}'.format(x)",
    "len([x, y])",
    "(lambda a: a + 1)(x)",
]
HARMFUL = [
    "(z := x + 1)",
    "x.backward()",
    "x.asnumpy().sort()",
    "x.copyto(y)",
    "F.relu(x, out=y)",
    "self.kept.append(x)",
    "self.net(x)",
    "setattr(self, 'a', x)",
    "next(self.rows)",
    "(lambda a: self.kept.append(a))(x)",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_changes_nothing(text: str) -> None:
    frame = met(f"z = {text}\nreturn x")
    assert frame.function is not None
    assert is_harmless(frame, [frame.function.body[0].value])  # type: ignore[union-attr, index]


@pytest.mark.parametrize("text", HARMFUL)
def test_what_other_code_may_notice(text: str) -> None:
    frame = met(f"z = {text}\nreturn x + 1")
    assert frame.function is not None
    assert not is_harmless(frame, [frame.function.body[0].value])  # type: ignore[union-attr, index]
