"""The text of an expression is what Python's own function gives, and names keep the order of their values."""

import ast

import pytest

from hybridlint.proving.brief import source_index

TEXT = 'x = f(1)\n\n\ndef g():\n    y = "ä" + h(\n        2, "é"\n    )\n\f\n    return y[0]\r\n\r\nself.a = x\n'


@pytest.mark.parametrize("text", [TEXT, "a = b", "f(\r1)\r", ""])
def test_segments_are_those_of_python(text: str) -> None:
    expressions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr)]

    assert [source_index.segment(text, node) for node in expressions] == [
        ast.get_source_segment(text, node) for node in expressions
    ]


def test_values_of_names_and_attributes_come_in_their_order() -> None:
    tree = ast.parse("x = 1\nself.net = Net()\nx = 2\n")

    found = {name: [ast.unparse(value) for value in values] for name, values in source_index.assignments(tree).items()}

    assert found == {"x": ["1", "2"], "self.net": ["Net()"]}


def test_a_call_comes_with_the_functions_around_it() -> None:
    tree = ast.parse("def f():\n    def g():\n        h(k())\n\nf()\n")

    found = [(ast.unparse(call), [each.name for each in around]) for call, around in source_index.scoped_calls(tree)]

    assert found == [("h(k())", ["f", "g"]), ("k()", ["f", "g"]), ("f()", [])]
