"""Checks of kinds that end in a raise, weights read from children, and sums in place over children."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

NET = """
import mxnet as mx
from mxnet.gluon import nn


class Net(nn.HybridSequential):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.out = nn.Dense(2)

    def hybrid_forward(self, F, x):
        {body}
"""
REFUSED = """if isinstance(x, mx.nd.NDArray):
            size = 2
        else:
            raise TypeError("arrays only")
        return x * size"""
SUMS = """out, last = [], None
        for block in self._children.values():
            y = block(x)
            if last is not None:
                y += last
            out.append(y)
            last = y
        return F.concat(*out, dim=1)"""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (REFUSED, "HYB406"),
        (SUMS, "HYB302"),
        ("return x * F.sum(self.out.params.get('weight').data())", "HYB503"),
    ],
)
def test_what_fails_at_the_trace_is_found(body: str, code: str) -> None:
    found = analyze_file(SourceFile(Path("net.py"), NET.format(body=body)))
    assert code in {finding.rule.code for finding in found}


def test_a_namespace_that_is_asked_for_is_the_authors_own_split() -> None:
    found = analyze_file(
        SourceFile(Path("net.py"), NET.format(body=REFUSED.replace("isinstance(x, mx.nd.NDArray)", "F is mx.nd")))
    )
    assert [finding.rule.code for finding in found] == []
