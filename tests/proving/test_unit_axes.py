"""Sizes of 1 that inputs have in every call, so that none is sought that could take their place."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.proving.child.inputs.initial_states import states
from hybridlint.proving.child.inputs.source.unit_axes import with_single_axes
from hybridlint.proving.child.search.chance_sizes import flatters, with_ones, without_ones
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec
from hybridlint.runtime.gluon import nn, rnn


def by_function(self: Any, F: Any, x: Any) -> Any:
    return F.squeeze(x, axis=1)


def by_position(self: Any, F: Any, x: Any) -> Any:
    return F.squeeze(x, 1) + 1


def by_method(self: Any, F: Any, x: Any) -> Any:
    return x.squeeze(axis=(-2,))


def of_what_was_computed(self: Any, F: Any, x: Any) -> Any:
    x = F.sum(x, axis=1, keepdims=True)
    return F.squeeze(x, axis=1)


def of_any_axis(self: Any, F: Any, x: Any) -> Any:
    return F.squeeze(x)


INPUTS: dict[str, Spec] = {"x": TensorSpec((BATCH, 1, 4))}


@pytest.mark.parametrize(
    ("forward", "sure"),
    [(by_function, True), (by_position, True), (by_method, True), (of_what_was_computed, False), (of_any_axis, False)],
)
def test_an_axis_that_the_code_squeezes_can_have_no_other_size(forward: Any, sure: bool) -> None:
    found = with_single_axes(INPUTS, forward)
    assert flatters(found) is not sure
    assert list(without_ones(found)) == ([] if sure else [{"x": TensorSpec((BATCH, 6, 4))}])
    assert with_ones(found) == "x (N, 1, 4)", "the proof rests on it all the same"


def test_another_size_at_that_axis_is_no_single_one() -> None:
    inputs: dict[str, Spec] = {"x": TensorSpec((BATCH, 3, 1))}
    assert flatters(with_single_axes(inputs, by_function))


def test_the_axis_of_layers_in_the_state_of_one_is_single() -> None:
    block = nn.HybridSequential()
    block.add(rnn.LSTM(4, input_size=4))
    found = next(states(block, ["h", "c"]))
    assert {name: spec.shape for name, spec in found.items() if isinstance(spec, TensorSpec)} == {
        "h": (1, BATCH, 4),
        "c": (1, BATCH, 4),
    }
    assert not flatters({"x": TensorSpec((BATCH, 5, 4)), **found})


def test_what_is_reshaped_keeps_its_single_axes_as_long_as_it_has_as_many() -> None:
    spec = TensorSpec((1, BATCH, 4), single=frozenset([0]))
    assert spec.reshaped((1, BATCH, 8)).open_ones() == []
    assert spec.reshaped((1, BATCH)).open_ones() == [0]
