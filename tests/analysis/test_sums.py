"""Sums over all of a tensor beside other tensors, which may be sums too."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

NET = """
from mxnet.gluon.loss import Loss


class Net(Loss):
    def hybrid_forward(self, F, x, mask, count):
        loss = F.abs(x) * mask
        return {result}
"""


def _told(result: str) -> set[str]:
    found = analyze_file(SourceFile(Path("net.py"), NET.format(result=result)), possible=True)
    told = {getattr(one.node, "lineno", 0): one.severity.value for one in found if one.rule.code == "HYB301"}
    return {severity for row, severity in told.items() if row == 8}


@pytest.mark.parametrize(
    "result",
    [
        "F.sum(mask) / (2 * count)",
        "F.add_n(*[F.sum(mask == i) for i in range(self.n)]) / F.sum(x)",
        "F.sum(F.square(mask)) + F.linalg.sumlogdiag(self.chol)",
    ],
)
def test_what_may_be_a_number_too_is_only_possible(result: str) -> None:
    assert _told(result) <= {"possible"}


def test_a_result_of_three_axes_is_more_than_a_number() -> None:
    assert _told("F.tile(count, reps=(2, 1, 1)) + F.sum(mask)") == {"warning"}


@pytest.mark.parametrize("axis", ["0", "self._batch_axis"])
def test_rows_that_are_left_of_any_tensor_are_more_than_a_number(axis: str) -> None:
    assert _told(f"F.sum(loss, axis={axis}, exclude=True) / (F.sum(mask) + 1)") == {"warning"}


def test_a_number_for_each_row_is_taken_to_be_one_for_the_same_rows() -> None:
    assert _told("F.sum(loss, axis=0, exclude=True) / F.sum(count, axis=0, exclude=True)") == set()
