"""Loop-carried names: names that an iteration may read before binding them, so that it sees the previous value."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from hybridlint.text.syntax import walk


@lru_cache(maxsize=64)
def carried(loop: ast.For | ast.While) -> frozenset[str]:
    """Return the names that a loop's body may read before it binds them in the same iteration."""
    reads: set[str] = set()
    bound: set[str] = set()
    if isinstance(loop, ast.While):
        _read(loop.test, reads, bound)
    else:
        _bind(loop.target, reads, bound)
    _follow(loop.body, reads, bound)
    return frozenset(reads)


def bound_first(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the names that statements always bind before they read them."""
    reads: set[str] = set()
    bound: set[str] = set()
    _follow(body, reads, bound)
    return frozenset(bound - reads)


def _follow(body: Iterable[ast.stmt], reads: set[str], bound: set[str]) -> None:
    """Add to `reads` the names that are read before they are bound, and to `bound` those that are always bound."""
    for statement in body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                _read(value, reads, bound)
                for target in targets:
                    _bind(target, reads, bound)
            case ast.With(items=items, body=inner):
                for item in items:
                    _read(item.context_expr, reads, bound)
                    if item.optional_vars is not None:
                        _bind(item.optional_vars, reads, bound)
                _follow(inner, reads, bound)
            case ast.If(test=test, body=inner, orelse=orelse):
                _read(test, reads, bound)
                one, other = set(bound), set(bound)
                _follow(inner, reads, one)
                _follow(orelse, reads, other)
                bound |= one & other
            case ast.For(target=target, iter=source, body=inner, orelse=orelse):
                _read(source, reads, bound)
                step = set(bound)
                _bind(target, reads, step)
                _follow(inner, reads, step)
                _follow(orelse, reads, set(bound))
            case _:
                _read(statement, reads, bound)


def _bind(target: ast.expr, reads: set[str], bound: set[str]) -> None:
    match target:
        case ast.Name(id=name):
            bound.add(name)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                _bind(part, reads, bound)
        case ast.Starred(value=value):
            _bind(value, reads, bound)
        case _:
            _read(target, reads, bound)


def _read(node: ast.AST, reads: set[str], bound: set[str]) -> None:
    reads.update(n.id for n in walk(node) if isinstance(n, ast.Name) and n.id not in bound)
