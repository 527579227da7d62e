"""Which overrides of ``hybridize`` leave their block eager."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.mxnet.blocks.eager_by_choice import compiles_children_only, refuses, stays_eager
from hybridlint.analysis.project.program import ClassInfo
from hybridlint.text.source import SourceFile

HEAD = "from mxnet import gluon\nfrom mxnet.gluon import HybridBlock\n\n\n"


def info(body: str) -> ClassInfo:
    method = textwrap.indent(textwrap.dedent(body), " " * 8)
    text = f"{HEAD}class Net(HybridBlock):\n    def hybridize(self, active=True, **kwargs):\n{method}\n"
    source = SourceFile(Path("net.py"), text)
    (node,) = (n for n in source.tree.body if isinstance(n, ast.ClassDef))
    return new_project().module(source).class_info(node)


EAGER = [
    "for child in self._children.values():\n    child.hybridize(active, **kwargs)",
    "super(HybridBlock, self).hybridize(active, **kwargs)",
    "super(gluon.HybridBlock, self).hybridize(active, **kwargs)",
    "super().hybridize(False)\nself.fc.hybridize(active, **kwargs)",
    "super().hybridize(active=False, **kwargs)",
    "self.fc.hybridize(active)\nself.stages._active = False",
    "pass",
]
COMPILED = [
    "super().hybridize(active, **kwargs)",
    "super(Net, self).hybridize(active, **kwargs)",
    "HybridBlock.hybridize(self, active, **kwargs)",
    "self._active = active\nself._clear_cached_op()",
    "self.prepare(active)",
    "if self.fast:\n    super().hybridize(active)",
]


@pytest.mark.parametrize("body", EAGER)
def test_only_the_children_are_compiled(body: str) -> None:
    assert compiles_children_only(info(body))
    assert stays_eager(info(body))


@pytest.mark.parametrize("body", COMPILED)
def test_the_block_may_be_compiled(body: str) -> None:
    assert not stays_eager(info(body))


def test_a_refusal() -> None:
    refusing = info("raise NotImplementedError")
    assert refuses(refusing)
    assert stays_eager(refusing)
    assert not compiles_children_only(refusing)
