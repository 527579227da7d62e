"""Whether two tensors of unknown dtypes surely share one."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.dtypes import keeps_dtype, of_one_dtype
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
