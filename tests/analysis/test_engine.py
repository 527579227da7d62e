"""The engine: findings come once and in order, and files without hybrid code cost nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridlint.analysis.model.events import Subscript
from hybridlint.checking.findings import analyze_file
from hybridlint.rule import Finding, Rule
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.source import SourceError, SourceFile

NET = """
from mxnet.gluon import HybridBlock

class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        a = self.part(x)
        for i in range(3):
            a = a + self.part(x * i)
        return a + x[3]

    def part(self, x):
        return x[1]
"""


def subscripts() -> Rule:
    rule = Rule(__name__, code="HYB299", summary="every subscript")

    @rule.on(Subscript)
    def check(event: Subscript) -> Iterator[Finding]:
        yield rule.at(event.node, "here")

    return rule


def test_a_place_is_reported_once_and_in_order() -> None:
    found = analyze_file(SourceFile(Path("net.py"), NET), [subscripts()])
    assert [f.node.lineno for f in found] == [9, 12]  # type: ignore[attr-defined]


def test_text_without_hybrid_code_is_not_parsed() -> None:
    assert not may_be_hybrid("import mxnet as mx\n")
    assert analyze_file(SourceFile(Path("script.py"), "this is ( no Python"), [subscripts()]) == []


def test_hybrid_code_that_does_not_parse_is_an_error() -> None:
    with pytest.raises(SourceError):
        analyze_file(SourceFile(Path("net.py"), "class Net(HybridBlock:\n"), [subscripts()])
