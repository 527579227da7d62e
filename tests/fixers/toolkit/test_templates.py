"""Templates: parts in their places, in parentheses where these are needed."""

from __future__ import annotations

import libcst as cst
import pytest

from hybridlint.fixers.toolkit.templates import expression, statement
from hybridlint.text.concrete import code

FILLED = {
    "names and numbers": ("{F}.take({x}, {at}, axis={axis})", {"F": "F", "x": "x", "at": -1, "axis": None}),
    "dotted names": ("{F}.exp({x})", {"F": "mx.nd", "x": "self.scale"}),
    "several arguments": ("{F}.concat({rows}, dim=0)", {"F": "F", "rows": ["a", "b"]}),
    "no arguments": ("{F}.concat({rows}, dim=0)", {"F": "F", "rows": []}),
    "one element": ("({axes},)", {"axes": [1]}),
    "several elements": ("({axes},)", {"axes": [1, -2]}),
    "a list": ("[{rows}]", {"rows": ["a", "b"]}),
    "a name of a function": ("{F}.{name}({x})", {"F": "F", "name": "exp", "x": 1.5}),
    "a name of an argument": ("{F}.exp({key}={x})", {"F": "F", "key": "data", "x": True}),
}
WRITTEN = {
    "names and numbers": "F.take(x, -1, axis=None)",
    "dotted names": "mx.nd.exp(self.scale)",
    "several arguments": "F.concat(a, b, dim=0)",
    "no arguments": "F.concat(dim=0)",
    "one element": "(1,)",
    "several elements": "(1, -2)",
    "a list": "[a, b]",
    "a name of a function": "F.exp(1.5)",
    "a name of an argument": "F.exp(data=True)",
}


@pytest.mark.parametrize("case", FILLED)
def test_expression(case: str) -> None:
    template, parts = FILLED[case]
    assert code(expression(template, **parts)) == WRITTEN[case]  # type: ignore[arg-type]


PARENTHESES = {
    ("{x}.T", "a + b"): "(a + b).T",
    ("{x}.T", "a.b"): "a.b.T",
    ("{x}.T", "1"): "(1).T",
    ("{x}.T", "[1]"): "[1].T",
    ("{x}[0]", "-a"): "(-a)[0]",
    ("f({x})", "a + b"): "f(a + b)",
    ("f({x})", "a := 1"): "f((a := 1))",
    ("f({x})", "a, b"): "f((a, b))",
    ("f({x})", "a for a in b"): "f((a for a in b))",
    ("f(axis={x})", "a if b else c"): "f(axis=a if b else c)",
    ("[{x}]", "lambda: 0"): "[lambda: 0]",
    ("{x} - c", "a - b"): "a - b - c",
    ("c - {x}", "a - b"): "c - (a - b)",
    ("c - {x}", "a * b"): "c - a * b",
    ("c * {x}", "a + b"): "c * (a + b)",
    ("{x} ** 2", "-a"): "(-a) ** 2",
    ("2 ** {x}", "-a"): "2 ** -a",
    ("-{x}", "a ** b"): "-a ** b",
    ("-{x}", "a * b"): "-(a * b)",
    ("not {x}", "a == b"): "not a == b",
    ("not {x}", "a and b"): "not (a and b)",
    ("{x} == c", "a == b"): "(a == b) == c",
    ("c < {x}", "a | b"): "c < a | b",
    ("{x} and c", "a or b"): "(a or b) and c",
    ("a if {x} else b", "c if d else e"): "a if (c if d else e) else b",
    ("a if b else {x}", "c if d else e"): "a if b else c if d else e",
    ("[a for a in {x}]", "b if c else d"): "[a for a in (b if c else d)]",
}


@pytest.mark.parametrize(("template", "part"), PARENTHESES)
def test_parentheses_stand_where_they_are_needed(template: str, part: str) -> None:
    whole = cst.parse_expression(f"({part})")
    bare = whole.with_changes(lpar=[], rpar=[])
    assert code(expression(template, x=bare)) == PARENTHESES[template, part]
    if not isinstance(whole, cst.Tuple | cst.GeneratorExp):
        assert code(expression(template, x=whole)) == PARENTHESES[template, part]


def test_statement() -> None:
    assert code(statement("{name} = {x}", name="y", x=expression("a + b"))) == "y = a + b"


@pytest.mark.parametrize("text", ["a + b", "f()", "", "x y"])
def test_what_is_no_dotted_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no dotted name"):
        expression("f({x})", x=text)


def test_a_row_of_parts_stands_among_others_only() -> None:
    with pytest.raises(ValueError, match="several parts"):
        expression("{x}.T", x=["a", "b"])
