"""The axes of outputs, by the shape rules of operators and layers."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes
from hybridlint.fixers.evidence.sizes.rule_axes import of_one, output_of
from hybridlint.runtime.facts import lookup

ROWS, COLUMNS, OTHERS = AxisSize(("rows",)), AxisSize(("columns",)), AxisSize(("others",))
OUTPUTS = {
    "an axis that is dropped": ("sum", {"axis": "1"}, TensorAxes((ROWS,), whole=True)),
    "an axis that is kept as 1": (
        "sum",
        {"axis": "1", "keepdims": "True"},
        TensorAxes((ROWS, AxisSize(())), whole=True),
    ),
    "axes in another order": ("transpose", {"axes": "(1, 0)"}, TensorAxes((COLUMNS, ROWS), whole=True)),
    "a parameter that is no literal": ("sum", {"axis": "self.axis"}, None),
    "a parameter that the operator lacks": ("sum", {"places": "1"}, None),
}


@pytest.mark.parametrize(("name", "given", "expected"), OUTPUTS.values(), ids=OUTPUTS.keys())
def test_outputs_of_one_tensor(name: str, given: dict[str, str], expected: TensorAxes | None) -> None:
    operator = lookup.of_tensors(name)
    assert operator is not None
    arguments = {key: ast.parse(value, mode="eval").body for key, value in given.items()}
    assert output_of(operator, [TensorAxes((ROWS, COLUMNS), whole=True)], arguments, {}) == expected


def test_an_input_among_others() -> None:
    operator = lookup.of_tensors("batch_dot")
    assert operator is not None
    around: tuple[list[TensorAxes | None], list[TensorAxes | None]] = (
        [TensorAxes((ROWS, COLUMNS, OTHERS), whole=True)],
        [],
    )
    found = of_one(operator, around, {}, {}, TensorAxes((ROWS, OTHERS, COLUMNS), whole=True))
    assert found == TensorAxes((ROWS, COLUMNS, COLUMNS), whole=True)


def test_a_parameter_whose_number_the_code_computes() -> None:
    operator = lookup.function((), "FullyConnected")
    assert operator is not None
    given: dict[str, ast.expr] = {"num_hidden": ast.Name("units"), "no_bias": ast.Constant(value=True)}
    units = AxisSize(("self.units",))
    found = output_of(operator, [TensorAxes((ROWS, COLUMNS), whole=True), None], given, {"num_hidden": units})
    assert found == TensorAxes((ROWS, units), whole=True)
