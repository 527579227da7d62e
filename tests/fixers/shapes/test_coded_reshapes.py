"""Reshapes to sizes of tensors: the codes that say them, in either mode, and reshape_like where no code does."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

LEGACY = {
    "all axes but the last merged": (
        """
        b, t, c = x.shape
        return F.dot(x.reshape((-1, c)), y)
        """,
        "return F.dot(x.reshape((-3, 0)), y)",
    ),
    "all axes but the last merged, whatever their number": (
        """
        return F.dot(x.reshape((-1, x.shape[-1])), y)
        """,
        "return F.dot(x.reshape((-1, 0), reverse=True), y)",
    ),
    "one axis spread over those that it was merged of": (
        """
        z = F.FullyConnected(x.reshape((-1, x.shape[-1])), y, num_hidden=4, no_bias=True)
        return z.reshape((x.shape[0], x.shape[1], z.shape[1]))
        """,
        """
        z = F.FullyConnected(x.reshape((-1, 0), reverse=True), y, num_hidden=4, no_bias=True)
        return z.reshape_like(x, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2)
        """,
    ),
    "heads split and merged": (
        """
        b, t, c = x.shape
        z = x.reshape((b, t, 4, -1)).transpose((0, 2, 1, 3)).reshape((b * 4, t, -1))
        z = F.softmax(z)
        z = z.reshape((b, 4, t, -1)).transpose((0, 2, 1, 3))
        return z.reshape((b, t, c)) * y
        """,
        """
        z = x.reshape((0, 0, 4, -1)).transpose((0, 2, 1, 3)).reshape((-3, 0, -1))
        z = F.softmax(z)
        z = z.reshape((-4, -1, 4, 0, 0)).transpose((0, 2, 1, 3))
        return z.reshape((0, 0, -3)) * y
        """,
    ),
    "channels shuffled": (
        """
        b, c, h, w = x.shape
        return x.reshape((b, 2, c // 2, h, w)).swapaxes(1, 2).reshape((b, c, h, w)) * y
        """,
        "return x.reshape((0, -4, 2, -1, 0, 0)).swapaxes(1, 2).reshape((0, -3, 0, 0)) * y",
    ),
    "joined": (
        """
        b, t, c = x.shape
        z = F.concat(x, F.exp(x), dim=1)
        return F.dot(z.reshape((-1, c)), y)
        """,
        """
        z = F.concat(x, F.exp(x), dim=1)
        return F.dot(z.reshape((-3, 0)), y)
        """,
    ),
    "pixels shuffled by a setting": (
        """
        b, c, h, w = x.shape
        r = self.r
        z = x.reshape((b, c // (r * r), r, r, h, w)).transpose((0, 1, 4, 2, 5, 3))
        return z.reshape((b, c // (r * r), h * r, w * r)) * y
        """,
        """
        r = self.r
        z = x.reshape((0, -4, -1, r * r, 0, 0)).reshape((0, 0, -4, r, -1, 0, 0)).transpose((0, 1, 4, 2, 5, 3))
        return z.reshape((0, 0, -3, -3)) * y
        """,
    ),
    "a size by name beside one that is read there": (
        """
        b, _, _, _ = x.shape
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((b, z.shape[1], -1))
        """,
        """
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((0, 0, -1))
        """,
    ),
    "a size beside a code": (
        """
        b, _, _, _ = x.shape
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((b, 0, -1))
        """,
        """
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((0, 0, -1))
        """,
    ),
    "a code behind sizes that are merged stays with its axis": (
        """
        b, t, c = x.shape
        return F.dot(x.reshape((b * t, 0, -1)), y)
        """,
        None,
    ),
    "an axis in front of all, whatever their number": (
        """
        return F.broadcast_mul(x.reshape((1, x.shape[0], -1)), y)
        """,
        "return F.broadcast_mul(x.reshape((0, -1)).expand_dims(0), y)",
    ),
    "after a sum of two": (
        """
        b, t, c = x.shape
        z = F.broadcast_add(x, F.exp(x).mean(axis=1, keepdims=True))
        return z.reshape((b, t * c)) * y
        """,
        """
        z = F.broadcast_add(x, F.exp(x).mean(axis=1, keepdims=True))
        return z.reshape((0, -3)) * y
        """,
    ),
    "pixels shuffled: one axis split in three": (
        """
        b, c, h, w = x.shape
        z = x.reshape((b, c // 4, 2, 2, h, w)).transpose((0, 1, 4, 2, 5, 3))
        return z.reshape((b, c // 4, h * 2, w * 2)) * y
        """,
        """
        z = x.reshape((0, -4, -1, 4, 0, 0)).reshape((0, 0, -4, 2, -1, 0, 0)).transpose((0, 1, 4, 2, 5, 3))
        return z.reshape((0, 0, -3, -3)) * y
        """,
    ),
    "a position for each channel": (
        """
        b, c, h, w = x.shape
        z = x.reshape((b, c, -1)).mean(axis=2)
        return F.broadcast_mul(x, z.reshape((b, c, 1, 1))) * y
        """,
        """
        z = x.reshape((0, 0, -1)).mean(axis=2)
        return F.broadcast_mul(x, z.reshape((0, 0, 1, 1))) * y
        """,
    ),
    "a merged axis split as that of the input": (
        """
        b, c, h, w = x.shape
        q = x.reshape((b, -1, h * w))
        return F.softmax(q).reshape((b, -1, h, w)) * y
        """,
        """
        q = x.reshape((0, 0, -3))
        return F.softmax(q).reshape_like(x) * y
        """,
    ),
    "the input, which is rebound": (
        """
        b, c, h, w = x.shape
        x = F.relu(x.reshape((b * c, h, w)))
        return x.reshape((b, c, h, w)) * y
        """,
        """
        x_like = x
        x = F.relu(x.reshape((-3, 0, 0)))
        return x.reshape_like(x_like) * y
        """,
    ),
    "sizes of statements of their own": (
        """
        b = x.shape[0]
        t = x.shape[1]
        return F.reshape(F.transpose(F.reshape(x, (b, t, 2, 4)), (0, 2, 1, 3)), shape=(b * 2, t, 4)) * y
        """,
        "return F.reshape(F.transpose(F.reshape(x, (0, 0, 2, 4)), (0, 2, 1, 3)), shape=(-3, 0, 4)) * y",
    ),
}

NUMPY = {
    "heads split": (
        """
        b, t, c = x.shape
        z = x.reshape(b, t, 4, -1).transpose(0, 2, 1, 3)
        return z.reshape(b * 4, t, -1) + y
        """,
        """
        z = F.npx.reshape(x, (-2, -2, 4, -1)).transpose(0, 2, 1, 3)
        return F.npx.reshape(z, (-5, -2, -1)) + y
        """,
    ),
    "sizes where they are used": (
        """
        z = x.reshape(x.shape[0], x.shape[1], 4, -1)
        z = z.transpose(0, 2, 1, 3)
        return z.reshape(-1, z.shape[2], z.shape[3]) + y
        """,
        """
        z = F.npx.reshape(x, (-2, -2, 4, -1))
        z = z.transpose(0, 2, 1, 3)
        return F.npx.reshape(z, (-5, -2, -2)) + y
        """,
    ),
    "reshapes in a chain": (
        """
        b, c, h, w = x.shape
        return x.reshape(b, 2, c // 2, h, w).swapaxes(1, 2).reshape(b, c, h, w) + y
        """,
        "return F.npx.reshape(F.npx.reshape(x, (-2, -6, 2, -1, -2, -2)).swapaxes(1, 2), (-2, -5, -2, -2)) + y",
    ),
    "a matrix": ("return x.reshape(-1, x.shape[-1]) + y", "return F.npx.reshape(x, (-1, -2), reverse=True) + y"),
    "another's shape": ("return F.np.exp(y).reshape(x.shape)", "return F.npx.reshape_like(F.np.exp(y), x)"),
}


@pytest.mark.parametrize(("before", "after"), LEGACY.values(), ids=LEGACY.keys())
def test_codes(before: str, after: str | None) -> None:
    assert fixed(before) == lines(before if after is None else after)


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_codes_of_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)


def test_a_child_is_guessed_to_keep_its_first_axis() -> None:
    body = lines("""
        b, t, c = x.shape
        z = self.proj(x.reshape((b * t, -1)))
        return z.reshape((b, t, -1)) * y
        """)
    after = lines("""
        z = self.proj(x.reshape((-3, -1)))
        return z.reshape_like(x, lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2).reshape((0, 0, -1)) * y
        """)
    assert fixed(body) == body
    assert fixed(body, unsafe=True) == after


def test_two_results_of_children_are_guessed_to_have_one_batch() -> None:
    body = lines("""
        z = self.up(x.mean(axis=(2, 3))) + self.up(x.max(axis=(2, 3)))
        return z.reshape((x.shape[0], -1, 1, 1)) * y
        """)
    after = lines("""
        z = self.up(x.mean(axis=(2, 3))) + self.up(x.max(axis=(2, 3)))
        return z.reshape((0, -1, 1, 1)) * y
        """)
    assert fixed(body, unsafe=True) == after


def test_axes_of_another_tensor() -> None:
    body = "b, t, c = x.shape\nreturn y.reshape((t, b, -1))"
    assert fixed(body) == body


def test_axes_that_a_loop_moves() -> None:
    body = lines("""
        b, t, c = x.shape
        z = x
        for _ in range(2):
            z = F.transpose(z, (1, 0, 2))
        return z.reshape((b, t, -1)) * y
        """)
    assert fixed(body) == body


FROM_END = {
    "three axes merged": (
        "b, h, w, c = x.shape\nz = x.reshape((b, h // 2, 2, w, c))\nreturn z.reshape((-1, w, c))",
        "z = x.reshape((0, -4, -1, 2, 0, 0))\nreturn z.reshape((-1, 0, 0), reverse=True)",
    ),
    "axes in front": (
        "b, t = x.shape\nreturn x + x.reshape((1, 1, b, t))",
        "return F.broadcast_add(x, x.reshape((1, 1, 0, 0), reverse=True))",
    ),
    "through F": (
        "b, h, w, c = x.shape\nreturn F.reshape(x, (-1, w, c))",
        "return F.reshape(x, (-3, 0, 0))",
    ),
    "the last axis alone, whatever the number of axes": (
        "c = x.shape[-1]\nreturn F.reshape(x, (-1, self.rows, self.cols, c))",
        "return F.reshape(x, (-1, self.rows, self.cols, 0), reverse=True)",
    ),
    "the last axis that a -1 can only be": (
        "n, h, c = x.shape\nreturn x.reshape((n // 3, 3, h, -1))",
        "return x.reshape((-4, -1, 3, 0, 0))",
    ),
    "an axis inserted": (
        "b, t = x.shape\nreturn x.reshape((1, b, t)) * y",
        "return F.broadcast_mul(x.expand_dims(0), y)",
    ),
}


@pytest.mark.parametrize(("before", "after"), FROM_END.values(), ids=FROM_END.keys())
def test_from_the_end(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after


TILES = {
    "tiles put back": (
        """
        n = x.shape[0] // (self.rows * self.cols)
        return x.reshape((n, self.rows, self.cols, -1))
        """,
        "return x.reshape((-4, -1, self.rows * self.cols, -2)).reshape((0, self.rows, self.cols, -1))",
    ),
    "by a rounded quotient": (
        """
        n = int(x.shape[0] / (self.rows * self.cols / 4))
        return x.reshape((n, self.rows // 2, self.cols // 2, 8, -1))
        """,
        """
        return x.reshape((-4, -1, self.rows // 2 * (self.cols // 2), -2)).reshape(
            (0, self.rows // 2, self.cols // 2, 8, -1)
        )
        """,
    ),
    "not all of what the axis consists of": (
        """
        n = x.shape[0] // (self.rows * self.cols)
        return x.reshape((n, self.rows, 4, -1))
        """,
        None,
    ),
}


@pytest.mark.parametrize(("before", "after"), TILES.values(), ids=TILES.keys())
def test_a_batch_that_tiles_divide(before: str, after: str | None) -> None:
    assert fixed(before) == lines(before if after is None else after)


def test_a_batch_that_tiles_divide_in_numpy_mode() -> None:
    before = "r, c = self.grid\nn = x.shape[0] // (r * c)\nreturn x.reshape((n, r, c, -1)) + y"
    after = "r, c = self.grid\nreturn F.npx.reshape(F.npx.reshape(x, (-6, -1, r * c, -4)), (-2, r, c, -1)) + y"
    assert fixed(before, numpy=True) == after


def test_a_layer_is_guessed_to_give_as_many_channels_as_its_block_gets() -> None:
    body = "b, t, c = x.shape\nz = F.FullyConnected(x, y, num_hidden=12, flatten=False)\nreturn z.reshape((-1, 4, c))"
    after = "z = F.FullyConnected(x, y, num_hidden=12, flatten=False)\nreturn z.reshape((-1, 4, 0), reverse=True)"
    assert fixed(body) == body
    assert fixed(body, unsafe=True) == after


NUMBER_OF_ELEMENTS = {
    "all other axes are those of the data": (
        """
        b, c, h, w = x.shape
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((b, c, h * w))
        """,
        """
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((0, 0, -3))
        """,
    ),
    "in parts": (
        """
        b, c, h, w = x.shape
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((b, 4, c // 4, h, w))
        """,
        """
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((0, -4, 4, -1, 0, 0))
        """,
    ),
    "not where one of the sizes is inferred": (
        """
        b, c, h, w = x.shape
        z = F.Convolution(x, y, num_filter=12, kernel=(1, 1), no_bias=True)
        return z.reshape((b, c, -1))
        """,
        None,
    ),
}


@pytest.mark.parametrize(("before", "after"), NUMBER_OF_ELEMENTS.values(), ids=NUMBER_OF_ELEMENTS.keys())
def test_a_size_that_the_number_of_elements_tells(before: str, after: str | None) -> None:
    assert fixed(before) == lines(before if after is None else after)


JOINED = {
    "shapes added": ("return x.reshape(x.shape[:2] + (-1,))", "return x.reshape((0, 0, -1))"),
    "a starred slice": ("return x.reshape((*x.shape[:2], -1))", "return x.reshape((0, 0, -1))"),
}


@pytest.mark.parametrize(("before", "after"), JOINED.values(), ids=JOINED.keys())
def test_a_shape_that_is_put_together_is_safe_where_the_number_of_axes_is_known(before: str, after: str) -> None:
    assert fixed(before) == before
    assert fixed(before, unsafe=True) == after
    known = "z = F.Convolution(x, y, num_filter=4, kernel=(1, 1), no_bias=True)\n"
    assert fixed(known + before.replace("x.", "z.")) == known + after.replace("x.", "z.")


FLATTENED = {
    "by the second axis": (
        "t = x.shape[1]\nz = F.relu(x.reshape((-1, 4)))\nreturn z.reshape((-1, t, 4))",
        "z = F.relu(x.reshape((-1, 4)))\nreturn z.reshape_like(x)",
    ),
    "by the first axis": (
        "b = x.shape[0]\nz = F.relu(x.reshape((-1, self.k)))\nreturn z.reshape((b, -1, self.k))",
        "z = F.relu(x.reshape((-1, self.k)))\nreturn z.reshape_like(x)",
    ),
}


def test_a_tensor_that_is_flattened_by_its_own_last_size() -> None:
    before = "shape = x.shape\nx = F.relu(x.reshape((-1, shape[-1])))\nreturn x.reshape(shape)"
    after = "x_like = x\nx = F.relu(x.reshape((-1, 0), reverse=True))\nreturn x.reshape_like(x_like)"
    assert fixed(before, unsafe=True) == after


@pytest.mark.parametrize(("before", "after"), FLATTENED.values(), ids=FLATTENED.keys())
def test_a_tensor_that_is_flattened_up_to_its_last_axis(before: str, after: str) -> None:
    assert fixed(before) == before
    assert fixed(before, unsafe=True) == after
