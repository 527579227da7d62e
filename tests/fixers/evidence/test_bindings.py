"""Where functions bind names."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.bindings import (
    loaded,
    run_of_stores,
    stored,
    stored_for,
    stores_of,
    targets_of,
    values_of,
)
from tests.fixers.bodies import met


def test_places_that_bind_a_name() -> None:
    frame = met("z = x\nfor z in y:\n    pass\nreturn x")
    assert [node.lineno - stores_of(frame, "z")[0].lineno for node in stores_of(frame, "z")] == [0, 1]


def test_values_that_a_name_is_bound_to() -> None:
    frame = met("z = x\nz, k = y.shape, 3\nz += 1\nreturn x")
    assert [ast.unparse(value) for value in values_of(frame, "z")] == ["x", "(y.shape, 3)"]


def test_targets_inside_tuples() -> None:
    statements = ast.parse("a = (b, c) = x\nd += 1\nprint(e)").body
    assert [[ast.unparse(target) for target in targets_of(each)] for each in statements] == [["a", "b", "c"], ["d"], []]


def test_names_that_are_read_and_bound() -> None:
    body = ast.parse("a = b + b\nfor c in a:\n    print(c)").body
    assert loaded(body) == ["b", "b", "a", "print", "c"]
    assert stored(body) == ["a", "c"]


def test_a_run_of_assignments_and_the_one_that_a_read_has_its_value_of() -> None:
    frame = met("b, c = x.shape\nz = x * b\nb, d = y.shape\nreturn z + b")
    run = run_of_stores(frame, "b")
    assert run is not None
    assert [ast.unparse(each) for each in run] == ["b, c = x.shape", "b, d = y.shape"]
    nodes = (n for n in ast.walk(frame.source.tree) if isinstance(n, ast.Name) and n.id == "b")
    reads = sorted((n for n in nodes if isinstance(n.ctx, ast.Load)), key=lambda n: n.lineno)
    assert [stored_for(run, read) for read in reads] == run


NO_RUNS = {
    "a branch": "b = 1\nif x is y:\n    b = 2\nreturn b",
    "a loop": "b = 1\nfor b in x:\n    pass\nreturn b",
    "the round before": "for k in x:\n    z = b\n    b = 1\n    b = 2\nreturn z",
    "an inner function": "b = 1\nz = lambda: b\nb = 2\nreturn z()",
}


@pytest.mark.parametrize("body", NO_RUNS.values(), ids=NO_RUNS.keys())
def test_other_bindings_are_no_run(body: str) -> None:
    assert run_of_stores(met(body), "b") is None
