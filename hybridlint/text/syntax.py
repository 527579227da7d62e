"""Syntax trees: a walk at a tenth of the cost of `ast.walk`, and parsing of expressions."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeGuard, TypeVar

N = TypeVar("N", bound=ast.AST)


def _kinds(kind: type[ast.AST]) -> Iterator[type[ast.AST]]:
    for child in kind.__subclasses__():
        yield child
        yield from _kinds(child)


#: Operators and contexts are read from their parent node, so that walks skip them.
_MARKS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
_NODES = frozenset(kind for kind in _kinds(ast.AST) if not issubclass(kind, _MARKS))
_TYPES = frozenset(kind for kind in _NODES if kind.__name__ in {"TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple"})
#: Fields that never hold a node in any node class.
_PLAIN = frozenset({"attr", "ctx", "id", "is_async", "kind", "level", "module", "op", "ops", "simple", "type_comment"})
#: The same where they are names, which they are in all nodes but those of type aliases.
_NAMES = frozenset({"arg", "asname", "name", "rest"})
_FIELDS = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN and (name not in _NAMES or kind in _TYPES))
    for kind in _NODES
}
_FIELDS[ast.Constant] = ()
#: Names and constants are half of a tree and have no children.
_BRANCHES = _NODES - {ast.Name, ast.Constant}
_OWN = _BRANCHES - {ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda}
#: Trees whose node lists are cached, and how many: many callers ask for one function's nodes, then for the next's.
_ASKED = (ast.FunctionDef, ast.ClassDef, ast.Module)
_AT_HAND = 256


def expression(text: str) -> ast.expr:
    """Parse an expression, without Python's warnings about its spelling. Raises SyntaxError."""
    tree = parse_text(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def parse_text(text: str, mode: str = "exec") -> ast.AST:
    """Parse a text, without Python's warnings about its spelling. Raises SyntaxError, whatever Python objects to."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode=mode)
    except (ValueError, RecursionError, MemoryError) as error:
        # Null characters, and nesting that is too deep for the parser's stack.
        raise SyntaxError(str(error) or "it is nested too deeply") from error


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and its descendants in the order of `ast.walk`, skipping operators and contexts."""
    return iter(_nodes(node, _NODES))


def branches(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of `walk`, skipping names and constants."""
    return iter(_nodes(node, _BRANCHES))


def each(node: ast.AST, kind: type[N]) -> Sequence[N]:
    """Return the nodes of one kind among those of `walk`, in its order.

    A function's nodes are sorted by their kinds once, for all that is asked of it.
    """
    if type(node) not in _ASKED:
        return [found for found in _walk(node, _NODES) if type(found) is kind]
    return _by_kind(node).get(kind, ())  # type: ignore[return-value]


def own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield a function and the nodes below it, skipping names, constants, and everything in nested functions."""
    return iter(_walk(function, _OWN))


def is_dotted(node: ast.AST) -> bool:
    """Return whether an expression is a name, or attributes of one: ``nn.Dense``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below a node, skipping operators and contexts."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value: Any = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if type(item) in _NODES]
        elif type(value) in _NODES:
            found.append(value)
    return found


def depth(tree: ast.AST) -> int:
    """Return how many nodes of a tree are nested within each other."""
    level, number = [tree], 0
    while level:
        level = [inner for node in level for inner in children(node)]
        number += 1
    return number


def bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the statement lists that a statement holds: bodies, branches, handlers, cases."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if block:
            yield block
    for name in ("handlers", "cases"):
        yield from (part.body for part in getattr(statement, name, ()))


def reads(node: ast.AST, name: str) -> Iterator[ast.Name]:
    """Yield the nodes below `node` that read the name."""
    return (n for n in walk(node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))


def _nodes(node: ast.AST, kinds: frozenset[type[ast.AST]]) -> Sequence[ast.AST]:
    if type(node) not in _ASKED:
        return _walk(node, kinds)
    return _parted(node)[0] if kinds is _BRANCHES else _at_hand(node)


@lru_cache(maxsize=_AT_HAND)
def _at_hand(node: ast.AST) -> Sequence[ast.AST]:
    return tuple(_walk(node, _NODES))


@lru_cache(maxsize=_AT_HAND)
def _parted(node: ast.AST) -> tuple[Sequence[ast.AST], Sequence[ast.AST]]:
    """Return the nodes of `branches`, and the names and constants, both in the order of a walk through all."""
    found, leaves = [node], list[ast.AST]()
    append, append_leaf = found.append, leaves.append
    for each in found:
        for name in _FIELDS[type(each)]:
            value: Any = getattr(each, name, None)
            for item in value if type(value) is list else (value,):
                kind = type(item)
                if kind in _BRANCHES:
                    append(item)
                elif kind in _NODES:
                    append_leaf(item)
    return tuple(found), tuple(leaves)


@lru_cache(maxsize=_AT_HAND)
def _by_kind(node: ast.AST) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
    found: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for part in _parted(node):
        for inner in part:
            found[type(inner)].append(inner)
    return found


def _walk(node: ast.AST, kinds: frozenset[type[ast.AST]]) -> list[ast.AST]:
    found = [node]
    append = found.append
    for each in found:
        for name in _FIELDS[type(each)]:
            value: Any = getattr(each, name, None)
            kind = type(value)
            if kind is list:
                for item in value:
                    if type(item) in kinds:
                        append(item)
            elif kind in kinds:
                append(value)
    return found


def is_self(node: ast.AST) -> TypeGuard[ast.Name]:
    """Return whether a node is the name ``self``."""
    return isinstance(node, ast.Name) and node.id == "self"


def is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Return whether a node is an attribute of ``self``."""
    return isinstance(node, ast.Attribute) and is_self(node.value)


def holds(outer: ast.AST, node: ast.AST) -> bool:
    """Return whether a node is another node or a descendant of it. Rows rule out nearly every pair before any walk."""
    row, last = getattr(node, "lineno", None), getattr(outer, "end_lineno", None)
    if row is not None and last is not None:
        decorators: Sequence[ast.expr] = getattr(outer, "decorator_list", ())
        first = decorators[0].lineno if decorators else getattr(outer, "lineno", 0)
        if not first <= row <= last:
            return False
    return any(part is node for part in walk(outer))


def is_stored(node: ast.AST) -> bool:
    """Return whether a node stores or deletes an attribute."""
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)


def takes_one(low: ast.expr | None, high: ast.expr | None) -> bool:
    """Return whether a slice takes one element, wherever it begins: ``i : i + 1``."""
    match low, high:
        case ast.expr(), ast.BinOp(left=first, op=ast.Add(), right=ast.Constant(value=1)):
            return ast.dump(low) == ast.dump(first)
    return False
