"""Conditions that are negated: what is no tensor is not handed to operators."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed


@pytest.mark.parametrize("question", ["outs != None", "None == outs", "outs is not None"])
def test_a_question_for_none_stays_a_bool(question: str) -> None:
    body = f"""
    outs = F.split(x, num_outputs=2, axis=1)
    if not ({question}):
        return F.relu(x)
    return outs[0]
    """
    assert "logical_not" not in fixed(body, unsafe=True)


def test_a_condition_on_data_is_negated_by_an_operator() -> None:
    body = """
    if not (x.sum() > 0):
        x = x * 2
    return x
    """
    assert "F.logical_not(x.sum() > 0)" in fixed(body, unsafe=True)
