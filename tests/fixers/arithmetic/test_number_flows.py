"""Numbers that are read from tensors and meet each other, as tensors of one element all the way."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

FLOWS = {
    "a quotient of two numbers": (
        """
        pos = float(y.sum().asnumpy()[0])
        neg = float(F.sum(1 - y).asscalar())
        weight = neg / (pos + 1.0)
        return F.relu(x) * weight
        """,
        """
        pos = F.BlockGrad(y.sum())
        neg = F.BlockGrad(F.sum(1 - y))
        weight = neg / (pos + 1.0)
        return F.broadcast_mul(F.relu(x), weight)
        """,
    ),
    "a threshold": (
        """
        z = F.relu(x)
        limit = z.mean().asscalar() + 2 * F.max(z).asscalar()
        return F.where(z > limit, z / limit, z)
        """,
        """
        z = F.relu(x)
        limit = F.BlockGrad(z.mean()) + 2 * F.BlockGrad(F.max(z))
        return F.where(F.broadcast_greater(z, limit), F.broadcast_div(z, limit), z)
        """,
    ),
    "functions of numbers": (
        """
        import math
        scale = math.sqrt(F.sum(x * x).asscalar())
        factor = min(1.0, 2.0 / (scale + 1e-6))
        return F.relu(y) * factor
        """,
        """
        import math
        scale = F.sqrt(F.BlockGrad(F.sum(x * x)))
        factor = F.minimum(1.0, 2.0 / (scale + 1e-6))
        return F.broadcast_mul(F.relu(y), factor)
        """,
    ),
    "the larger of a tensor and a number": (
        """
        z = F.relu(y)
        return F.maximum(z, 2 * F.min(z).asscalar())
        """,
        """
        z = F.relu(y)
        return F.broadcast_maximum(z, 2 * F.BlockGrad(F.min(z)))
        """,
    ),
    "truncated": (
        "return F.relu(y) * (int(F.sum(x).asscalar()) - int(F.max(x).asscalar()))",
        "return F.broadcast_mul(F.relu(y), F.trunc(F.BlockGrad(F.sum(x))) - F.trunc(F.BlockGrad(F.max(x))))",
    ),
}


@pytest.mark.parametrize(("before", "after"), FLOWS.values(), ids=FLOWS)
def test_flows(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


#: Bodies in which a number is used as only numbers are, or is another number on another path.
OTHERS = {
    "a size": "n = int(F.sum(y).asscalar()) + int(F.max(y).asscalar())\nreturn F.slice_axis(x, axis=0, begin=0, end=n)",
    "a count of steps": "n = int(F.sum(y).asscalar()) + 1\nfor _ in range(n):\n    x = x * 2\nreturn x",
    "bound twice": "n = F.sum(y).asscalar() + 1\nif self.flag:\n    n = 3\nreturn F.relu(x) * (n + 2)",
    "beside what may be a number": "n = F.sum(x).asscalar() + 1\nreturn [n * self.table[0]]",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_other_uses(body: str) -> None:
    assert "BlockGrad" not in fixed(body, unsafe=True)
