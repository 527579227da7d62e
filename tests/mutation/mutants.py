"""Small changes of a rule's source, one at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_BOUNDARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_SPELLED = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant)


@dataclass(frozen=True)
class Mutant:
    """A module with one change. `row` is that of the statement that holds it."""

    row: int
    change: str
    tree: ast.Module


def mutants(tree: ast.Module) -> Iterator[Mutant]:
    """Yield a module's mutants in order: changed comparisons, booleans, conditions, returns and findings."""
    nodes = list(ast.walk(tree))
    owners = _statements(tree)
    for number, node in enumerate(nodes):
        for change in range(len(_changes(node)) if id(node) in owners else 0):
            twin = copy.deepcopy(tree)
            place = list(ast.walk(twin))[number]
            said, new = _changes(place)[change]
            changed = _Replaced(place, new).visit(twin)
            assert isinstance(changed, ast.Module)
            yield Mutant(owners[id(node)], f"{said}: {_line(node)}", ast.fix_missing_locations(changed))


def with_marks(tree: ast.Module, call: str) -> ast.Module:
    """Return a module whose functions call the named function with the row of each statement before they run it."""
    marked: ast.Module = _Marked(call).visit(copy.deepcopy(tree))
    return ast.fix_missing_locations(marked)


def _changes(node: ast.AST) -> list[tuple[str, ast.AST]]:
    """Return the changes of one node: what is done, and what takes its place."""
    return next((change(node) for kind, change in _BY_KIND.items() if isinstance(node, kind)), [])


def _of_comparison(node: ast.Compare) -> list[tuple[str, ast.AST]]:
    return [
        (said, ast.Compare(node.left, [*node.ops[:at], table[type(op)](), *node.ops[at + 1 :]], node.comparators))
        for at, op in enumerate(node.ops)
        for said, table in (("opposite comparison", _OPPOSITE), ("other boundary", _BOUNDARY))
        if type(op) in table
    ]


def _of_connection(node: ast.BoolOp) -> list[tuple[str, ast.AST]]:
    if isinstance(node.op, ast.And):
        return [("or for and", ast.BoolOp(ast.Or(), node.values))]
    return [("and for or", ast.BoolOp(ast.And(), node.values))]


def _of_not(node: ast.UnaryOp) -> list[tuple[str, ast.AST]]:
    return [("not left out", node.operand)] if isinstance(node.op, ast.Not) else []


def _of_constant(node: ast.Constant) -> list[tuple[str, ast.AST]]:
    return [("other boolean", ast.Constant(not node.value))] if isinstance(node.value, bool) else []


def _of_condition(node: ast.If | ast.IfExp) -> list[tuple[str, ast.AST]]:
    if isinstance(node.test, _SPELLED):
        return []
    twin = copy.copy(node)
    twin.test = ast.UnaryOp(ast.Not(), node.test)
    return [("condition negated", twin)]


def _of_return(node: ast.Return) -> list[tuple[str, ast.AST]]:
    nothing = node.value is None or isinstance(node.value, ast.Constant)
    return [] if nothing else [("None returned", ast.Return(ast.Constant(None)))]


def _of_expression(node: ast.Expr) -> list[tuple[str, ast.AST]]:
    return [("finding left out", ast.Pass())] if isinstance(node.value, (ast.Yield, ast.YieldFrom)) else []


_BY_KIND: dict[type[ast.AST], Callable[[Any], list[tuple[str, ast.AST]]]] = {
    ast.Compare: _of_comparison,
    ast.BoolOp: _of_connection,
    ast.UnaryOp: _of_not,
    ast.Constant: _of_constant,
    ast.If: _of_condition,
    ast.IfExp: _of_condition,
    ast.Return: _of_return,
    ast.Expr: _of_expression,
}


def _statements(tree: ast.Module) -> dict[int, int]:
    """Return the row of the innermost statement of a function around each node, by the node's identity."""
    found: dict[int, int] = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                _note(statement, statement.lineno, found)
    return found


def _note(node: ast.AST, row: int, found: dict[int, int]) -> None:
    found[id(node)] = row = node.lineno if isinstance(node, ast.stmt) else row
    if isinstance(node, ast.keyword) and node.arg == "strict":
        # That of zip: another one changes nothing where lengths are equal, which they are.
        return
    for name, child in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list"}:
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, ast.AST):
                    _note(each, row, found)


def _line(node: ast.AST) -> str:
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= 80 else f"{text[:77]}..."


class _Replaced(ast.NodeTransformer):
    def __init__(self, place: ast.AST, new: ast.AST) -> None:
        self.place, self.new = place, new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the one node."""
        return ast.copy_location(self.new, node) if node is self.place else self.generic_visit(node)


class _Marked(ast.NodeTransformer):
    def __init__(self, call: str) -> None:
        self.call = call
        self.inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Mark the statements of a function."""
        before, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = before
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Put a call before each statement of a body."""
        super().generic_visit(node)
        if self.inside:
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list):
                    setattr(node, name, [each for old in body for each in (self._mark(old), old)])
        return node

    def _mark(self, statement: ast.stmt) -> ast.stmt:
        call = ast.Call(ast.Name(self.call, ast.Load()), [ast.Constant(statement.lineno)], [])
        return ast.copy_location(ast.Expr(call), statement)
