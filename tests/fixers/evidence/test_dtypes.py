"""Whether two tensors of unknown dtypes surely share one."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.dtypes import keeps_dtype, of_one_dtype, takes_dtype
from tests.fixers.bodies import met


@pytest.mark.parametrize(
    ("call", "keeps"),
    [
        ("F.relu(x)", True),
        ("x.reshape((-1,))", True),
        ("F.sum(x, axis=1)", True),
        ("F.cast(x, dtype='float16')", False),
        ("x.astype('float16')", False),
        ("F.dot(x, y, out_dtype='float32')", False),
        ("F.unheard_of(x)", False),
    ],
)
def test_calls_whose_result_has_the_dtype_of_their_data(call: str, keeps: bool) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    assert keeps_dtype(node, node.func.attr) is keeps


@pytest.mark.parametrize(
    ("body", "one"),
    [
        ("return x * 2 + x", True),
        ("z = x * 2\nreturn z + F.relu(x)", True),
        ("z = -x\nz = z.exp()\nreturn z + x.sum()", True),
        ("return x * 2 + y", False),
        ("z = x.astype(self.dtype)\nreturn z + x", False),
        ("z = F.zeros((2,), dtype='float16')\nreturn z + x", False),
    ],
)
def test_tensors_of_one_dtype(body: str, one: bool) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    whole = frame.statement.value
    assert isinstance(whole, ast.BinOp)
    values = frame.seen.value(whole.left), frame.seen.value(whole.right)
    assert of_one_dtype(frame, *values, (whole.left, whole.right)) is one


@pytest.mark.parametrize(
    ("body", "takes"),
    [
        ("return F.sum(x * y)", True),
        ("z = [x * 2]\nz.append(F.maximum(x, y))\nreturn F.add_n(*z)", True),
        ("z = 0\nz = z + x.sum()\nreturn z", True),
        ("return F.where(x > 0, y, y)", False),
        ("return F.sum(y)", False),
        ("z = [x]\nz.append(y)\nreturn F.add_n(*z)", False),
        ("z = [x]\nself.keep(z)\nreturn F.add_n(*z)", False),
        ("z = self.child(x)\nreturn z", False),
        ("z, w = F.split(x, num_outputs=2)\nreturn z", False),
        ("x = x.astype('float16')\nreturn x * 2", False),
    ],
)
def test_an_expression_with_the_dtype_of_an_argument(body: str, takes: bool) -> None:
    frame = met(body)
    assert isinstance(frame.statement, ast.Return)
    assert frame.statement.value is not None
    assert takes_dtype(frame, frame.statement.value, "x") is takes
