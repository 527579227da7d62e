"""Ask the real MXNet 1.9.1 what it does with arrays of shape () and of no elements outside of numpy mode.

    PYTHON_WITH_MXNET -m tests.runtime.legacy_shapes

An answer is the shape of the result, or "refused" where MXNet raises. Python 3.8.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).with_suffix(".json")

#: Arrays whose shape the legacy interface takes for unknown, and one of a single element beside them.
ARRAYS = (
    "nd.array(3.0)",
    "nd.array(np.float32(3))",
    "nd.array(True)",
    "nd.array([])",
    "nd.array([[], []])",
    "x[0:0]",
    "nd.one_hot(nd.array([1, 2]), 0)",
    "x.sum()",
    "nd.array([3.0])[0]",
)
USES = (
    *("a", "a + 1", "2 / a", "a ** 2", "-a", "a + x", "x * a", "a > x", "a == a", "a.copy()", "a.astype('int32')"),
    *("nd.exp(a)", "nd.relu(a)", "nd.softmax(a)", "nd.clip(a, 0, 1)", "nd.maximum(a, 0)", "nd.ones_like(a)"),
    *("nd.broadcast_add(a, x)", "nd.broadcast_mul(x, a)", "nd.concat(a, a, dim=0)", "nd.stack(a, a)"),
    *("a.expand_dims(0)", "a.max()", "a.norm()", "a.tile((2, 1))", "a.reshape((-1,))", "a.reshape((-1, 1))"),
    *("a.flatten()", "a.broadcast_to((2, 3))", "nd.slice_axis(a, axis=0, begin=0, end=1)"),
)
#: Subscripts that leave nothing, and what makes such arrays.
OTHERS = (
    *("x[2:]", "x[2:, 0]", "x[0:0, 0:2]", "x[4::2]", "x[:, 3:]", "x[1, 3:]", "x[0:1, 3:]", "x[..., 3:]", "x[[]]"),
    *("x[:, []]", "x[None, 2:]", "x[2:, 3:]", "x[0:0, None]", "x[0:0][0:0]", "x[0:0][:, 3:]", "x[0:0].T"),
    *("x[nd.array([0, 1]).astype('bool')]", "x[nd.array([])]", "nd.zeros((0, 3))", "nd.zeros(())", "nd.arange(0)"),
    *("nd.random.uniform(shape=())", "nd.slice_axis(x, axis=1, begin=3, end=None)", "x.take(nd.array([]))"),
    *("nd.ones((3,)).broadcast_to((2, 3))", "nd.ones((2,)).broadcast_to((2, 3))", "nd.ones((1, 3)).broadcast_to(3)"),
    *("nd.broadcast_to(nd.ones((3,)), shape=(2, 3))", "nd.ones((2, 1)).broadcast_to((3, 2, 3))"),
)


def asked() -> list[tuple[str, str]]:
    """Return what is asked: an array that is called `a`, empty where there is none, and an expression."""
    return [(array, use) for array in ARRAYS for use in USES] + [("", other) for other in OTHERS]


def answer(mx: Any, array: str, expression: str) -> Any:
    """Return what the library `mx` does."""
    import numpy as np

    names = {"nd": mx.nd, "np": np, "x": mx.nd.array(np.arange(6).reshape(2, 3))}
    try:
        if array:
            names["a"] = eval(array, names)
        result = eval(expression, names)
        result.asnumpy()
        return list(result.shape)
    except Exception:
        return "refused"


if __name__ == "__main__":
    import importlib

    library = importlib.import_module("mxnet")
    found = {f"{array} | {use}": answer(library, array, use) for array, use in asked()}
    ANSWERS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
