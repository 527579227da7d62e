"""An NDArray is combined with a Symbol.

What `nd.array`, `nd.zeros`, `self.weight.data()` or an attribute of the block holds is an NDArray in either mode.
Beside a Symbol it raises TypeError or ValueError; an array of numpy does so beside an NDArray too. Create
constants through F, take parameters as arguments of `hybrid_forward`, and keep constant arrays with
`self.params.get_constant`.

Bad:

    # hybridlint: shapes(x=(2, 3))
    return x + mx.nd.ones((2, 3))  # HYB503

Good:

    # hybridlint: shapes(x=(2, 3))
    return x + F.ones((2, 3))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ArgumentsEvent, Binary, BlockCall, Event, MethodCall, OpCall
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.values import (
    CapturedArray,
    ContainerValue,
    NoneSubstitute,
    NumpyArray,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting_around
from hybridlint.fixers.arithmetic.constants import from_array
from hybridlint.fixers.blocks.attributes import constant_parameter, parameter_of_child
from hybridlint.fixers.blocks.new_constants import new_constant
from hybridlint.fixers.blocks.parameters import argument_of_parameter, states_by_functions
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.evidence.aliases import changes_array
from hybridlint.fixers.functions.computed_arrays import computed_through_functions
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.functions.namespaces import creation
from hybridlint.fixers.toolkit.names import array_behind, bound_value, choices, values_bound
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import FixKind

rule = Rule(__name__, code="HYB503", summary="NDArray mixed with a Symbol")


@rule.on(Binary)
def check_operator(event: Binary) -> Iterator[Finding]:
    """Report operators with an NDArray on one side and a tensor of the block on the other."""
    sides = ((event.left, event.left_node, event.right), (event.right, event.right_node, event.left))
    for held, node, other in sides:
        value = _array(held)
        if isinstance(value, CapturedArray) and isinstance(other, Tensor):
            finding = _finding(event, node, held)
            operators = finding.fix is not None and finding.fix.kind is not FixKind.KEEP_EAGER
            if finding.fix is not None and operators and not value.type.provably_equals(other.type):
                finding = replace(finding, fix=with_broadcasting_around(event.frame, node, finding.fix))
            yield finding
            return
        if _is_refused(held, other):
            yield _of_numpy(event, node)
            return


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report NDArrays among the arguments of F's functions."""
    if event.namespace.root != "F":
        return
    tensors = [value for _, value in _given(event.arguments) if isinstance(value, Tensor)]
    inputs = [] if event.operator is None else event.arguments.nodes[: len(event.operator.inputs)]
    for node, value in _given(event.arguments):
        if isinstance(_array(value), CapturedArray):
            yield _finding(event, node, value)
        elif tensors and node in inputs and _is_refused(value, tensors[0]):
            yield _of_numpy(event, node)
        else:
            yield from _listed(event, node, value)


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report NDArrays among the arguments of a tensor's methods."""
    if not isinstance(event.receiver, Tensor):
        return
    for node, value in _given(event.arguments):
        if isinstance(_array(value), CapturedArray):
            yield _finding(event, node, value)


@rule.on(BlockCall)
def check_block(event: BlockCall) -> Iterator[Finding]:
    """Report NDArrays among the arguments of a child and, beside tensors of the block, in lists among them.

    States from ``begin_state`` without ``func=F.zeros`` are NDArrays too.
    """
    given = _given(event.arguments)
    if all(isinstance(value, CapturedArray) for _, whole in given for value in _flat(whole)):
        # A child that is given arrays alone works on them, whoever calls it.
        return
    beside = any(isinstance(value, Tensor) for _, whole in given for value in _flat(whole))
    # What the constructor was given may be a function that looks at what it gets.
    known = bool(event.block.layer or event.block.alternatives)
    for node, value in given:
        held = _flat(_array(value)) if beside else iter((_array(value),))
        if any(isinstance(inner, CapturedArray) for inner in held):
            found = _finding(event, node, value)
            sure = found.severity is Severity.ERROR
            yield found if known or not sure else replace(found, severity=Severity.WARNING)


def _is_refused(held: Value, other: Value) -> bool:
    """Whether a value is an array of numpy, and no number of it, beside a tensor of legacy mode."""
    return (
        isinstance(held, NumpyArray) and bool(held.type.shape) and isinstance(other, Tensor) and other.mode == "legacy"
    )


def _of_numpy(event: Event, node: ast.expr) -> Finding:
    """Return the finding about an array of numpy beside a tensor."""
    return rule.at(
        node,
        f"{snippet(event.frame, node)} is an array of numpy, and mixes neither with Symbols nor with NDArrays",
        help="Keep it with self.params.get_constant.",
    )


def _array(value: Value) -> Value:
    """Return a value, or the array that takes its place where an argument is None."""
    return value.omitted.made if isinstance(value, Unknown) and value.omitted is not None else value


def _flat(value: Value) -> Iterator[Value]:
    if not isinstance(value, ContainerValue):
        yield value
        return
    for item in parts(value):
        yield from _flat(item)


def _given(arguments: ArgumentsEvent) -> list[tuple[ast.expr, Value]]:
    named = [(arguments.keyword_nodes[k], v) for k, v in arguments.keywords.items()]
    return [*zip(arguments.nodes, arguments.values, strict=True), *named]


def _listed(event: OpCall, node: ast.expr, value: Value) -> Iterator[Finding]:
    """Report NDArrays in a list argument: each element of a list display, or else the argument itself."""
    if not isinstance(value, ContainerValue) or value.items is None:
        return
    written = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(value.items)
    places = node.elts if written and isinstance(node, ast.List | ast.Tuple) else [node] * len(value.items)
    for place, item in zip(places, value.items, strict=True):
        if isinstance(item, CapturedArray):
            yield _finding(event, place, item)


def _severity(omitted: NoneSubstitute | None) -> Severity:
    """Return how certain it is that an array meets a Symbol. A caller may always pass the optional argument."""
    if omitted is None:
        return Severity.ERROR
    return Severity.WARNING if omitted.by_default else Severity.POSSIBLE


def _finding(event: Event, node: ast.expr, value: Value) -> Finding:
    """Return the finding about an NDArray, where the function makes it, or else where it meets Symbols."""
    frame = event.frame
    made = bound_value(frame, node)
    constant = not isinstance(node, ast.Name) or not changes_array(frame, node.id)
    kept = node if (start := array_behind(made)) is made else start
    bound = [part for value in values_bound(frame, node) for part in choices(value)]
    omitted = value.omitted if isinstance(value, Unknown) else None
    where = f" where `{omitted.argument}` is None" if omitted is not None else ""
    return rule.at(
        made,
        f"{snippet(frame, node)} is an NDArray in either mode{where}, and does not mix with Symbols",
        severity=_severity(omitted),
        fix=creation(frame, made)
        or next((fix for part in bound if (fix := creation(frame, part)) is not None), None)
        or (from_array(frame, made) if constant else None)
        or computed_through_functions(frame, made)
        or computed_through_functions(frame, node)
        or (new_constant(frame, made) if constant else None)
        or argument_of_parameter(frame, kept)
        or parameter_of_child(frame, kept)
        or parameter_of_child(frame, made)
        or constant_parameter(frame, kept)
        or states_by_functions(frame, node)
        or functions_passed(frame),
        otherwise=lambda: keep_eager(event),
        help="Create it through F, take the parameter's argument, or keep it with self.params.get_constant.",
        notes=((node, "it meets a Symbol here"),) if made is not node else (),
    )
