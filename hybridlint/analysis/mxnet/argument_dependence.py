"""The names that a function computes from its arguments, derived from its assignments without interpreting it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.tables import GROWING
from hybridlint.text.parameters import names_of
from hybridlint.text.syntax import branches, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.run.activation import Activation


def is_fed(act: Activation, args: ArgumentsEvent) -> bool:
    """Return whether the first argument of a call is computed from the arguments of an enclosing function.

    Otherwise it may be an array that the module keeps.
    """
    first = args.nodes[:1] or tuple(args.keyword_nodes.values())[:1]
    names = {n.id for node in first for n in walk(node) if isinstance(n, ast.Name)}
    scope: Activation | None = act
    while scope is not None:
        if scope.node is not None and names & _fed_names(scope):
            return True
        scope = scope.parent
    return False


def _fed_names(act: Activation) -> frozenset[str]:
    """Return the arguments of a function, except self and F, and the names that are computed from them."""
    assert act.node is not None
    known = act.run.reuse.fed.get(act.node)
    if known is None:
        known = act.run.reuse.fed[act.node] = _spread(act.node)
    return known


def _spread(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    spec = function.args
    fed = {*names_of(spec)} - {"self", "F"}
    fed |= {a.arg for a in (spec.vararg, spec.kwarg) if a is not None}
    return computed_from(function, fed)


def computed_from(function: ast.AST, names: Set[str]) -> frozenset[str]:
    """Return some names of a function, and those that it computes from them."""
    fed = frozenset(names)
    bindings = _bindings(function)
    while grown := {name for made, used in bindings if used & fed for name in made} - fed:
        fed |= grown
    return fed


@lru_cache(maxsize=64)
def _bindings(function: ast.AST) -> Sequence[tuple[Set[str], Set[str]]]:
    """Return for each statement the names that it binds or fills, and the names that it reads.

    The last function's result is cached, because its calls ask one after another.
    """
    return tuple(_found_bindings(function))


def _found_bindings(function: ast.AST) -> Iterator[tuple[set[str], set[str]]]:
    for node in branches(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield {name for target in targets for name in _names(target)}, _names(value)
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield _names(target), _names(value)
            case ast.For(target=target, iter=source) | ast.comprehension(target=target, iter=source):
                yield _names(target), _names(source)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr=method), args=args) if method in GROWING:
                yield {holder}, {name for arg in args for name in _names(arg)}
            case _:
                continue


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name)}
