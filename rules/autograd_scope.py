"""A scope of autograd around operators.

`with autograd.pause()`, `predict_mode()` and `train_mode()` act while Python runs. A trace records the operators
without the scope: gradients flow where they were paused, and Dropout follows the caller's mode. Nothing is raised.

    with autograd.pause(): z = x * x
    return z + x                          gradient, eager: 1     hybridized: 1 + 2x

Bad:

    with autograd.pause():  # HYB606
        z = x * x
    return z + x

Good:

    z = F.BlockGrad(x * x)
    return z + x
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.events import Scope
from hybridlint.fixers.control_flow import block_paused
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB606", summary="autograd scope, ignored at the trace")


#: Scopes that change nothing but the mode, as far as values are concerned.
_MODES = frozenset({"record", "train_mode", "predict_mode"})
_ASK_MODE = frozenset({"Dropout", "dropout", "BatchNorm", "batch_norm", "RNN", "rnn", "LeakyReLU", "leaky_relu"})


@rule.on(Scope)
def check(event: Scope) -> Iterator[Finding]:
    """Report the scopes that a trace does not record."""
    if event.name not in {"pause", "record", "train_mode", "predict_mode", "set_training", "set_recording"}:
        return
    if event.name in _MODES and isinstance(event.node, ast.With) and not _may_ask_mode(event.node):
        return
    node: ast.AST = event.node.items[0].context_expr if isinstance(event.node, ast.With) else event.node
    yield rule.at(
        node,
        f"`autograd.{event.name}()` is not recorded in the graph: once hybridized, the operators in it run as "
        "if it were not there",
        fix=block_paused(event),
        help="Stop gradients with F.BlockGrad; leave the mode to the caller.",
    )


def _may_ask_mode(scope: ast.With) -> bool:
    """Whether something in a scope may depend on the mode: a block, a helper, or an operator that knows it."""
    calls = [n.func for statement in scope.body for n in ast.walk(statement) if isinstance(n, ast.Call)]
    plain = [
        f for f in calls if isinstance(f, ast.Attribute) and f.attr not in _ASK_MODE and _root(f) not in {"self", None}
    ]
    return len(plain) < len(calls)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None
