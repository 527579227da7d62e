"""A scope of autograd around operators.

`with autograd.pause()`, `predict_mode()` and `train_mode()` act while Python runs. A trace records the operators
without the scope: gradients flow where they were paused, and Dropout follows the caller's mode. Nothing is raised.
`set_training` and `set_recording` act in the same way.

Measured:

    with autograd.pause():
        z = x * x
    return z + x

    >>> x = [1, 2, 3]
    >>> eager.gradient(x)
    [1, 1, 1]
    >>> hybridized.gradient(x)
    [3, 5, 7]

Bad:

    with autograd.pause():  # HYB606
        z = x * x
    return z + x

Good:

    with autograd.pause():
        z = F.BlockGrad(x * x)
    return z + x

The scope stays for eager runs, which then record no operator at all. Dropout layers that only `train_mode()` calls
become operators with `mode="always"`; where nothing else in a block asks for the mode, `train_mode()` moves around its
`forward`, which calls the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import ScopeEvent
from hybridlint.fixers.blocks.forward_scopes import scope_around_forward
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.dropout_layers import drop_out_always
from hybridlint.fixers.control.modes import without_scope
from hybridlint.fixers.control.scopes import block_paused
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Fix

rule = Rule(__name__, code="HYB606", summary="autograd scope, ignored at the trace")


@rule.on(ScopeEvent)
def check(event: ScopeEvent) -> Iterator[Finding]:
    """Report ``autograd.pause()``, ``predict_mode()`` and the like around operators: a graph does not record them."""
    if event.name not in {"pause", "record", "train_mode", "predict_mode", "set_training", "set_recording"}:
        return
    if not event.modal and not (event.name == "pause" and event.flows):
        return
    behind = "behind" if event.name.startswith("set_") else "in"
    node: ast.AST = event.node.items[0].context_expr if isinstance(event.node, ast.With) else event.node
    yield rule.at(
        node,
        f"`autograd.{event.name}()` is not recorded in the graph: once hybridized, the operators {behind} it run "
        "as if it were not there",
        fix=_fix(event) if event.sure else None,
        otherwise=lambda: keep_eager(event),
        help="Stop gradients with F.BlockGrad; leave the mode to the caller.",
    )


def _fix(event: ScopeEvent) -> Fix | None:
    return block_paused(event) or without_scope(event) or drop_out_always(event) or scope_around_forward(event)
