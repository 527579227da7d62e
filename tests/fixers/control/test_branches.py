"""Branches on data as choices, with their comments, in any expression."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a conditional expression": (
        "return x * 2 if x.sum() > 0 else x + 1",
        "return F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x + 1)",
    ),
    "in parentheses, beside an operator": (
        "return y + (x * 2 if x.sum() > 0 else x + 1)",
        "return y + F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x + 1)",
    ),
    "of a negation": (
        "return x * 2 if not x.sum() > 0 else x * 3",
        "return F.where(F.broadcast_mul(F.ones_like(x), F.logical_not(x.sum() > 0)), x * 2, x * 3)",
    ),
    "a comment inside": (
        "return (\n    x * 2  # twice\n    if x.sum() > 0\n    else x + 1\n)",
        """
        return F.where(
            F.broadcast_mul(F.ones_like(x), x.sum() > 0),
            x * 2,  # twice
            x + 1,
        )
        """,
    ),
    "an if with comments": (
        "if x.sum() > 0:  # why\n    z = x * 2  # twice\nelse:\n    z = x + 1  # more\nreturn z",
        """
        # why
        # twice
        z = F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x + 1)  # more
        return z
        """,
    ),
    "an if on one line": (
        "if x.sum() > 0: z = x * 2\nelse: z = x + 1\nreturn z",
        "z = F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x + 1)\nreturn z",
    ),
    "an early return": (
        "if x.sum() > 0:\n    return x * 2\nreturn x + 1  # other",
        "return F.where(F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2, x + 1)  # other",
    ),
    "a long line": (
        "if x.sum() > 0:\n    name_of_a_choice_between_two_others = x * 2.5 + 0.25\n"
        "else:\n    name_of_a_choice_between_two_others = x + 1.5\nreturn name_of_a_choice_between_two_others",
        """
        name_of_a_choice_between_two_others = F.where(
            F.broadcast_mul(F.ones_like(x), x.sum() > 0), x * 2.5 + 0.25, x + 1.5
        )
        return name_of_a_choice_between_two_others
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "two numbers, one of them a sum with a guarded quotient": (
        "n = F.sum(x > 0)\nif n > 0:\n    return F.sum(y) + F.sum(x) / n\nreturn F.sum(y)",
        "n = F.sum(x > 0)\nreturn F.where(n > 0, F.sum(y) + F.sum(x) / (n + (n == 0)), F.sum(y))",
    ),
    "of another tensor": (
        "if x.sum() > 0:\n    return y * 2\nreturn y.exp()",
        "return F.where(F.broadcast_mul(F.ones_like(y), x.sum() > 0), y * 2, y.exp())",
    ),
    "without an else": (
        "z = x\nif x.sum() > 0:\n    z = x * 2\nreturn z",
        "z = x\nz = F.where(F.broadcast_mul(F.ones_like(z), x.sum() > 0), x * 2, z)\nreturn z",
    ),
    "of what is not written twice": (
        "if x.sum() > 0:\n    return F.min(y, axis=1)\nreturn F.max(y, axis=1)",
        """
        chosen = F.min(y, axis=1)
        return F.where(F.broadcast_mul(F.ones_like(chosen), x.sum() > 0), chosen, F.max(y, axis=1))
        """,
    ),
    "by the mode of autograd": (
        "if autograd.is_training():\n    x = x + F.random.normal_like(x)\nreturn F.tanh(x)",
        """
        x = F.where(F.Dropout(F.ones_like(x), p=0.5) != 1, x + F.random.normal_like(x), x)
        return F.tanh(x)
        """,
    ),
    "by the mode of autograd, in an expression": (
        "return x * 2 if autograd.is_training() else x * 3",
        "return F.where(F.Dropout(F.ones_like(x), p=0.5) != 1, x * 2, x * 3)",
    ),
    "of results that are computed behind": (
        "if y.sum() > 3:\n    return F.relu(x)\nz = F.tanh(x)\nreturn z + 1",
        """
        early = F.relu(x)
        z = F.tanh(x)
        return F.where(F.broadcast_mul(F.ones_like(early), y.sum() > 3), early, z + 1)
        """,
    ),
    "of what the analysis saw made alike": (
        "z = F.dot(x, y)\nif x.sum() > 0:\n    w = F.softmax(z)\nelse:\n    w = F.tanh(z)\nreturn w",
        """
        z = F.dot(x, y)
        w = F.where(F.broadcast_mul(F.ones_like(z), x.sum() > 0), F.softmax(z), F.tanh(z))
        return w
        """,
    ),
    "of two numbers": (
        "k = 0.5\nif x.mean() < 1:\n    k = k * 5\nreturn x * 2 + y",
        "k = 0.5\nk = (x.mean() < 1) * (k * 5) + F.logical_not(x.mean() < 1) * k\nreturn x * 2 + y",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize(
    "before",
    [
        "if x.sum() > 0:\n    z = x * 2\n    w = z\nelse:\n    z = x\nreturn z",
        "if x.sum() > 0:\n    z = x * 2\nelse:\n    w = x\nreturn x * 2",
        "name = 'a' if x.sum() > 0 else 'b'\nreturn F.Activation(x, act_type=name)",
        "k = 2 if x.sum() > 0 else x\nreturn x * k",
        "n = F.sum(x)\nif n < 3:\n    return F.sum(y, axis=1)\nreturn F.broadcast_div(F.sum(y, axis=1), n)",
        "if x.sum() > 0:\n    return F.min(y, axis=1)\nreturn F.max(y, axis=2)",
    ],
    ids=[
        "several statements",
        "two names",
        "texts",
        "a number and a tensor",
        "a test that keeps a divisor from 0",
        "other axes",
    ],
)
def test_refused(before: str) -> None:
    assert fixed(before) == before


def test_numpy_mode_broadcasts_by_itself() -> None:
    assert fixed("return x * 2 if x.sum() > 0 else x + 1", numpy=True) == "return F.np.where(x.sum() > 0, x * 2, x + 1)"


def test_a_number_beside_a_tensor_of_numpy_mode_becomes_a_tensor() -> None:
    chosen = "F.np.where(x.sum() > 0, x, F.np.zeros_like(x) + 0.5)"
    assert fixed("return x if x.sum() > 0 else 0.5", unsafe=True, numpy=True) == f"return {chosen}"


def test_names_of_its_own_are_computed_before() -> None:
    body = "if x.sum() > 0:\n    z = F.np.exp(x)  # growth\n    y = y + z\nreturn y"
    assert fixed(body, numpy=True) == body
    chosen = "# growth\nz = F.np.exp(x)\ny = F.np.where(x.sum() > 0, y + z, y)\nreturn y"
    assert fixed(body, unsafe=True, numpy=True) == chosen


@pytest.mark.parametrize(
    "body",
    [
        "z = x\nif x.sum() > 0:\n    z = F.np.exp(x)\n    y = y + z\nreturn y * z",
        "if x.sum() > 0:\n    z = self.draw()\n    y = y + z\nreturn y",
        "if x.sum() > 0:\n    z = F.np.exp(x)\n    y = y + z\nelse:\n    y = x\nreturn y",
    ],
    ids=["read elsewhere", "a call of its own", "another branch"],
)
def test_branches_that_do_more_are_left(body: str) -> None:
    assert "F.np.where" not in fixed(body, unsafe=True, numpy=True)
