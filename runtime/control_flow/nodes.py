"""Nodes of operators with subgraphs, such as loops, created from their symbol JSON attributes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.runtime.control_flow.cond_operator import cond_operator
from hybridlint.runtime.control_flow.foreach_operator import foreach_operator
from hybridlint.runtime.control_flow.kinds import KINDS, Given
from hybridlint.runtime.control_flow.subgraph import Subgraph
from hybridlint.runtime.control_flow.while_operator import WhileLayout, while_operator
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode

if TYPE_CHECKING:
    from hybridlint.runtime.facts.registry import Operator
    from hybridlint.runtime.symbol.symbol import Symbol


def make_node(
    kind: str,
    name: str,
    given: Given,
    subgraphs: Sequence[Symbol],
    inputs: Sequence[SymbolEntry],
    attributes: dict[str, str],
    source: str | None = None,
) -> SymbolNode:
    """Return the node of an operator with subgraphs. `kind` is one of `KINDS`, `given` has its attributes in JSON.

    Raises KeyError, ValueError or IndexError for inconsistent attributes.
    """
    operator = KINDS[kind](given, subgraphs, len(inputs))
    return SymbolNode(operator, name, given, {}, inputs, attributes, source, subgraphs=tuple(subgraphs))


def places(positions: Sequence[int]) -> str:
    """Format positions as in symbol JSON."""
    return str(list(positions))


def _read(given: Given, key: str, limit: int) -> tuple[int, ...]:
    """Parse positions, each below a limit."""
    found = json.loads(given[key])
    if not isinstance(found, list) or not all(isinstance(k, int) and 0 <= k < limit for k in found):
        raise ValueError(f"{key} is {given[key]}, expected positions below {limit}")
    return tuple(found)


def _taken(given: Given, key: str, graph: Symbol, inputs: int) -> tuple[int, ...]:
    """Parse the positions of the node inputs that a subgraph takes."""
    found = _read(given, key, inputs)
    if len(found) != len(graph.list_inputs()):
        raise ValueError(f"{key} lists {len(found)} inputs of a subgraph that has {len(graph.list_inputs())}")
    return found


def _require_outputs(body: Symbol, carried: int) -> None:
    if len(body) < carried:
        raise ValueError(f"a body of {len(body)} outputs cannot carry {carried} values")


def _foreach(given: Given, subgraphs: Sequence[Symbol], inputs: int) -> Operator:
    (body,) = subgraphs
    names = body.list_inputs()
    data, states, rest = (_read(given, f"{key}_locs", len(names)) for key in ("in_data", "in_state", "remain"))
    order = (*data, *states, *rest)
    if sorted(order) != list(range(inputs)) or len(names) != inputs:
        raise ValueError(f"a loop over {inputs} inputs has a body of other inputs: {names}")
    _require_outputs(body, len(states))
    return foreach_operator(Subgraph(body, [names[k] for k in order]), len(data), len(states))


def _while_loop(given: Given, subgraphs: Sequence[Symbol], inputs: int) -> Operator:
    condition, step = subgraphs
    taken = _taken(given, "func_input_locs", step, inputs)
    layout = WhileLayout(
        _taken(given, "cond_input_locs", condition, inputs), taken, _read(given, "func_var_locs", len(taken))
    )
    _require_outputs(step, len(layout.variables))
    return while_operator(Subgraph(condition), Subgraph(step), layout, int(given["max_iterations"]))


def _cond(given: Given, subgraphs: Sequence[Symbol], inputs: int) -> Operator:
    condition, first, second = subgraphs
    keys = ("cond", "then", "else")
    if len(first) != len(second):
        raise ValueError(f"branches of {len(first)} and {len(second)} outputs")
    layout = tuple(_taken(given, f"{k}_input_locs", g, inputs) for k, g in zip(keys, subgraphs, strict=True))
    return cond_operator(Subgraph(condition), (Subgraph(first), Subgraph(second)), layout)


KINDS.update(_foreach=_foreach, _while_loop=_while_loop, _cond=_cond)

#: Attributes of these operators in symbol JSON. All other attributes of a node were attached by the user.
ATTRIBUTES = frozenset(
    {
        *("num_args", "num_outputs", "num_out_data", "in_data_locs", "in_state_locs", "remain_locs"),
        *("cond_input_locs", "func_input_locs", "func_var_locs", "max_iterations"),
        *("then_input_locs", "else_input_locs"),
        *("quantized", "min_calib_range", "max_calib_range"),
    }
)
