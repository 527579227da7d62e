"""Storage types in hybrid code: what a hybridized block has of them, measured on MXNet, and what is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.project.settings.config import Config

BLOCK = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x, rows):
        {}
"""


def codes(line: str) -> list[str]:
    source = BLOCK.format(line).encode()
    result = check(Job(Path("net.py"), source, Config(root=Path())))
    return [found.code for found in result.diagnostics]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("return x * 2 + x.indices.sum()", "HYB103"),
        ("return F.take(x.data, rows)", "HYB103"),
        ("return F.cast_storage(x, 'csr').indptr * 1", "HYB103"),
        ("return x.retain(rows)", "HYB109"),
        ("return x.tostype('default')", "HYB109"),
        ("return F.sparse.zeros('csr', (2, 3))", "HYB501"),
        ("return F.zeros((2, 3), stype='csr')", "HYB513"),
    ],
)
def test_what_graphs_lack_of_sparse_storage_is_reported(line: str, code: str) -> None:
    assert code in codes(line)


@pytest.mark.parametrize(
    "line",
    [
        "return F.sparse.dot(F.cast_storage(x, 'csr'), rows)",
        "return F.sparse.retain(x, rows)",
        "return F.sparse.dot(x, rows)",
        "return F.dot(F.sparse.sum(F.cast_storage(x, 'default'), axis=0), rows)",
        "return F.Embedding(x, rows, input_dim=3, output_dim=4, sparse_grad=True)",
    ],
)
def test_operators_that_keep_or_change_the_storage_in_graphs_too_are_not(line: str) -> None:
    assert codes(line) == []
