"""Where functions bind names."""

from __future__ import annotations

import ast

from hybridlint.fixers.evidence.bindings import loaded, stored, stores_of, targets_of, values_of
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
