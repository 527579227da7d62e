"""A declared parameter is no argument of `hybrid_forward`.

Gluon passes every parameter that a block registers on itself to `hybrid_forward`, by name. Where the signature has
no such argument, the call raises TypeError.

Bad:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = self.params.get("gain", shape=(1,))

        def hybrid_forward(self, F, x):  # HYB805
            return x * 2

Good:

    class Scale(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.gain = self.params.get("gain", shape=(1,))

        def hybrid_forward(self, F, x, gain):
            return F.broadcast_mul(x, gain)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import SignatureEvent
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB805", summary="parameter that is not an argument of hybrid_forward")


@rule.on(SignatureEvent)
def check(event: SignatureEvent) -> Iterator[Finding]:
    """Report declared parameters for which `hybrid_forward` has no argument."""
    if not isinstance(event.node, ast.FunctionDef) or event.node.args.kwarg is not None:
        return
    arguments = event.node.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    missing = sorted(event.parameters - names)
    if not missing:
        return
    listed = ", ".join(f"`{name}`" for name in missing)
    yield rule.at(
        event.node,
        f"`hybrid_forward` has no argument for {listed}, which the block declares: each call raises TypeError",
        help="Add the argument, or declare the parameter in a child.",
    )
