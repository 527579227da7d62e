"""An operator that a graph cannot differentiate.

Preparing a hybridized block derives the gradient of its graph, whether or not it will be trained. `shuffle`,
`histogram` and some others have none, `F.np.copysign` has none with a number, and `sort` without its axis cannot be
derived: the first call raises, where an eager run without recording works.

Bad:

    return F.sort(x)  # HYB511

Good:

    return F.sort(x, axis=-1)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.arguments import tensors_in
from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import MethodCall, OpCall
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.functions.one_mode import add_keyword, blocked_result, is_blocked
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB511", summary="operator without a gradient in a graph")

#: Functions without a gradient that are no operators here.
_NAMES = {
    ("contrib",): frozenset({"backward_gradientmultiplier"}),
    ("np",): frozenset({"insert", "may_share_memory", "shares_memory"}),
    ("np", "random"): frozenset({"shuffle"}),
}


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions of F without a gradient, and ``sort`` without an axis."""
    if event.namespace.root != "F":
        return
    if _has_none(event) and not is_blocked(event):
        yield _finding(event)
    elif not event.namespace.path and event.name == "sort":
        yield from _sort(event, len(event.arguments.nodes) - 1)
    elif event.namespace.path == ("np",) and event.name == "copysign" and _has_number(event):
        yield _finding(event)


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report methods without a gradient, and ``sort`` without an axis."""
    if not isinstance(event.receiver, Tensor) or event.receiver.mode != "legacy":
        return
    if event.name == "argmax_channel" and not is_blocked(event):
        yield _finding(event)
    elif event.name == "sort":
        yield from _sort(event, len(event.arguments.nodes))


def _has_number(event: OpCall) -> bool:
    return any(isinstance(value, StaticValue) for value in event.arguments.values)


def _has_none(event: OpCall) -> bool:
    """Whether a function of tensors has no gradient, even if its tensors are constants."""
    if event.name in _NAMES.get(event.namespace.path, frozenset()):
        return True
    if event.operator is None or event.operator.grad is not None or event.operator.facts.eager_only:
        return False
    takes = event.operator.variadic or bool(event.operator.inputs)
    return takes and any(tensors_in([*event.arguments.values, *event.arguments.keywords.values()]))


def _finding(event: OpCall | MethodCall) -> Finding:
    return rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} has no gradient: preparing the graph raises, also for inference",
        fix=blocked_result(event),
        help="Stop the gradient of its result: F.BlockGrad(...).",
    )


def _sort(event: OpCall | MethodCall, positional: int) -> Iterator[Finding]:
    if positional > 0 or "axis" in event.arguments.keywords:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} without its axis cannot be differentiated in a graph",
        fix=add_keyword(event, "axis", -1),
        help="Write `axis=-1`, which is the default.",
    )
