"""Events of what Python's own syntax and builtins do with a tensor."""

from __future__ import annotations

import ast
from typing import Literal

from hybridlint.analysis.model.events.code_context import Event
from hybridlint.analysis.model.values import Value
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator


@record(frozen=True, slots=True, eq=False, repr=False)
class AttributeRead(Event):
    """``value.name``, for a tensor, several outputs or a parameter, or for a name that the namespace F lacks.

    Also emitted for special methods that Symbol lacks: in numpy mode ``~x`` reads ``__invert__``, ``abs(x)`` reads
    ``__abs__``.
    """

    value: Value
    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class MissingName(Event):
    """``F.name`` or ``tensor.name``, which MXNet has neither for arrays nor for Symbols. `node` is the attribute."""

    value: Value
    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class AttributeStore(Event):
    """``value.name = ...``, where value is a tensor. `node` is the target."""

    value: Value
    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class Binary(Event):
    """A binary operator or comparison with at least one tensor.

    `failure` is the InferError's reason if Symbol's operator is proved to reject these operands. `suspicious` is True
    if that is unproved, but the shapes are unrelated and one operand seems meant to be broadcast.
    """

    symbol: str
    left: Value
    right: Value
    left_node: ast.expr
    right_node: ast.expr
    operator: Operator | None
    failure: str | None
    result: Value
    suspicious: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class Negation(Event):
    """``-value`` of a tensor."""

    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class InPlace(Event):
    """``target += value`` on a tensor. `node` is the ast.AugAssign; `symbol` is "+="."""

    symbol: str
    target: Value
    value: Value
    operator: Operator | None


@record(frozen=True, slots=True, eq=False, repr=False)
class Subscript(Event):
    """A read of ``value[index]``. `node` is the ast.Subscript; `keys` are the parts of the index, one per dimension."""

    value: Value
    keys: tuple[ast.expr, ...]
    key_values: tuple[Value, ...]
    result: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class TensorStore(Event):
    """``value[index] = new``. `node` is the ast.Assign."""

    value: Value
    target: ast.Subscript
    new: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class Branch(Event):
    """A test of the truth of a tensor, or of a value read from one. `node` is the statement or expression."""

    kind: Literal["if", "while", "ternary", "assert", "and", "or", "not", "in", "comprehension"]
    condition: ast.expr
    value: Value


#: The ways (``Concretize.how``) to take a tensor row by row.
ITERATING = frozenset(
    {"iteration", "comprehension", "for", "enumerate", "zip", "map", "filter", "reversed", "iter", "next"}
)


@record(frozen=True, slots=True, eq=False, repr=False)
class Concretize(Event):
    """A conversion of a tensor to Python values. `node` is the call, the iterated expression or the assignment.

    `how` is the builtin's name ("len", "float", "sum", "max", "list", "zip", "map", "set" ...) or "iteration" (for and
    comprehensions), "unpacking", "star" (``*x``), "reduce", "range" (of a value read from a tensor), "format", or
    "hash" (a member of a set, a key, an argument of a cached function).
    """

    how: str
    value: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class LostName(Event):
    """A read of a name of a namedtuple that a compiled block has returned, or got, as a list.

    `returned` is where a block returns it, if it is not known to be the block whose output is read. `maker` is the name
    that the file has for the namedtuple's class; None if it has none, or several.
    """

    name: str
    returned: ast.AST | None = None
    maker: str | None = None
