"""numpy's own functions on arrays of numpy mode: what they give, and of which kind."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from hybridlint.runtime import np, numpy_dispatch_protocol
from hybridlint.runtime.numpy import fallback, fallback_linalg, utils

X = np.array([[1.0, -2.0, 5.0], [3.0, 4.0, 0.0]])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (numpy.sum, (X,)),
        (numpy.add, (X, X)),
        (numpy.linalg.norm, (X,)),
        (numpy.median, (X, 1)),
        (fallback.nanmax, (X, 0)),
        (np.nancumsum, (X,)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_arrays_come_back_in_numpy_mode(function: Any, arguments: Any) -> None:
    assert type(function(*arguments)) is np.ndarray


@pytest.mark.parametrize(
    ("function", "value"),
    [(np.nanmax, 5), (np.ptp, 7), (numpy.median, 2), (np.count_nonzero, 5), (np.linalg.matrix_rank, 2)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_numbers_stay_those_of_numpy(function: Any, value: float) -> None:
    found = function(X)
    assert not isinstance(found, np.ndarray)
    assert found == value


def test_least_squares_take_the_old_default_of_numpy() -> None:
    for function in (np.linalg.lstsq, fallback_linalg.lstsq):
        solution, _, rank, _ = function(np.eye(2), np.array([1.0, 2.0]), rcond="warn")
        assert solution.asnumpy().tolist() == pytest.approx([1, 2])
        assert rank == 2


def test_bounds_may_be_arrays_of_one_number() -> None:
    assert np.clip(X, np.array(-1), numpy.array(1)).asnumpy().tolist() == [[1, -1, 1], [1, 1, 0]]
    assert numpy.clip(X, np.array(0), None).asnumpy().tolist() == [[1, 0, 5], [3, 4, 0]]


def test_what_the_protocol_covers_is_there() -> None:
    for name in numpy_dispatch_protocol._NUMPY_ARRAY_FUNCTION_LIST + numpy_dispatch_protocol._NUMPY_ARRAY_UFUNC_LIST:
        scope: Any = np
        for part in name.split("."):
            scope = getattr(scope, part)
        assert callable(scope)
    assert utils._STR_2_DTYPE_["float32"] is np.float32
    with pytest.raises(AttributeError, match="no attribute 'sum'"):
        _ = fallback.sum
