"""One element of each row: ``x[F.arange(n), labels]`` as ``F.pick``, or as gather_nd where the axes are not two."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

PICKED = {
    "of a distribution": (
        """
        logp = F.log_softmax(x)
        rows = F.arange(x.shape[0])
        return -logp[rows, y]
        """,
        """
        logp = F.log_softmax(x)
        return -F.pick(logp, y, axis=1, mode='wrap')
        """,
    ),
    "two axes, labels that numpy reads": (
        """
        x = F.reshape(x, (-1, 4))
        n = len(y)
        return x[mx.nd.arange(n), y.asnumpy().astype("int64")]
        """,
        """
        x = F.reshape(x, (-1, 4))
        return F.pick(x, y, axis=1, mode='wrap')
        """,
    ),
    "a list of numbers": (
        """
        x = F.reshape(x, (-1, 4))
        return x[list(range(x.shape[0])), y.astype("int32")].mean()
        """,
        """
        x = F.reshape(x, (-1, 4))
        return F.pick(x, y.astype("int32"), axis=1, mode='wrap').mean()
        """,
    ),
    "a name that something else reads": (
        """
        x = F.reshape(x, (-1, 4))
        rows = F.arange(x.shape[0])
        return x[rows, y] + rows
        """,
        """
        x = F.reshape(x, (-1, 4))
        rows = F.contrib.arange_like(x.astype("float32"), axis=0)
        return F.pick(x, y, axis=1, mode='wrap') + rows
        """,
    ),
    "any number of axes": (
        "return x[mx.nd.arange(x.shape[0]), y - 1]",
        """
        return F.gather_nd(
            x, F.stack(F.contrib.arange_like(x.astype("float32"), axis=0), (y - 1).astype("float32"), axis=0)
        )
        """,
    ),
}

#: Bodies whose first key counts in steps, from elsewhere or beside a mask.
OTHERS = {
    "in steps": "return x[mx.nd.arange(0, 8, 2), y]",
    "from one": "return x[mx.nd.arange(1, x.shape[0]), y]",
    "a mask": "return x[mx.nd.arange(4), y > 0]",
    "a table of positions": "y = F.reshape(y, (-1, 2))\nreturn x[mx.nd.arange(4), y]",
}


@pytest.mark.parametrize(("before", "after"), PICKED.values(), ids=PICKED)
def test_picked(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_not_picked(body: str) -> None:
    assert "F.pick" not in fixed(body, unsafe=True)
