"""A block with a helper, for tests of what fixers know of helpers."""

from __future__ import annotations

import ast
from pathlib import Path

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import CodeContext
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import named

_NET = """from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def help(self, x, n):
{body}
    def hybrid_forward(self, F, x):
        b, t, c = x.shape
        return self.help(x, b) * x.shape[0]
"""


def caller(body: str) -> tuple[CodeContext, ast.Call]:
    """Return the frame of a `hybrid_forward` that calls a helper with this body, and the call ``self.help(x, b)``."""
    source = SourceFile(Path("net.py"), _NET.format(body=body))
    frames = (event.frame for event in module_events(source))
    frame = next(f for f in frames if isinstance(f.function, ast.FunctionDef) and f.function.name == "hybrid_forward")
    call = named(frame, "self.help(x, b)")
    assert isinstance(call, ast.Call)
    return frame, call
