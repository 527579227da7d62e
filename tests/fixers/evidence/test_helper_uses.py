"""All calls of a helper in its file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.text.source import SourceFile

NET = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def _part(self, x, n):
        return x.reshape((n, -1))

    def hybrid_forward(self, F, x):
        {body}
"""

BODIES = {
    "once": ("return self._part(x, x.shape[0])", ["x.shape[0]"]),
    "by its name": ("return self._part(x, n=len(x))", ["len(x)"]),
    "twice": ("return self._part(x, 2) + self._part(x, 3)", ["2", "3"]),
    "in itself": ("return self._part(self._part(x, 2), 3)", []),
    "kept": ("part = self._part\n        return part(x, 2)", []),
    "with any arguments": ("return self._part(*[x, 2])", []),
}


@pytest.mark.parametrize(("body", "given"), BODIES.values(), ids=BODIES.keys())
def test_calls(body: str, given: list[str]) -> None:
    source = SourceFile(Path("net.py"), NET.format(body=body))
    frame = next(event.frame for event in module_events(source))
    helper = next(n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef))
    assert [ast.unparse(use.given["n"]) for use in uses_of(frame, helper)] == given
