"""The fixers of the mode of autograd."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a rate": ("return F.Dropout(x, p=0.5 if autograd.is_training() else 0)", "return F.Dropout(x, p=0.5)"),
    "a choice": ("return (F.Dropout(x + 1) if autograd.is_training() else x + 1) * 2", "return F.Dropout(x + 1) * 2"),
    "a choice with a comment": (
        """
        return (
            F.Dropout(x, p=0.1)  # while training
            if autograd.is_training()
            else x
        )
        """,
        """
        return F.Dropout(
            x,
            p=0.1,  # while training
        )
        """,
    ),
    "a branch": (
        """
        if autograd.is_training():
            x = F.Dropout(x)
        return x
        """,
        """
        x = F.Dropout(x)
        return x
        """,
    ),
    "global statistics": (
        "return F.BatchNorm(x, y, y, y, y, use_global_stats=not autograd.is_training())",
        "return F.BatchNorm(x, y, y, y, y)",
    ),
    "predicting": (
        """
        with autograd.predict_mode():
            h = F.Dropout(F.Dropout(x, p=0.5), p=0.1)  # none
        return h
        """,
        """
        h = F.identity(F.identity(x))  # none
        return h
        """,
    ),
    "training in lines": (
        """
        with autograd.train_mode():  # always
            h = F.relu(
                F.Dropout(
                    x,  # data
                    p=0.5,
                )
            )

            # then
            h = h * 2
        return h
        """,
        """
        # always
        h = F.relu(
            F.Dropout(
                x,  # data
                p=0.5,
                mode="always",
            )
        )

        # then
        h = h * 2
        return h
        """,
    ),
    "training in one another": (
        """
        with autograd.train_mode():
            h = F.Dropout(F.Dropout(x, p=0.5), p=0.1)
        return h
        """,
        """
        h = F.Dropout(F.Dropout(x, p=0.5, mode="always"), p=0.1, mode="always")
        return h
        """,
    ),
    "training": (
        """
        with autograd.train_mode():
            h = F.Dropout(x, p=0.5)
            h = F.relu(h)
        return h
        """,
        """
        h = F.Dropout(x, p=0.5, mode="always")
        h = F.relu(h)
        return h
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)
