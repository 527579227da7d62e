"""Assignments to parts of arrays, views in place, and current values that are assigned."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, nd
from hybridlint.runtime.attribute import AttrScope
from hybridlint.runtime.context import Context
from hybridlint.runtime.name import NameManager

#: Classes with an attribute that is assigned on the class.
CLASSES: tuple[Any, ...] = (AttrScope, NameManager, Context)


def recorded() -> nd.NDArray:
    x = nd.array([2, 3])
    x.attach_grad()
    return x


def test_the_whole_array_takes_a_recorded_value() -> None:
    y = recorded()
    x = nd.zeros((2,))
    with autograd.record():
        x[:] = y * 2
        z = x * x
    z.backward()
    assert y.grad.asnumpy().tolist() == [16, 24]


@pytest.mark.parametrize("key", [0, slice(0, 1), (slice(None), None), [0, 1]])
def test_a_part_takes_no_recorded_value(key: object) -> None:
    x, y = nd.zeros((2,)), recorded()
    with autograd.record(), pytest.raises(mx.MXNetError, match="Inplace operations"):
        x[key] = y.sum()


def test_an_array_of_one_element_is_a_number_to_assign() -> None:
    x = nd.zeros((2, 2))
    x[0, 1] = np.array([3.0])
    x[1, 1] = nd.array([4])
    x[1, 0] = [5]
    assert x.asnumpy().tolist() == [[0, 3], [5, 4]]


@pytest.mark.parametrize(
    ("method", "options"), [("flatten", {}), ("squeeze", {"axis": 0}), ("expand_dims", {"axis": 0})]
)
def test_in_place_means_the_same_memory(method: str, options: dict[str, int]) -> None:
    x = nd.zeros((1, 2, 3))
    copy, view = getattr(x, method)(**options), getattr(x, method)(inplace=True, **options)
    x[:] = 1
    assert copy.asnumpy().sum() == 0
    assert view.asnumpy().sum() == 6


def test_a_state_is_set_again() -> None:
    x = nd.zeros((1,))
    x.__setstate__(nd.arange(3).__getstate__())
    assert x.asnumpy().tolist() == [0, 1, 2]
    assert pickle.loads(pickle.dumps(x)).asnumpy().tolist() == [0, 1, 2]


def test_contiguous_parts_are_known() -> None:
    contiguous = nd.NDArray._basic_indexing_slice_is_contiguous
    assert contiguous((slice(1, 3), slice(None)), (4, 5))
    assert not contiguous((slice(None), slice(1, 3)), (4, 5))


def test_current_values_are_assigned_for_one_thread() -> None:
    attributes, names, contexts = CLASSES
    before = attributes.current, names.current, contexts.default_ctx
    try:
        attributes.current, names.current, contexts.default_ctx = AttrScope(mood="good"), NameManager(), mx.cpu(3)
        seen: list[object] = []
        other = threading.Thread(target=lambda: seen.extend([AttrScope.current._attr, mx.current_context()]))
        other.start()
        other.join()
        assert seen == [{}, mx.cpu(0)]
        assert mx.sym.Variable("x").attr("mood") == "good"
        assert nd.ones((1,)).context == mx.cpu(3)
        assert mx.sym.relu(mx.sym.Variable("x")).name == "relu0"
    finally:
        attributes.current, names.current, contexts.default_ctx = before
