"""Numbers that Python or numpy draws, drawn in the graph."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

MODULE = """\
import random

import numpy as np
from mxnet import nd
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
{body}
"""

DRAWN = {
    "a number": (
        "        return x * random.uniform(0.5, 2)",
        "        return F.broadcast_mul(x, F.random.uniform(low=0.5, high=2, shape=(1,)))",
    ),
    "numbers that meet": (
        "        gain = np.random.normal(1, 0.1)\n        return x * gain + np.random.randn() * 0.01",
        "        gain = F.random.normal(loc=1, scale=0.1, shape=(1,))\n"
        "        return F.broadcast_add(F.broadcast_mul(x, gain), F.random.normal(shape=(1,)) * 0.01)",
    ),
    "a choice between two results": (
        "        if random.random() > 0.5:\n            return x * 2\n        return F.relu(x) + 1",
        "        return F.where(F.broadcast_mul(F.ones_like(x), F.random.uniform(shape=(1,)) > 0.5), "
        "x * 2, F.relu(x) + 1)",
    ),
    "an array": (
        "        return x + nd.array(np.random.normal(0, 0.1, size=(2, 3)))",
        "        return x + F.random.normal(loc=0, scale=0.1, shape=(2, 3))",
    ),
    "an array like a tensor": (
        "        return F.relu(x) * nd.array(np.random.rand(*x.shape) > 0.3)",
        "        return F.relu(x) * (F.random.uniform_like(x) > 0.3)",
    ),
}

#: What decides what Python does, or draws from what F has no function for.
KEPT = {
    "a number that a draw decides": "        return x * (2 if random.random() > 0.5 else 3)",
    "results of two shapes": "        if random.random() > 0.5:\n            x = F.concat(x, x)\n        return x",
    "whether statistics move": (
        "        if random.random() > 0.5:\n            return F.relu(x)\n        return F.BatchNorm(x, *self.parts)"
    ),
    "a size": "        n = random.uniform(1, 3)\n        return F.tile(x, reps=(int(n), 1))",
    "another distribution": "        return x * np.random.beta(1, 2)",
    "an array in half precision": '        return x + nd.array(np.random.rand(2, 3), dtype="float16")',
}


def _body(text: str) -> str:
    return text.partition("F, x):\n")[2].rstrip("\n")


@pytest.mark.parametrize(("before", "after"), DRAWN.values(), ids=DRAWN)
def test_drawn(before: str, after: str) -> None:
    assert _body(fixed_text(MODULE.format(body=before), unsafe=True)) == after
    assert "F.random" not in fixed_text(MODULE.format(body=before))


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_kept(body: str) -> None:
    assert "F.random" not in fixed_text(MODULE.format(body=body), unsafe=True)
