"""A HybridBlock overrides `forward`.

`forward` of a HybridBlock is what decides between eager and traced runs. A class that overrides it is never
compiled: `hybridize()` is silently ignored for it, and as a child of a hybridized block its code meets Symbols.
Write `hybrid_forward(self, F, ...)`.

Measured:

    class Double(HybridBlock):
        def __init__(self):
            super().__init__()
            self.runs = 0

        def forward(self, x):
            self.runs += 1
            return x * 2

    >>> x = [1, 2]
    >>> hybridized(x), hybridized(x), hybridized.block.runs
    ([2, 4], [2, 4], 2)

Bad:

    class Double(HybridBlock):
        def forward(self, x):  # HYB804
            return x * 2

Good:

    class Double(HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import BlockDef
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.blocks.classes import to_hybrid_forward
from hybridlint.fixers.toolkit.imports import imported_path
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.syntax import each, walk

rule = Rule(__name__, code="HYB804", summary="forward overridden in a HybridBlock", severity=Severity.INFO)


@rule.on(BlockDef)
def check(event: BlockDef) -> Iterator[Finding]:
    """Report classes that define forward and no hybrid_forward."""
    forward = event.methods.get("forward")
    if forward is None or ENTRY in event.methods or event.mode == "np" or _calls_graph(forward):
        return
    yield rule.at(
        forward,
        "`forward` overrides what compiles a HybridBlock: `hybridize()` has no effect on this class",
        fix=None if _computes_with_np(event, forward) else to_hybrid_forward(event, forward),
        help="Write hybrid_forward(self, F, ...), or derive from Block.",
    )


def _calls_graph(forward: ast.FunctionDef) -> bool:
    """Return whether a `forward` calls the base class's `forward`, which `hybridize()` does compile."""
    called = (node.func for node in walk(forward) if isinstance(node, ast.Call))
    return any(isinstance(func, ast.Attribute) and func.attr == "forward" for func in called)


def _computes_with_np(event: BlockDef, forward: ast.FunctionDef) -> bool:
    """Return whether a `forward` is code of numpy mode, as of MXNet 2, which the functions of F do not fit."""
    paths = (imported_path(event.frame, dotted_parts(node) or ()) or "" for node in each(forward, ast.Attribute))
    return any(path.startswith(("mxnet.np.", "mxnet.npx.", "mxnet.numpy")) for path in paths)
