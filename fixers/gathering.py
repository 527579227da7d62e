"""Rows that a loop computes, put together: what the same is on all rows as one tensor."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from hybridlint.analysis.model.events import Frame
from hybridlint.fixers.keys import literal
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.runtime import lookup


@dataclass(frozen=True, slots=True)
class Gathering:
    """The call that puts rows together, and what stands around the rows where they are one tensor."""

    call: ast.Call
    before: str
    after: str

    def of(self, rows: str) -> str:
        """Return the expression that puts the rows of a tensor together."""
        return f"{self.before}{rows}{self.after}"


def gathering(frame: Frame, functions: str, rows: ast.expr, within: ast.AST | None = None) -> Gathering | None:
    """Find what puts a list of rows together: stack, concat, add_n or sum. `within` is searched, or the statement."""
    parent = parent_of(frame, rows, within)
    starred = isinstance(parent, ast.Starred)
    call = parent_of(frame, parent, within) if parent is not None and starred else parent
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    path = dotted(call.func)
    given = {k.arg: literal(k.value) for k in call.keywords}
    if not starred:
        return Gathering(call, f"{functions}.sum(", ", axis=0)") if path == ("sum",) and not given else None
    if path is None or path[:-1] != (functions,):
        return None
    around = _around(functions, path[-1], given)
    return None if around is None else Gathering(call, *around)


def _around(functions: str, name: str, given: dict[str | None, int | None]) -> tuple[str, str] | None:
    """Return what stands before and after the rows, for a function with these keywords."""
    operator = lookup.function((), name)
    if operator is None or not given.keys() <= operator.params.keys():
        return None
    axis = next((given.get(along, operator.params[along].default) for along in operator.params), 0)
    known = {
        ("add_n", 0): (f"{functions}.sum(", ", axis=0)"),
        ("stack", 0): ("", ""),
        ("stack", 1): (f"{functions}.swapaxes(", ", 0, 1)"),
        ("concat", 0): (f"{functions}.reshape(", ", shape=(-3, -2))"),
        ("concat", 1): (f"{functions}.reshape({functions}.swapaxes(", ", 0, 1), shape=(0, -3, -2))"),
    }
    return known.get((name, axis)) if axis is not None else None
