"""Where an event happens: the file, the function, and the calls that led there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from typing import overload

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.dataflow.function_flow import FunctionFlow, flow_of
from hybridlint.analysis.model.execution_log import ExecutionLog
from hybridlint.analysis.model.values import Mode
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.concrete import argument_at, expression_at, statement_at
from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class CallSite:
    """A call, or the read of a property, that the interpreter passed through: its file, and the function around it."""

    node: ast.Call | ast.Attribute
    source: SourceFile
    caller: str


@record(frozen=True, slots=True)
class SettingTest:
    """A test of settings, and the file that contains it."""

    node: ast.expr
    source: SourceFile


@record(frozen=True, slots=True)
class CodeContext:
    """The place of an event: the file, the class and function, and the meaning of names there."""

    source: SourceFile
    class_name: str | None
    function: ast.FunctionDef | ast.Lambda | None
    #: The name of the operator namespace here, usually "F"; None if there is none in scope.
    functions: str | None
    mode: Mode
    #: The call sites that led here, outermost first.
    calls: tuple[CallSite, ...] = ()
    #: The statement around the event.
    statement: ast.stmt | None = None
    #: Names that hold the same array as the event's value, where the event may change that in place.
    aliases: frozenset[str] = frozenset()
    #: Whether the values belong to one step of a loop: what is right for them may be wrong for other steps.
    unrolled: bool = False
    #: Whether the event's syntax is synthetic: ``operator.getitem(x, 0)`` is reported as ``x[0]``.
    rewritten: bool = False
    #: Whether the uses of the event's value would also suit a list, and nothing shows that it is a tensor.
    presumed: bool = False
    #: Whether the event's values are certain, rather than merely possible.
    certain: bool = True
    #: The test that leads here only for other settings than the usual ones, if there is one.
    unusual: SettingTest | None = None
    #: What was seen in all executions of the code, complete only once the analysis has ended.
    seen: ExecutionLog = field(default_factory=ExecutionLog, compare=False)

    @property
    def flow(self) -> FunctionFlow:
        """The data flow of the function, or of the module for code outside of functions."""
        return flow_of(self.function or self.source.tree)

    def binding(self, node: ast.expr) -> Binding | None:
        """Return the binding whose value a name always has where it is read; None for several, and other nodes."""
        return self.flow.binding(node)

    def uses(self, binding: Binding) -> Sequence[ast.Name]:
        """Return the reads that may see a binding, in loops and closures too."""
        return self.flow.uses(binding)

    def live_after(self, node: ast.stmt | ast.expr, name: str) -> bool:
        """Return whether code may read the value of a name after a node of the function is evaluated."""
        return self.flow.live_after(node, name)

    @overload
    def concrete(self, node: ast.expr) -> cst.BaseExpression: ...
    @overload
    def concrete(self, node: ast.keyword) -> cst.Arg: ...
    @overload
    def concrete(self, node: ast.stmt) -> cst.BaseStatement | cst.BaseSmallStatement: ...
    def concrete(self, node: ast.expr | ast.stmt | ast.keyword) -> cst.CSTNode:
        """Return a node of the file as a concrete syntax tree, with whitespace and comments, parsed on demand.

        An expression includes the parentheses around it only if they span several lines.
        """
        if isinstance(node, ast.expr):
            return expression_at(self.source, node)
        return argument_at(self.source, node) if isinstance(node, ast.keyword) else statement_at(self.source, node)


@record(frozen=True, slots=True)
class Event:
    """Base of all events. `node` is what a finding underlines."""

    node: ast.AST
    frame: CodeContext

    @property
    def concrete(self) -> cst.CSTNode:
        """The event's node as a concrete syntax tree. Raises TypeError if it is neither expression nor statement."""
        if not isinstance(self.node, ast.expr | ast.stmt | ast.keyword):
            raise TypeError(f"{type(self.node).__name__} has no concrete syntax of its own")
        return self.frame.concrete(self.node)
