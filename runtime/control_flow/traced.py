"""Loops and branches of ``mx.sym.contrib``: each becomes a node whose operator runs the traced functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.attribute import AttrScope, kept
from hybridlint.runtime.attribute import current as current_attributes
from hybridlint.runtime.control_flow.nesting import flatten, regroup
from hybridlint.runtime.control_flow.nodes import make_node, places
from hybridlint.runtime.control_flow.subgraph import MARK, Piece, cut
from hybridlint.runtime.facts.registry import get
from hybridlint.runtime.name import current as current_names
from hybridlint.runtime.symbol import functions
from hybridlint.runtime.symbol.calls import user_line
from hybridlint.runtime.symbol.creation import var
from hybridlint.runtime.symbol.node import SymbolEntry
from hybridlint.runtime.symbol.symbol import Symbol, group


def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]], data: Any, init_states: Any, name: str = "foreach"
) -> tuple[Any, Any]:
    """Trace ``body(data slice, states) -> (outputs, states)`` once; the node runs it over the first dimension.

    Raises AssertionError for anything but nested lists of symbols, and if the body leaves data or states unused.
    """
    flat_data, data_form = flatten(data, Symbol, "foreach input")
    flat_states, state_form = flatten(init_states, Symbol, "foreach states")
    mark = _new_mark(name)
    with AttrScope(**{MARK: mark}):
        slices, carried = _placeholders(flat_data), _placeholders(flat_states)
        outputs, states = body(regroup(slices, data_form), regroup(carried, state_form))
        flat_outputs, out_form = flatten(outputs, Symbol, "foreach output")
        flat_after, after_form = flatten(states, Symbol, "foreach loop_vars")
        results = _results(flat_outputs, flat_after, mark)
    piece = cut(results, mark, [*slices, *carried])
    data_places = _places_of(slices, piece, "the data arrays have to be used in the loop body")
    state_places = _places_of(carried, piece, "the state arrays have to be used in the loop body")
    rest = [k for k, node in enumerate(piece.variables) if id(node) in piece.outside]
    inputs = [*_entries(flat_data), *_entries(flat_states), *(piece.outside[id(piece.variables[k])] for k in rest)]
    given = {
        "in_data_locs": places(data_places),
        "in_state_locs": places(state_places),
        "remain_locs": places(rest),
        "num_out_data": str(len(flat_outputs)),
    }
    made = _outputs("_foreach", given, [piece], inputs)
    return regroup(made[: len(flat_outputs)], out_form), regroup(made[len(flat_outputs) :], after_form)


def while_loop(
    cond: Callable[..., Symbol],
    func: Callable[..., Any],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """Trace ``cond(*loop_vars)`` and ``func(*loop_vars) -> (outputs, loop_vars)`` once; the node repeats them.

    Outputs have `max_iterations` rows; those after the last step are zeros. Loop variables keep their nesting, as
    lists. Raises ValueError without `max_iterations`, without loop variables, and if `func` uses or returns another
    number of them.
    """
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    flat, form = flatten(loop_vars, Symbol, "while_loop loop_vars")
    if not flat:
        raise ValueError("loop_vars should contain at least one element")
    condition = _traced(cond, flat, form, f"{name}_cond")
    step = _traced(func, flat, form, f"{name}_func")
    outputs, after = step.result if isinstance(step.result, tuple) else (None, None)
    flat_outputs, out_form = flatten([] if outputs is None else outputs, Symbol, "while_loop output")
    flat_after, _ = flatten([] if after is None else after, Symbol, "while_loop loop_vars")
    if len(flat_after) != len(flat):
        raise ValueError("The number of loop_vars should be consistent during the loop")
    with AttrScope(**{MARK: step.mark}):
        results = _results(flat_outputs, flat_after, step.mark)
    pieces = [
        cut([condition.result], condition.mark, condition.variables),
        cut(results, step.mark, step.variables),
    ]
    loop_places = _loop_places(step.variables, pieces[1])
    taken = _Taken()
    condition_places, step_places = (
        _taken_by(piece, traced.variables, _entries(flat), taken)
        for piece, traced in zip(pieces, (condition, step), strict=True)
    )
    given = {
        "cond_input_locs": places(condition_places),
        "func_input_locs": places(step_places),
        "func_var_locs": places(loop_places),
        "max_iterations": str(int(max_iterations)),
        "num_out_data": str(len(flat_outputs)),
    }
    made = _outputs("_while_loop", given, pieces, taken.entries)
    return regroup(made[: len(flat_outputs)], out_form), regroup(made[len(flat_outputs) :], form)


def cond(pred: Symbol, then_func: Callable[[], Any], else_func: Callable[[], Any], name: str = "cond") -> Any:
    """Trace both functions; the node runs one of them, depending on `pred`.

    Raises AssertionError for anything but nested lists of symbols, ValueError if the numbers of outputs differ.
    """
    flatten(pred, Symbol, "cond pred")
    condition, _, _ = _branch(lambda: pred, f"{name}_pred")
    first, form, then_count = _branch(then_func, f"{name}_then")
    second, _, else_count = _branch(else_func, f"{name}_else")
    if then_count != else_count:
        raise ValueError("Number of outputs differs between then-branch and else-branch")
    taken = _Taken()
    pieces = [condition, first, second]
    found = [
        [
            taken.once(entry, entry[0].name) if entry[0].op is None else taken.again(entry)
            for entry in (piece.outside[id(node)] for node in piece.variables)
        ]
        for piece in pieces
    ]
    given = {f"{k}_input_locs": places(p) for k, p in zip(("cond", "then", "else"), found, strict=True)}
    return regroup(_outputs("_cond", given, pieces, taken.entries), form)


@dataclass(frozen=True, slots=True)
class _Traced:
    """A traced function: its placeholders, its results, and the mark on the nodes it created."""

    variables: Sequence[Symbol]
    result: Any
    mark: str


class _Taken:
    """The inputs of a control flow node, collected from its subgraphs.

    Subgraphs share the same inputs as in MXNet, so that saved graphs are equal.
    """

    def __init__(self) -> None:
        self.entries: list[SymbolEntry] = []
        self._shared: dict[Any, int] = {}

    def once(self, entry: SymbolEntry, key: Any) -> int:
        """Return the position of an input that is shared by all requests with the same `key`."""
        if key not in self._shared:
            self._shared[key] = self.again(entry)
        return self._shared[key]

    def again(self, entry: SymbolEntry) -> int:
        """Return the position of a new input."""
        self.entries.append(entry)
        return len(self.entries) - 1


def _new_mark(name: str) -> str:
    """Return a mark that is unique in this process. A nested subgraph's mark starts with the outer one."""
    around = current_attributes().get(None).get(MARK)
    full = f"{around}${name}" if around else name
    number = AttrScope._subgraph_names[full]
    AttrScope._subgraph_names[full] += 1
    return f"{full}{number}"


def _traced(function: Callable[..., Any], flat: Sequence[Symbol], form: Any, name: str) -> _Traced:
    mark = _new_mark(name)
    with AttrScope(**{MARK: mark}):
        variables = _placeholders(flat)
        given = regroup(variables, form)
        return _Traced(variables, function(*(given if isinstance(given, list) else [given])), mark)


def _branch(function: Callable[[], Any], name: str) -> tuple[Piece, Any, int]:
    mark = _new_mark(name)
    with AttrScope(**{MARK: mark}):
        results, form = flatten(function(), Symbol, "cond outputs")
        own = [_own(s, mark) for s in results]
    return cut(own, mark), form, len(own)


def _placeholders(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the variables that represent values inside a body, created under its mark."""
    entries = _entries(symbols)
    return [var(f"{node.name}-{index}") for node, index in entries]


def _own(symbol: Symbol, mark: str) -> Symbol:
    """Return an output as a node of the body. A value passed through unchanged is copied."""
    node = symbol._entries[0][0]
    if node.op is not None and node.attributes.get(MARK) == mark:
        return symbol
    return _copied(symbol)


def _copied(symbol: Symbol) -> Symbol:
    return functions.make_function(get("_copy"), "identity")(symbol)


def _results(outputs: Sequence[Symbol], after: Sequence[Symbol], mark: str) -> list[Symbol]:
    """Return a body's results, each as its own node. A state that is also an output is copied."""
    names = {symbol.name for symbol in outputs}
    own = [_own(symbol, mark) for symbol in outputs]
    return [*own, *(_copied(symbol) if symbol.name in names else _own(symbol, mark) for symbol in after)]


def _places_of(placeholders: Sequence[Symbol], piece: Piece, unused: str) -> list[int]:
    """Return the positions of placeholders among a piece's variables. Raises AssertionError if one is unused."""
    place = {id(node): k for k, node in enumerate(piece.variables)}
    nodes = [symbol._entries[0][0] for symbol in placeholders]
    if any(id(node) not in place for node in nodes):
        raise AssertionError(unused)
    return [place[id(node)] for node in nodes]


def _taken_by(piece: Piece, variables: Sequence[Symbol], entries: Sequence[SymbolEntry], taken: _Taken) -> list[int]:
    """Collect the inputs of a loop's subgraph. The condition and the step share only the loop variables."""
    order = {id(variable._entries[0][0]): k for k, variable in enumerate(variables)}
    return [
        taken.once(entries[order[id(node)]], order[id(node)])
        if id(node) in order
        else taken.again(piece.outside[id(node)])
        for node in piece.variables
    ]


def _loop_places(variables: Sequence[Symbol], piece: Piece) -> list[int]:
    """Return the positions of loop variables in a step. Raises ValueError if the step leaves one unused."""
    place = {id(node): k for k, node in enumerate(piece.variables)}
    nodes = [symbol._entries[0][0] for symbol in variables]
    unused = [k for k, node in enumerate(nodes) if id(node) not in place]
    if unused:
        raise ValueError(f"The {unused[0] + 1}-th loop_var doesn't involve into the computation")
    return [place[id(node)] for node in nodes]


def _entries(symbols: Sequence[Symbol]) -> list[SymbolEntry]:
    return [group([s])._entries[0] for s in symbols]


def _outputs(kind: str, given: dict[str, str], pieces: Sequence[Piece], inputs: Sequence[SymbolEntry]) -> list[Symbol]:
    """Return the outputs of a new node."""
    graphs = [piece.graph for piece in pieces]
    written = {**given, "num_args": str(len(inputs) + len(graphs)), "num_outputs": str(len(graphs[-1]))}
    name = current_names().get(None, kind)
    node = make_node(kind, name, written, graphs, inputs, kept(current_attributes().get(None)), user_line())
    return [Symbol([(node, k)]) for k in range(node.visible)]
