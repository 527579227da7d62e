"""How the statements of one loop step use names: they read some first, bind some, and store into some."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.fixers.loops.lists import appended_element
from hybridlint.runtime.facts.records import record


@record(slots=True)
class LoopFlow:
    """The names of one step by their use, as far as its statements have been followed.

    `early` are those that it reads before it surely binds them, in their order. It binds some `surely`, others in
    branches and loops only: `perhaps`. Into those that are `changed` it stores items. `lists` are made in the step.
    """

    early: list[str] = field(default_factory=list)
    surely: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)

    def read(self, nodes: Sequence[ast.AST]) -> None:
        """Note the names that nodes read."""
        self.early += [n for n in names_in(*nodes).reads if n not in self.surely and n not in self.early]


def flow_of(body: Sequence[ast.stmt]) -> LoopFlow | None:
    """Return how the statements of a step use names; None if they do more than bind names and fill lists."""
    flow = LoopFlow()
    return flow if all(_followed(statement, flow) for statement in body) else None


def _followed(statement: ast.stmt, flow: LoopFlow) -> bool:
    """Note how a statement reads and binds names; False for statements that this analysis does not know."""
    match statement:
        case ast.Assign(targets=targets, value=value) if all(map(is_plain, targets)):
            flow.read([value])
            names = {*names_in(*targets).stores}
            flow.surely |= names
            flow.lists = (flow.lists - names) | (names if isinstance(value, ast.List | ast.ListComp) else set())
            return True
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value):
            flow.read([value, key, ast.Name(name, ast.Load())])
            flow.changed.add(name)
            return True
        case ast.Expr():
            to, element = appended_element(statement)
            flow.read([] if element is None else [element])
            return to in flow.lists
        case ast.For(target=target, iter=source, body=body, orelse=[]) if is_plain(target):
            flow.read([source])
            return _branched([(body, {*names_in(target).stores})], flow)
        case ast.If(test=test, body=body, orelse=other):
            flow.read([test])
            return _branched([(body, set()), (other, set())], flow)
    return False


def _branched(blocks: Sequence[tuple[list[ast.stmt], set[str]]], flow: LoopFlow) -> bool:
    """Record the uses of names in alternative blocks, or in a block that runs several times.

    Each block begins with some names of its own.
    """
    before = set(flow.surely)
    ends: list[set[str]] = []
    for body, own in blocks:
        flow.surely = before | own
        if not all(_followed(statement, flow) for statement in body):
            return False
        ends.append(set(flow.surely))
    flow.surely = before if len(ends) == 1 else set.intersection(*ends)
    flow.perhaps |= set.union(*ends) - flow.surely
    return True


def changed_in(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names of what assignments store items into, ``states[i] = x``, in statements of one block."""
    flow = LoopFlow()
    for statement in statements:
        _followed(statement, flow)
    return flow.changed


def is_plain(target: ast.expr) -> bool:
    """Return whether a target is a name, or a tuple or list of such targets."""
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Tuple | ast.List) and all(map(is_plain, target.elts))
    )
