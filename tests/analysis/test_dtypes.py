"""Arrays beside numbers in numpy mode: what the linter expects is what the real MXNet does."""

from __future__ import annotations

import json

import pytest

from hybridlint.analysis.model.dtypes import (
    function_dtype,
    is_integral,
    number_changes_function,
    number_changes_result,
    operator_dtype,
)
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import ContainerValue, StaticValue, Tensor, Value
from hybridlint.runtime.facts.registry import get
from hybridlint.runtime.facts.types import TensorType

from .beside_numbers import ANSWERS, DTYPES, OPERATORS, names

# As text: 2 and 2.0 are different numbers here.
DIFFERING = {line.rstrip(",") for line in ANSWERS.read_text(encoding="utf-8").splitlines()}


def _tensor(dtype: str | None) -> Tensor:
    return Tensor(TensorType(None, dtype), "np")


def _arguments(*values: Value) -> ArgumentsEvent:
    return ArgumentsEvent((), values, {}, {})


@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_and_functions_beside_numbers(dtype: str) -> None:
    for question in names():
        if question[0] != dtype:
            continue
        _, name, number, first = question
        operands: tuple[Value, Value] = (_tensor(dtype), StaticValue(number))
        left, right = operands[::-1] if first else operands
        found = (
            number_changes_result(name, left, right)
            if name in OPERATORS
            else number_changes_function(name, _arguments(left, right))
        )
        assert found == (json.dumps(question) in DIFFERING), question


def test_what_is_not_known_to_be_integers_is_left_alone() -> None:
    assert not number_changes_result("*", _tensor(None), StaticValue(0.5))
    assert not number_changes_result("*", Tensor(TensorType(None, "int32"), "legacy"), StaticValue(0.5))
    assert not number_changes_result("*", _tensor("int32"), _tensor("float32"))


def test_numbers_without_an_end_are_compared_by_nobody() -> None:
    assert not number_changes_result("<", _tensor("int32"), StaticValue(float("inf")))
    assert not number_changes_result("==", _tensor("int32"), StaticValue(float("nan")))


def test_dtypes_of_results() -> None:
    flags, rows, data = _tensor("bool"), _tensor("int32"), _tensor(None)
    assert operator_dtype("<", data, StaticValue(1)) == "bool"
    assert operator_dtype("*", flags, flags) == "bool"
    assert operator_dtype("+", rows, flags) == "int32"
    assert operator_dtype("*", flags, data) is None
    assert operator_dtype("/", rows, StaticValue(2)) is None
    assert operator_dtype("+", flags, StaticValue(1)) == "int64"
    assert function_dtype("argmax", get("_npi_argmax"), _arguments(data)) == "int64"
    assert function_dtype("sum", get("_np_sum"), _arguments(flags)) == "int64"
    assert (
        function_dtype("concatenate", get("_npi_concatenate"), _arguments(ContainerValue("list", (rows, rows))))
        == "int32"
    )
    assert (
        function_dtype("concatenate", get("_npi_concatenate"), _arguments(ContainerValue("list", (rows, data)))) is None
    )
    assert function_dtype("mean", get("_npi_mean"), _arguments(rows)) == "float32"
    assert function_dtype("ravel", None, _arguments(rows)) == "int32"
    assert function_dtype("exp", get("_npi_exp"), _arguments(rows)) == "int32"
    assert is_integral(flags)
    assert not is_integral(_tensor("float32"))
