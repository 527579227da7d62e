"""Locating a difference: the first operator call, with its row, whose result differs between two runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build, drawing, parameters, seed_all
from hybridlint.proving.child.compare.operator_divergence import (
    OperatorDivergence,
    first_change,
    first_parting,
    line_labels,
)
from hybridlint.proving.child.graph_diagram import failing_node, graph_nodes, node_shapes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.casting import cast_block
from hybridlint.proving.child.runs.recording import CallRecorder, RecordedStep
from hybridlint.proving.child.runs.runs import MODES, CallPlan, PlannedCall, flat_arrays, inputs_of, observe

if TYPE_CHECKING:
    from hybridlint.proving.child.runs.runs import Watch


class LocatedVersion(NamedTuple):
    """A version of a class in the file `path`, with its source `text` and constructor `arguments`.

    The block is cast to `dtype`, unless that is empty.
    """

    world: LoadedModule
    cls: Any
    arguments: ConstructorArguments
    path: str
    text: str
    dtype: str


class DivergenceLocation(NamedTuple):
    """The place where two runs differ (None if unknown), and the nodes of the compiled graph, as JSON data.

    A node's state is "agrees", "parts" (the results differ there) or "" (after that).
    """

    parting: dict[str, Any] | None
    graph: list[dict[str, Any]]


def locate(
    expected: LocatedVersion,
    found: LocatedVersion,
    plan: CallPlan,
    call: PlannedCall,
    *,
    compiled: bool,
    gradient: bool,
) -> DivergenceLocation:
    """Return where the runs of `call` differ: `expected` runs eagerly, `found` eagerly or `compiled`.

    `gradient` says that only a gradient differs. The forward pass cannot show where, so the place is the first changed
    line that runs. If locating fails with any error, an empty location is returned.
    """
    try:
        return _located(expected, found, plan, call, compiled=compiled, gradient=gradient)
    except Exception:
        return DivergenceLocation(None, [])


def _located(
    expected: LocatedVersion,
    found: LocatedVersion,
    plan: CallPlan,
    call: PlannedCall,
    *,
    compiled: bool,
    gradient: bool,
) -> DivergenceLocation:
    labels = None if expected.text == found.text else line_labels(expected.text, found.text)
    expected_run = _eager(expected, plan, call)
    traced, block = _traced(found, plan, call)
    try:
        # As the run was that differs: the graph's parameters are read first, then it draws its own numbers.
        seed_all(found.world.mx, list(plan.calls).index(call) + 1)
        values = _values(found.world, block, plan, call)
        run = _evaluated(found.world, traced, values, plan, call) if compiled else _eager(found, plan, call)
    except Exception:
        return DivergenceLocation(None, _failed(found.world, traced, _input_shapes(found.world, block, plan, call)))
    parting = first_parting(expected_run, run, labels)
    if parting is None and gradient and labels is not None:
        changed = first_change(run, labels)
        if changed is not None:
            parting = OperatorDivergence(changed, "forward all results agree; its gradient is another one", len(run))
    shapes = {name: array.shape for name, array in values.items()}
    return DivergenceLocation(
        None if parting is None else parting.to_json(), _graph(found.world, traced, run, parting, shapes)
    )


def _until(plan: CallPlan, call: PlannedCall) -> CallPlan:
    return plan._replace(calls=plan.calls[: list(plan.calls).index(call) + 1])


def _eager(version: LocatedVersion, plan: CallPlan, call: PlannedCall) -> list[RecordedStep]:
    """Return the recorded calls of an eager run."""
    recorder = CallRecorder(version.path, version.text)
    _watched(version, _built(version), plan, call, lambda now: recorder if now == call else nullcontext())
    return recorder.steps


def _built(version: LocatedVersion) -> Any:
    return build(version.world, version.cls, *version.arguments)


def _watched(version: LocatedVersion, block: Any, plan: CallPlan, call: PlannedCall, watch: Watch) -> None:
    plan = cast_block(block, plan, version.dtype) if version.dtype else plan
    observe(version.world, block, _until(plan, call), version.path, watch=watch)


def _traced(version: LocatedVersion, plan: CallPlan, call: PlannedCall) -> tuple[list[RecordedStep], Any]:
    """Return the recorded calls of the trace, with Symbols, and the block that was traced."""
    recorder = CallRecorder(version.path, version.text)
    block = _built(version)
    block.hybridize()
    first = plan.calls[0]
    _watched(version, block, plan, call, lambda now: recorder if now == first else nullcontext())
    return [step for step in recorder.steps if not hasattr(step.values[0], "dtype")], block


def _values(world: LoadedModule, block: Any, plan: CallPlan, call: PlannedCall) -> dict[str, Any]:
    """Return the arrays of a call by their names in the graph. Raises what mxnet raises for parameters without data."""
    values = _inputs(world, plan, call)
    mx, training = world.mx, MODES[call.mode][1]
    # A parameter of a class of its own may depend on the mode, and draw random numbers.
    mode = mx.autograd.train_mode() if training else mx.autograd.predict_mode()
    with mode, drawing(mx, unordered=plan.unordered):
        values.update((name, parameter.data()) for name, parameter in parameters(block).items())
    return values


def _inputs(world: LoadedModule, plan: CallPlan, call: PlannedCall) -> dict[str, Any]:
    arrays = flat_arrays(inputs_of(world, plan.inputs, call))
    names = ["data"] if len(arrays) == 1 else [f"data{k}" for k in range(len(arrays))]
    return dict(zip(names, arrays))  # noqa: B905 - the child also runs under Python 3.8


def _input_shapes(world: LoadedModule, block: Any, plan: CallPlan, call: PlannedCall) -> dict[str, Sequence[int]]:
    """Return the known shapes of a call's arrays by their names in the graph."""
    known = {name: parameter.shape for name, parameter in parameters(block).items()}
    given = {name: array.shape for name, array in _inputs(world, plan, call).items()}
    return {**{name: shape for name, shape in known.items() if shape and all(n > 0 for n in shape)}, **given}


def _evaluated(
    world: LoadedModule, traced: Sequence[RecordedStep], values: Mapping[str, Any], plan: CallPlan, call: PlannedCall
) -> list[RecordedStep]:
    """Return the calls recorded in a trace, with the arrays that the compiled graph computes in place of Symbols."""
    # Symbols inside a loop's body depend on variables of the loop's own subgraph.
    known = [step for step in traced if all(set(s.list_inputs()) <= set(values) for s in step.values)]
    group = world.mx.sym.Group([symbol for step in known for symbol in step.values])
    states = set(group.list_auxiliary_states())
    arguments = {name: values[name] for name in group.list_arguments()}
    executor = group.bind(
        world.mx.cpu(), arguments, grad_req="null", aux_states={name: values[name] for name in states}
    )
    with drawing(world.mx, unordered=plan.unordered):
        outputs = [array.asnumpy() for array in executor.forward(is_train=MODES[call.mode][1])]
    results = []
    for step in known:
        count = sum(len(symbol.list_outputs()) for symbol in step.values)
        results.append(step._replace(values=outputs[:count]))
        del outputs[:count]
    return results


def _failed(
    world: LoadedModule, traced: Sequence[RecordedStep], shapes: Mapping[str, Sequence[int]]
) -> list[dict[str, Any]]:
    """Return the nodes of a traced graph that cannot be run, with the node at which it fails."""
    if not traced:
        return []
    group = world.mx.sym.Group([symbol for step in traced for symbol in step.values])
    failing, rows = failing_node(group, shapes), _rows(traced)
    nodes = graph_nodes(group.tojson(), node_shapes(group, shapes))
    return [
        {**node, "row": rows.get(node["name"]), "state": "parts" if node["name"] == failing else ""} for node in nodes
    ]


def _graph(
    world: LoadedModule,
    traced: Sequence[RecordedStep],
    run: Sequence[RecordedStep],
    parting: OperatorDivergence | None,
    shapes: Mapping[str, Sequence[int]],
) -> list[dict[str, Any]]:
    """Return the nodes of the traced graph, each with its row and its state (see `DivergenceLocation`)."""
    if not traced:
        return []
    group = world.mx.sym.Group([symbol for step in traced for symbol in step.values])
    nodes = graph_nodes(group.tojson(), node_shapes(group, shapes))
    if not nodes:
        return []
    rows = _rows(traced)
    parting_row = parting.step.row if parting is not None else None
    order = [step.row for step in run]
    before = set(order[: order.index(parting_row)]) if parting_row in order else set(order)
    culprits = _made(traced, parting)
    for node in nodes:
        node["row"] = rows.get(node["name"])
        node["state"] = "parts" if parting_row is not None and node["row"] == parting_row else ""
        if node["row"] in before:
            node["state"] = "agrees"
        if node["name"] in culprits:
            node.update(row=parting_row, state="parts")
    return nodes


def _made(traced: Sequence[RecordedStep], parting: OperatorDivergence | None) -> set[str]:
    """Return the names of the graph's nodes that compute the results of the call where the runs differ."""
    steps = [] if parting is None else [step for step in traced if step[:3] == parting.step[:3]]
    return {json.loads(symbol.tojson())["nodes"][-1]["name"] for step in steps for symbol in step.values}


def _rows(traced: Sequence[RecordedStep]) -> dict[str, int]:
    """Return the row of the call that made each node of a graph, by node name."""
    rows: dict[str, int] = {}
    for step in traced:
        for symbol in step.values:
            for node in json.loads(symbol.tojson())["nodes"]:
                if node["op"] != "null":
                    rows.setdefault(node["name"], step.row)
    return rows
