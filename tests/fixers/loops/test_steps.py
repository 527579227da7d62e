"""What loops step through, and expressions of one step: rows by their names, the counter broadcasting."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

STEPS = {
    "rows": ("for r in x", "r * 2", "lambda r, states: (r * 2, states), x, []"),
    "rows by their numbers": ("for i in range(len(x))", "x[i] * 2", "lambda row, states: (row * 2, states), x, []"),
    "columns by their numbers": (
        "for i in range(x.shape[1])",
        "x[:, i] * 2",
        "lambda row, states: (row * 2, states), F.swapaxes(x, 0, 1), []",
    ),
    "rows of two tensors": (
        "for a, b in zip(x, y)",
        "a - (b + a)",
        "lambda rows, states: (rows[0] - (rows[1] + rows[0]), states), [x, y], []",
    ),
    "names that are taken": (
        "for states in x",
        "states * 2",
        "lambda states, nothing: (states * 2, nothing), x, []",
    ),
}


@pytest.mark.parametrize(("loop", "element", "given"), STEPS.values(), ids=STEPS.keys())
def test_steps(loop: str, element: str, given: str) -> None:
    before = f"return F.stack(*[{element} {loop}])"
    assert fixed(before, unsafe=True) == f"return F.contrib.foreach({given})[0]"


def test_the_counter_is_a_tensor() -> None:
    before = "return F.stack(*[r * (i + 1) - 2 for i, r in enumerate(x)])"
    after = """
    return F.contrib.foreach(
        lambda rows, states: (F.broadcast_mul(rows[0], rows[1] + 1) - 2, states),
        [x, F.contrib.arange_like(x, axis=0)],
        [],
    )[0]
    """
    assert fixed(before, unsafe=True) == lines(after)


def test_comments_of_a_step_stay() -> None:
    before = """
    return F.stack(*[
        F.relu(
            a,  # the first
        ) * b
        for a, b in zip(x, y)
    ])
    """
    after = """
    return F.contrib.foreach(lambda rows, states: (F.relu(
            rows[0],  # the first
        ) * rows[1], states), [x, y], [])[0]
    """
    assert fixed(before, unsafe=True) == lines(after)


UNTOUCHED = {
    "the same tensor twice": "return F.stack(*[a - b for a, b in zip(x, x)])",
    "the counter as a number": "return F.stack(*[F.clip(r, 0, i) for i, r in enumerate(x)])",
    "nothing of a row": "return F.stack(*[y * 2 for r in x])",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body
