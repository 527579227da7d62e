"""Events of calls: of operators, methods, blocks, and functions of other libraries."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events.code_context import Event
from hybridlint.analysis.model.values import BlockRef, Namespace, Value
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator


@record(frozen=True, slots=True)
class ArgumentsEvent:
    """The arguments of a call: nodes and values, positional and by keyword.

    `more` says that a dict of unknown contents may give further ones by keyword: ``f(x, **kwargs)``.
    """

    nodes: tuple[ast.expr, ...]
    values: tuple[Value, ...]
    keyword_nodes: Mapping[str, ast.expr]
    keywords: Mapping[str, Value]
    more: bool = False


NOTHING = ArgumentsEvent((), (), {}, {})


@record(frozen=True, slots=True, eq=False, repr=False)
class MethodCall(Event):
    """``receiver.name(...)`` on a tensor, on several outputs, or on a Parameter (``self.weight.data()``).

    `operator` is the operator that the method calls.
    """

    receiver: Value
    name: str
    arguments: ArgumentsEvent
    operator: Operator | None
    result: Value


@record(frozen=True, slots=True, eq=False, repr=False)
class OpCall(Event):
    """A call of an operator or function through a namespace: F, nd, sym, np (mx.np) or npx.

    `operator` is None if the name is no registered operator. `failure` is the reason why the argument types are proved
    incompatible: in either run for an operator, only at the trace for functions that broadcast eagerly (F.maximum).
    """

    namespace: Namespace
    name: str
    arguments: ArgumentsEvent
    operator: Operator | None
    result: Value
    failure: str | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class BlockCall(Event):
    """A call of a child block, or of the ``unroll`` method of a recurrent cell.

    `unrolled` is True for the latter. `stray` is True for a block with parameters that is not registered as a child
    anywhere.
    """

    block: BlockRef
    arguments: ArgumentsEvent
    result: Value
    unrolled: bool = False
    stray: bool = False


@record(frozen=True, slots=True, eq=False, repr=False)
class CompiledCall(Event):
    """A call of a compiled block by code that runs eagerly around it.

    `other` is a call of the same block by the same code with inputs of another structure; None if there is none.
    """

    block: BlockRef
    arguments: ArgumentsEvent
    other: ast.AST | None = None


@record(frozen=True, slots=True, eq=False, repr=False)
class UnboundCall(Event):
    """A call of a function or of a child block that cannot bind its arguments, with the reason."""

    reason: str


@record(frozen=True, slots=True, eq=False, repr=False)
class ForeignCall(Event):
    """A tensor passed to a library's function (numpy, math, copy ...), or to a builtin that returns no Python value.

    `function` is its full dotted name: "numpy.exp", "math.sqrt", "copy.deepcopy", "abs". "autograd.Function" represents
    all instances of its subclasses.
    """

    function: str
    arguments: ArgumentsEvent
    operator: Operator | None
