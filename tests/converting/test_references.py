"""Operators that code passes on as functions."""

from __future__ import annotations

import pytest

from tests.converting.bodies import converted, converted_body, module_text

BODIES = {
    "act = F.relu if y is None else F.tanh": "act = F.relu if y is None else torch.tanh",
    "add = F.broadcast_add": "add = lambda x, y: x + y",
    "f = partial(F.Activation, act_type='softrelu')": "f = F.softplus",
    "f = partial(F.softmax, axis=1)": "f = lambda x: F.softmax(x, dim=1)",
}


@pytest.mark.parametrize("before", BODIES)
def test_functions(before: str) -> None:
    text = converted("from functools import partial\n" + module_text(f"{before}\nreturn x")).text
    assert f"        {BODIES[before]}\n" in text


def test_an_operator_without_counterpart_is_named() -> None:
    assert "raise NotImplementedError" in converted_body("f = F.contrib.count_sketch\nreturn f(x)")
