"""What ``asnumpy`` gives: numpy arrays, of which one element is a number on every version of numpy."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import hybridlint.runtime as mx

pytestmark = pytest.mark.filterwarnings("ignore:Conversion of an array with ndim > 0:DeprecationWarning")


def test_one_element_is_a_number() -> None:
    total = mx.nd.array([[1, 2.5]]).sum().asnumpy()
    assert total.shape == (1,)
    assert float(total) == 3.5
    assert int(total) == 3
    assert math.sqrt(total) == pytest.approx(1.8708287)
    assert "%.2f" % total == "3.50"  # noqa: UP031


def test_one_element_shows_and_pickles_as_an_array() -> None:
    total = mx.nd.array([3.5]).asnumpy()
    assert isinstance(total, np.ndarray)
    assert repr(total) == "array([3.5], dtype=float32)"
    assert type(pickle.loads(pickle.dumps(total))) is np.ndarray


def test_several_elements_are_no_number() -> None:
    values = mx.nd.array([1, 2]).asnumpy()
    assert type(values) is np.ndarray
    with pytest.raises(TypeError):
        float(values)


def test_the_array_is_a_copy() -> None:
    x = mx.nd.zeros((1,))
    x.asnumpy()[0] = 7
    assert x.asscalar() == 0


@pytest.mark.parametrize("number", [np.float32(0.5), np.float64(0.5)])
def test_functions_take_numbers_of_numpy(number: np.generic) -> None:
    assert mx.nd.maximum(mx.nd.array([1, -2]), number).asnumpy().tolist() == [1, 0.5]
    assert mx.sym.maximum(mx.sym.var("x"), number).attr("scalar") == "0.5"
