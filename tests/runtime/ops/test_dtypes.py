"""Results keep MXNet's dtypes where numpy's would widen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.facts import registry


def run(name: str, *arrays: Any, **params: Any) -> Any:
    operator = registry.get(name)
    with np.errstate(all="ignore"):
        return operator.kernel(np, *arrays, **{**operator.defaults(), **params})


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", ["exp", "sqrt", "square", "elemwise_div", "_power", "_greater", "sum", "mean", "norm"])
def test_dtype_is_kept(name: str, dtype: str) -> None:
    arrays = [np.array([[1, 2], [3, 4]], dtype)] * len(registry.get(name).inputs)
    assert run(name, *arrays).dtype == dtype


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int32", "uint8"])
@pytest.mark.parametrize("name", ["_plus_scalar", "_rdiv_scalar", "_mod_scalar", "_power_scalar", "_lesser_scalar"])
def test_numbers_do_not_widen(name: str, dtype: str) -> None:
    assert run(name, np.array([1, 2, 3], dtype), scalar=1e6).dtype == dtype


def test_integers_cut_numbers_and_wrap() -> None:
    assert run("_plus_scalar", np.array([1], "int32"), scalar=1.9).tolist() == [2]
    assert run("_plus_scalar", np.array([1], "uint8"), scalar=300.0).tolist() == [45]
    assert run("_plus_scalar", np.array([1], "int32"), scalar=1.5, is_int=False).tolist() == [2.5]
    assert run("_plus_scalar", np.array([True]), scalar=1.0).dtype == "int64"


def test_division_and_remainder_are_those_of_mxnet() -> None:
    numbers = np.array([-7, 7, 5], "int32")
    assert run("_div_scalar", numbers, scalar=2.0).tolist() == [-3, 3, 2]
    assert run("_mod_scalar", numbers, scalar=-2.0).tolist() == [-1, -1, -1]
    assert run("_mod_scalar", np.array([1.5], "float32"), scalar=0.0).tolist() == [0.0]
