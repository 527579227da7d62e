"""A positional argument beyond an operator's parameters.

Past the operator's own parameters the next positional argument is `out` in `mx.nd` and `name` in `mx.sym`: a tensor
there is written into eagerly, and raises or is ignored once hybridized.

Bad:

    z = F.zeros_like(x)
    F.relu(x, z)  # HYB508
    return z + x

Good:

    z = F.zeros_like(x)
    z = F.relu(x)
    return z + x
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall, OpCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.functions.one_mode import assign_out
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB508", summary="positional argument that is out or name")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report a tensor passed by position after the last parameter, where ``mx.nd`` takes `out`."""
    operator = event.operator
    if event.namespace.root != "F" or operator is None or operator.variadic:
        return
    if len(event.arguments.values) != len(event.arguments.nodes):
        return
    place = len(operator.inputs) + len(operator.params)
    if len(event.arguments.nodes) <= place or not isinstance(event.arguments.values[place], Tensor):
        return
    out = event.arguments.nodes[place]
    yield rule.at(event.node, _text(event, out), fix=assign_out(event, out), help="Bind a name to the result.")


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report a tensor passed to a method after the last parameter; the receiver is the first input."""
    operator = event.operator
    if not isinstance(event.receiver, Tensor) or event.receiver.mode != "legacy":
        return
    if operator is None or operator.variadic or len(event.arguments.values) != len(event.arguments.nodes):
        return
    place = len(operator.inputs) + len(operator.params) - 1
    if len(event.arguments.nodes) > place and isinstance(event.arguments.values[place], Tensor):
        yield rule.at(event.node, _text(event, event.arguments.nodes[place]), help="Bind a name to the result.")


def _text(event: OpCall | MethodCall, out: ast.expr) -> str:
    return f"{snippet(event.frame, out)} is `out` eagerly and `name` once hybridized"
