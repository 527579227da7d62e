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
    "rows from the second on": (
        "for i in range(1, len(x))",
        "x[i] * 2",
        "lambda row, states: (row * 2, states), F.slice_axis(x, axis=0, begin=1, end=None), []",
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


def _plain(text: str) -> str:
    """Return code without blanks, and without commas behind the last element."""
    return "".join(text.split()).replace(",]", "]").replace(",)", ")")


@pytest.mark.parametrize(("loop", "element", "given"), STEPS.values(), ids=STEPS.keys())
def test_steps(loop: str, element: str, given: str) -> None:
    before = f"return F.stack(*[{element} {loop}])"
    assert _plain(fixed(before, unsafe=True)) == _plain(f"return F.contrib.foreach({given})[0]")


NEIGHBOURS = {
    "the row before": (
        "x[i] - x[i - 1] for i in range(1, len(x))",
        ("x_i", "x_before"),
        ("begin=1, end=None", "begin=0, end=-1"),
    ),
    "the next row": (
        "x[i] - x[i + 1] for i in range(len(x) - 1)",
        ("x_i", "x_next"),
        ("begin=0, end=-1", "begin=1, end=None"),
    ),
    "rows between others": (
        "x[i + 1] - x[i - 1] for i in range(1, x.shape[0] - 1)",
        ("x_next", "x_before"),
        ("begin=2, end=None", "begin=0, end=-2"),
    ),
    "the row before the row before": (
        "x[i - 2] - x[i - 1] for i in range(2, x.shape[0])",
        ("x_before", "x_before_1"),
        ("begin=0, end=-2", "begin=1, end=-1"),
    ),
}


@pytest.mark.parametrize(("rows", "names", "cuts"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
def test_rows_beside_the_counter_are_cuts_of_the_same_tensor(
    rows: str, names: tuple[str, str], cuts: tuple[str, str]
) -> None:
    first, second = (f"F.slice_axis(x, axis=0, {cut})" for cut in cuts)
    before = f"""
    total = y
    for i in {rows.partition(" for i in ")[2]}:
        total = total + ({rows.partition(" for i in ")[0]})
    return total
    """
    after = f"""
    def step(rows, total):
        {names[0]}, {names[1]} = rows
        total = total + ({names[0]} - {names[1]})
        return total, total
    _, total = F.contrib.foreach(
        step,
        [
            {first},
            {second},
        ],
        total,
    )
    """
    assert _plain(after) in _plain(fixed(before, unsafe=True))


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
    "arithmetic on the counter as a number": "return F.stack(*[F.clip(r, 0, i + 1) for i, r in enumerate(x)])",
    "nothing of a row": "return F.stack(*[y * 2 for r in x])",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body


UNCUT = {
    "the last row before the first": "return F.stack(*[x[i] * x[i - 1] for i in range(len(x))])",
    "a row behind the last": "return F.stack(*[x[i] * x[i + 1] for i in range(len(x))])",
    "a counter from 1": "return F.stack(*[y * i for i in range(1, len(x))])",
    "two rows behind the last": "return F.stack(*[x[i] * x[i + 2] for i in range(len(x) - 1)])",
}


@pytest.mark.parametrize("body", UNCUT.values(), ids=UNCUT.keys())
def test_rows_that_are_not_there_are_no_steps(body: str) -> None:
    assert "foreach" not in fixed(body, unsafe=True)


def test_rows_of_what_operators_return_beside_those_of_a_name() -> None:
    body = "for a, b in zip(F.slice_axis(x, axis=0, begin=1, end=None), y):\n    h = h * b + F.relu(a)\nreturn h"
    after = fixed(f"h = F.zeros_like(y)\n{body}", unsafe=True)
    assert "F.contrib.foreach(step, [F.slice_axis(x, axis=0, begin=1, end=None), y], h)" in " ".join(after.split())


@pytest.mark.parametrize("others", ["made(x)", "F.split(x, num_outputs=3)"])
def test_rows_of_what_may_be_a_list_stay(others: str) -> None:
    body = f"h = F.zeros_like(y)\nfor a, b in zip({others}, y):\n    h = h * b + F.relu(a)\nreturn h"
    assert "foreach" not in fixed(body, unsafe=True)
