"""The lengths of tuples that calls of a class in its file pass for an argument of its constructor."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.settings import length_of
from hybridlint.analysis.model.values import ProjectClass
from hybridlint.analysis.project.program import ProjectFile


def length_in_calls(info: ProjectClass, parameter: str, index: int) -> int | None:
    """Return the number of sizes that each call of a class in its file passes for an argument of ``__init__``.

    `index` is the argument's position, counting self as 0. None if there is no call, or a call passes something else.
    """
    module = info.module
    calls = module.survey.calls_of(info.node.name) if isinstance(module, ProjectFile) else ()
    found = {_length(_given(call, parameter, index)) for call in calls}
    return found.pop() if len(found) == 1 else None


def _given(call: ast.Call, parameter: str, index: int) -> ast.expr | None:
    keywords = [keyword.value for keyword in call.keywords if keyword.arg == parameter]
    placed = [] if any(isinstance(one, ast.Starred) for one in call.args) else call.args[index - 1 : index]
    return next(iter(keywords + placed), None)


def _length(given: ast.expr | None) -> int | None:
    match given:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if all(isinstance(part, ast.Constant) for part in parts):
            return length_of(tuple(part.value for part in parts if isinstance(part, ast.Constant)))
        case _:
            return None
