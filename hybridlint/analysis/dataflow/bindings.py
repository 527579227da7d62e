"""Bindings: the places that give a name its value, in every form that Python has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

from hybridlint.runtime.facts.records import record

#: See `Binding.item`.
_Item: TypeAlias = int | tuple[int, int | None] | None


class BindingKind(Enum):
    """The syntax that binds a name."""

    PARAMETER = "parameter"
    ASSIGNMENT = "assignment"
    UNPACKING = "unpacking"
    AUGMENTED = "augmented assignment"
    ANNOTATED = "annotated assignment"
    WALRUS = "assignment expression"
    LOOP = "target of a loop"
    COMPREHENSION = "target of a comprehension"
    WITH = "target of a with statement"
    EXCEPT = "exception of a handler"
    IMPORT = "import"
    FUNCTION = "definition of a function"
    CLASS = "definition of a class"
    PATTERN = "capture of a pattern"
    DELETION = "deletion"
    #: An inner function declares the name nonlocal, or any function declares it global, and binds it there.
    ELSEWHERE = "binding of another scope"


@record(frozen=True, slots=True, eq=False)
class Binding:
    """One place that binds a name. Two bindings are equal only if they are the same object."""

    name: str
    kind: BindingKind
    #: The node that holds the name: a Name, arg, alias, handler, pattern or definition.
    node: ast.AST
    #: The statement that binds it; None for a parameter.
    statement: ast.stmt | None = None
    #: The expression whose value the name holds. None if it holds a part of a value, or if no expression is the value.
    value: ast.expr | None = None
    #: The expression that the value is a part of: the unpacked value, the iterable, the context manager.
    source: ast.expr | None = None
    #: Whether the name has this value whenever the statement has run: False inside ``a or (b := c)``.
    certain: bool = True
    #: The index of the value among the items of `source`, from the end behind a star: -1 for `w` of ``*_, w = x``. For
    #: the star itself the first and the end of several items, or no end: 1 and -1 for `m` of ``a, *m, z = x``. None for
    #: a whole value, and within an item that is unpacked itself.
    item: _Item = None

    @property
    def row(self) -> int:
        """The line of the node that holds the name."""
        return getattr(self.node, "lineno", 0)

    @property
    def assigned(self) -> ast.expr | None:
        """The value of an assignment to the name itself, also of an augmented one; None for other bindings."""
        if self.kind is BindingKind.AUGMENTED:
            return self.source
        return self.value if self.kind is BindingKind.ASSIGNMENT else None

    @property
    def is_plain(self) -> bool:
        """Whether an assignment binds the name to its value, and no other name: ``y = x``."""
        match self.statement:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
                return target is self.node
            case _:
                return False


def bindings_of_target(
    target: ast.expr,
    kind: BindingKind,
    statement: ast.stmt | None,
    *,
    value: ast.expr | None = None,
    source: ast.expr | None = None,
    certain: bool = True,
) -> Iterator[Binding]:
    """Yield the bindings of a target, with those inside tuples and lists, in the order in which Python makes them.

    A target of the same form as its value, ``a, b = c, d``, binds each name to the value of an expression.
    """
    pending: list[tuple[ast.expr, ast.expr | None, ast.expr | None, BindingKind, _Item]] = []
    pending.append((target, value, source, kind, None))
    while pending:
        node, value, source, kind, item = pending.pop()
        match node:
            case ast.Name(id=name):
                yield Binding(name, kind, node, statement, value, source, certain, item)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                inner = BindingKind.UNPACKING if kind is BindingKind.ASSIGNMENT else kind
                values = _paired_values(parts, value)
                # An item of an item, or of what a loop goes over, is none of the source.
                items = _items_of(parts, values) if value is not None else [None] * len(parts)
                whole = source if value is None else value
                each = zip(parts, values, items, strict=True)
                pending += [(part, of, whole, inner, at) for part, of, at in reversed([*each])]
            case ast.Starred(value=part):
                pending.append((part, None, source, kind, item))
            case _:
                pass


def _items_of(parts: list[ast.expr], values: list[ast.expr | None]) -> list[_Item]:
    """Return the index of each target among the items that are unpacked, in the form of `Binding.item`."""
    star = next((place for place, part in enumerate(parts) if isinstance(part, ast.Starred)), len(parts))
    items: list[_Item] = [*range(star)]
    items += [(star, star + 1 - len(parts) or None)] if star < len(parts) else []
    items += [place - len(parts) for place in range(star + 1, len(parts))]
    return [item if value is None else None for item, value in zip(items, values, strict=True)]


def _paired_values(parts: list[ast.expr], value: ast.expr | None) -> list[ast.expr | None]:
    """Return the expression that gives each target its value: elements of a tuple or list without stars, else None."""
    match value:
        case ast.Tuple(elts=values) | ast.List(elts=values) if len(values) == len(parts):
            if not any(isinstance(part, ast.Starred) for part in (*parts, *values)):
                return [*values]
    return [None] * len(parts)


def bindings_of_import(statement: ast.Import | ast.ImportFrom) -> Iterator[Binding]:
    """Yield the names that an import binds; ``from m import *`` binds names that are not known."""
    for alias in statement.names:
        name = alias.asname or (alias.name.partition(".")[0] if isinstance(statement, ast.Import) else alias.name)
        if name != "*":
            yield Binding(name, BindingKind.IMPORT, alias, statement)


def bindings_of_pattern(pattern: ast.pattern, statement: ast.stmt, subject: ast.expr) -> Iterator[Binding]:
    """Yield the names that a pattern of a match statement captures."""
    whole = True
    pending: list[ast.pattern] = [pattern]
    while pending:
        node = pending.pop()
        match node:
            case ast.MatchAs(name=str() as name):
                value = subject if whole else None
                yield Binding(name, BindingKind.PATTERN, node, statement, value, subject)
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield Binding(name, BindingKind.PATTERN, node, statement, None, subject)
            case _:
                pass
        whole = whole and isinstance(node, ast.MatchAs | ast.MatchOr)
        pending += reversed([part for part in ast.iter_child_nodes(node) if isinstance(part, ast.pattern)])
