"""Calls that combine the rows of a loop (stack, concat, sum), written for all rows as one tensor."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst

_ROWS = "{rows}"
_SUM = "{F}.sum({rows}, axis=0)"

#: Functions that combine rows along an axis -> the template of the same on a tensor of rows.
_TEMPLATES = {
    ("add_n", 0): _SUM,
    ("stack", 0): _ROWS,
    ("stack", 1): "{F}.swapaxes({rows}, 0, 1)",
    ("concat", 0): "{F}.reshape({rows}, shape=(-3, -2))",
    ("concat", 1): "{F}.reshape({F}.swapaxes({rows}, 0, 1), shape=(0, -3, -2))",
}


@record(frozen=True, slots=True)
class Gathering:
    """A call that combines a list of rows, and a template that does the same to one tensor."""

    call: ast.Call
    functions: str
    template: str

    @property
    def keeps_rows(self) -> bool:
        """Whether the combined rows are the tensor of all rows itself."""
        return self.template == _ROWS

    def of(self, rows: cst.BaseExpression | str) -> cst.BaseExpression:
        """Return the expression that combines the rows of the tensor `rows`."""
        return expression(self.template, F=self.functions, rows=rows)


def gathering(frame: CodeContext, functions: str, rows: ast.expr, within: ast.AST | None = None) -> Gathering | None:
    """Return the call of stack, concat, add_n or sum that combines the list `rows`; None if there is none.

    It is searched for in `within`, or else in the frame's statement.
    """
    parent = parent_of(frame, rows, within)
    starred = isinstance(parent, ast.Starred)
    call = parent_of(frame, parent, within) if parent is not None and starred else parent
    if not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    path = dotted_parts(call.func)
    given = {k.arg: literal(k.value) for k in call.keywords}
    if not starred:
        return Gathering(call, functions, _SUM) if path == ("sum",) and not given else None
    if path is None or path[:-1] != (functions,):
        return None
    template = _template(path[-1], given)
    return None if template is None else Gathering(call, functions, template)


def _template(name: str, given: dict[str | None, int | None]) -> str | None:
    """Return the template that does to a tensor of rows what function `name` with these keywords does to a list."""
    operator = lookup.function((), name)
    if operator is None or not given.keys() <= operator.params.keys():
        return None
    axis = next((given.get(along, operator.params[along].default) for along in operator.params), 0)
    return _TEMPLATES.get((name, axis)) if axis is not None else None
