"""The training mode is asked for.

`autograd.is_training()` runs once, at the trace, and later calls keep the branch that the trace took. A block traced
for predicting then trains as it predicts, and the other way round, without an error. Operators that know the mode
(`F.Dropout`, `F.BatchNorm`) decide at each call.

A block whose result is another one in each mode needs a graph for each, or a graph that chooses. Where it has parts,
the fix is a `forward` that drops the graph at each change of mode before it calls `super().forward`, in the class and
in those that hold it: the block stays compiled, and each change of mode costs a trace. Elsewhere, both results are
computed and `F.where` chooses: `F.Dropout(F.ones_like(x), p=0.5) != 1` is 1 in train mode, and 0 in predict mode.

Measured:

    return x * 2 if autograd.is_training() else x * 3

    >>> x = [1, 2, 3]
    >>> eager(x), eager.training(x)
    ([3, 6, 9], [2, 4, 6])
    >>> hybridized(x), hybridized.training(x)
    ([3, 6, 9], [3, 6, 9])

Bad:

    if autograd.is_training():  # HYB603
        x = F.Dropout(x, p=0.5)
    return x * 3

Good:

    x = F.Dropout(x, p=0.5)
    return x * 3
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import BlockCall, TraceConstant
from hybridlint.analysis.mxnet.blocks.retracing import retrace_conditions, retraced_by
from hybridlint.fixers.blocks.retracing import trace_each_mode, trace_like_child
from hybridlint.fixers.control.branches import choose_by_mode, is_joint
from hybridlint.fixers.control.modes import knows_mode
from hybridlint.fixers.toolkit.names import class_around
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB603", summary="is_training, frozen at the trace")


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report ``autograd.is_training()`` and ``is_recording()``, whose answer at the trace stays in the graph."""
    if event.source_of_value.rpartition(".")[2] not in {"is_training", "is_recording"}:
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}()` is asked once, at the trace, and the hybridized block keeps that answer",
        fix=knows_mode(event)
        or (choose_by_mode(event) if is_joint(event) else None)
        or trace_each_mode(event)
        or choose_by_mode(event),
        help="Use an operator that knows the mode (F.Dropout, F.BatchNorm), or two blocks.",
    )


@rule.on(BlockCall)
def check_child(event: BlockCall) -> Iterator[Finding]:
    """Report calls of children that are traced again in each mode, by a block that is not."""
    held = [one for one in event.block.known if one.info is not None and retrace_conditions(one.info)]
    owner = class_around(event.frame) if held else None
    if owner is None or retraced_by(owner):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} keeps the mode of its trace once hybridized, although {held[0].layer} is "
        "traced anew in each mode",
        fix=trace_like_child(event),
        help="Trace the block that calls it anew as well.",
    )
