"""Questions that the interpreter asks about the library of the analyzed code, beyond Python's own semantics.

The library's package registers its answers once, when `hybridlint.analysis.grammar` imports it. Evaluators for kinds of
values (calls, methods, attributes) are registered in `hybridlint.analysis.dispatch` instead.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import BlockRef, MemberOf, Mode, Namespace, ProjectObject, SelfRef, Value
from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent, Event
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.analysis.run.run import AnalysisRun


@record(frozen=True, slots=True)
class Semantics:
    """A library's answers: one function for each question of the interpreter."""

    #: ``left is right`` in each run.
    identity: Callable[[Value, Value], Value]
    #: ``type(value)``, ``isinstance(value, classes)``, ``issubclass(kind, classes)`` and ``hasattr(value, name)`` in
    #: each run.
    type_of: Callable[[Value], Value]
    is_instance: Callable[[Value, Value], Value]
    is_subclass: Callable[[Value, Value], Value]
    has_attribute: Callable[[Activation, Value, str], Value]
    #: Attributes of an array that are objects, and therefore true.
    objects: frozenset[str]
    #: ``str(value)`` if it depends on the run, else None.
    text_of: Callable[[Value], Value | None]
    #: Why an operator fails for these operands at the trace, or None.
    operator_failure: Callable[[Mode, str, Value, Value], str | None]
    #: The names of the classes that catch what an event raises at the trace; none if it raises nothing.
    raised: Callable[[Event], frozenset[str]]
    #: Whether a namespace lacks a name in one of the runs.
    lacks: Callable[[Namespace, str], bool]
    #: Reports an attribute that no run has.
    look_up: Callable[[Activation, Value, ast.Attribute], None]
    #: The value of an attribute that every block has unless its class defines it, else None.
    own_attribute: Callable[[ProjectObject, str], Value | None]
    #: A call of a method of self that no class of the project defines.
    self_method: Callable[[Activation, ast.Call, SelfRef, str, ArgumentsEvent], Value]
    #: A call of a method that a class inherits from the library: ``super().name(x)``.
    inherited_method: Callable[[Activation, SelfRef, str, ArgumentsEvent], Value]
    #: The result of a call that nothing else is known of, and what a method of the name is called on.
    shown_result: Callable[[Activation, ast.Call], Value]
    shown_receiver: Callable[[Activation, Value, ast.Attribute], Value]
    #: The result of a function that returns something unknown, as its annotation declares it.
    declared_result: Callable[[Activation, ast.FunctionDef], Value]
    #: What code that nothing is known to reach binds to a name: the operators where it looks for them.
    found_operators: Callable[[Activation, str, Value], Value]
    #: A call of a function by its full dotted name, else None.
    library_call: Callable[[Activation, ast.Call, str, ArgumentsEvent], Value | None]
    #: A call of a method of an object that a library made, else None.
    member_call: Callable[[Activation, ast.Call, MemberOf, ArgumentsEvent], Value | None]
    #: Whether a block computes other values from those that it gets, and whether it has weights.
    alters: Callable[[AnalysisRun, BlockRef], bool]
    has_weights: Callable[[AnalysisRun, BlockRef], bool]
    #: A block that represents any child of another one.
    any_child: Callable[[AnalysisRun, BlockRef], BlockRef]


#: The answers of the library whose package was registered.
library: Semantics


def register(answers: Semantics) -> None:
    """Make `answers` the answers that the interpreter gets from now on."""
    global library  # noqa: PLW0603
    library = answers
