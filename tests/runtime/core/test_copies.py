"""Copies of transposed arrays, some of whose elements share lines of a cache."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime.platforms.numpy_platform import NUMPY


@pytest.mark.parametrize(
    ("shape", "axes"), [((1024, 9), (1, 0)), ((9, 1024), (1, 0)), ((2, 20, 32, 32), (0, 2, 3, 1)), ((3, 4), (1, 0))]
)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_a_transposed_array_is_copied(shape: tuple[int, ...], axes: tuple[int, ...], dtype: str) -> None:
    given = (np.arange(np.prod(shape)) % 100).astype(dtype).reshape(shape)
    found = NUMPY.owned(given.transpose(axes), [given])
    assert found.flags.c_contiguous
    assert found.dtype == dtype
    assert not np.may_share_memory(found, given)
    np.testing.assert_array_equal(found, given.transpose(axes))


def test_a_broadcast_array_is_copied() -> None:
    found = NUMPY.owned(np.broadcast_to(np.ones((2, 1)), (2, 20)), [])
    np.testing.assert_array_equal(found, np.ones((2, 20)))
    assert found.flags.c_contiguous
