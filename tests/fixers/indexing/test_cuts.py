"""Cuts: what a basic subscript does to each axis, and the operators that do the same."""

from __future__ import annotations

import ast

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import Subscript
from hybridlint.fixers.indexing.cuts import plan_cuts, within, write
from hybridlint.fixers.indexing.keys import flat_keys
from hybridlint.runtime.facts.types import TensorType
from hybridlint.text.concrete import code
from tests.fixers.bodies import module, named

UNKNOWN = TensorType()


def written(key: str, known: TensorType = UNKNOWN) -> str | None:
    """Return the operators in place of ``x[key]``, None where there is no plan."""
    events = module_events(module(f"return F.relu(x)[{key}]"))
    event = next(event for event in events if isinstance(event, Subscript))
    assert isinstance(event.node, ast.Subscript)
    plan = plan_cuts(event.frame, event.node, *flat_keys(event.keys, event.key_values), known)
    if plan is None:
        return None
    new = write("F", event.frame.concrete(named(event.frame, "x")), plan, known)
    return None if new is None else code(new)


@pytest.mark.parametrize(
    ("key", "operators"),
    [
        ("0", "F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0)"),
        ("-1", "F.squeeze(F.slice_axis(x, axis=0, begin=-1, end=None), axis=0)"),
        (":, 0", "F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)"),
        ("1:-1", "F.slice_axis(x, axis=0, begin=1, end=-1)"),
        ("1:2, 3", "F.squeeze(F.slice(x, begin=(1, 3), end=(2, 4)), axis=1)"),
        ("0, 1", "F.squeeze(F.slice(x, begin=(0, 1), end=(1, 2)), axis=(0, 1))"),
        ("::2", "F.slice(x, begin=(None,), end=(None,), step=(2,))"),
        ("::-1", "F.flip(x, axis=0)"),
        ("..., 0", "F.squeeze(F.slice_axis(x, axis=-1, begin=0, end=1), axis=-1)"),
        (
            "..., 0, 1",
            "F.squeeze(F.slice_axis(F.slice_axis(x, axis=-1, begin=1, end=2), axis=-2, begin=0, end=1), axis=(-2, -1))",
        ),
        ("None", "F.expand_dims(x, axis=0)"),
        (":, None", "F.expand_dims(x, axis=1)"),
        ("..., None", "F.expand_dims(x, axis=-1)"),
        ("0, None", "F.expand_dims(F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0), axis=0)"),
        (":", "F.identity(x)"),
    ],
)
def test_operators_with_the_effect_of_a_subscript(key: str, operators: str) -> None:
    assert written(key) == operators


@pytest.mark.parametrize("key", ["y", "[0, 1]", "2:1", "..., ::2", "'a'"])
def test_subscripts_that_are_not_cut(key: str) -> None:
    assert written(key) is None


def test_bounds_beyond_an_axis_are_left_to_slice() -> None:
    """slice_axis raises on them; slice stops at the end, as the subscript does."""
    assert written("1:4", TensorType((5, 2))) == "F.slice_axis(x, axis=0, begin=1, end=4)"
    assert written("1:4", TensorType((3, 2))) == "F.slice(x, begin=(1,), end=(4,))"
    assert written("1:4") == "F.slice(x, begin=(1,), end=(4,))"


@pytest.mark.parametrize(
    ("key", "shape", "sure"),
    [("0", None, True), ("1:4", None, True), ("-3:", None, False), ("-3:", (5,), True), ("-3:", (2,), False)],
)
def test_results_that_are_surely_those_of_the_subscript(key: str, shape: tuple[int, ...] | None, sure: bool) -> None:
    events = module_events(module(f"return F.relu(x)[{key}]"))
    event = next(event for event in events if isinstance(event, Subscript))
    known = TensorType(shape)
    assert isinstance(event.node, ast.Subscript)
    plan = plan_cuts(event.frame, event.node, *flat_keys(event.keys, event.key_values), known)
    assert plan is not None
    assert within(plan.cuts[0], known) is sure
