"""A record of all executions of each piece of code: the values of expressions, and the calls that entered functions.

An event describes one execution, but a fix changes the code for all of them. Before it is offered, this record tells
whether they agree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field

from hybridlint.analysis.model.lattice import join
from hybridlint.analysis.model.values import SelfRef, Unknown, Value
from hybridlint.runtime.facts.records import record

_NOTHING = Unknown()


@record(eq=False, slots=True)
class ExecutionLog:
    """The values and calls that one analysis has seen so far."""

    #: The value of each expression, joined over all executions.
    values: dict[ast.AST, Value] = field(default_factory=dict)
    #: Expressions whose values were of different kinds in different executions.
    mixed: set[ast.AST] = field(default_factory=set)
    #: Calls that entered functions, and functions that some call did not enter.
    calls: set[ast.AST] = field(default_factory=set)
    missed: set[ast.AST] = field(default_factory=set)
    #: Reads of attributes that found what the same call had stored, and those that found what earlier calls had left.
    own: set[ast.AST] = field(default_factory=set)
    left: set[ast.AST] = field(default_factory=set)

    def add(self, node: ast.AST, value: Value) -> None:
        """Record the value of an expression in this execution."""
        known = self.values.get(node)
        if known is None:
            self.values[node] = value
        elif known is not value:
            both = join(known, value)
            if isinstance(both, Unknown) and not _are_of_one_kind(known, value):
                self.mixed.add(node)
            self.values[node] = both

    def value(self, node: ast.AST) -> Value:
        """Return the join of an expression's values in all executions; Unknown if it never ran or kinds differ."""
        return self.values.get(node, _NOTHING)

    def of_one_kind(self, nodes: Iterable[ast.AST]) -> bool:
        """Return whether each of these expressions had values of only one kind in all executions."""
        return self.mixed.isdisjoint(nodes)


def _are_of_one_kind(left: Value, right: Value) -> bool:
    """Return whether values that have no join are of one kind all the same.

    Objects of two classes are: an inherited method runs on both, and what it reads of them is recorded by itself.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return True
    return isinstance(left, SelfRef) and isinstance(right, SelfRef)
