"""Names, and the code around an expression."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.toolkit import names
from tests.fixers.bodies import framed, met, named


@pytest.mark.parametrize(
    ("text", "path"),
    [("a", ("a",)), ("a.b.c", ("a", "b", "c")), ("a().b", None), ("a[0].b", None), ("1", None)],
)
def test_dotted_names(text: str, path: tuple[str, ...] | None) -> None:
    assert names.dotted_parts(ast.parse(text, mode="eval").body) == path


def test_the_parent_is_looked_for_in_the_statement() -> None:
    frame = framed("y = f(a + b)\nz = c")
    parent = names.parent_of(frame, named(frame, "a"))
    assert parent is named(frame, "a + b")
    assert names.parent_of(frame, named(frame, "c")) is None
    assert isinstance(names.parent_of(frame, named(frame, "c"), frame.source.tree), ast.Assign)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("return F.split(x, num_outputs=2)[0]", 1),
        ("a = F.split(x, num_outputs=2)\nreturn a[0] + a[1]", 2),
        ("a = F.split(x, num_outputs=2)\nreturn a[0] + len(a)", None),
        ("return F.relu(F.split(x, num_outputs=2))", None),
    ],
)
def test_results_of_which_parts_alone_are_used(body: str, count: int | None) -> None:
    frame = met(body, body.splitlines()[0])
    found = names.only_subscripts(frame, named(frame, "F.split(x, num_outputs=2)"))
    assert (None if found is None else len(found)) == count


def test_the_block_and_the_class_around() -> None:
    frame = met("a = x + 1\nif True:\n    a = a * 2\nreturn a", "a = a * 2")
    assert frame.statement is not None
    block = names.block_around(frame, frame.statement)
    assert block == [frame.statement]
    owner = names.class_around(frame)
    assert owner is not None
    assert owner.name == "Net"


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("a = x * 2\nreturn a", "x * 2"),
        ("a = x * 2\na = a + 1\nreturn a", "a + 1"),
        ("a = x * 2\nif y:\n    a = a + 1\nreturn a", "a"),
        ("a = b = x * 2\nreturn a", "a"),
        ("for a in [x, y]:\n    b = a + 1\nreturn a", "a"),
    ],
)
def test_a_name_stands_for_the_value_that_it_always_has(body: str, value: str) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    assert isinstance(frame.statement.value, ast.Name)
    assert ast.unparse(names.bound_value(frame, frame.statement.value)) == value


def test_required_inputs_are_those_of_hybrid_forward_without_a_default() -> None:
    assert names.required_inputs(met("return x + y")) == ["x", "y"]
    assert names.required_inputs(framed("a = 1")) == []


@pytest.mark.parametrize(
    ("body", "operand"),
    [
        ("s = x.sum().asscalar()\nreturn x * s", True),
        ("s = x.sum().asscalar()\nreturn x * (2 * s)", True),
        ("s = x.sum().asscalar()\nreturn x * float(-s)", True),
        ("s = x.sum().asscalar()\nreturn x if s > 0 else y", False),
        ("s = x.sum().asscalar()\ns = s + 1\nreturn x * s", False),
    ],
)
def test_numbers_that_are_operands_of_tensors_alone(body: str, operand: bool) -> None:
    assert names.named_operand(met(body, "s = x.sum().asscalar()")) is operand


def test_a_number_that_a_handler_may_bind_is_no_operand() -> None:
    body = "try:\n    s = x.sum().asscalar()\nexcept ValueError:\n    s = 1\nreturn x * s"
    assert not names.named_operand(met(body, "s = x.sum().asscalar()"))


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        ("return y[0]", True),
        ("a, b = y\nreturn a + b", True),
        ("return F.concat(*y)", True),
        ("return x * len(y)", True),
        ("return sum(a * 2 for a in y)", True),
        ("return x + y", False),
    ],
)
def test_names_that_are_used_as_lists(body: str, listed: bool) -> None:
    assert names.used_as_list(met(f"a = x * 1\n{body}"), "y") is listed


@pytest.mark.parametrize("text", ["self.w", "self.w.T", "self.w.reshape((2, 3)).T", "self.w.expand_dims(0)"])
def test_the_array_behind_methods_and_transposes(text: str) -> None:
    assert ast.unparse(names.array_behind(ast.parse(text, mode="eval").body)) == "self.w"
