"""Loops and branches of ``mx.sym.contrib``: a node whose operator runs what the functions traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.attribute import AttrScope
from hybridlint.runtime.control_flow.nesting import flatten, regroup
from hybridlint.runtime.control_flow.operators import cond_operator, foreach_operator, while_operator
from hybridlint.runtime.control_flow.subgraph import MARK, Subgraph, cut
from hybridlint.runtime.name import current as current_names
from hybridlint.runtime.registry import Operator
from hybridlint.runtime.symbol.calls import user_line
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode
from hybridlint.runtime.symbol.symbol import Symbol, group


def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Trace ``body(data slice, states) -> (outputs, states)`` once; the node runs it over the first dimension.

    Raises AssertionError for what is no nested list of symbols, and where the body leaves data or states unused.
    """
    flat_data, data_form = flatten(data, Symbol, "foreach input")
    flat_states, state_form = flatten(init_states, Symbol, "foreach states")
    mark = current_names().get(None, name)
    with AttrScope(**{MARK: mark}):
        slices = [_placeholder(symbol, k) for k, symbol in enumerate(flat_data)]
        carried = [_placeholder(symbol, len(slices) + k) for k, symbol in enumerate(flat_states)]
        outputs, states = body(regroup(slices, data_form), regroup(carried, state_form))
        flat_outputs, out_form = flatten(outputs, Symbol, "foreach output")
        flat_after, after_form = flatten(states, Symbol, "foreach loop_vars")
        results = [_own(s, mark) for s in (*flat_outputs, *flat_after)]
    graph, outside = cut(results, mark, [*slices, *carried])
    used = set(graph.list_inputs())
    _require_used(slices, used, "the data arrays have to be used in the loop body")
    _require_used(carried, used, "the state arrays have to be used in the loop body")
    names = [_name(s) for s in (*slices, *carried)] + list(outside)
    operator = foreach_operator(Subgraph(graph, names), len(slices), len(carried))
    node = _node(operator, "_foreach", [*_entries(flat_data), *_entries(flat_states), *outside.values()])
    made = [Symbol([(node, k)]) for k in range(node.visible)]
    return regroup(made[: len(flat_outputs)], out_form), regroup(made[len(flat_outputs) :], after_form)


def while_loop(
    cond: Callable[..., Symbol],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Trace ``cond(*loop_vars)`` and ``func(*loop_vars) -> (outputs, loop_vars)`` once; the node repeats them.

    Outputs have `max_iterations` rows; those after the last step are zeros. Raises ValueError without
    `max_iterations`, without loop variables, and where `func` returns another number of them.
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    flat, form = flatten(loop_vars, Symbol, "while_loop loop_vars")
    if not flat:
        raise ValueError("loop_vars should contain at least one element")
    condition, _, _, cond_mark = _traced(cond, flat, form, f"{name}_cond")
    step, outputs, after, mark = _traced(func, flat, form, f"{name}_func")
    flat_outputs, out_form = flatten([] if outputs is None else outputs, Symbol, "while_loop output")
    flat_after, after_form = flatten([] if after is None else after, Symbol, "while_loop loop_vars")
    if len(flat_after) != len(flat):
        raise ValueError("The number of loop_vars should be consistent during the loop")
    with AttrScope(**{MARK: mark}):
        results = [_own(s, mark) for s in (*flat_outputs, *flat_after)]
    cond_graph, cond_outside = cut([condition.result], cond_mark, condition.variables)
    step_graph, step_outside = cut(results, mark, step.variables)
    outside = {**cond_outside, **step_outside}
    operator = while_operator(
        Subgraph(cond_graph, [*map(_name, condition.variables), *outside]),
        Subgraph(step_graph, [*map(_name, step.variables), *outside]),
        len(flat),
        int(max_iterations),
    )
    node = _node(operator, "_while_loop", [*_entries(flat), *outside.values()])
    made = [Symbol([(node, k)]) for k in range(node.visible)]
    return regroup(made[: len(flat_outputs)], out_form), regroup(made[len(flat_outputs) :], after_form)


class _Traced:
    """A function's placeholders and what it returned."""

    def __init__(self, variables: Sequence[Symbol], result: Any) -> None:
        self.variables = variables
        self.result = result


def _traced(
    function: Callable[..., Any], flat: Sequence[Symbol], form: Any, name: str
) -> tuple[_Traced, Any, Any, str]:
    mark = current_names().get(None, name)
    with AttrScope(**{MARK: mark}):
        variables = [_placeholder(symbol, k) for k, symbol in enumerate(flat)]
        given = regroup(variables, form)
        result = function(*(given if isinstance(given, list) else [given]))
    outputs, after = result if isinstance(result, tuple) else (None, None)
    return _Traced(variables, result), outputs, after, mark


def cond(pred: Symbol, then_func: Callable[[], Any], else_func: Callable[[], Any], name: str = "cond") -> Any:
    """Trace both functions; the node runs one of them, as `pred` is true or not.

    Raises AssertionError for what is no nested list of symbols, ValueError where the numbers of outputs differ.
    """
    flatten(pred, Symbol, "cond pred")
    then_results, form, then_mark = _branch(then_func, f"{name}_then")
    else_results, _, else_mark = _branch(else_func, f"{name}_else")
    if len(then_results) != len(else_results):
        raise ValueError("Number of outputs differs between then-branch and else-branch")
    then_graph, then_outside = cut(then_results, then_mark)
    else_graph, else_outside = cut(else_results, else_mark)
    outside = {**then_outside, **else_outside}
    operator = cond_operator(Subgraph(then_graph, list(outside)), Subgraph(else_graph, list(outside)))
    node = _node(operator, "_cond", [*_entries([pred]), *outside.values()])
    return regroup([Symbol([(node, k)]) for k in range(node.visible)], form)


def _branch(function: Callable[[], Any], name: str) -> tuple[list[Symbol], Any, str]:
    mark = current_names().get(None, name)
    with AttrScope(**{MARK: mark}):
        results, form = flatten(function(), Symbol, "cond outputs")
        return [_own(s, mark) for s in results], form, mark


def _placeholder(symbol: Symbol, position: int) -> Symbol:
    """Return the variable that stands for a value inside a body, in the scope of its mark."""
    from hybridlint.runtime.symbol.creation import var

    return var(f"{symbol.name or 'group'}-{position}")


def _own(symbol: Symbol, mark: str) -> Symbol:
    """Return an output as a node of the body: what the body passes on as it is, is copied."""
    from hybridlint.runtime.registry import get
    from hybridlint.runtime.symbol import functions

    node = symbol._entries[0][0]
    if node.op is not None and node.attributes.get(MARK) == mark:
        return symbol
    return functions.make_function(get("_copy"), "identity")(symbol)


def _require_used(placeholders: Sequence[Symbol], used: set[str], message: str) -> None:
    if any(_name(s) not in used for s in placeholders):
        raise AssertionError(message)


def _name(symbol: Symbol) -> str:
    return symbol._entries[0][0].name


def _entries(symbols: Sequence[Symbol]) -> list[SymbolEntry]:
    return [group([s])._entries[0] for s in symbols]


def _node(operator: Operator, hint: str, inputs: Sequence[SymbolEntry]) -> SymbolNode:
    from hybridlint.runtime.attribute import current as current_attributes

    attributes = current_attributes().get(None)
    return SymbolNode(operator, current_names().get(None, hint), {}, {}, inputs, attributes, user_line())
