"""States of recurrent cells: the signs that an argument is one state, and the list around it."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import BlockCall
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.parameters import names_of
from hybridlint.text.plurals import is_plural
from hybridlint.text.syntax import each


def in_list(event: BlockCall, state: ast.expr) -> Fix | None:
    """Write ``cell(x, state)`` as ``cell(x, [state])``, which runs eagerly too."""
    new = expression("[{state}]", state=event.frame.concrete(state))
    return rewrite(event.frame, state, new, Applicability.UNSAFE)


def is_one_state(event: BlockCall, state: ast.expr) -> bool:
    """Return whether an argument of unknown kind seems to be one state.

    Its name is no plural, and the function keeps no states. Code that keeps the new states passes them on as the list
    that the next step gets.
    """
    function = event.frame.function
    if not isinstance(function, ast.FunctionDef) or not isinstance(state, ast.Name) or is_plural(state.id):
        return False
    stores = [n for n in each(function, ast.Name) if n.id == state.id and isinstance(n.ctx, ast.Store)]
    return state.id in names_of(function.args) and not stores and not keeps_states(event)


def keeps_states(event: BlockCall) -> bool:
    """Whether a function keeps the states that a cell returns, which come in a list, as its caller gives them back."""
    function = event.frame.function
    if not isinstance(function, ast.FunctionDef):
        return False
    match parent_of(event.frame, event.node):
        case ast.Subscript(slice=ast.Constant(value=0)):
            return False
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name(id=kept)])]):
            reads = [n for n in each(function, ast.Name) if n.id == kept and isinstance(n.ctx, ast.Load)]
            return bool(reads)
        case _:
            return True
