"""Control flow operators: `foreach`, `while_loop` and `cond`, and the functions passed to them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hybridlint.analysis.model.arguments import argument
from hybridlint.analysis.model.events import ArgumentsEvent, ControlFlow
from hybridlint.analysis.model.values import (
    ContainerValue,
    Function,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.control_flow.bodies import (
    Refusal,
    branch_refusals,
    cond_refusals,
    count_refusals,
    depends_on_nothing,
    passing_refusals,
    step_refusals,
    unused_refusals,
    variable_refusals,
)
from hybridlint.analysis.mxnet.control_flow.passing import passed_by_branch, passed_by_step
from hybridlint.analysis.python.closures import apply, tensor_like
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import Shape

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

RUNS_ALL = frozenset({"cond"})
RUNS_ONCE = frozenset({"foreach", "while_loop"})
CONTROL_FLOW = RUNS_ALL | RUNS_ONCE
_PARAMETERS = {
    "foreach": ("body", "data", "init_states"),
    "while_loop": ("cond", "func", "loop_vars", "max_iterations"),
    "cond": ("pred", "then_func", "else_func"),
}


def control_flow(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Interpret the functions passed to a control flow operator with tensors as arguments; return its result."""
    call = _Call(act, node, name, args)
    if name == "cond":
        return _cond(call)
    return _foreach(call) if name == "foreach" else _while_loop(call)


class _Call:
    """A call of a control flow operator."""

    def __init__(self, act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> None:
        self.act, self.node, self.name, self.args = act, node, name, args

    def given(self, parameter: str) -> Value:
        """Return the argument for a parameter; Unknown if it is not known."""
        found = argument(self.args, parameter, _PARAMETERS[self.name].index(parameter))
        return Unknown() if found is None else found

    def run(self, parameter: str, values: tuple[Value, ...]) -> Value:
        """Interpret a function passed to the operator, as code that runs inside the operator."""
        function = self.given(parameter)
        with _inside(self.act, function, self.name):
            return apply(self.act, self.node, function, values)

    def emit(self, parameter: str, refusals: Iterator[Refusal]) -> None:
        """Emit events for the reasons why the Symbol form rejects an argument."""
        for reason, backward in refusals:
            place = self._place(parameter)
            self.act.emit(ControlFlow, place, name=self.name, reason=reason, backward=backward)

    def _place(self, parameter: str) -> ast.expr:
        at = _PARAMETERS[self.name].index(parameter)
        positional = self.args.nodes[at] if at < len(self.args.nodes) else self.node
        place = self.args.keyword_nodes.get(parameter, positional)
        return self.node if isinstance(place, ast.Starred) else place


@contextmanager
def _inside(act: Activation, function: Value, name: str) -> Iterator[None]:
    if not isinstance(function, Function):
        yield
        return
    outer = act.run.surroundings.bodies
    act.run.surroundings.bodies = {**outer, function.node: name}
    try:
        yield
    finally:
        act.run.surroundings.bodies = outer


def _cond(call: _Call) -> Value:
    call.emit("pred", cond_refusals(call.given("pred"), "condition"))
    results: list[Value] = []
    for parameter in ("then_func", "else_func"):
        result = call.run(parameter, ())
        call.emit(parameter, branch_refusals(call.given(parameter), result, results))
        call.emit(parameter, passing_refusals(passed_by_branch(call.act, call.given(parameter))))
        results.append(result)
    then, orelse = results
    return tensor_like(call.act, then if not isinstance(then, Unknown) else orelse)


def _foreach(call: _Call) -> Value:
    act = call.act
    states = _states(act, call.given("init_states"))
    rows = _retyped(act, call.given("data"), lambda shape: shape[1:])
    call.emit("body", unused_refusals(call.given("body"), (rows, states), ("data", "state")))
    stepped = call.run("body", (rows, states))
    if not isinstance(stepped, ContainerValue) or stepped.items is None or len(stepped.items) != 2:
        return _outputs_and_states(act, stepped, states)
    call.emit("body", step_refusals(*stepped.items))
    if not depends_on_nothing(stepped.items[0]):
        passed = passed_by_step(act, call.given("body"), call.given("data"), call.given("init_states"))
        call.emit("body", passing_refusals(passed))
    outputs = _retyped(act, stepped.items[0], lambda shape: (Dim.fresh(), *shape))
    return ContainerValue("tuple", (outputs, states))


def _states(act: Activation, value: Value) -> Value:
    """Return the states of a step: new tensors with the known shapes of the first states.

    In a graph, a state has the same shape in every step.
    """
    if isinstance(value, Tensor):
        state = act.tensor(type=value.type, lineage=value.lineage)
        # What is made of weights alone has no batch axis, in no step.
        return replace(state, origin=value.origin) if value.origin in {"parameter", "weights"} else state
    if isinstance(value, ContainerValue) and value.items is not None:
        return ContainerValue(value.kind, tuple(_states(act, item) for item in value.items))
    return tensor_like(act, value)


def _retyped(act: Activation, value: Value, change: Callable[[Shape], Shape]) -> Value:
    """Return a value of the same structure with new tensors whose shapes, where known, are changed by `change`."""
    if isinstance(value, Tensor) and value.type.shape is not None:
        known = value.type.with_shape(tuple(change(value.type.shape)))
        return act.tensor(type=known, lineage=ShapeProvenance(act.run.token()))
    if isinstance(value, ContainerValue) and value.items is not None:
        return ContainerValue(value.kind, tuple(_retyped(act, item, change) for item in value.items))
    return tensor_like(act, value)


def _while_loop(call: _Call) -> Value:
    act = call.act
    variables = call.given("loop_vars")
    call.emit("loop_vars", variable_refusals(variables))
    inner = tensor_like(act, variables)
    values = inner.items if isinstance(inner, ContainerValue) and inner.items is not None else (inner,)
    if isinstance(inner, ContainerValue) and inner.items is None:
        return Unknown()
    call.emit("max_iterations", count_refusals(call.given("max_iterations")))
    call.emit("cond", cond_refusals(call.run("cond", values), "result"))
    call.emit("func", unused_refusals(call.given("func"), values, ("variable",) * len(values)))
    stepped = call.run("func", values)
    return _outputs_and_states(act, stepped, inner)


def _outputs_and_states(act: Activation, stepped: Value, states: Value) -> Value:
    outputs: Value = Unknown()
    if isinstance(stepped, ContainerValue) and stepped.items is not None and len(stepped.items) == 2:
        outputs = tensor_like(act, stepped.items[0])
    if outputs == Unknown() and isinstance(stepped, StaticValue):
        return Unknown()
    return ContainerValue("tuple", (outputs, states))
