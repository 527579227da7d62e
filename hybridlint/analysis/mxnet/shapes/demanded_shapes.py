"""Demands of a function's code on the shapes of its arguments: other shapes make a call raise.

``F.batch_dot(x, y).transpose((0, 2, 1))`` runs for an `x` of three axes only. The demands of operators, layers and
unpackings flow back through the names and operators that a value comes from, to the arguments of the function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.abstract.layers import Layer
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType, unknown_shape
from hybridlint.text.dotted import dotted_parts
from hybridlint.text.literals import literal_value
from hybridlint.text.syntax import branches, children

#: The ranks that are tried; no operator of MXNet takes a tensor of more axes for its rank alone.
_RANKS = tuple(range(1, 7))
#: How many names and operators a demand flows back through.
_FARTHEST = 20
#: Expressions of which some calls of the function leave parts out, and such that run later.
_PARTIAL = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@record(frozen=True, slots=True)
class Demand:
    """The number of axes that a tensor must have, and the size of its last axis; None means any."""

    rank: int | None = None
    last: int | None = None


_ANY = Demand()
#: What finds the Gluon layer that an expression calls; None for other expressions.
FindLayer = Callable[[ast.expr], Layer | None]


def demanded_shapes(function: ast.FunctionDef, functions: str | None, find_layer: FindLayer) -> Mapping[str, Demand]:
    """Return the demands of a function on the shapes of its arguments, by name.

    A call that runs through meets these demands. `functions` is the name of the namespace of operators there. Demands
    that contradict each other are left out: a call then always fails, or runs other code than it seems.
    """
    reader = _DemandReader(function, functions, find_layer)
    for statement in _run_in_each_call(function.body):
        reader.read_statement(statement)
    ranks, lasts = reader.ranks, reader.lasts
    return {name: Demand(_only(ranks.get(name)), _only(lasts.get(name))) for name in ranks.keys() | lasts.keys()}


def _only(values: set[int] | None) -> int | None:
    return next(iter(values)) if values is not None and len(values) == 1 else None


def _run_in_each_call(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements that each completed call runs, up to the first statement that may leave."""
    for statement in body:
        match statement:
            case ast.With(body=inner):
                yield from _run_in_each_call(inner)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr() | ast.Return():
                yield statement
            case _:
                pass
        if any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom | ast.Try) for n in branches(statement)):
            return


class _DemandReader:
    """Reads the demands of expressions, and follows them back to the arguments of one function."""

    def __init__(self, function: ast.FunctionDef, functions: str | None, find_layer: FindLayer) -> None:
        self._flow = flow_of(function)
        self._functions = functions
        self._find_layer = find_layer
        self.ranks: dict[str, set[int]] = {}
        self.lasts: dict[str, set[int]] = {}
        #: How much farther each demand on an expression was followed already: chains of layers share their beginnings.
        self._followed: dict[tuple[ast.expr, Demand], int] = {}

    def read_statement(self, statement: ast.stmt) -> None:
        """Read the demands of all that a statement evaluates each time that it runs."""
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)], value=ast.Attribute() as read):
                if read.attr == "shape" and not any(isinstance(part, ast.Starred) for part in parts):
                    self._follow(read.value, Demand(len(parts)))
            case _:
                pass
        pending: list[ast.AST] = [statement]
        while pending:
            node = pending.pop()
            if isinstance(node, _PARTIAL):
                continue
            if isinstance(node, ast.Call):
                for argument, demand in self._demands(node):
                    self._follow(argument, demand)
            pending += children(node)

    def _demands(self, call: ast.Call) -> Iterator[tuple[ast.expr, Demand]]:
        """Yield the inputs of a call of an operator or a layer, each with what that demands of it."""
        layer = self._find_layer(call.func)
        if layer is not None and layer.gives_one and len(call.args) == 1 and not call.keywords:
            yield call.args[0], _demand_of_layer(layer)
        made = _operation(call, self._functions)
        for place, node in enumerate(() if made is None else made.inputs):
            rank = None if node is None or made is None else made.rank_taken(place)
            if node is not None and rank is not None:
                yield node, Demand(rank)

    def _follow(self, node: ast.expr, demand: Demand) -> None:
        """Note the shape that an expression must have, for the argument that it is computed from."""
        for left in range(_FARTHEST, 0, -1):
            if demand == _ANY or self._followed.get((node, demand), 0) >= left:
                return
            self._followed[node, demand] = left
            match node:
                case ast.Name():
                    binding = self._flow.binding(node)
                    if binding is not None and binding.kind is BindingKind.PARAMETER:
                        self._note(binding.name, demand)
                    if binding is None or binding.value is None or not binding.certain:
                        return
                    node = binding.value
                case _:
                    source = self._source(node, demand)
                    if source is None:
                        return
                    node, demand = source

    def _source(self, node: ast.expr, demand: Demand) -> tuple[ast.expr, Demand] | None:
        """Return the one tensor that an expression is made of, and what it has to be for the expression's demand."""
        match node:
            case ast.UnaryOp(operand=inner):
                return inner, demand
            case ast.BinOp(left=left, right=right) if _is_number(right) or ast.dump(left) == ast.dump(right):
                return left, demand
            case ast.BinOp(left=left, right=right) if _is_number(left):
                return right, demand
            case ast.Call():
                return self._input(node, demand)
        return None

    def _input(self, call: ast.Call, demand: Demand) -> tuple[ast.expr, Demand] | None:
        """Return the one input of a call, and the demand on it that follows from the demand on the result."""
        layer = self._find_layer(call.func)
        if layer is not None and len(call.args) == 1 and not call.keywords and layer.gives_one:
            kept = demand.last if layer.keeps_shape else None
            return call.args[0], Demand(_rank_before(layer, demand.rank), kept)
        made = _operation(call, self._functions)
        if made is None or len(made.inputs) != 1 or made.inputs[0] is None:
            return None
        kept = demand.last if properties.keeps_shape(made.operator) else None
        return made.inputs[0], Demand(None if demand.rank is None else made.rank_before(demand.rank), kept)

    def _note(self, name: str, demand: Demand) -> None:
        if demand.rank is not None:
            self.ranks.setdefault(name, set()).add(demand.rank)
        if demand.last is not None:
            self.lasts.setdefault(name, set()).add(demand.last)


@record(frozen=True, slots=True)
class _Operation:
    """A call of an operator: its inputs, None if omitted, and the settings that its shape rule reads."""

    operator: Operator
    inputs: tuple[ast.expr | None, ...]
    settings: tuple[tuple[str, Any], ...]

    def rank_taken(self, place: int) -> int | None:
        """Return the only rank with which the operator takes the input at a place; None if it takes several."""
        try:
            ranks = _ranks_taken(self.operator, place, self.settings)
        except TypeError:
            # A setting that is not hashable cannot be a key of the cache.
            return None
        return ranks[0] if len(ranks) == 1 else None

    def rank_before(self, rank: int) -> int | None:
        """Return the only rank of the input with which the result of the operator has a rank; None for several."""
        try:
            ranks = [before for before, after in _ranks_made(self.operator, self.settings) if after in {rank, None}]
        except TypeError:
            return None
        return ranks[0] if len(ranks) == 1 else None


def _operation(call: ast.Call, functions: str | None) -> _Operation | None:
    """Return the operator that a call of F's functions or of a tensor's method runs; None for others."""
    path = dotted_parts(call.func)
    operator, given = None, call.args
    if isinstance(call.func, ast.Attribute) and path is not None and path[0] == functions:
        operator = lookup.function(path[1:-1], path[-1])
    elif isinstance(call.func, ast.Attribute) and (path is None or path[0] != "self"):
        operator, given = lookup.method(call.func.attr), [call.func.value, *call.args]
    if operator is None or operator.variadic or any(isinstance(argument, ast.Starred) for argument in given):
        return None
    inputs, rest = given[: len(operator.inputs)], given[len(operator.inputs) :]
    if operator is lookup.method("transpose") and len(rest) > 1:
        return None
    named = {k.arg: k.value for k in call.keywords if k.arg is not None}
    if len(named) < len(call.keywords):
        return None
    tensors = [*inputs, *(named.get(name) for name in operator.inputs[len(inputs) :])]
    settings = {**dict(zip(operator.params, rest, strict=False)), **named}
    read = tuple((name, _literal(node)) for name, node in settings.items() if name in operator.params)
    return _Operation(operator, tuple(tensors), read)


def _literal(node: ast.expr) -> Any:
    """Return the value of a literal, or the value that no shape rule decides by."""
    try:
        value = literal_value(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNSTATED
    return tuple(value) if isinstance(value, list) else value


def _is_number(node: ast.expr) -> bool:
    return isinstance(_literal(node), int | float)


@lru_cache(maxsize=1024)
def _ranks_taken(operator: Operator, place: int, settings: tuple[tuple[str, Any], ...]) -> tuple[int, ...]:
    """Return the ranks with which an operator takes the input at a place, beside other inputs of some rank."""
    params = {**operator.defaults(), **dict(settings)}
    return tuple(rank for rank in _RANKS if _takes(operator, place, rank, params))


def _takes(operator: Operator, place: int, rank: int, params: Mapping[str, Any]) -> bool:
    others = [TensorType()] if len(operator.inputs) != 2 else [TensorType(unknown_shape(each)) for each in _RANKS]
    for other in others:
        types = [other] * len(operator.inputs)
        types[place] = TensorType(unknown_shape(rank))
        if properties.first_output(operator, tuple(types), params) is not None:
            return True
    return False


@lru_cache(maxsize=1024)
def _ranks_made(operator: Operator, settings: tuple[tuple[str, Any], ...]) -> tuple[tuple[int, int | None], ...]:
    """Return the ranks that an operator accepts for its input, each with the rank of the result, None if unknown."""
    params = {**operator.defaults(), **dict(settings)}
    made = [(rank, properties.first_output(operator, (TensorType(unknown_shape(rank)),), params)) for rank in _RANKS]
    return tuple((rank, output.rank) for rank, output in made if output is not None)


def _demand_of_layer(layer: Layer) -> Demand:
    """Return the only rank that a layer accepts, and the size of the last axis that its weight needs."""
    ranks = [rank for rank, _ in _ranks_of_layer(layer)]
    weight = layer.parameters.get("weight") if layer.features is not None else None
    last = weight[1] if weight is not None and len(weight) == 2 and type(weight[1]) is int else None
    return Demand(ranks[0] if len(ranks) == 1 else None, last or None)


def _rank_before(layer: Layer, rank: int | None) -> int | None:
    ranks = [before for before, after in _ranks_of_layer(layer) if rank is not None and after in {rank, None}]
    return ranks[0] if len(ranks) == 1 else None


@lru_cache(maxsize=1024)
def _ranks_of_layer(layer: Layer) -> tuple[tuple[int, int | None], ...]:
    """Return the ranks of inputs that a layer is meant for, each with that of its result."""
    return tuple((rank, layer.type_of(TensorType(unknown_shape(rank))).rank) for rank in layer.ranks_taken)
