"""Calls that get sizes: what is written for which function, with comments, nesting and long lines."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "images as large as others": (
        "return F.contrib.BilinearResize2D(y + 1, height=x.shape[2], width=x.shape[3])",
        'return F.contrib.BilinearResize2D(y + 1, F.BlockGrad(x), mode="like")',
    ),
    "zeros": (
        "return F.zeros((x.shape[0], 3))",
        "return F.broadcast_like(F.zeros((1, 3)), x, lhs_axes=(0,), rhs_axes=(0,))",
    ),
    "zeros of a dtype": (
        "return F.zeros((x.shape[0], 3), dtype='float16')",
        "return F.broadcast_like(F.zeros((1, 3), dtype='float16'), x, lhs_axes=(0,), rhs_axes=(0,))",
    ),
    "ones of the dtype of the tensor": (
        "return F.ones((x.shape[0], 3), dtype=x.dtype)",
        "return F.ones_like(F.tile(F.reshape(F.contrib.arange_like(x, axis=0), (-1, 1)), reps=(1, 3)))",
    ),
    "rows of a table": (
        "return F.Embedding(F.argmax(x, axis=1), y, input_dim=5, output_dim=x.shape[-1])",
        "return F.take(y, F.argmax(x, axis=1))",
    ),
    "rows of a table by names": (
        "return F.Embedding(data=x, weight=y, input_dim=x.shape[0], output_dim=3)",
        "return F.take(y, x)",
    ),
    "full of a sum": (
        "return F.full((x.shape[0], 3), 1 + 2)",
        "return F.broadcast_like(F.full((1, 3), 1 + 2), x, lhs_axes=(0,), rhs_axes=(0,))",
    ),
    "of two tensors, with a comment": (
        """
        return F.zeros(
            (x.shape[0], y.shape[1]),  # a grid
            dtype=x.dtype,
        )
        """,
        """
        return F.zeros_like(  # a grid
            F.broadcast_like(F.reshape(F.contrib.arange_like(x, axis=0), (-1, 1)), y, lhs_axes=(1,), rhs_axes=(1,))
        )
        """,
    ),
    "with a comment": (
        "return F.zeros((x.shape[0],  # rows\n    3))",
        """
        return F.broadcast_like(  # rows
            F.zeros((1, 3)), x, lhs_axes=(0,), rhs_axes=(0,)
        )
        """,
    ),
    "a unit matrix of a multiple of a size": (
        "return y - F.eye(2 * x.shape[0])",
        'return y - F.diag(F.ones_like(F.repeat(F.contrib.arange_like(x, axis=0), repeats=2)).astype("float32"))',
    ),
    "a unit matrix with both sizes": (
        "return y - F.eye(x.shape[1], M=x.shape[1])",
        'return y - F.diag(F.ones_like(F.contrib.arange_like(x.astype("float32"), axis=1)))',
    ),
    "a matrix of two sizes": (
        "return y - F.eye(x.shape[0], x.shape[1])",
        "return y - F.eye(x.shape[0], x.shape[1])",
    ),
    "a unit matrix of half a size, which may be rounded": (
        "return y - F.eye(x.shape[0] // 2)",
        "return y - F.eye(x.shape[0] // 2)",
    ),
    "repeat": (
        "return F.repeat(y, repeats=x.shape[1], axis=1)",
        "return F.reshape(F.broadcast_like(F.expand_dims(y, axis=2), x, lhs_axes=(2,), rhs_axes=(1,)), (0, -3, -2))",
    ),
    "repeat of all elements": (
        "return F.repeat(y + 1, repeats=x.shape[1])",
        """
        return F.reshape(
            F.broadcast_like(F.expand_dims(F.reshape(y + 1, (-1,)), axis=1), x, lhs_axes=(1,), rhs_axes=(1,)), (-1,)
        )
        """,
    ),
    "repeat of a new axis": (
        "return F.repeat(y.expand_dims(1), x.shape[1], 1)",
        "return F.broadcast_like(y.expand_dims(1), x, lhs_axes=(1,), rhs_axes=(1,))",
    ),
    "repeat with a comment": (
        """
        return F.repeat(
            y.expand_dims(1),  # rows
            x.shape[1],  # times
            1,
        )
        """,
        """
        return F.broadcast_like(
            y.expand_dims(1),  # rows
            # times
            x,
            lhs_axes=(1,),
            rhs_axes=(1,),
        )
        """,
    ),
    "broadcast_axis of two tensors": (
        "return F.broadcast_axis(y, axis=(0, 1), size=(x.shape[0], y.shape[1]))",
        """
        return F.broadcast_like(F.broadcast_like(y, x, lhs_axes=(0,), rhs_axes=(0,)), y, lhs_axes=(1,), rhs_axes=(1,))
        """,
    ),
    "positions": (
        "return F.arange(x.shape[1])",
        'return F.contrib.arange_like(x.astype("float32"), axis=1)',
    ),
    "positions of a dtype": (
        "return F.arange(0, x.shape[1], dtype='int32')",
        'return F.contrib.arange_like(x.astype("int32"), axis=1)',
    ),
    "an array of positions": (
        "return nd.array(range(x.shape[1]))",
        'return F.contrib.arange_like(x.astype("float32"), axis=1)',
    ),
    "first states": (
        "state = self.rnn.begin_state(batch_size=x.shape[0])\nreturn self.rnn(x, state)",
        """
        state = self.rnn.begin_state(batch_size=x.shape[0]) if F is mx.nd else self.rnn.begin_state(func=F.zeros)
        return self.rnn(x, state)
        """,
    ),
    "first states on a device": (
        "state = self.rnn.begin_state(batch_size=x.shape[0], ctx=x.context)\nreturn self.rnn(x, state)",
        """
        state = (
            self.rnn.begin_state(batch_size=x.shape[0], ctx=x.context)
            if F is mx.nd
            else self.rnn.begin_state(func=F.zeros)
        )
        return self.rnn(x, state)
        """,
    ),
    "first states with their function": (
        "state = self.rnn.begin_state(batch_size=x.shape[0], func=F.zeros)\nreturn self.rnn(x, state)",
        """
        state = (
            self.rnn.begin_state(batch_size=x.shape[0], func=F.zeros)
            if F is mx.nd
            else self.rnn.begin_state(func=F.zeros)
        )
        return self.rnn(x, state)
        """,
    ),
    "first states as an argument": (
        "return self.rnn(x, self.rnn.begin_state(x.shape[0]))",
        "return self.rnn(x, self.rnn.begin_state(x.shape[0]) if F is mx.nd else self.rnn.begin_state(func=F.zeros))",
    ),
    "a part up to the end": (
        "return F.slice_axis(x, axis=1, begin=1, end=x.shape[1])",
        "return F.slice_axis(x, axis=1, begin=1, end=None)",
    ),
    "a part up to one before the end": (
        "return F.slice_axis(x, axis=-1, begin=1, end=x.shape[-1] - 1)",
        "return F.slice_axis(x, axis=-1, begin=1, end=-1)",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


UNSAFE = {
    "positions beside a tensor": (
        "return y * F.arange(x.shape[1])",
        'return F.broadcast_mul(y, F.contrib.arange_like(x.astype("float32"), axis=1))',
    ),
    "broadcast_to as a method": (
        "return y.broadcast_to((x.shape[0], 3))",
        "return F.broadcast_like(y, F.tile(F.reshape(F.contrib.arange_like(x, axis=0), (-1, 1)), reps=(1, 3)))",
    ),
    "slice": (
        "return F.slice(y, begin=(None, 0), end=(None, x.shape[1]))",
        "return F.slice_like(y, x, axes=(1,))",
    ),
    "an end before that of the axis by a setting": (
        "return F.slice_axis(x, axis=1, begin=0, end=x.shape[1] - self.k)",
        "return F.slice_axis(x, axis=1, begin=0, end=-self.k)",
    ),
    "an end by another tensor's axis": (
        "return F.slice_axis(y, axis=1, begin=1, end=x.shape[1] - 1)",
        "return F.slice_axis(y, axis=1, begin=1, end=-1)",
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before) == before
    assert fixed(before, unsafe=True) == lines(after)


def test_positions_along_the_rows_of_numpy_mode() -> None:
    before = "return F.np.arange(len(x)) * x.mean(axis=1)"
    assert "F.npx.arange_like(x.astype(" in fixed(before, numpy=True)


def test_positions_of_numpy_mode() -> None:
    assert (
        fixed("return F.np.arange(x.shape[1])", numpy=True) == 'return F.npx.arange_like(x.astype("float32"), axis=1)'
    )


REFUSED = {
    "a sum of sizes": "return F.ones((x.shape[0], x.shape[1] + 1))",
    "an axis from the end": "return F.repeat(y, repeats=x.shape[1], axis=-1)",
    "positions by steps": "return F.arange(0, x.shape[1], 2)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True) == body


ONE_HOT = {
    "counted rows": (
        "return F.one_hot(F.argmax(y, axis=1), x.shape[1])",
        """
        return F.broadcast_equal(
            F.expand_dims(F.argmax(y, axis=1).astype("float32"), axis=-1),
            F.contrib.arange_like(x.astype("float32"), axis=1),
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), ONE_HOT.values(), ids=ONE_HOT.keys())
def test_a_hot_column_of_a_tensors_size(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_a_hot_column_of_rows_that_may_be_fractions() -> None:
    body = "return F.one_hot(y, depth=x.shape[1])"
    assert fixed(body) == body
    assert "broadcast_equal" in fixed(body, unsafe=True)


def test_values_of_a_hot_column_stay() -> None:
    body = "return F.one_hot(y, x.shape[1], on_value=2)"
    assert fixed(body, unsafe=True) == body


def test_a_tensor_of_one_row_spread_over_rows() -> None:
    before = "y = F.ones((1, 3))\nreturn x + F.broadcast_to(y, shape=(x.shape[0], 3))"
    after = "y = F.ones((1, 3))\nreturn x + F.broadcast_like(y, x, lhs_axes=(0,), rhs_axes=(0,))"
    assert fixed(before) == after


def test_a_tensor_spread_over_rows_and_a_setting() -> None:
    before = "y = F.ones((1, 1))\nreturn x + F.broadcast_to(y, shape=(x.shape[0], self.units))"
    assert "F.broadcast_to(y, shape=(0, self.units)), x, lhs_axes=(0,), rhs_axes=(0,)" in " ".join(
        fixed(before).split()
    ).replace("( ", "(").replace(", )", ")")


def test_zeros_of_a_setting() -> None:
    text = """
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def hybrid_forward(self, F, x):
        return F.zeros((x.shape[0], self.units))
"""
    row = "F.broadcast_like(F.zeros((1, self.units)), x, lhs_axes=(0,), rhs_axes=(0,))"
    assert fixed_text(text).endswith(f"return {row}\n")


POOLED = {
    "two sizes": (
        "h, w = x.shape[2:]\nreturn F.Pooling(x, kernel=(h, w), pool_type='avg')",
        "return F.Pooling(x, global_pool=True, pool_type='avg')",
    ),
    "with a stride": (
        "h, w = x.shape[2:]\nreturn F.Pooling(x, kernel=(h, w), stride=(h, w), pool_type='avg')",
        "return F.Pooling(x, global_pool=True, pool_type='avg')",
    ),
    "the rest of a shape": (
        "return F.Pooling(data=x, pool_type='max', kernel=x.shape[2:])",
        "return F.Pooling(data=x, pool_type='max', global_pool=True)",
    ),
}


@pytest.mark.parametrize(("before", "after"), POOLED.values(), ids=POOLED.keys())
def test_pooling_of_whole_images(before: str, after: str) -> None:
    assert fixed(before) == after


def test_pooling_of_a_part_or_of_another_tensor() -> None:
    assert "global_pool" not in fixed("return F.Pooling(y, kernel=x.shape[2:], pool_type='avg')", unsafe=True)
    assert "global_pool" not in fixed("return F.Pooling(x, kernel=(x.shape[2], 2), pool_type='avg')", unsafe=True)
    assert "global_pool" not in fixed("return F.Pooling(x, kernel=x.shape[2:], pad=(1, 1))", unsafe=True)


def test_a_size_may_be_what_a_loop_counts() -> None:
    body = """
        b, c, t = x.shape
        parts = []
        for i in range(1, 4):
            parts.append(F.concat(F.zeros((b, c, i)), x, dim=2))
        return F.concat(*parts, dim=2)
        """
    text = fixed(lines(body), unsafe=True)
    assert "F.broadcast_like(F.zeros((1, 1, i)), x, lhs_axes=(0, 1), rhs_axes=(0, 1))" in text
