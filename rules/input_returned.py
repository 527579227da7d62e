"""An input, or a parameter, is returned unchanged.

An output of the graph that is itself an input makes `backward` of the whole block raise when it is hybridized
("Cannot differentiate node because it is not in a computational graph"), and a parameter returned as it is gets no
gradient through that output. `F.identity` makes a node of it. A block that only ever is a part of others has no outputs
of a graph: hence a warning, and an information for the function of a `HybridLambda`, which hardly ever is the whole.

Bad:

    return [x, x * 2]  # HYB901

Good:

    return [F.identity(x), x * 2]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Return
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.values import ContainerValue, Tensor, Value
from hybridlint.fixers.blocks.outputs import identity_outputs, identity_result, returned_expression
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB901", summary="input returned unchanged", severity=Severity.WARNING)

_RAISES = "an unchanged input: backward raises"


@rule.on(Return)
def check(event: Return) -> Iterator[Finding]:
    """Report outputs that are inputs of the block, returned unchanged."""
    if not any(isinstance(v, Tensor) and v in event.inputs for v in _flat(event.value)):
        yield from _on_one_path(event)
        return
    given = {t.identity for t in event.inputs if t.identity is not None}
    value = returned_expression(event)
    name = "the output" if value is None else snippet(event.frame, value)
    verb = "holds" if isinstance(event.value, ContainerValue) else "is"
    parameters = all(t.origin == "parameter" for t in event.inputs)
    what = "an unchanged parameter: it gets no gradient through that output" if parameters else _RAISES
    yield rule.at(
        event.node,
        f"{name} {verb} {what} once hybridized",
        severity=Severity.INFO if isinstance(event.frame.function, ast.Lambda) else Severity.WARNING,
        fix=identity_outputs(event, given),
        help="Return F.identity(x).",
    )


def _on_one_path(event: Return) -> Iterator[Finding]:
    """Report outputs that are an input where an argument, a setting or an empty sequence leaves out what changes it."""
    value = returned_expression(event)
    given = event.value.items or () if isinstance(event.value, ContainerValue) else (event.value,)
    if value is None or not any(isinstance(v, Tensor) and v.unchanged for v in given):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, value)} may be an unchanged input: backward raises once hybridized",
        severity=Severity.INFO if isinstance(event.frame.function, ast.Lambda) else Severity.WARNING,
        fix=identity_result(event),
        help="Return F.identity of it.",
    )


def _flat(value: Value) -> Iterator[Value]:
    if isinstance(value, ContainerValue):
        for item in parts(value):
            yield from _flat(item)
    else:
        yield value
