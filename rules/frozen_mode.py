"""The training mode is asked for.

`autograd.is_training()` is answered once, at the trace, and the branch that was taken then is kept: the hybridized
block trains as it predicts, or the other way round. Nothing is raised. Operators that know the mode (`F.Dropout`,
`F.BatchNorm`) decide at each call.

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

from hybridlint.analysis.model.events import TraceConstant
from hybridlint.fixers.control.modes import knows_mode
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
        fix=knows_mode(event),
        help="Use an operator that knows the mode (F.Dropout, F.BatchNorm), or two blocks.",
    )
