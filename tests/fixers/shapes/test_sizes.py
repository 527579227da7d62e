"""The sizes of tensors beside tensors: what is written for which arithmetic, with comments and long lines."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

OWN = "F.sum(F.ones_like(F.contrib.arange_like(x, axis={axis})))"
ROWS, COLUMNS = OWN.format(axis=0), OWN.format(axis=1)

UNSAFE = {
    "one size": ("return x / x.shape[0]", f"return F.broadcast_div(x, {ROWS})"),
    "a length": ("return x * len(x)", f"return F.broadcast_mul(x, {ROWS})"),
    "the number of elements": ("return x / x.size", "return F.broadcast_div(x, F.sum(F.ones_like(x)))"),
    "the number of elements in a number": (
        "s = 1 / math.sqrt(x.size * self.k)\nreturn x * s",
        "return F.broadcast_mul(x, 1 / F.sqrt(F.sum(F.ones_like(x)) * self.k))",
    ),
    "the number of dimensions": (
        "return x * x.ndim",
        'return F.broadcast_mul(x, F.size_array(F.shape_array(x)).astype("float32"))',
    ),
    "a product that stood in parentheses": (
        "return x / (2 * x.shape[1])",
        f"return F.broadcast_div(x, 2 * {COLUMNS})",
    ),
    "a power in a difference": (
        "return x * (1 - x.shape[1] ** 0.5)",
        f"return F.broadcast_mul(x, 1 - {COLUMNS} ** 0.5)",
    ),
    "a difference in a product": (
        "return x * ((x.shape[0] - 1) * 2)",
        "return F.broadcast_mul(x, F.max(F.contrib.arange_like(x, axis=0)) * 2)",
    ),
    "a size that is at least 1": (
        "return 2.0 * x / max(x.shape[1] - 1, 1)",
        "return F.broadcast_div(2.0 * x, F.maximum(F.max(F.contrib.arange_like(x, axis=1)), 1))",
    ),
    "the smaller of two sizes": (
        "return x / min(x.shape[0], x.shape[1])",
        f"return F.broadcast_div(\n    x,\n    F.minimum(\n        {ROWS},\n        {COLUMNS},\n    ),\n)",
    ),
    "of another tensor": (
        "return y / (x.shape[0] - 1)",
        'return F.broadcast_div(y, F.slice_axis(F.shape_array(x), axis=0, begin=0, end=1).astype("float32") - 1)',
    ),
    "several at once": (
        "import numpy as np\nreturn x / np.prod(x.shape[1:])",
        """
        import numpy as np
        return F.broadcast_div(x, F.prod(F.slice_axis(F.shape_array(x), axis=0, begin=1, end=None).astype("float32")))
        """,
    ),
    "on a long line": (
        "import math\nreturn F.sum(x * y) / math.sqrt(x.shape[1])",
        """
        import math
        return F.broadcast_div(F.sum(x * y), F.sqrt(F.sum(F.ones_like(F.contrib.arange_like(x, axis=1)))))
        """,
    ),
    "nested": ("return F.sum(x / x.shape[0]) * 2", f"return F.sum(F.broadcast_div(x, {ROWS})) * 2"),
    "a comment behind the size": (
        "return x / (x.shape[0]  # rows\n        )",
        f"""
        return F.broadcast_div(
            x,  # rows
            {ROWS},
        )
        """,
    ),
    "a comment behind the tensor": (
        "return (x  # data\n        / x.shape[0])",
        f"""
        return F.broadcast_div(
            x,  # data
            {ROWS},
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_sizes(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


NUMPY = {
    "one size": ("return x / x.shape[0]", "return x / F.npx.shape_array(x)[0]"),
    "a length": ("return x / len(x)", "return x / F.npx.shape_array(x)[0]"),
    "dimensions": ("return x / x.ndim", "return x / F.npx.shape_array(F.npx.shape_array(x))[0]"),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)


REFUSED = {
    "what has no name": "return x * x.__len__()",
    "beside what may be a number": "return self.scale * x.shape[0]",
    "a remainder": "return x * (x.shape[0] % 2)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True) == body
