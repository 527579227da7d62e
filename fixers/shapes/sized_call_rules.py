"""Fixers of calls with sizes of a tensor as arguments, each declared with the functions that it rewrites."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from hybridlint.analysis.model.events import AttributeRead, Concretize
from hybridlint.runtime.facts import lookup
from hybridlint.text.edits import Fix

#: A read of a shape, or of a length.
SizeRead = AttributeRead | Concretize
#: A fixer of a call that a size is an argument of; it is told whether the call is that of a function of F or `nd`.
Rewrite = Callable[[SizeRead, ast.Call, bool], Fix | None]


class SizedCallRule(NamedTuple):
    """A fixer and the functions that it rewrites, by one name each; `methods` says that it knows methods too."""

    rewrite: Rewrite
    names: frozenset[str]
    methods: bool


def rewrites(*names: str, methods: bool = True) -> Callable[[Rewrite], SizedCallRule]:
    """Return the decorator that declares which functions a fixer rewrites, under any of their names."""
    return lambda rewrite: SizedCallRule(rewrite, frozenset(map(_own_name, names)), methods)


def declared_fixer(fixers: tuple[SizedCallRule, ...], name: str, *, namespace: bool) -> Rewrite | None:
    """Return the fixer of a function or method of a name, None if there is none."""
    own = _own_name(name)
    return next((one.rewrite for one in fixers if own in one.names and (namespace or one.methods)), None)


def _own_name(name: str) -> str:
    """Return the name by which an operator is defined, for any of its names; other names as they are."""
    operator = lookup.function((), name) or lookup.function(("contrib",), name)
    return name if operator is None else operator.name
