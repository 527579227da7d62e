"""Calls of the legacy interface that MXNet refuses, with the kinds of errors that programs catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import nd
from hybridlint.runtime.base import MXNetError

X = nd.zeros((2, 3))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (X.reshape, AssertionError),
        (lambda: X.reshape((7, -1)), ValueError),
        (lambda: X.reshape(5, shape=(3, 2)), ValueError),
        (lambda: nd.array("text"), TypeError),
        (lambda: nd.array([[1], [1, 2]]), TypeError),
        (lambda: nd.moveaxis(X, 5, 0), ValueError),
        (lambda: nd.moveaxis(X, [0, 1], 0), ValueError),
        (lambda: nd.split_v2(X, 2, axis=1), ValueError),
        (lambda: nd.load_frombuffer("text"), MXNetError),
    ],
)
def test_refused(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_nothing_is_not_a_number() -> None:
    assert np.isnan(nd.array(None).asnumpy())
